/* fastgemm.h alone, as C. */
#include "fastgemm/fastgemm.h"

fg_status_t fg_header_check(void);

fg_status_t fg_header_check(void) {
  fg_handle_t handle = NULL;
  fg_gemm_desc desc;
  fg_gemm_desc_init(&desc);
  return fg_gemm_ex(handle, &desc);
}
