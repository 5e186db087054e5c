// The descriptors of cublasLtMatmul, through the calling program's own cublasLt.
#include "src/cublas_hook/read_call.h"

namespace fastgemm::hook {
namespace {

// An attribute costs 20 to 30 ns to read (cuBLAS 13.1): what decides soonest comes first, and nothing is read in vain.

// Newer than the oldest cublasLt.h that this builds with. Its default is 0.
constexpr auto kLayoutBatchMode = static_cast<cublasLtMatrixLayoutAttribute_t>(8);

// CUDA 12's CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_IN_COUNTERS_POINTER and ..._OUT_...: counters by which a product waits for
// parts of its operands, or tells of parts of D, while it runs. CUDA 13 has them no more.
constexpr auto kDescInCounters = static_cast<cublasLtMatmulDescAttributes_t>(29);
constexpr auto kDescOutCounters = static_cast<cublasLtMatmulDescAttributes_t>(30);

// What one descriptor says, attribute by attribute. Once one cannot be read, ok() is false.
template <class Get, class Descriptor>
class Attributes {
 public:
  Attributes(Get get, Descriptor descriptor) : get_(get), descriptor_(descriptor), ok_(descriptor != nullptr) {}

  template <class Value, class Name>
  Value value(Name name) {
    Value value{};
    std::size_t written = 0;
    if (ok_) ok_ = get_(descriptor_, name, &value, sizeof value, &written) == CUBLAS_STATUS_SUCCESS;
    return value;
  }

  // 0 where the library does not know the attribute.
  template <class Value, class Name>
  Value value_if_known(Name name) {
    Value value{};
    std::size_t written = 0;
    const bool known = ok_ && get_(descriptor_, name, &value, sizeof value, &written) == CUBLAS_STATUS_SUCCESS;
    return known ? value : Value{};
  }

  bool ok() const { return ok_; }

 private:
  Get get_;
  Descriptor descriptor_;
  bool ok_;
};
using MatmulAttributes = Attributes<decltype(Target::get_matmul_attribute), cublasLtMatmulDesc_t>;
using LayoutAttributes = Attributes<decltype(Target::get_layout_attribute), cublasLtMatrixLayout_t>;

struct Layout {
  cudaDataType_t type = CUDA_R_32F;
  std::int64_t rows = 0, columns = 0, ld = 0, stride = 0;
  int batch_count = 1;
};

bool read_layout(const Target& target, cublasLtMatrixLayout_t from, Layout* layout) {
  LayoutAttributes attributes(target.get_layout_attribute, from);
  layout->type = static_cast<cudaDataType_t>(attributes.value<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_TYPE));
  if (layout->type != CUDA_R_32F && layout->type != CUDA_R_16F) return false;
  if (attributes.value<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_ORDER) != CUBLASLT_ORDER_COL) return false;
  layout->rows = static_cast<std::int64_t>(attributes.value<std::uint64_t>(CUBLASLT_MATRIX_LAYOUT_ROWS));
  layout->columns = static_cast<std::int64_t>(attributes.value<std::uint64_t>(CUBLASLT_MATRIX_LAYOUT_COLS));
  layout->ld = attributes.value<std::int64_t>(CUBLASLT_MATRIX_LAYOUT_LD);
  layout->batch_count = attributes.value<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  if (layout->batch_count == 1) return attributes.ok();
  layout->stride = attributes.value<std::int64_t>(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  const bool strided = attributes.value_if_known<std::uint32_t>(kLayoutBatchMode) == 0;
  return attributes.ok() && strided;
}

// The epilogues that ours equal: each the last step, before the only rounding.
bool read_epilogue(std::uint32_t epilogue, bool* has_bias, int* activation) {
  *has_bias = (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
  switch (epilogue & ~static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_BIAS)) {
    case 0: return *has_bias;
    case CUBLASLT_EPILOGUE_DEFAULT: return !*has_bias;
    case CUBLASLT_EPILOGUE_RELU: *activation = FG_ACTIVATION_RELU; return true;
    case CUBLASLT_EPILOGUE_GELU: *activation = FG_ACTIVATION_GELU; return true;
    default: return false;
  }
}

// Scales of 8-bit types and the like, which change what is computed.
bool has_scales(MatmulAttributes* desc) {
  for (const auto name : {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                          CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
                          CUBLASLT_MATMUL_DESC_AMAX_D_POINTER}) {
    if (desc->value<const void*>(name) != nullptr) return true;
  }
  return false;
}

bool has_counters(MatmulAttributes* desc) {
  return desc->value_if_known<const void*>(kDescInCounters) != nullptr ||
         desc->value_if_known<const void*>(kDescOutCounters) != nullptr;
}

bool read_bias(MatmulAttributes* desc, cudaDataType_t type_d, GemmArguments* to) {
  to->bias = desc->value<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  to->stride_bias = desc->value<std::int64_t>(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
  const auto type = desc->value<std::int32_t>(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
  return to->bias != nullptr && (type == -1 || type == type_d);  // -1: that of D
}

// The description of the computation, without the layouts.
bool read_desc(const Target& target, const LtCall& call, cudaDataType_t type_d, Offer* offer) {
  MatmulAttributes desc(target.get_matmul_attribute, call.desc);
  GemmArguments& to = offer->arguments;
  if (!is_plain_fp32(static_cast<cublasComputeType_t>(desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE))) ||
      desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_SCALE_TYPE) != CUDA_R_32F) {
    return false;
  }
  const auto pointer_mode = desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_POINTER_MODE);
  if (pointer_mode != CUBLASLT_POINTER_MODE_HOST && pointer_mode != CUBLASLT_POINTER_MODE_DEVICE) return false;
  to.pointer_mode = pointer_mode == CUBLASLT_POINTER_MODE_DEVICE ? FG_POINTER_MODE_DEVICE : FG_POINTER_MODE_HOST;
  to.transa = desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSA);
  to.transb = desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSB);
  if (desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSC) != CUBLAS_OP_N) return false;
  if (desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_FILL_MODE) != CUBLAS_FILL_MODE_FULL) return false;
  bool has_bias = false;
  if (!read_epilogue(desc.value<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE), &has_bias, &to.activation)) return false;
  if (has_bias && !read_bias(&desc, type_d, &to)) return false;
  if (has_scales(&desc) || has_counters(&desc)) return false;
  offer->sm_count_target = desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET);
  return desc.ok();
}

// Do the layouts fit each other? cublasLt says what is wrong with those that do not.
bool is_one_product(const GemmArguments& x, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  const auto fits = [&](const Layout& layout, int op, std::int64_t rows, std::int64_t columns) {
    const bool plain = op == CUBLAS_OP_N;
    return layout.rows == (plain ? rows : columns) && layout.columns == (plain ? columns : rows) &&
           layout.batch_count == d.batch_count;
  };
  return fits(a, x.transa, x.m, x.k) && fits(b, x.transb, x.k, x.n) && fits(c, CUBLAS_OP_N, x.m, x.n) &&
         c.type == d.type && d.batch_count >= 1;
}

}  // namespace

bool read_lt_call(const Target& target, const LtCall& call, Offer* offer) {
  if (target.get_matmul_attribute == nullptr || target.get_layout_attribute == nullptr) return false;
  Layout a, b, c, d;
  GemmArguments& to = offer->arguments;
  if (!read_layout(target, call.a_layout, &a) || !read_layout(target, call.d_layout, &d) ||
      !read_desc(target, call, d.type, offer) || !read_layout(target, call.b_layout, &b) ||
      !read_types(a.type, b.type, d.type, &to)) {
    return false;
  }
  if (to.type_ab == DataType::kFloat32 && environment_allows_less()) return false;
  c = d;  // as with most callers
  if (call.c_layout != call.d_layout && !read_layout(target, call.c_layout, &c)) return false;
  to.m = d.rows;
  to.n = d.columns;
  to.k = to.transa == CUBLAS_OP_N ? a.columns : a.rows;
  if (!is_one_product(to, a, b, c, d)) return false;
  to.alpha = call.alpha;
  to.beta = call.beta;
  to.a = call.a;
  to.b = call.b;
  to.c = call.c;
  to.d = call.d;
  to.lda = a.ld;
  to.ldb = b.ld;
  to.ldc = c.ld;
  to.ldd = d.ld;
  to.batched = true;
  to.batch_count = d.batch_count;
  to.stride_a = a.stride;
  to.stride_b = b.stride;
  to.stride_c = c.stride;
  to.stride_d = d.stride;
  offer->stream = call.stream;
  offer->workspace = call.workspace;
  offer->workspace_bytes = call.workspace_bytes;
  return true;
}

}  // namespace fastgemm::hook
