#!/usr/bin/env bash
# What BUILD as it is configured cannot show: other library folders, and the target `uninstall`. A copy of BUILD is
# configured anew for each; its objects are up to date, so that little more than linking is left to do.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

tree=$WORK/build
mkdir "$tree"
cp -a "$BUILD"/{CMakeCache.txt,CMakeFiles,kernels,src} "$tree"
cp -a "$BUILD"/.ninja_{log,deps} "$tree" 2> /dev/null || true  # with another generator everything is built again
sed -i "s|$BUILD|$tree|g" "$tree/CMakeCache.txt"

configure_and_build() {  # LIBDIR
  "$CMAKE" -S "$SOURCE" -B "$tree" -DFASTGEMM_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$WORK/prefix" \
    -DCMAKE_INSTALL_LIBDIR="$1"
  "$CMAKE" --build "$tree" --parallel 2
}

for LIBDIR in lib64 "lib/$(uname -m)-linux-gnu"; do
  configure_and_build "$LIBDIR"
  "$CMAKE" --install "$tree"
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
  DESTDIR="$stage" "$CMAKE" --install "$tree"
  [ -x "$root/bin/fastgemm" ] || fail "the install into $root put down no bin/fastgemm"
  DESTDIR="$stage" "$CMAKE" --build "$tree" --target uninstall
  diff "$WORK/before" <(snapshot "$root") || fail "uninstall did not restore $root (< before, > after)"
done
! "$CMAKE" --build "$tree" --target uninstall > "$WORK/again" 2>&1 || fail "a second uninstall has nothing to do, yet succeeded"
grep -q 'nothing to uninstall' "$WORK/again" || fail "a second uninstall does not say why it fails"
