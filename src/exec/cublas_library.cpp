// Search order and symbol table of libcublas.
#include "src/exec/cublas_library.h"

#include <dlfcn.h>

namespace fastgemm {

namespace {

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12"};
constexpr const char* kToolkitFolder = "/usr/local/cuda/lib64/";

std::string loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error";
}

void* find_loaded() {
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); library != nullptr) return library;
  }
  return nullptr;
}

void* load_by_name(std::string* error) {
  std::string first_error;
  for (const char* folder : {"", kToolkitFolder}) {
    for (const char* name : kNames) {
      void* library = dlopen((std::string(folder) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) return library;
      const std::string why = loader_error();
      if (first_error.empty()) first_error = why;
    }
  }
  *error = "cuBLAS was not found (" + first_error +
           "): install libcublas.so.13 or .12, or set FASTGEMM_CUBLAS to its file name";
  return nullptr;
}

void* load(const std::string& preferred, std::string* error) {
  if (void* library = find_loaded(); library != nullptr) return library;
  if (preferred.empty()) return load_by_name(error);
  void* library = dlopen(preferred.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) *error = "cuBLAS was not found: FASTGEMM_CUBLAS cannot be opened: " + loader_error();
  return library;
}

// Sets `function` to the symbol `name`; *missing collects the first name that is not there.
template <class Function>
void bind(void* library, const char* name, Function& function, std::string* missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && missing->empty()) *missing = name;
}

std::string bind_all(void* library, CublasFunctions& f) {
  std::string missing;
  bind(library, "cublasCreate_v2", f.create, &missing);
  bind(library, "cublasDestroy_v2", f.destroy, &missing);
  bind(library, "cublasGetVersion_v2", f.get_version, &missing);
  bind(library, "cublasSetStream_v2", f.set_stream, &missing);
  bind(library, "cublasSetWorkspace_v2", f.set_workspace, &missing);
  bind(library, "cublasSetMathMode", f.set_math_mode, &missing);
  bind(library, "cublasGemmEx_64", f.gemm, &missing);
  bind(library, "cublasGemmStridedBatchedEx_64", f.gemm_strided_batched, &missing);
  bind(library, "cublasGemmBatchedEx_64", f.gemm_batched, &missing);
  return missing;
}

std::string file_of(void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

std::optional<CublasLibrary> open_cublas(const std::string& preferred, std::string* error) {
  void* library = load(preferred, error);
  if (library == nullptr) return std::nullopt;
  CublasLibrary result;
  const std::string missing = bind_all(library, result.functions);
  if (!missing.empty()) {
    *error = "the libcublas that was found has no " + missing + ": set FASTGEMM_CUBLAS to a libcublas.so.12 or later";
    return std::nullopt;
  }
  result.path = file_of(reinterpret_cast<void*>(result.functions.create));
  return result;
}

}  // namespace fastgemm
