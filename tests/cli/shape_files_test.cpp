// Shapes from CSV files and trace lines.
#include <sstream>

#include "src/base/log.h"
#include "src/cli/bench/shapes.h"
#include "src/cli/plan.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

namespace {

std::vector<Shape> csv(const std::string& text, const ShapeDefaults& defaults = {}) {
  std::istringstream in(text);
  return shapes_from_csv(in, defaults);
}

TraceShapes trace(const std::string& text) {
  std::istringstream in(text);
  return shapes_from_trace(in, {});
}

}  // namespace

TEST_CASE("CSV rows give shapes", "[cli]") {
  const auto shapes = csv("tag,ops,m,n,k\n# a remark\nsquare,NN,128,64,32\r\n\ndeep,TN, 64,64,262144\n");
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].tag == "square");
  CHECK(shapes[0].n == 64);
  CHECK(shapes[1].op_a == Op::kT);
  CHECK(shapes[1].m == 64);
  CHECK(shapes[1].lda == 262144);
}

TEST_CASE("CSV columns come in any order and may be empty", "[cli]") {
  ShapeDefaults defaults;
  defaults.beta = 0.25f;
  const auto shapes = csv("k,m,n,lda,alpha,beta,type\n3,7,5,9,2,,f16\n3,7,5,,,0.5,\n", defaults);
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].lda == 9);
  CHECK(shapes[0].ldb == 3);
  CHECK(shapes[0].alpha == 2.0f);
  CHECK(shapes[0].beta == 0.25f);
  CHECK(shapes[0].type == DataType::kFloat16);
  CHECK(shapes[1].lda == 7);
  CHECK(shapes[1].beta == 0.5f);
}

TEST_CASE("CSV mistakes are named with their line", "[cli]") {
  CHECK_THROWS_WITH(csv("tag,ops,m,n\n"), ContainsSubstring("column k is missing"));
  CHECK_THROWS_WITH(csv("m,n,k,size\n"), ContainsSubstring("size"));
  CHECK_THROWS_WITH(csv("m,n,k\n1,2,3\n1,2\n"), ContainsSubstring("line 3"));
  CHECK_THROWS_WITH(csv("m,n,k\n1,b,3\n"), ContainsSubstring("\"b\""));
  CHECK_THROWS_WITH(csv("m,n,k,ldc\n8,2,3,7\n"), ContainsSubstring("ldc = 7"));
  CHECK_THROWS_WITH(csv("m,n,k\n8,,3\n"), ContainsSubstring("n is empty"));
  CHECK_THROWS_WITH(csv(""), ContainsSubstring("header"));
}

TEST_CASE("trace lines give shapes, other lines are passed over", "[cli]") {
  const auto result = trace(
      "fastgemm: info: opened libcublas.so.13\n"
      "fastgemm: gemm type=f16 ops=NT m=512 n=256 k=64 lda=520 ldb=256 ldc=512 alpha=1 beta=0.5 batch=1 math=default "
      "align=4 kernel=hgemm_mma_f16_128x128x32_s4 us=12.5\n"
      "the program's own output\n");
  REQUIRE(result.shapes.size() == 1);
  CHECK(result.lines == 1);
  const Shape& shape = result.shapes[0];
  CHECK(shape.type == DataType::kFloat16);
  CHECK(shape.op_b == Op::kT);
  CHECK(shape.m == 512);
  CHECK(shape.n == 256);
  CHECK(shape.k == 64);
  CHECK(shape.lda == 520);
  CHECK(shape.beta == 0.5f);
  CHECK(shape.align == 4);
}

TEST_CASE("equal trace lines are counted, not repeated", "[cli]") {
  const std::string line = "fastgemm: gemm type=f32 ops=NN m=8 n=8 k=8 lda=8 ldb=8 ldc=8 alpha=1 beta=0 batch=1 us=1\n";
  const std::string other =
      "fastgemm: gemm type=f32 ops=NN m=8 n=8 k=9 lda=8 ldb=9 ldc=8 alpha=1 beta=0 batch=1 us=1\n";
  const auto result = trace(line + other + line + line);
  REQUIRE(result.shapes.size() == 2);
  CHECK(result.shapes[0].calls == 3);
  CHECK(result.shapes[1].calls == 1);
  CHECK(result.lines == 4);
}

TEST_CASE("what a trace holds that is no plain product is counted", "[cli]") {
  const auto result = trace(
      "gemm type=f16f32 ops=NN m=8 n=8 k=8 lda=8 ldb=8 ldc=8 alpha=1 beta=0 batch=1\n"
      "gemm type=f32 ops=NN m=8 n=8 k=0 lda=0 ldb=0 ldc=8 alpha=1 beta=2 batch=1\n"
      "gemm type=f32 ops=NN m=8 n=8 k=8 lda=8 ldb=8 ldc=8 alpha=device beta=device batch=10\n");
  REQUIRE(result.shapes.size() == 1);
  CHECK(result.mixed == 1);
  CHECK(result.batched == 1);
  CHECK(result.shapes[0].alpha == 1.0f);
  CHECK(result.shapes[0].beta == 0.0f);
}

TEST_CASE("a broken trace line is named", "[cli]") {
  CHECK_THROWS_WITH(trace("\ngemm type=f32 ops=NN m=8 n=x k=8\n"), ContainsSubstring("line 2"));
  CHECK_THROWS_WITH(trace("gemm type=f32 ops=NN m=8 n=8 k=8 lda=4 ldb=8 ldc=8\n"), ContainsSubstring("lda = 4"));
}

TEST_CASE("the library's own trace line reads back as the same shape", "[cli]") {
  Shape shape;
  shape.tag = "trace";
  shape.op_a = Op::kT;
  shape.m = 33;
  shape.n = 17;
  shape.k = 65;
  shape.lda = 70;
  shape.alpha = 0.1f;
  shape.beta = -1.5f;
  complete(shape, 0);
  const std::string line = format_gemm_line(planning_problem(shape, MathMode::kDefault), "cublas", 1.0);
  const auto result = trace("fastgemm: " + line + "\n");
  REQUIRE(result.shapes.size() == 1);
  CHECK(result.shapes[0] == shape);
}
