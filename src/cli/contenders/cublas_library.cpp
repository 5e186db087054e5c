#include "src/cli/contenders/cublas_library.h"

#include <cstdlib>

#include "src/cli/dynamic_library.h"

namespace fastgemm::cli {
namespace {

// Looks up a row of a table; remembers the first name that is missing.
class Lookup {
 public:
  explicit Lookup(const DynamicLibrary& library) : library_(library) {}
  template <class Function>
  Lookup& operator()(const char* name, Function*& function) {
    if (!library_.find(name, function) && missing_.empty()) missing_ = name;
    return *this;
  }
  const std::string& missing() const { return missing_; }

 private:
  const DynamicLibrary& library_;
  std::string missing_;
};

std::string version_text(const CublasLibrary& cublas) {
  std::string text;
  for (const libraryPropertyType property : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (cublas.get_property(property, &value) != CUBLAS_STATUS_SUCCESS) return "unknown";
    text += (text.empty() ? "" : ".") + std::to_string(value);
  }
  return text;
}

}  // namespace

std::shared_ptr<const CublasLibrary> CublasLibrary::open(std::string* reason) {
  std::vector<std::string> names;
  if (const char* named = std::getenv("FASTGEMM_CUBLAS"); named != nullptr && *named != '\0') names.push_back(named);
  names.insert(names.end(), {"libcublas.so.13", "libcublas.so.12"});
  const DynamicLibrary library = DynamicLibrary::open(names, reason);
  if (!library) return nullptr;
  auto cublas = std::make_shared<CublasLibrary>();
  Lookup lookup(library);
  lookup("cublasCreate_v2", cublas->create)("cublasDestroy_v2", cublas->destroy)(
      "cublasSetStream_v2", cublas->set_stream)("cublasSetMathMode", cublas->set_math_mode)(
      "cublasSetWorkspace_v2", cublas->set_workspace)("cublasGetProperty", cublas->get_property)(
      "cublasSgemm_v2_64", cublas->sgemm)("cublasHgemm_64", cublas->hgemm)("cublasGemmEx_64", cublas->gemm_ex);
  if (!lookup.missing().empty()) {
    *reason = library.path() + " has no " + lookup.missing();
    return nullptr;
  }
  cublas->path = library.path();
  cublas->version = version_text(*cublas);
  return cublas;
}

std::shared_ptr<const CublasLtLibrary> CublasLtLibrary::open(std::string* reason) {
  const DynamicLibrary library = DynamicLibrary::open({"libcublasLt.so.13", "libcublasLt.so.12"}, reason);
  if (!library) return nullptr;
  auto lt = std::make_shared<CublasLtLibrary>();
  Lookup lookup(library);
  lookup("cublasLtCreate", lt->create)("cublasLtDestroy", lt->destroy)("cublasLtMatmul", lt->matmul)(
      "cublasLtMatmulDescCreate", lt->desc_create)("cublasLtMatmulDescDestroy", lt->desc_destroy)(
      "cublasLtMatmulDescSetAttribute", lt->desc_set)("cublasLtMatrixLayoutCreate", lt->layout_create)(
      "cublasLtMatrixLayoutDestroy", lt->layout_destroy)("cublasLtMatmulPreferenceCreate", lt->preference_create)(
      "cublasLtMatmulPreferenceDestroy", lt->preference_destroy)(
      "cublasLtMatmulPreferenceSetAttribute", lt->preference_set)("cublasLtMatmulAlgoGetHeuristic", lt->get_heuristic);
  if (!lookup.missing().empty()) {
    *reason = library.path() + " has no " + lookup.missing();
    return nullptr;
  }
  return lt;
}

std::string cublas_status_text(cublasStatus_t status) { return "cuBLAS status " + std::to_string(status); }

}  // namespace fastgemm::cli
