#include "src/cli/bench/random_data.h"

#include <curand.h>

#include <algorithm>

#include "src/cli/bench/device_buffer.h"
#include "src/cli/device_ops.h"
#include "src/cli/dynamic_library.h"

namespace fastgemm::cli {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 24;  // elements drawn as FP32 and narrowed at a time; even

}  // namespace

struct RandomData::Curand {
  decltype(&curandCreateGenerator) create = nullptr;
  decltype(&curandSetPseudoRandomGeneratorSeed) set_seed = nullptr;
  decltype(&curandSetStream) set_stream = nullptr;
  decltype(&curandGenerateNormal) generate_normal = nullptr;
  decltype(&curandDestroyGenerator) destroy = nullptr;
  curandGenerator_t generator = nullptr;

  ~Curand() {
    if (generator != nullptr) destroy(generator);
  }

  static std::unique_ptr<Curand> open(std::uint64_t seed, cudaStream_t stream) {
    const DynamicLibrary library = DynamicLibrary::open({"libcurand.so.10"}, nullptr);
    auto curand = std::make_unique<Curand>();
    if (!library.find("curandCreateGenerator", curand->create) ||
        !library.find("curandSetPseudoRandomGeneratorSeed", curand->set_seed) ||
        !library.find("curandSetStream", curand->set_stream) ||
        !library.find("curandGenerateNormal", curand->generate_normal) ||
        !library.find("curandDestroyGenerator", curand->destroy)) {
      return nullptr;
    }
    if (curand->create(&curand->generator, CURAND_RNG_PSEUDO_PHILOX4_32_10) != CURAND_STATUS_SUCCESS) return nullptr;
    if (curand->set_seed(curand->generator, seed) != CURAND_STATUS_SUCCESS ||
        curand->set_stream(curand->generator, stream) != CURAND_STATUS_SUCCESS) {
      return nullptr;
    }
    return curand;
  }

  void normal(float* data, std::int64_t count) {
    if (generate_normal(generator, data, static_cast<std::size_t>(count), 0.0f, 1.0f) != CURAND_STATUS_SUCCESS) {
      throw CudaFailure("curandGenerateNormal", cudaErrorUnknown);
    }
  }
};

RandomData::RandomData(std::uint64_t seed, cudaStream_t stream)
    : curand_(Curand::open(seed, stream)), seed_(seed), stream_(stream) {}

RandomData::~RandomData() = default;

void RandomData::fill(void* data, DataType type, std::int64_t count) {
  const std::int64_t even = count + count % 2;  // pairs come out of Box-Muller
  if (curand_ == nullptr) {
    require(fill_normal(data, type, count, seed_ + ++fills_, stream_), "filling with random numbers");
  } else if (type == DataType::kFloat32) {
    curand_->normal(static_cast<float*>(data), even);
  } else {
    const DeviceBuffer wide(std::min(even, kChunk) * 4);
    for (std::int64_t begin = 0; begin < even; begin += kChunk) {
      const std::int64_t part = std::min(kChunk, even - begin);
      curand_->normal(static_cast<float*>(wide.data()), part);
      require(
          narrow_to_half(static_cast<const float*>(wide.data()), static_cast<char*>(data) + 2 * begin, part, stream_),
          "narrowing random numbers");
    }
    require(cudaStreamSynchronize(stream_), "filling with random numbers");
  }
}

std::string RandomData::description() const {
  return std::string(curand_ != nullptr ? "cuRAND Philox" : "own generator") + ", N(0,1), seed " +
         std::to_string(seed_);
}

}  // namespace fastgemm::cli
