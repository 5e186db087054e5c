// Soak: 16 threads with a handle and 8 streams each make mixed products for FASTGEMM_SOAK_SECONDS (default 10). Every
// result has the hash of a quiet call, and device memory ends as it began.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "tests/gpu/support.h"
#include "tests/gpu/watchdog.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 16;
constexpr int kStreamsPerThread = 8;
constexpr int kRoundsPerHandle = 2000;  // then a thread makes a new one: what it leaves behind would add up

// Half of one stream's workspace, so that a handle that left one behind would show. The driver's own pools, in pieces of
// 2 MiB, may grow a little with what happens to run at a time; 512 bytes, the least there is, left behind at each call
// would be more than this after 40,000 calls, and at each new handle they show in the figure that is on record.
constexpr std::int64_t kMemoryBound = 16 << 20;

// A product on N(0, 1) data, so that another order of summation shows in the bits. D is the caller's.
struct Product {
  fg_gemm_desc desc;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::vector<std::unique_ptr<Buffer<char>>> operands;
  std::uint64_t hash = 0;

  DataType type_of_d() const { return desc.type_cd == FG_R_32F ? DataType::kFloat32 : DataType::kFloat16; }
  std::int64_t bytes_of_d() const { return desc.m * desc.n * desc.batch_count * element_size(type_of_d()); }
};

const void* random_operand(Product* product, DataType type, std::int64_t count, std::uint64_t seed,
                           cudaStream_t stream) {
  product->operands.push_back(std::make_unique<Buffer<char>>(count * element_size(type)));
  require_cuda(fill_normal(product->operands.back()->get(), type, count, seed, stream));
  return product->operands.back()->get();
}

std::unique_ptr<Product> draw_product(std::mt19937_64* random, cudaStream_t stream) {
  const auto below = [&](int bound) { return static_cast<int>((*random)() % static_cast<std::uint64_t>(bound)); };
  constexpr Shape kShapes[] = {{1, 1, 1},        {33, 17, 65},     {128, 128, 128},  {255, 257, 511}, {512, 512, 512},
                               {1000, 700, 300}, {1024, 1024, 64}, {1500, 1, 2000},  {2, 1800, 900},  {64, 64, 16384},
                               {8, 2048, 2048},  {777, 333, 555},  {1024, 1024, 1024}};
  auto product = std::make_unique<Product>();
  const Shape& s = kShapes[below(std::size(kShapes))];
  fg_gemm_desc& desc = product->desc;
  fg_gemm_desc_init(&desc);
  desc.transa = static_cast<fg_operation_t>(below(2));
  desc.transb = static_cast<fg_operation_t>(below(2));
  const int types = below(5);
  desc.type_ab = types < 3 ? FG_R_32F : FG_R_16F;
  desc.type_cd = types < 4 ? FG_R_32F : FG_R_16F;
  desc.use_handle_math_mode = 0;
  desc.math_mode = static_cast<fg_math_mode_t>(below(4));
  desc.m = s.m;
  desc.n = s.n;
  desc.k = s.k;
  desc.batch_count = s.m * s.n < 100000 && below(2) == 0 ? 2 + below(5) : 1;
  product->alpha = below(2) == 0 ? 1.0f : 0.7f;
  product->beta = below(2) == 0 ? 0.0f : -1.3f;
  desc.lda = (desc.transa == FG_OP_N ? s.m : s.k) + below(2) * below(5);
  desc.ldb = (desc.transb == FG_OP_N ? s.k : s.n) + below(2) * below(5);
  desc.ldc = desc.ldd = s.m;
  desc.stride_a = desc.lda * (desc.transa == FG_OP_N ? s.k : s.m);
  desc.stride_b = desc.ldb * (desc.transb == FG_OP_N ? s.n : s.k);
  desc.stride_c = desc.stride_d = s.m * s.n;
  const DataType type_ab = desc.type_ab == FG_R_32F ? DataType::kFloat32 : DataType::kFloat16;
  desc.A = random_operand(product.get(), type_ab, desc.stride_a * desc.batch_count, (*random)(), stream);
  desc.B = random_operand(product.get(), type_ab, desc.stride_b * desc.batch_count, (*random)(), stream);
  desc.C = random_operand(product.get(), product->type_of_d(), desc.stride_c * desc.batch_count, (*random)(), stream);
  if (below(4) == 0) desc.bias = random_operand(product.get(), product->type_of_d(), s.m, (*random)(), stream);
  if (below(4) == 0) desc.activation = FG_ACTIVATION_RELU;
  desc.alpha = &product->alpha;
  desc.beta = &product->beta;
  return product;
}

bool enqueue(fg_handle_t handle, const Product& product, void* d, cudaStream_t stream) {
  fg_gemm_desc desc = product.desc;
  desc.D = d;
  return fg_set_stream(handle, stream) == FG_STATUS_SUCCESS && fg_gemm_ex(handle, &desc) == FG_STATUS_SUCCESS;
}

bool hash_of(const Product& product, const void* d, cudaStream_t stream, std::uint64_t* hash) {
  const std::int64_t columns = product.desc.n * product.desc.batch_count;
  return hash_matrix(d, product.desc.m, product.type_of_d(), product.desc.m, columns, hash, stream) == cudaSuccess;
}

using Products = std::vector<std::unique_ptr<Product>>;

Products draw_products(int count) {
  const Stream stream;
  const Handle handle(stream);
  std::mt19937_64 random(11);
  Products products;
  for (int i = 0; i < count; ++i) {
    products.push_back(draw_product(&random, stream));
    Product& product = *products.back();
    const Buffer<char> d(product.bytes_of_d());
    REQUIRE(enqueue(handle, product, d.get(), stream));
    REQUIRE(hash_of(product, d.get(), stream, &product.hash));
  }
  return products;
}

// What the threads have seen together.
struct Tally {
  std::atomic<std::int64_t> calls{0};
  std::atomic<std::int64_t> handles{0};
  std::atomic<std::int64_t> wrong{0};
  std::mutex mutex;
  std::string first_wrong;
  Watchdog* watchdog = nullptr;

  void report(const std::string& what) {
    if (wrong++ > 0) return;
    const std::scoped_lock lock(mutex);
    first_wrong = what;
  }
};

// One thread's streams, results and handle. Made by the main thread, then used by its own alone.
class Worker {
 public:
  Worker(std::uint64_t seed, std::int64_t bytes_of_d) : random_(seed) {
    for (int i = 0; i < kStreamsPerThread; ++i) {
      streams_.push_back(std::make_unique<Stream>());
      results_.push_back(std::make_unique<Buffer<char>>(bytes_of_d));
    }
    require_ok(fg_create(&handle_));
  }
  ~Worker() { fg_destroy(handle_); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Every product once on each stream.
  void make_all(const Products& products, Tally* tally) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      make(std::vector<const Product*>(kStreamsPerThread, products[i].get()), tally);
    }
  }

  void make_until(Clock::time_point end, const Products& products, Tally* tally) {
    while (Clock::now() < end && tally->wrong == 0) {
      for (int round = 0; round < kRoundsPerHandle && Clock::now() < end; ++round) {
        std::vector<const Product*> chosen;
        for (int i = 0; i < kStreamsPerThread; ++i) chosen.push_back(products[random_() % products.size()].get());
        make(chosen, tally);
      }
      renew_handle(tally);
    }
  }

 private:
  // One product a stream, all under way before the first is looked at.
  void make(const std::vector<const Product*>& chosen, Tally* tally) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!enqueue(handle_, *chosen[i], results_[i]->get(), *streams_[i])) tally->report(fg_last_error());
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::uint64_t hash = 0;
      if (!hash_of(*chosen[i], results_[i]->get(), *streams_[i], &hash)) tally->report("a CUDA error");
      if (hash != chosen[i]->hash) tally->report(text_of(*chosen[i]));
      ++tally->calls;
      tally->watchdog->tick();
    }
  }

  void renew_handle(Tally* tally) {
    if (fg_destroy(handle_) != FG_STATUS_SUCCESS) tally->report("fg_destroy");
    if (fg_create(&handle_) != FG_STATUS_SUCCESS) tally->report(fg_last_error());
    ++tally->handles;
    for (const auto& stream : streams_) {  // memory for each stream, as before
      if (fg_set_stream(handle_, *stream) != FG_STATUS_SUCCESS) tally->report(fg_last_error());
    }
  }

  std::string text_of(const Product& product) const {
    char text[1000] = "";
    fg_gemm_desc desc = product.desc;
    desc.D = results_[0]->get();
    fg_explain(handle_, &desc, text, sizeof text);
    return "other bits than a quiet call: " + std::to_string(desc.m) + "x" + std::to_string(desc.n) + "x" +
           std::to_string(desc.k) + ", batch " + std::to_string(desc.batch_count) + ", mode " +
           std::to_string(desc.math_mode) + ", " + text;
  }

  fg_handle_t handle_ = nullptr;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Buffer<char>>> results_;
};

template <class Work>
void on_all(const std::vector<std::unique_ptr<Worker>>& workers, Work work) {
  std::vector<std::thread> threads;
  for (const auto& worker : workers) threads.emplace_back([&, at = worker.get()] { work(*at); });
  for (std::thread& thread : threads) thread.join();
}

std::int64_t free_memory() {
  require_cuda(cudaDeviceSynchronize());
  cudaMemPool_t pool = nullptr;
  int device = 0;
  require_cuda(cudaGetDevice(&device));
  require_cuda(cudaDeviceGetDefaultMemPool(&pool, device));
  require_cuda(cudaMemPoolTrimTo(pool, 0));  // what hash_matrix has given back
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  require_cuda(cudaMemGetInfo(&free_bytes, &total));
  return static_cast<std::int64_t>(free_bytes);
}

}  // namespace

TEST_CASE("threads and streams at work for long keep serial bits and flat device memory", "[.][soak]") {
  const auto seconds = environment_number("FASTGEMM_SOAK_SECONDS", 10);
  const Products products = draw_products(100);
  std::int64_t bytes_of_d = 0;
  for (const auto& product : products) bytes_of_d = std::max(bytes_of_d, product->bytes_of_d());
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::uint64_t i = 0; i < kThreads; ++i) workers.push_back(std::make_unique<Worker>(i, bytes_of_d));
  Tally tally;
  Watchdog watchdog(std::chrono::seconds(30), [&] { return std::to_string(tally.calls) + " calls were made"; });
  tally.watchdog = &watchdog;
  // Before the first look at memory every product has run: cuBLAS loads its kernels when it first needs them.
  on_all(workers, [&](Worker& worker) { worker.make_all(products, &tally); });
  const std::int64_t free_before = free_memory();
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  on_all(workers, [&](Worker& worker) { worker.make_until(end, products, &tally); });
  const std::int64_t growth = free_before - free_memory();
  INFO(tally.first_wrong);
  CHECK(tally.wrong == 0);
  CHECK(growth <= kMemoryBound);
  std::printf("calls soak %lld\nsoak of %lld s, %lld new handles, device memory grew by %lld bytes\n",
              static_cast<long long>(tally.calls), static_cast<long long>(seconds),
              static_cast<long long>(tally.handles), static_cast<long long>(growth));
  std::fflush(stdout);
}
