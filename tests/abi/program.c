/* Prints what fg_create answers and why; exit code 0 where the two fit together. */
#include <stdio.h>
#include <string.h>

#include "fastgemm/fastgemm.h"

int main(void) {
  fg_handle_t handle = NULL;
  int version = 0;
  const fg_status_t status = fg_create(&handle);
  printf("%s: %s\n", fg_status_name(status), fg_last_error());
  if (status == FG_STATUS_SUCCESS) return handle != NULL && fg_destroy(handle) == FG_STATUS_SUCCESS ? 0 : 1;
  if (handle != NULL || strlen(fg_last_error()) == 0) return 2;
  if (fg_sgemm(handle, FG_OP_N, FG_OP_N, 1, 1, 1, NULL, NULL, 1, NULL, 1, NULL, NULL, 1) != FG_STATUS_NOT_INITIALIZED) {
    return 3;
  }
  if (fg_destroy(handle) != FG_STATUS_NOT_INITIALIZED) return 4;
  return fg_get_version(&version) == FG_STATUS_SUCCESS && version == FG_VERSION ? 0 : 5;
}
