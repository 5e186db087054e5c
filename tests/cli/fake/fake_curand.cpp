// Plays libcurand on host memory.
#include <curand.h>

#include <random>

#define FG_FAKE_API extern "C" __attribute__((visibility("default")))

namespace {

std::mt19937_64& engine(curandGenerator_t generator) { return *reinterpret_cast<std::mt19937_64*>(generator); }

}  // namespace

FG_FAKE_API curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t) {
  *generator = reinterpret_cast<curandGenerator_t>(new std::mt19937_64);
  return CURAND_STATUS_SUCCESS;
}
FG_FAKE_API curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete &engine(generator);
  return CURAND_STATUS_SUCCESS;
}
FG_FAKE_API curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  engine(generator).seed(seed);
  return CURAND_STATUS_SUCCESS;
}
FG_FAKE_API curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }
FG_FAKE_API curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* data, size_t count, float mean,
                                                float deviation) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;  // as cuRAND's pseudorandom generators do
  std::normal_distribution<float> normal(mean, deviation);
  for (size_t i = 0; i < count; ++i) data[i] = normal(engine(generator));
  return CURAND_STATUS_SUCCESS;
}
