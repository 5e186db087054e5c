/* Which kernel would multiply two 4096 x 4096 matrices here, and why. Needs no CUDA toolkit to compile. */
#include <fastgemm/fastgemm.h>
#include <stdio.h>

int main(void) {
  fg_handle_t handle;
  fg_status_t status = fg_create(&handle);
  if (status != FG_STATUS_SUCCESS) { /* without a GPU, for one */
    printf("fg_create: %s: %s\n", fg_status_name(status), fg_last_error());
    return 0;
  }
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  desc.m = desc.n = desc.k = desc.lda = desc.ldb = desc.ldc = 4096;
  char text[1000];
  status = fg_explain(handle, &desc, text, sizeof text);
  puts(status == FG_STATUS_SUCCESS ? text : fg_last_error());
  fg_destroy(handle);
  return status;
}
