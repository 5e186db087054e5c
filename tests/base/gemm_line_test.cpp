// The trace line of a product, to the letter: the bench reads it back.
#include <limits>

#include "src/base/log.h"
#include "tests/support/catch.h"

using namespace fastgemm;

namespace {

void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

GemmProblem plain_problem() {
  GemmProblem p;
  p.op_b = Op::kT;
  p.m = 512;
  p.n = 256;
  p.k = 64;
  p.alpha.value = 1.0f;
  p.a = {.data = address(0x1000), .ld = 512};
  p.b = {.data = address(0x2000), .ld = 256};
  p.d = {.data = address(0x3000), .ld = 520};
  return p;
}

}  // namespace

TEST_CASE("a plain product's trace line", "[log]") {
  CHECK(format_gemm_line(plain_problem(), "sgemm_ffma_f32_128x128x8_s4", 12.46) ==
        "gemm type=f32 ops=NT m=512 n=256 k=64 lda=512 ldb=256 ldc=520 alpha=1 beta=0 batch=1 math=default "
        "kernel=sgemm_ffma_f32_128x128x8_s4 us=12.5");
}

TEST_CASE("a trace line with everything", "[log]") {
  GemmProblem p = plain_problem();
  p.type_ab = DataType::kFloat16;
  p.op_a = Op::kT;
  p.alpha = {.device = address(0x10)};
  p.beta.value = 0.1f;
  p.c = {.data = address(0x5000), .ld = 600, .batch_stride = -7};
  p.batch_count = 9;
  p.a.batch_stride = 0;
  p.b.batch_stride = 32768;
  p.b.data = address(0x2002);
  p.d.batch_stride = 200000;
  p.activation = Activation::kGelu;
  p.bias = address(0x6000);
  p.bias_stride = 512;
  CHECK(format_gemm_line(p, "cublas", 0.0) ==
        "gemm type=f16f32 ops=TT m=512 n=256 k=64 lda=512 ldb=256 ldc=600 alpha=device beta=0.1 batch=9 math=default "
        "ldd=520 stride_a=0 stride_b=32768 stride_c=-7 stride_d=200000 align=2 act=gelu bias=1 stride_bias=512 "
        "kernel=cublas us=0.0");
}

TEST_CASE("what a trace line shows only where it differs", "[log]") {
  GemmProblem p = plain_problem();
  const auto line = [&p] { return format_gemm_line(p, "x", 1.0); };
  p.type_ab = p.type_cd = DataType::kFloat16;
  CHECK_THAT(line(), ContainsSubstring("type=f16 "));
  p.math_mode = MathMode::kFp32Sequential;
  CHECK_THAT(line(), ContainsSubstring(" math=fp32_sequential "));
  p.alpha.value = std::numeric_limits<float>::infinity();
  p.beta.value = -1.5f;
  p.c = {.data = p.d.data, .ld = p.d.ld};  // in place: no ldd
  CHECK_THAT(line(), ContainsSubstring(" alpha=inf beta=-1.5 batch=1 math=fp32_sequential kernel=x "));
  p.d.data = address(0x3008);
  p.c.data = p.d.data;
  p.activation = Activation::kRelu;
  CHECK_THAT(line(), ContainsSubstring(" align=8 act=relu kernel=x "));
}

TEST_CASE("the trace line of pointer batches", "[log]") {
  GemmProblem p = plain_problem();
  const void* inputs[1] = {};
  void* outputs[1] = {};
  p.a = {.pointers = inputs, .ld = 512};
  p.b = {.pointers = inputs, .ld = 256};
  p.d = {.pointers = outputs, .ld = 512};
  p.batch_count = 3;
  CHECK_THAT(format_gemm_line(p, "x", 1.0), ContainsSubstring(" batch=3 math=default pointers=1 kernel=x "));
}
