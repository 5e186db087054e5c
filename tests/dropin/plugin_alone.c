/* A plugin that is linked to libfastgemm.so and to no BLAS: tells whether it was served. */
const char* use_blas(void);

void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*, long, long);

const char* use_blas(void) {
  const int one = 1;
  const float two = 2.0f, none = 0.0f;
  float result = 0.0f;
  sgemm_("N", "N", &one, &one, &one, &two, &two, &one, &two, &one, &none, &result, &one, 1, 1);
  return result == 8.0f ? "served" : "not served";
}
