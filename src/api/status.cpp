// Version, names of statuses, text of the last error.
#include "src/api/guard.h"
#include "src/problem/raw_enum.h"

namespace fastgemm {
namespace {

struct StatusText {
  int value;
  const char* name;
  const char* text;
};

constexpr StatusText kStatuses[] = {
    {FG_STATUS_SUCCESS, "FG_STATUS_SUCCESS", "the call succeeded"},
    {FG_STATUS_NOT_INITIALIZED, "FG_STATUS_NOT_INITIALIZED", "no usable handle, or no usable GPU"},
    {FG_STATUS_ALLOC_FAILED, "FG_STATUS_ALLOC_FAILED", "out of memory"},
    {FG_STATUS_INVALID_VALUE, "FG_STATUS_INVALID_VALUE", "an argument is not valid"},
    {FG_STATUS_ARCH_MISMATCH, "FG_STATUS_ARCH_MISMATCH", "this build has no code for the GPU"},
    {FG_STATUS_MAPPING_ERROR, "FG_STATUS_MAPPING_ERROR", "GPU memory could not be accessed"},
    {FG_STATUS_EXECUTION_FAILED, "FG_STATUS_EXECUTION_FAILED", "the GPU program could not be launched or failed"},
    {FG_STATUS_INTERNAL_ERROR, "FG_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {FG_STATUS_NOT_SUPPORTED, "FG_STATUS_NOT_SUPPORTED", "valid, but neither a kernel nor cuBLAS can do it"},
};

constexpr StatusText kUnknown = {-1, "FG_STATUS_UNKNOWN", "not a status of this library"};

const StatusText& find_status(int value) {
  for (const StatusText& status : kStatuses) {
    if (status.value == value) return status;
  }
  return kUnknown;
}

}  // namespace
}  // namespace fastgemm

using namespace fastgemm;

fg_status_t fg_get_version(int* version) {
  return guarded(__func__, [&]() -> Outcome {
    if (version == nullptr) return {FG_STATUS_INVALID_VALUE, "version is null"};
    *version = FG_VERSION;
    return {};
  });
}

const char* fg_status_name(fg_status_t status) { return find_status(raw_enum(status)).name; }

const char* fg_status_string(fg_status_t status) { return find_status(raw_enum(status)).text; }

const char* fg_last_error(void) { return last_error(); }
