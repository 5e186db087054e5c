#!/usr/bin/env bash
# A build of its own, without kernels, for what a configured build cannot show: other library folders, and the target
# `uninstall`. KEEP is the folder that build stays in from run to run.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

configure_and_build() {  # LIBDIR
  "$CMAKE" -S "$SOURCE" -B "$KEEP" -G Ninja -DCMAKE_BUILD_TYPE="$CONFIG" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER" -DCMAKE_CUDA_COMPILER="$CUDACXX" \
    -DCUDAToolkit_ROOT="$CUDA_HOME" -DFASTGEMM_ARCHITECTURES=none -DFASTGEMM_BUILD_TESTS=OFF \
    -DCMAKE_INSTALL_PREFIX="$WORK/prefix" -DCMAKE_INSTALL_LIBDIR="$1"
  "$CMAKE" --build "$KEEP" --parallel 2
}

for LIBDIR in lib64 "lib/$(uname -m)-linux-gnu"; do
  configure_and_build "$LIBDIR"
  "$CMAKE" --install "$KEEP"
  check_files "$WORK/prefix" "$LIBDIR"
  rm -rf "$WORK/moved"
  mv "$WORK/prefix" "$WORK/moved"
  check_no_trace "$WORK/moved" "$WORK/prefix"
  check_command "$WORK/moved" "$LIBDIR"
  check_pkg_config "$WORK/moved" "$LIBDIR"
  check_find_package "$WORK/moved" "$LIBDIR"
done

# Uninstall from a prefix that other packages share: what was there stays, what came goes, folders of ours included.
snapshot() { (cd "$1" && find . | sort); }
for stage in "" "$WORK/stage"; do
  root=$stage$WORK/prefix
  mkdir -p "$root"/{bin,include,share/doc/other,"$LIBDIR"/{pkgconfig,cmake/FastGEMMExtra}}
  touch "$root"/{bin/fastgemm-other,include/fastgemm.h,"$LIBDIR"/{libfastgemm.so.0,pkgconfig/other.pc}}
  snapshot "$root" > "$WORK/before"
  DESTDIR="$stage" "$CMAKE" --install "$KEEP"
  [ -x "$root/bin/fastgemm" ] || fail "the install into $root put down no bin/fastgemm"
  DESTDIR="$stage" "$CMAKE" --build "$KEEP" --target uninstall
  diff "$WORK/before" <(snapshot "$root") || fail "uninstall did not restore $root (< before, > after)"
done
! "$CMAKE" --build "$KEEP" --target uninstall > "$WORK/again" 2>&1 || fail "a second uninstall has nothing to do, yet succeeded"
grep -q 'nothing to uninstall' "$WORK/again" || fail "a second uninstall does not say why it fails"
