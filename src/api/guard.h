// The frame around every entry point: no exception leaves it, and fg_last_error tells of this call and no earlier one.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <new>

#include "src/api/handle.h"
#include "src/base/last_error.h"
#include "src/base/log.h"

namespace fastgemm {

inline fg_status_t report(const char* entry, fg_status_t status, std::string_view text) {
  set_last_error(text);
  if (log_enabled(LogLevel::kError)) {
    log_line(LogLevel::kError, std::string(entry) + ": " + fg_status_name(status) + ": " + std::string(text));
  }
  return status;
}

template <class Body>
fg_status_t guarded(const char* entry, Body&& body) {
  try {
    const Outcome outcome = body();
    if (outcome.status != FG_STATUS_SUCCESS) return report(entry, outcome.status, outcome.error);
    set_last_error({});
    return FG_STATUS_SUCCESS;
  } catch (abi::__forced_unwind&) {
    throw;  // pthread_cancel: swallowing it ends the program
  } catch (const std::bad_alloc&) {
    set_last_error("out of host memory");
    return FG_STATUS_ALLOC_FAILED;
  } catch (const std::exception& error) {
    set_last_error(error.what());
  } catch (...) {
    set_last_error("unknown exception");
  }
  return FG_STATUS_INTERNAL_ERROR;
}

// The same for an entry point that takes a handle: the body gets a usable one.
template <class Body>
fg_status_t with_handle(const char* entry, fg_handle_t handle, Body&& body) {
  return guarded(entry, [&]() -> Outcome {
    if (handle == nullptr) return {FG_STATUS_NOT_INITIALIZED, "handle is null; fg_create makes one"};
    if (handle->process != getpid()) {
      return {FG_STATUS_NOT_INITIALIZED,
              "handle was created before fork; a child process has to create its own, and CUDA allows that only where "
              "the parent had not used it yet"};
    }
    return body(*handle);
  });
}

}  // namespace fastgemm
