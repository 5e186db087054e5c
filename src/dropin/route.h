// The way from one call site to the BLAS behind it.
#pragma once

#include "src/dropin/arguments.h"
#include "src/dropin/resolve.h"

namespace fastgemm::dropin {

class Route final : public HostBlas {
 public:
  Route(EntryIndex entry, Target target);

  // Passes a call on. Where caller and target agree in convention and integers, as they came; else (a fallback) what
  // they mean, or a call of xerbla_ for what netlib refuses.
  void forward(const FortranArguments& arguments) const;
  void forward(const CblasArguments& arguments) const;

  void sgemm(const HostGemm& gemm) const override;
  const std::string& name() const override { return target_.library; }

  EntryIndex entry() const { return entry_; }
  const Target& target() const { return target_; }
  bool caller_wide() const { return caller_wide_; }
  bool acts() const { return acts_; }  // may products of this call site be offloaded?

 private:
  template <class Arguments>
  void translate(const Arguments& arguments) const;

  EntryIndex entry_;
  Target target_;
  bool caller_wide_;  // a caller of plain names has the integers of the library that it was linked to
  bool as_it_came_;
  bool acts_;
};

// The route of a call site, found at its first call and kept: a lookup takes no lock and about as long as reading two
// words. Routes live as long as the process.
const Route& route_of(EntryIndex entry, const void* return_address);

// True while this thread is inside a host BLAS or the offload engine on our account: what arrives then, such as the
// sgemm_ that netlib's cblas_sgemm calls, is part of a product that has been decided on.
bool& inside_flag();  // of this thread; a function call, so it is made once a product

class InsideScope {
 public:
  explicit InsideScope(bool& flag = inside_flag()) : flag_(flag), outer_(flag) { flag_ = true; }
  ~InsideScope() { flag_ = outer_; }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;

 private:
  bool& flag_;
  bool outer_;
};

}  // namespace fastgemm::dropin
