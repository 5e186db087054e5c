// Sizes, types and operations as the command line spells them.
#include "src/cli/bench/shapes.h"

#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

TEST_CASE("sizes are square or MxNxK", "[cli]") {
  const auto shapes = shapes_from_sizes({"1024", "7x5x3"}, {});
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].m == 1024);
  CHECK(shapes[0].n == 1024);
  CHECK(shapes[0].k == 1024);
  CHECK(shapes[1].m == 7);
  CHECK(shapes[1].n == 5);
  CHECK(shapes[1].k == 3);
}

TEST_CASE("every size is taken for each type and operation", "[cli]") {
  ShapeDefaults defaults;
  defaults.types = {DataType::kFloat32, DataType::kFloat16};
  defaults.ops = {{Op::kN, Op::kN}, {Op::kT, Op::kN}};
  const auto shapes = shapes_from_sizes({"8", "16"}, defaults);
  REQUIRE(shapes.size() == 8);
  CHECK(shapes[0].type == DataType::kFloat32);
  CHECK(shapes[3].op_a == Op::kT);
  CHECK(shapes[3].m == 16);
  CHECK(shapes[7].type == DataType::kFloat16);
}

TEST_CASE("leading dimensions follow the stored rows and the padding", "[cli]") {
  ShapeDefaults defaults;
  defaults.ops = {{Op::kN, Op::kN}, {Op::kT, Op::kT}};
  defaults.pad = 4;
  const auto shapes = shapes_from_sizes({"7x5x3"}, defaults);
  CHECK(shapes[0].lda == 7 + 4);
  CHECK(shapes[0].ldb == 3 + 4);
  CHECK(shapes[0].ldc == 7 + 4);
  CHECK(shapes[1].lda == 3 + 4);  // A is stored k x m
  CHECK(shapes[1].ldb == 5 + 4);  // B is stored n x k
}

TEST_CASE("wrong sizes are named", "[cli]") {
  CHECK_THROWS_WITH(shapes_from_sizes({"12y"}, {}), ContainsSubstring("12y"));
  CHECK_THROWS_WITH(shapes_from_sizes({"-4"}, {}), ContainsSubstring("-4"));
  CHECK_THROWS_WITH(shapes_from_sizes({"4x4"}, {}), ContainsSubstring("4x4"));
  CHECK_THROWS_WITH(shapes_from_sizes({"0"}, {}), ContainsSubstring("at least 1"));
  CHECK_THROWS_WITH(shapes_from_sizes({""}, {}), ContainsSubstring("whole number"));
  CHECK_THROWS_WITH(shapes_from_sizes({"99999999999999999999"}, {}), ContainsSubstring("whole number"));
}

TEST_CASE("types and operations have several spellings", "[cli]") {
  CHECK(parse_type("F32") == DataType::kFloat32);
  CHECK(parse_type("sgemm") == DataType::kFloat32);
  CHECK(parse_type("half") == DataType::kFloat16);
  CHECK_THROWS_WITH(parse_type("f64"), ContainsSubstring("f64"));
  CHECK(parse_ops("nT") == std::pair{Op::kN, Op::kT});
  CHECK(parse_ops("CN") == std::pair{Op::kT, Op::kN});
  CHECK_THROWS_WITH(parse_ops("NX"), ContainsSubstring("X"));
  CHECK_THROWS_WITH(parse_ops("N"), ContainsSubstring("two letters"));
}

TEST_CASE("a shape counts its work", "[cli]") {
  Shape shape = shapes_from_sizes({"100x20x30"}, {}).front();
  CHECK(shape.flops() == 2.0 * 100 * 20 * 30);
  CHECK(shape.bytes() == 4.0 * (100 * 30 + 30 * 20 + 100 * 20));
  shape.beta = 0.5f;
  CHECK(shape.bytes() == 4.0 * (100 * 30 + 30 * 20 + 2 * 100 * 20));
  shape.type = DataType::kFloat16;
  CHECK(shape.intensity() == Approx(shape.flops() / (2.0 * (3000 + 600 + 4000))));
}

TEST_CASE("a description names what is not plain", "[cli]") {
  Shape shape = shapes_from_sizes({"100x20x30"}, {}).front();
  CHECK(describe(shape) == "f32 NN 100x20x30");
  shape.lda = 104;
  shape.beta = 0.5f;
  CHECK(describe(shape) == "f32 NN 100x20x30 lda 104 beta 0.5");
}
