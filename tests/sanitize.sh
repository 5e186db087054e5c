#!/usr/bin/env bash
# Builds host tests under sanitizers, without kernels, and runs them.
#
#   tests/sanitize.sh address [FOLDER]   AddressSanitizer with leak check, and UndefinedBehaviorSanitizer
#   tests/sanitize.sh thread [FOLDER]    ThreadSanitizer: programs with threads alone
#
# FOLDER: where to build; default: build-sanitize-<kind>. Arguments for CMake may stand in CMAKE_ARGUMENTS. With
# FASTGEMM_SANITIZE_ALL=1 address also takes the programs that cost minutes each. Ends with 77 where the compiler or the
# machine has no such sanitizer.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kind=${1:-}
case $kind in
  address)
    sanitizers="address;undefined"
    programs=(fg_tests fg_dropin_tests fg_offload_tests fg_hook_tests fg_fuzz_tests)
    [ "${FASTGEMM_SANITIZE_ALL:-}" != 1 ] || programs+=(fg_verify_tests fg_fault_tests)
    ;;
  thread)
    sanitizers=thread
    programs=(fg_tests fg_dropin_tests fg_offload_tests)
    ;;
  *)
    echo "usage: tests/sanitize.sh address | thread [FOLDER]" >&2
    exit 2
    ;;
esac
build_dir=$(realpath -m "${2:-$source_dir/build-sanitize-$kind}")
cmake=${CMAKE:-cmake}

export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export FASTGEMM_FUZZ_SETS=${FASTGEMM_FUZZ_SETS:-200000}
export CUDA_VISIBLE_DEVICES=-1  # the driver is not instrumented

# ThreadSanitizer wants its memory where address randomisation of newer kernels may have put something else.
fixed=()
if [ "$kind" = thread ] && setarch "$(uname -m)" -R true 2> /dev/null; then fixed=(setarch "$(uname -m)" -R); fi

mkdir -p "$build_dir"
echo 'int main(int count, char**) { int* made = new int[1]{count}; delete[] made; }' > "$build_dir/probe.cpp"
if ! { "${CXX:-c++}" "-fsanitize=${sanitizers/;/,}" "$build_dir/probe.cpp" -o "$build_dir/probe" &&
       "${fixed[@]}" "$build_dir/probe"; } > "$build_dir/probe.log" 2>&1; then
  echo "skipped: no program runs here under the $kind sanitizer: $(tail -n 1 "$build_dir/probe.log")"
  exit 77
fi

# -O1: quick to compile, and calls keep their frames for the reports.
read -r -a arguments <<< "${CMAKE_ARGUMENTS:-}"
"$cmake" -S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
  -DFASTGEMM_ARCHITECTURES=none -DFASTGEMM_BUILD_CLI=OFF -DFASTGEMM_SANITIZE="$sanitizers" "${arguments[@]}" > /dev/null
"$cmake" --build "$build_dir" --parallel "$(nproc)" --target "${programs[@]}"

failed=0
for program in "${programs[@]}"; do
  echo "== $program"
  "${fixed[@]}" "$(find "$build_dir" -name "$program" -type f -perm -u+x | head -n 1)" || failed=1
done
exit "$failed"
