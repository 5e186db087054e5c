// The pool of the test program: its threads never end, so there is one.
#pragma once

#include "src/dropin/engine/copy_pool.h"

inline fastgemm::dropin::CopyPool& shared_pool() {
  static fastgemm::dropin::CopyPool* const pool = [] {
    auto* made = new fastgemm::dropin::CopyPool;
    made->grow(2);
    made->use(2);
    return made;
  }();
  return *pool;
}
