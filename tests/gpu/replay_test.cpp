// Faults reported against other libraries, replayed. Each names its report.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

TEST_CASE("k = 0 writes beta * C and needs no A or B (pytorch#31421)", "[replay]") {
  const auto verifier = make_verifier();
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    for (const float beta : {0.0f, 1.0f, 2.0f}) {
      for (const bool null_factors : {false, true}) {
        Case c;
        c.type_ab = c.type_cd = type;
        c.m = 43200;
        c.n = 1;
        c.k = 0;
        c.beta = beta;
        c.null_unread = null_factors;
        verifier->add(c);
        c.entry = CallEntry::kStrided;
        c.batch = 10;
        verifier->add(c);
      }
    }
  }
  check_verdicts(verifier.get(), "replay");
}

TEST_CASE("beta = 0 lets neither NaN nor Inf of C through (blaspp#39, pytorch#96037)", "[replay]") {
  const auto verifier = make_verifier();
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    for (const Content unread : {Content::kNan, Content::kInfinity}) {
      for (const float zero : {0.0f, -0.0f}) {
        for (const Shape& s : {Shape{1, 1, 1}, Shape{33, 17, 65}, Shape{257, 129, 40}, Shape{512, 512, 64}}) {
          for (const bool device_scalars : {false, true}) {
            Case c;
            c.type_ab = c.type_cd = type;
            c.m = s.m;
            c.n = s.n;
            c.k = s.k;
            c.beta = zero;
            c.unread = unread;
            c.device_scalars = device_scalars;
            verifier->add(c);
          }
        }
      }
    }
  }
  check_verdicts(verifier.get(), "replay");
}

TEST_CASE("alpha = 0 reads neither A nor B (lapack#1077)", "[replay]") {
  const auto verifier = make_verifier();
  std::vector<KernelInfo> kernels = available_kernels(verifier->handle());
  kernels.push_back({"", DataType::kFloat32, {}, 1, true});
  kernels.push_back({"", DataType::kFloat16, {}, 1, true});
  for (const KernelInfo& kernel : kernels) {
    for (const Content unread : {Content::kNan, Content::kInfinity}) {
      for (const bool device_scalars : {false, true}) {
        for (const float beta : {0.0f, 0.5f}) {
          Case c;
          c.kernel = kernel.name;
          c.type_ab = c.type_cd = kernel.type;
          c.trans_b = 'T';
          c.m = 33;
          c.n = 17;
          c.k = 65;
          c.alpha = 0.0f;
          c.beta = beta;
          c.unread = unread;
          c.device_scalars = device_scalars;
          verifier->add(c);
        }
      }
    }
  }
  check_verdicts(verifier.get(), "replay");
}

TEST_CASE("halves at odd sizes and any address (cutlass#49)", "[replay]") {
  const std::int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33};
  const auto verifier = make_verifier();
  std::vector<KernelInfo> kernels = available_kernels(verifier->handle(), DataType::kFloat16);
  kernels.push_back({"", DataType::kFloat16, {}, 1, true});
  std::uint64_t turn = 0;
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) {
        for (std::int64_t offset = 0; offset < 8; ++offset, ++turn) {
          Case c;
          c.kernel = kernels[turn % kernels.size()].name;
          c.type_ab = c.type_cd = DataType::kFloat16;
          c.trans_a = turn / 3 % 2 == 0 ? 'N' : 'T';
          c.trans_b = turn / 7 % 2 == 0 ? 'N' : 'T';
          c.m = m;
          c.n = n;
          c.k = k;
          c.offset_a = offset;
          c.offset_b = (offset + m) % 8;
          c.offset_c = (offset + n) % 8;
          c.seed = turn + 1;
          verifier->add(c);
        }
      }
    }
  }
  check_verdicts(verifier.get(), "replay");
}

TEST_CASE("FP32 is FP32 and never TF32 (jax#14157)", "[replay]") {
  // TF32 keeps 11 bits: 4097 = 2^12 + 1 would become 4096, and 1.1111111 something else than itself.
  constexpr std::int64_t kN = 96;
  const Stream stream;
  const Handle handle(stream);
  std::vector<float> scaled_identity(kN * kN, 0.0f);
  for (std::int64_t i = 0; i < kN; ++i) scaled_identity[static_cast<std::size_t>(i * kN + i)] = 4097.0f;
  const Buffer<float> a(scaled_identity);
  const Buffer<float> b(kN * kN);
  const Buffer<float> d(kN * kN);
  const Buffer<double> reference(kN * kN);
  require_cuda(fill_integers(b.get(), DataType::kFloat32, kN * kN, 8, 5, stream));
  std::vector<std::string> names{""};
  for (const KernelInfo& kernel : available_kernels(handle, DataType::kFloat32)) names.push_back(kernel.name);
  for (int ops = 0; ops < 4; ++ops) {
    const GemmProblem p = ops_problem(ops, {kN, kN, kN}, a.get(), b.get(), d.get());
    require_cuda(reference_gemm(p, reference.get(), kN, stream));
    for (const std::string& name : names) {
      INFO(name << ", ops " << ops);
      if (!run_forced(handle, name, p)) continue;
      Difference difference;
      require_cuda(compare_with_reference(d.get(), kN, DataType::kFloat32, reference.get(), nullptr, kN, kN, kN,
                                          &difference, stream));
      CHECK(difference.differing == 0);
    }
  }
  require_ok(fg_set_kernel(handle, nullptr));
  const Buffer<float> ones(std::vector<float>(4, 1.1111111f));
  require_ok(run_sgemm(handle, tight_problem(DataType::kFloat32, FG_OP_N, FG_OP_N, {2, 2, 2}, ones.get(), ones.get(),
                                             d.get())));
  stream.wait();
  const float expected = static_cast<float>(2.0 * 1.1111111 * 1.1111111);
  const std::vector<float> result = d.read();
  for (std::size_t i = 0; i < 4; ++i) CHECK(result[i] == Approx(expected).epsilon(1e-6));
}

TEST_CASE("D given as C itself is the product in place (cupy#6214)", "[replay]") {
  constexpr std::int64_t kM = 130, kN = 70, kK = 33;
  const Stream stream;
  const Handle handle(stream);
  const Buffer<float> a(kM * kK), b(kK * kN), d(kM * kN);
  const Buffer<double> reference(kM * kN);
  require_cuda(fill_integers(a.get(), DataType::kFloat32, kM * kK, 8, 1, stream));
  require_cuda(fill_integers(b.get(), DataType::kFloat32, kK * kN, 8, 2, stream));
  require_cuda(fill_integers(d.get(), DataType::kFloat32, kM * kN, 8, 3, stream));
  const GemmProblem p = tight_problem(DataType::kFloat32, FG_OP_N, FG_OP_N, {kM, kN, kK}, a.get(), b.get(), d.get(),
                                      1.0f, 0.5f);
  require_cuda(reference_gemm(p, reference.get(), kM, stream));
  fg_gemm_desc desc = descriptor_of(p);
  desc.D = d.get();
  desc.ldd = kM;
  require_ok(fg_gemm_ex(handle, &desc));
  Difference difference;
  require_cuda(compare_with_reference(d.get(), kM, DataType::kFloat32, reference.get(), nullptr, kM, kM, kN,
                                      &difference, stream));
  CHECK(difference.differing == 0);
}

TEST_CASE("strideC = 0 in a batch is refused and C stays (CLBlast#578)", "[replay]") {
  const Handle handle;
  const Buffer<float> a(std::vector<float>(64, 1.0f)), b(std::vector<float>(64, 1.0f));
  const Buffer<float> c(std::vector<float>(64, 7.0f));
  const float one = 1.0f;
  const float zero = 0.0f;
  CHECK(fg_sgemm_strided_batched(handle, FG_OP_N, FG_OP_N, 8, 8, 8, &one, a.get(), 8, 0, b.get(), 8, 0, &zero, c.get(),
                                 8, 0, 2) == FG_STATUS_INVALID_VALUE);
  CHECK(std::string(fg_last_error()).find("stride") != std::string::npos);
  require_cuda(cudaDeviceSynchronize());
  CHECK(c.read() == std::vector<float>(64, 7.0f));
}

TEST_CASE("new data behind the same pointers gives the new product (a stale operand cache)", "[replay]") {
  const auto verifier = make_verifier();
  Case c;
  c.m = c.n = 200;
  c.k = 64;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {  // equal layouts: the arena puts them at equal addresses
    c.seed = seed;
    verifier->add(c);
  }
  check_verdicts(verifier.get(), "replay");
}

TEST_CASE("a handle that dies at exit, or after a fork, leaves the exit code alone (arrayfire#2374, OpenBLAS#294)",
          "[replay]") {
  CHECK(run_child("exit_static") == 0);
  CHECK(run_child("exit_atexit") == 0);
  CHECK(run_child("fork") == 0);
  CHECK(run_child("unload") == 0);
}
