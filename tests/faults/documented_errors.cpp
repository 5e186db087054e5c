// From the reference manuals of the CUDA runtime, the driver API and cuBLAS, version 13.0.
#include "tests/faults/documented_errors.h"

#include <cublas_v2.h>
#include <cuda.h>

#include <string>

namespace fastgemm::test {
namespace {

struct ErrorRow {
  cudaError_t error;
  fg_status_t status;
  const char* name;
};

constexpr ErrorRow kErrors[] = {
    {cudaErrorInvalidValue, FG_STATUS_INTERNAL_ERROR, "cudaErrorInvalidValue"},
    {cudaErrorMemoryAllocation, FG_STATUS_ALLOC_FAILED, "cudaErrorMemoryAllocation"},
    {cudaErrorInitializationError, FG_STATUS_NOT_INITIALIZED, "cudaErrorInitializationError"},
    {cudaErrorCudartUnloading, FG_STATUS_NOT_INITIALIZED, "cudaErrorCudartUnloading"},
    {cudaErrorInvalidConfiguration, FG_STATUS_INTERNAL_ERROR, "cudaErrorInvalidConfiguration"},
    {cudaErrorStubLibrary, FG_STATUS_NOT_INITIALIZED, "cudaErrorStubLibrary"},
    {cudaErrorInsufficientDriver, FG_STATUS_NOT_INITIALIZED, "cudaErrorInsufficientDriver"},
    {cudaErrorDevicesUnavailable, FG_STATUS_NOT_INITIALIZED, "cudaErrorDevicesUnavailable"},
    {cudaErrorInvalidDeviceFunction, FG_STATUS_ARCH_MISMATCH, "cudaErrorInvalidDeviceFunction"},
    {cudaErrorNoDevice, FG_STATUS_NOT_INITIALIZED, "cudaErrorNoDevice"},
    {cudaErrorInvalidDevice, FG_STATUS_NOT_INITIALIZED, "cudaErrorInvalidDevice"},
    {cudaErrorInvalidKernelImage, FG_STATUS_ARCH_MISMATCH, "cudaErrorInvalidKernelImage"},
    {cudaErrorNoKernelImageForDevice, FG_STATUS_ARCH_MISMATCH, "cudaErrorNoKernelImageForDevice"},
    {cudaErrorInvalidPtx, FG_STATUS_ARCH_MISMATCH, "cudaErrorInvalidPtx"},
    {cudaErrorJitCompilerNotFound, FG_STATUS_ARCH_MISMATCH, "cudaErrorJitCompilerNotFound"},
    {cudaErrorUnsupportedPtxVersion, FG_STATUS_ARCH_MISMATCH, "cudaErrorUnsupportedPtxVersion"},
    {cudaErrorJitCompilationDisabled, FG_STATUS_ARCH_MISMATCH, "cudaErrorJitCompilationDisabled"},
    {cudaErrorSharedObjectInitFailed, FG_STATUS_EXECUTION_FAILED, "cudaErrorSharedObjectInitFailed"},
    {cudaErrorInvalidResourceHandle, FG_STATUS_EXECUTION_FAILED, "cudaErrorInvalidResourceHandle"},
    {cudaErrorIllegalAddress, FG_STATUS_EXECUTION_FAILED, "cudaErrorIllegalAddress"},
    {cudaErrorLaunchOutOfResources, FG_STATUS_EXECUTION_FAILED, "cudaErrorLaunchOutOfResources"},
    {cudaErrorLaunchTimeout, FG_STATUS_EXECUTION_FAILED, "cudaErrorLaunchTimeout"},
    {cudaErrorLaunchFailure, FG_STATUS_EXECUTION_FAILED, "cudaErrorLaunchFailure"},
    {cudaErrorNotSupported, FG_STATUS_NOT_SUPPORTED, "cudaErrorNotSupported"},
    {cudaErrorSystemNotReady, FG_STATUS_NOT_INITIALIZED, "cudaErrorSystemNotReady"},
    {cudaErrorSystemDriverMismatch, FG_STATUS_NOT_INITIALIZED, "cudaErrorSystemDriverMismatch"},
    {cudaErrorStreamCaptureInvalidated, FG_STATUS_EXECUTION_FAILED, "cudaErrorStreamCaptureInvalidated"},
    {cudaErrorExternalDevice, FG_STATUS_EXECUTION_FAILED, "cudaErrorExternalDevice"},
};

// What a function of the runtime adds to the errors that any of them may answer.
struct FunctionRow {
  std::string_view function;
  std::vector<int> errors;
};

const std::vector<FunctionRow>& runtime_functions() {
  static const std::vector<FunctionRow> rows = {
      {"cudaGetDeviceCount", {cudaErrorStubLibrary, cudaErrorSystemNotReady, cudaErrorSystemDriverMismatch}},
      {"cudaDriverGetVersion", {cudaErrorInvalidValue}},
      {"cudaGetDevice", {cudaErrorInvalidValue, cudaErrorDevicesUnavailable}},
      {"cudaSetDevice", {cudaErrorInvalidDevice, cudaErrorDevicesUnavailable}},
      {"cudaDeviceGetAttribute", {cudaErrorInvalidDevice, cudaErrorInvalidValue}},
      {"cudaGetDeviceProperties", {cudaErrorInvalidDevice}},
      {"cudaMalloc", {cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorExternalDevice}},
      {"cudaFree", {cudaErrorInvalidValue}},
      {"cudaMemsetAsync", {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
      {"cudaStreamCreateWithFlags", {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
      {"cudaStreamSynchronize", {cudaErrorInvalidResourceHandle}},
      {"cudaStreamDestroy", {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
      {"cudaThreadExchangeStreamCaptureMode", {cudaErrorInvalidValue}},
      {"cudaGetDriverEntryPointByVersion", {cudaErrorInvalidValue, cudaErrorNotSupported}},
      {"cudaFuncSetAttribute",
       {cudaErrorInvalidDeviceFunction, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInvalidKernelImage,
        cudaErrorNoKernelImageForDevice, cudaErrorInvalidPtx, cudaErrorJitCompilerNotFound,
        cudaErrorUnsupportedPtxVersion, cudaErrorJitCompilationDisabled, cudaErrorSharedObjectInitFailed}},
      {"cudaLaunchKernelExC",
       {cudaErrorInvalidDeviceFunction, cudaErrorInvalidConfiguration, cudaErrorMemoryAllocation,
        cudaErrorLaunchTimeout, cudaErrorLaunchOutOfResources, cudaErrorSharedObjectInitFailed, cudaErrorInvalidPtx,
        cudaErrorUnsupportedPtxVersion, cudaErrorNoKernelImageForDevice, cudaErrorJitCompilerNotFound,
        cudaErrorJitCompilationDisabled, cudaErrorInvalidResourceHandle, cudaErrorStreamCaptureInvalidated}},
  };
  return rows;
}

// "May also return error codes from previous, asynchronous launches", and those of the runtime's own initialisation.
constexpr int kAnyRuntimeFunction[] = {cudaErrorLaunchFailure, cudaErrorIllegalAddress, cudaErrorInitializationError,
                                       cudaErrorInsufficientDriver, cudaErrorNoDevice, cudaErrorCudartUnloading};

const std::vector<FunctionRow>& other_functions() {
  static const std::vector<int> product = {
      CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED,     CUBLAS_STATUS_INVALID_VALUE,
      CUBLAS_STATUS_ARCH_MISMATCH,   CUBLAS_STATUS_EXECUTION_FAILED, CUBLAS_STATUS_INTERNAL_ERROR,
      CUBLAS_STATUS_NOT_SUPPORTED,   CUBLAS_STATUS_MAPPING_ERROR,    CUBLAS_STATUS_LICENSE_ERROR};
  static const std::vector<int> setting = {CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_INVALID_VALUE,
                                           CUBLAS_STATUS_INTERNAL_ERROR};
  static const std::vector<FunctionRow> rows = {
      {"cuCtxGetId",
       {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_INVALID_CONTEXT,
        CUDA_ERROR_CONTEXT_IS_DESTROYED}},
      {"cuTensorMapEncodeTiled", {CUDA_ERROR_INVALID_VALUE}},
      {"cublasCreate_v2", {CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INVALID_VALUE}},
      {"cublasDestroy_v2", {CUBLAS_STATUS_NOT_INITIALIZED}},
      {"cublasGetVersion_v2", setting},
      {"cublasSetStream_v2", setting},
      {"cublasSetWorkspace_v2", setting},
      {"cublasSetMathMode", setting},
      {"cublasGemmEx_64", product},
      {"cublasGemmStridedBatchedEx_64", product},
      {"cublasGemmBatchedEx_64", product},
      {"operator new", {1}},
  };
  return rows;
}

fg_status_t status_of_cublas(int error) {
  // A valid product that cuBLAS calls invalid is our fault; a licence is no matter of the caller's.
  if (error == CUBLAS_STATUS_INVALID_VALUE || error == CUBLAS_STATUS_LICENSE_ERROR) return FG_STATUS_INTERNAL_ERROR;
  return static_cast<fg_status_t>(error);  // the numbers are the same
}

}  // namespace

std::vector<int> documented_errors(std::string_view function) {
  for (const FunctionRow& row : other_functions()) {
    if (row.function == function) return row.errors;
  }
  for (const FunctionRow& row : runtime_functions()) {
    if (row.function != function) continue;
    std::vector<int> errors = row.errors;
    errors.insert(errors.end(), std::begin(kAnyRuntimeFunction), std::end(kAnyRuntimeFunction));
    return errors;
  }
  return {};
}

const char* error_name(cudaError_t error) {
  for (const ErrorRow& row : kErrors) {
    if (row.error == error) return row.name;
  }
  return "cudaErrorOfNoNameHere";
}

fg_status_t status_owed(std::string_view function, int error) {
  if (function == "operator new") return FG_STATUS_ALLOC_FAILED;
  if (function.starts_with("cublas")) return status_of_cublas(error);
  for (const ErrorRow& row : kErrors) {
    if (row.error == error) return row.status;
  }
  return FG_STATUS_EXECUTION_FAILED;
}

bool text_tells(std::string_view text, std::string_view function, int error) {
  if (function == "operator new") return text == "out of host memory";
  if (function.starts_with("cublas")) return text.find("status " + std::to_string(error)) != std::string_view::npos;
  if (function == "cudaGetDeviceCount") return text.starts_with("no usable GPU: ") && text.size() > 30;
  return text.find(error_name(static_cast<cudaError_t>(error))) != std::string_view::npos;
}

}  // namespace fastgemm::test
