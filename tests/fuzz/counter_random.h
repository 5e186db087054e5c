// Random numbers by counter: stream s of a seed is the same whatever else was drawn, so that one argument set of
// millions can be made again by its number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastgemm::test {

class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint64_t stream) : state_(mix(seed) ^ mix(stream + 0x5851f42d4c957f2du)) {}

  std::uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((bits() >> 32) * std::uint64_t{bound} >> 32);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  template <class T, std::size_t kCount>  // also of a braced list
  T pick(const T (&choices)[kCount]) {
    return choices[below(kCount)];
  }

 private:
  // The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }

  std::uint64_t state_;
};

}  // namespace fastgemm::test
