// Stacks for fibers, with a guard page each and used again by the next block.
#pragma once

#include <boost/context/protected_fixedsize_stack.hpp>
#include <vector>

namespace fastgemm::emulation {

class FiberStacks {
 public:
  static constexpr std::size_t kBytes = 128 * 1024;

  FiberStacks() = default;
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;
  ~FiberStacks() {
    for (auto& stack : free_) source_.deallocate(stack);
  }

  // What Boost.Context asks of a stack allocator; it keeps a copy in each fiber.
  class Allocator {
   public:
    explicit Allocator(FiberStacks& stacks) : stacks_(&stacks) {}
    boost::context::stack_context allocate() { return stacks_->take(); }
    void deallocate(boost::context::stack_context& stack) { stacks_->free_.push_back(stack); }

   private:
    FiberStacks* stacks_;
  };

 private:
  boost::context::stack_context take() {
    if (free_.empty()) return source_.allocate();
    const auto stack = free_.back();
    free_.pop_back();
    return stack;
  }

  boost::context::protected_fixedsize_stack source_{kBytes};
  std::vector<boost::context::stack_context> free_;
};

}  // namespace fastgemm::emulation
