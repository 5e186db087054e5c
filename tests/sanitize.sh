#!/usr/bin/env bash
# Builds the host tests under sanitizers, without kernels, and runs them.
#
#   tests/sanitize.sh address [FOLDER]   AddressSanitizer with leak check, and UndefinedBehaviorSanitizer
#   tests/sanitize.sh thread [FOLDER]    ThreadSanitizer: the unit tests alone, everything else runs in one thread
#
# FOLDER: where to build; default: build-sanitize-<kind>. Arguments for CMake may stand in CMAKE_ARGUMENTS.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kind=${1:-}
case $kind in
  address)
    sanitizers="address;undefined"
    programs=(fg_tests fg_dropin_tests fg_verify_tests fg_fuzz_tests fg_fault_tests)
    ;;
  thread)
    sanitizers=thread
    programs=(fg_tests fg_dropin_tests)
    ;;
  *)
    echo "usage: tests/sanitize.sh address | thread [FOLDER]" >&2
    exit 2
    ;;
esac
build_dir=$(realpath -m "${2:-$source_dir/build-sanitize-$kind}")
cmake=${CMAKE:-cmake}

# -O1: quick to compile, and calls keep their frames for the reports.
read -r -a arguments <<< "${CMAKE_ARGUMENTS:-}"
"$cmake" -S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
  -DFASTGEMM_ARCHITECTURES=none -DFASTGEMM_BUILD_CLI=OFF -DFASTGEMM_SANITIZE="$sanitizers" "${arguments[@]}" > /dev/null
"$cmake" --build "$build_dir" --parallel "$(nproc)" --target "${programs[@]}"

export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export FASTGEMM_FUZZ_SETS=${FASTGEMM_FUZZ_SETS:-1000000}
failed=0
for program in "${programs[@]}"; do
  echo "== $program"
  "$(find "$build_dir" -name "$program" -type f -perm -u+x | head -n 1)" || failed=1
done
exit "$failed"
