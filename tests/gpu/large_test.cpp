// Sizes whose products pass 2^31, and batches past 65535. Elements are judged one and all, on the device.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;

// The case with the dispatcher's choice, then forced on every kernel of its type.
void add_for_all_kernels(Verifier* verifier, Case c) {
  verifier->add(c);
  for (const KernelInfo& kernel : available_kernels(verifier->handle(), c.type_ab)) {
    c.kernel = kernel.name;
    verifier->add(c);
  }
}

Case sized(DataType type, const Shape& s, char trans_a, char trans_b) {
  Case c;
  c.type_ab = c.type_cd = type;
  c.trans_a = trans_a;
  c.trans_b = trans_b;
  c.m = s.m;
  c.n = s.n;
  c.k = s.k;
  return c;
}

bool enough_memory(std::size_t gib) {
  if (has_free_memory(gib << 30)) return true;
  WARN("left out: less than " << gib << " GiB of device memory free");
  return false;
}

}  // namespace

TEST_CASE("m = 1e8, n = 2, k = 30: A has more than 2^31 elements", "[large]") {
  if (!enough_memory(20)) return;
  const auto verifier = make_verifier();
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    add_for_all_kernels(verifier.get(), sized(type, {100000000, 2, 30}, 'N', 'N'));
  }
  check_verdicts(verifier.get(), "large");
}

TEST_CASE("n = 1e8, m = 2, k = 30: B has more than 2^31 elements", "[large]") {
  if (!enough_memory(20)) return;
  const auto verifier = make_verifier();
  for (const char trans_b : {'N', 'T'}) {
    Case c = sized(DataType::kFloat32, {2, 100000000, 30}, 'T', trans_b);
    c.beta = 1.0f;
    verifier->add(c);
    c.type_ab = c.type_cd = DataType::kFloat16;
    verifier->add(c);
  }
  check_verdicts(verifier.get(), "large");
}

TEST_CASE("leading dimensions past 2^31", "[large]") {
  if (!enough_memory(70)) return;
  const auto verifier = make_verifier();
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    Case c = sized(type, {40, 2, 2}, 'N', 'N');
    c.entry = CallEntry::kGemm64;
    c.pad_a = kTwoTo31 + 3;
    add_for_all_kernels(verifier.get(), c);
    c.pad_a = 0;
    c.pad_b = kTwoTo31;
    add_for_all_kernels(verifier.get(), c);
    c.pad_b = 0;
    c.pad_c = kTwoTo31 + 8;
    c.beta = 0.5f;
    add_for_all_kernels(verifier.get(), c);
  }
  check_verdicts(verifier.get(), "large");
}

TEST_CASE("batch strides past 2^31", "[large]") {
  if (!enough_memory(40)) return;
  const auto verifier = make_verifier();
  Case c = sized(DataType::kFloat16, {33, 17, 9}, 'N', 'T');
  c.entry = CallEntry::kStrided64;
  c.batch = 2;
  c.gap = kTwoTo31 + 1;
  add_for_all_kernels(verifier.get(), c);
  check_verdicts(verifier.get(), "large");
}

TEST_CASE("batches of 65535, 65536, 65537 and 100000", "[large]") {
  const auto verifier = make_verifier();
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    for (const CallEntry entry : {CallEntry::kStrided, CallEntry::kPointer}) {
      for (const std::int64_t batch : {65535, 65536, 65537, 100000}) {
        Case c = sized(type, {16, 16, 8}, 'N', 'N');
        c.entry = entry;
        c.batch = batch;
        add_for_all_kernels(verifier.get(), c);
      }
    }
  }
  check_verdicts(verifier.get(), "large");
}
