#!/usr/bin/env bash
# libfastgemm_cublas.so as a binary, and preloaded where there is no GPU: everything goes on to the program's own
# cuBLAS, and nothing is printed. Set by ctest: LIBRARY, SYMBOLS, PROGRAMS, WORK.
set -uo pipefail
fail() { echo "$*"; exit 1; }
unset LD_LIBRARY_PATH  # a real libcublas there would stand before the fake one
rm -rf "$WORK" && mkdir -p "$WORK" && cd "$WORK" || exit 1

# ---- the file ----------------------------------------------------------------------------------------------------
diff <(nm -D --defined-only "$LIBRARY" | awk '{ print $NF }' | LC_ALL=C sort) "$SYMBOLS" ||
  fail "exported symbols differ from $SYMBOLS (< library, > list)"
# A versioned definition would not answer a reference that asks for another version.
versioned=$(readelf -W --dyn-syms "$LIBRARY" | awk '$7 != "UND" && $8 ~ /@/ { print $8 }')
[ -z "$versioned" ] || fail "names with a version: $versioned"
dynamic=$(readelf -d "$LIBRARY")
needed=$(grep -E 'NEEDED.*lib(cublas|cublasLt|cuda|cudart|nvrtc|fastgemm)\.' <<< "$dynamic")
[ -z "$needed" ] || fail "the library must load alone: $needed"
grep -q 'SONAME.*\[libfastgemm_cublas\.so\.1\]' <<< "$dynamic" || fail "SONAME is not libfastgemm_cublas.so.1"
unwanted=$(grep -E 'TEXTREL|RPATH|RUNPATH' <<< "$dynamic")
[ -z "$unwanted" ] || fail "unwanted dynamic entries: $unwanted"

# ---- a program that has nothing to do with cuBLAS ----------------------------------------------------------------
[ "$(LD_PRELOAD=$LIBRARY FASTGEMM_STATS=1 /bin/echo hello 2>&1)" = hello ] || fail "echo did not say hello alone"
maps=$(LD_PRELOAD=$LIBRARY /bin/cat /proc/self/maps)
grep -q libfastgemm_cublas <<< "$maps" || fail "not loaded"
grep -E 'lib(cublas|cublasLt|cuda|cudart)\.so' <<< "$maps" && fail "loads CUDA libraries"

# ---- programs ----------------------------------------------------------------------------------------------------
# preloaded NAME PROGRAM [ARGUMENT ...]: output in NAME.out, which holds stderr too, and statistics in NAME.stats.
preloaded() {
  local name=$1
  shift
  env LD_PRELOAD="$LIBRARY" FASTGEMM_STATS=1 FASTGEMM_LOG_FILE="$WORK/$name.stats" "$@" > "$name.out" 2>&1 ||
    fail "$name: $(cat "$name.out")"
}
expect() { [ "$(cat "$1.out")" = "$2" ] || fail "$1 printed: $(cat "$1.out")"; }
expect_stats() { grep -q "$2" "$1.stats" || fail "$1: no '$2' in: $(cat "$1.stats" 2> /dev/null)"; }

preloaded program "$PROGRAMS/fg_hook_program"
expect program "$(printf 'wrong 0, reached 800\nchild 0')"
expect_stats program "stats cublas pid=[0-9]* served=0 passed=800$"
expect_stats program "stats cublas pid=[0-9]* served=0 passed=10$"
expect_stats program "stats entry=cublasSgemm_v2 served=0 passed=800$"
expect program "$("$PROGRAMS/fg_hook_program")"
traced() { # WHAT BECAME OF IT
  rm -f traced.stats
  FASTGEMM_LOG=trace preloaded traced "$PROGRAMS/fg_hook_program" && grep -c "cublas: cublasSgemm_v2 $1" traced.stats
}
[ "$(traced 'passed on: no kernel of ours')" = 810 ] || fail "$(sort traced.stats | uniq -c)"
[ "$(FASTGEMM_DROPIN=off traced 'passed on: its types, modes')" = 810 ] || fail "$(sort traced.stats | uniq -c)"
FASTGEMM_DROPIN=off preloaded off "$PROGRAMS/fg_hook_program"
expect off "$("$PROGRAMS/fg_hook_program")"
[ -z "$(LD_PRELOAD=$LIBRARY "$PROGRAMS/fg_hook_program" 2>&1 > /dev/null)" ] || fail "something on stderr"

# Each caller reaches the cuBLAS that it was linked to, though neither is global and both are loaded.
preloaded plugins "$PROGRAMS/fg_hook_host" plugins "$PROGRAMS"/libfg_hook_plugin_{12,13}.so
expect plugins "$(printf '1\n1')"
expect_stats plugins "passed=2$"
# Nor is it the one that happens to be global.
LIBRARY="$LIBRARY $PROGRAMS/cuda13/libcublas.so.13" preloaded plugins_global "$PROGRAMS/fg_hook_host" plugins \
  "$PROGRAMS"/libfg_hook_plugin_{12,13}.so
expect plugins_global "$(printf '1\n1')"
expect_stats plugins_global "passed=2$"
preloaded handle "$PROGRAMS/fg_hook_host" handle "$PROGRAMS/cuda13/libcublas.so.13"
expect handle "$(printf 'status 0\na libcublas is loaded')"
preloaded nothing "$PROGRAMS/fg_hook_host" nothing
expect nothing "status 1"
