// The entry points that take a fg_gemm_desc.
#include <algorithm>
#include <cstring>
#include <limits>

#include "src/api/guard.h"
#include "src/api/run_product.h"
#include "src/dispatch/explain.h"
#include "src/problem/descriptor.h"

namespace fastgemm {
namespace {

DescriptorResult read(const fg_handle& handle, const fg_gemm_desc* desc) {
  return read_descriptor(desc, handle.pointer_mode, static_cast<MathMode>(handle.math_mode));
}

// The problem behind a question: its pointers may be missing.
ProblemResult read_question(const fg_handle& handle, const fg_gemm_desc* desc) {
  DescriptorResult described = read(handle, desc);
  if (described.status != FG_STATUS_SUCCESS) return {.status = described.status, .error = std::move(described.error)};
  fill_missing_pointers(&described.arguments);
  return make_problem(described.arguments);
}

void copy_text(const std::string& from, char* to, std::size_t size) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

}  // namespace
}  // namespace fastgemm

using namespace fastgemm;

void fg_gemm_desc_init(fg_gemm_desc* desc) {
  if (desc == nullptr) return;
  *desc = {};
  desc->struct_size = sizeof(fg_gemm_desc);
  desc->use_handle_math_mode = 1;
  desc->batch_count = 1;
}

fg_status_t fg_gemm_ex(fg_handle_t handle, const fg_gemm_desc* desc) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    DescriptorResult described = read(h, desc);
    if (described.status != FG_STATUS_SUCCESS) return {described.status, std::move(described.error)};
    return run_arguments(h, described.arguments);
  });
}

fg_status_t fg_get_workspace_size(fg_handle_t handle, const fg_gemm_desc* desc, size_t* bytes) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    const ProblemResult checked = read_question(h, desc);
    if (checked.status != FG_STATUS_SUCCESS) return {checked.status, checked.error};
    if (bytes == nullptr) return {FG_STATUS_INVALID_VALUE, "bytes is null"};
    *bytes = 0;
    if (checked.empty) return {};
    const SelectOptions unlimited = select_options(h, std::numeric_limits<std::size_t>::max(), kSlotFlags);
    *bytes = select(checked.problem, h.device, h.available, unlimited).workspace_bytes;
    return {};
  });
}

fg_status_t fg_explain(fg_handle_t handle, const fg_gemm_desc* desc, char* text, size_t size) {
  return with_handle(__func__, handle, [&](fg_handle& h) -> Outcome {
    const ProblemResult checked = read_question(h, desc);
    if (checked.status != FG_STATUS_SUCCESS) return {checked.status, checked.error};
    if (text == nullptr) return {FG_STATUS_INVALID_VALUE, "text is null"};
    if (size == 0) return {FG_STATUS_INVALID_VALUE, "size = 0 leaves no room for a text"};
    const WorkspaceSpan workspace = h.workspace.find(h.stream);
    const SelectOptions options = select_options(h, workspace.bytes, workspace.flag_count);
    const bool nothing = checked.empty;
    copy_text(nothing ? "nothing to do: the call succeeds and touches no memory"
                      : explain(checked.problem, h.device, h.available, options),
              text, size);
    return {};
  });
}
