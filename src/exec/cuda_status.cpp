// The table of CUDA errors that have a status of their own.
#include "src/exec/cuda_status.h"

namespace fastgemm {

namespace {

struct StatusRow {
  cudaError_t error;
  fg_status_t status;
};

// Anything not listed is EXECUTION_FAILED: what a launch or an earlier kernel reports.
constexpr StatusRow kStatusRows[] = {
    {cudaSuccess, FG_STATUS_SUCCESS},
    {cudaErrorMemoryAllocation, FG_STATUS_ALLOC_FAILED},
    {cudaErrorInitializationError, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorCudartUnloading, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorInsufficientDriver, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorStubLibrary, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorNoDevice, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorInvalidDevice, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorDevicesUnavailable, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorSystemNotReady, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorSystemDriverMismatch, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorContextIsDestroyed, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorDeviceUninitialized, FG_STATUS_NOT_INITIALIZED},
    {cudaErrorNoKernelImageForDevice, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorInvalidDeviceFunction, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorInvalidKernelImage, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorUnsupportedPtxVersion, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorInvalidPtx, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorJitCompilerNotFound, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorJitCompilationDisabled, FG_STATUS_ARCH_MISMATCH},
    {cudaErrorMapBufferObjectFailed, FG_STATUS_MAPPING_ERROR},
    {cudaErrorNotSupported, FG_STATUS_NOT_SUPPORTED},
    // Our arguments to CUDA, not the caller's to us.
    {cudaErrorInvalidValue, FG_STATUS_INTERNAL_ERROR},
    {cudaErrorInvalidConfiguration, FG_STATUS_INTERNAL_ERROR},
};

}  // namespace

fg_status_t status_from_cuda(cudaError_t error) {
  for (const StatusRow& row : kStatusRows) {
    if (row.error == error) return row.status;
  }
  return FG_STATUS_EXECUTION_FAILED;
}

std::string cuda_error_text(std::string_view what, cudaError_t error) {
  return std::string(what) + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")";
}

}  // namespace fastgemm
