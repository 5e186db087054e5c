#!/usr/bin/env bash
# BUILD installed: the file list, consumers through pkg-config and find_package, and again after the prefix has moved.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# A component's install leaves the build folder's install_manifest.txt, and so the user's `uninstall`, alone.
"$CMAKE" --install "$BUILD" --prefix "$WORK/prefix" --component fastgemm
check_files "$WORK/prefix" "$LIBDIR"
check_command "$WORK/prefix" "$LIBDIR"
check_pkg_config "$WORK/prefix" "$LIBDIR"
check_find_package "$WORK/prefix" "$LIBDIR"
readelf -d "$WORK/prefix/$LIBDIR/libfastgemm.so" | grep 'SONAME.*\[libfastgemm\.so\.1\]' > /dev/null || fail "SONAME is not libfastgemm.so.1"

moved="$WORK/moved/elsewhere"
mkdir -p "$(dirname "$moved")"
mv "$WORK/prefix" "$moved"
check_no_trace "$moved" "$WORK/prefix"
check_command "$moved" "$LIBDIR"
check_pkg_config "$moved" "$LIBDIR"
check_find_package "$moved" "$LIBDIR"
