// Threads, streams and busy neighbours: the bits stay those of one quiet call.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

constexpr int kThreads = 16;

// Operands of one product and the hash of D that a quiet call gives.
struct Work {
  Shape s;
  std::unique_ptr<Buffer<float>> a, b;
  std::uint64_t hash = 0;
};

std::uint64_t product_hash(fg_handle_t handle, const Work& work, float* d, cudaStream_t stream, bool* good) {
  const GemmProblem p =
      tight_problem(DataType::kFloat32, FG_OP_N, FG_OP_N, work.s, work.a->get(), work.b->get(), d);
  std::uint64_t hash = 0;
  *good = run_sgemm(handle, p) == FG_STATUS_SUCCESS &&
          hash_matrix(d, work.s.m, DataType::kFloat32, work.s.m, work.s.n, &hash, stream) == cudaSuccess;
  return hash;
}

// `count` products on N(0, 1) data, largest side `limit`, hashed quietly.
std::vector<Work> make_work(int count, std::int64_t limit) {
  const Stream stream;
  const Handle handle(stream);
  const Buffer<float> d(limit * limit);
  std::mt19937_64 random(7);
  std::vector<Work> all;
  for (int i = 0; i < count; ++i) {
    const auto size = [&] { return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit)); };
    Work work{{size(), size(), size()}, nullptr, nullptr, 0};
    work.a = std::make_unique<Buffer<float>>(work.s.m * work.s.k);
    work.b = std::make_unique<Buffer<float>>(work.s.k * work.s.n);
    require_cuda(fill_normal(work.a->get(), DataType::kFloat32, work.a->count(), random(), stream));
    require_cuda(fill_normal(work.b->get(), DataType::kFloat32, work.b->count(), random(), stream));
    bool good = false;
    work.hash = product_hash(handle, work, d.get(), stream, &good);
    REQUIRE(good);
    all.push_back(std::move(work));
  }
  return all;
}

// Each thread makes every product `rounds` times on `handle_of(thread)`; counts what did not match.
template <class HandleOf>
int mismatches_over_threads(const std::vector<Work>& all, std::int64_t limit, int rounds, HandleOf handle_of,
                            const std::vector<std::unique_ptr<Stream>>& streams) {
  std::atomic<int> wrong{0};
  std::vector<std::unique_ptr<Buffer<float>>> results;
  for (int t = 0; t < kThreads; ++t) results.push_back(std::make_unique<Buffer<float>>(limit * limit));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < all.size() * static_cast<std::size_t>(rounds); ++i) {
        const Work& work = all[(i + static_cast<std::size_t>(t)) % all.size()];
        bool good = false;
        const auto at = static_cast<std::size_t>(t);
        const std::uint64_t hash = product_hash(handle_of(at), work, results[at]->get(), *streams[at], &good);
        if (!good || hash != work.hash) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace

TEST_CASE("16 threads with their own handles and streams give serial bits (pytorch#6962)", "[threads]") {
  constexpr std::int64_t kLimit = 300;
  const std::vector<Work> all = make_work(20, kLimit);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Handle>> handles;
  for (int t = 0; t < kThreads; ++t) {
    streams.push_back(std::make_unique<Stream>());
    handles.push_back(std::make_unique<Handle>(*streams.back()));
  }
  const auto own = [&](std::size_t t) -> fg_handle_t { return *handles[t]; };
  CHECK(mismatches_over_threads(all, kLimit, 5, own, streams) == 0);
}

TEST_CASE("16 threads on one shared handle give serial bits (pytorch#6962)", "[threads]") {
  constexpr std::int64_t kLimit = 300;
  const std::vector<Work> all = make_work(20, kLimit);
  // One handle has one stream: the threads' products share it, and each waits for its own.
  const Stream shared_stream;
  const Handle shared(shared_stream);
  std::atomic<int> wrong{0};
  std::vector<std::unique_ptr<Buffer<float>>> results;
  for (int t = 0; t < kThreads; ++t) results.push_back(std::make_unique<Buffer<float>>(kLimit * kLimit));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 5 * all.size(); ++i) {
        const Work& work = all[(i * 3 + static_cast<std::size_t>(t)) % all.size()];
        bool good = false;
        const auto at = static_cast<std::size_t>(t);
        if (product_hash(shared, work, results[at]->get(), shared_stream, &good) != work.hash || !good) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("200 shapes beside 8 noisy streams keep their bits (llama.cpp#1340)", "[threads]") {
  constexpr std::int64_t kLimit = 500;
  constexpr std::int64_t kNoise = 1024;
  const std::vector<Work> all = make_work(200, kLimit);
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Handle>> handles;
  std::vector<std::unique_ptr<Buffer<float>>> noise;
  for (int i = 0; i < 8; ++i) {
    streams.push_back(std::make_unique<Stream>());
    handles.push_back(std::make_unique<Handle>(*streams.back()));
    noise.push_back(std::make_unique<Buffer<float>>(3 * kNoise * kNoise));
    require_cuda(fill_uniform(noise.back()->get(), DataType::kFloat32, 3 * kNoise * kNoise, 1, *streams.back()));
  }
  const Stream stream;
  const Handle handle(stream);
  const Buffer<float> d(kLimit * kLimit);
  int wrong = 0;
  for (const Work& work : all) {
    for (std::size_t i = 0; i < 8; ++i) {
      float* at = noise[i]->get();
      require_ok(run_sgemm(*handles[i], tight_problem(DataType::kFloat32, FG_OP_N, FG_OP_T, {kNoise, kNoise, kNoise},
                                                      at, at + kNoise * kNoise, at + 2 * kNoise * kNoise)));
    }
    bool good = false;
    if (product_hash(handle, work, d.get(), stream, &good) != work.hash || !good) ++wrong;
  }
  require_cuda(cudaDeviceSynchronize());
  CHECK(wrong == 0);
}

namespace {

// Every kernel of ours: a wide thin product with a deep sum, and a square one. (Not the dispatcher's choice, which may
// be cuBLAS, and some of its kernels for Hopper wait for pairs of SMs. Of the sliced HGEMM rows with k in one part: its
// parts are the blocks of a cluster, up to eight, which start together or not at all.)
void add_occupied_cases(Verifier* verifier) {
  for (const KernelInfo& kernel : available_kernels(verifier->handle())) {
    Case c;
    const bool clusters = kernel.name.rfind("sliced_f16_", 0) == 0;
    c.kernel = clusters ? kernel.name + "/1" : kernel.name;
    c.type_ab = c.type_cd = kernel.type;
    c.m = 8;
    c.n = 2048;
    c.k = 2048;
    verifier->add(c);
    c.m = c.n = 700;
    c.k = 64;
    verifier->add(c);
  }
}

}  // namespace

TEST_CASE("products finish beside a kernel that holds all but a few SMs (cutlass#2100)", "[threads]") {
  int device = 0;
  int sm_count = 0;
  require_cuda(cudaGetDevice(&device));
  require_cuda(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
  int* flag = nullptr;
  require_cuda(cudaHostAlloc(reinterpret_cast<void**>(&flag), sizeof *flag, cudaHostAllocMapped));
  std::atomic_ref<int> release(*flag);
  release = 0;
  const auto verifier = make_verifier();
  add_occupied_cases(verifier.get());  // makes all memory and loads all code, which would wait for the neighbour
  verifier->finish();
  const Stream busy;
  require_cuda(occupy_sms(flag, sm_count - 4, busy));
  std::atomic<bool> done{false};
  std::thread watchdog([&] {
    for (int tenths = 0; tenths < 300 && !done; ++tenths) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    release = 1;  // after 30 s, so that a product that waits for the neighbour fails below and does not hang
  });
  add_occupied_cases(verifier.get());
  verifier->finish();
  const cudaError_t neighbour = cudaStreamQuery(busy);
  done = true;
  watchdog.join();
  busy.wait();
  CHECK(neighbour == cudaErrorNotReady);  // it was there all the while
  check_verdicts(verifier.get(), "occupied");
  require_cuda(cudaFreeHost(flag));
}
