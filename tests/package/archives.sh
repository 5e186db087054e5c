#!/usr/bin/env bash
# CPack's DEB and TGZ of BUILD: their file lists and control data, and that both work where they are unpacked.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

manifest() { cat "$BUILD/install_manifest.txt" 2> /dev/null || echo none; }
manifest > "$WORK/manifest"
"$CPACK" --config "$BUILD/CPackConfig.cmake" -B "$WORK/packages" -G 'TGZ;DEB'
manifest | diff "$WORK/manifest" - || fail "cpack changed what the target uninstall would remove"
tgz=$WORK/packages/libfastgemm-$VERSION-Linux-$(uname -m).tar.gz
[ -f "$tgz" ] || fail "no $tgz; there is: $(ls "$WORK/packages")"
tar -xzf "$tgz" -C "$WORK"
unpacked=$WORK/$(basename "$tgz" .tar.gz)
check_files "$unpacked" "$LIBDIR"
check_command "$unpacked" "$LIBDIR"
check_find_package "$unpacked" "$LIBDIR"
(cd "$WORK/packages" && sha256sum -c --quiet ./*.sha256) || fail "checksum files are wrong"

command -v dpkg-deb > /dev/null || { echo "no dpkg-deb here: the DEB is not looked into"; exit 0; }
deb=$WORK/packages/libfastgemm_${VERSION}_$(dpkg --print-architecture).deb
[ -f "$deb" ] || fail "no $deb; there is: $(ls "$WORK/packages")"
dpkg-deb --info "$deb"
field() { dpkg-deb --field "$deb" "$1"; }
[ "$(field Package)" = libfastgemm ] || fail "Package: $(field Package)"
[ "$(field Version)" = "$VERSION" ] || fail "Version: $(field Version)"
[ "$(field Section)" = math ] || fail "Section: $(field Section)"
[[ "$(field Depends)" == *libc6* && "$(field Depends)" == *libstdc++6* ]] || fail "Depends: $(field Depends)"
[[ "$(field Depends)" != *cublas* ]] || fail "a hard dependency on cuBLAS: $(field Depends)"
dpkg-deb --control "$deb" "$WORK/control"
shlibs=$(printf '%s 1 libfastgemm (>= '"$VERSION"')\n' libfastgemm libfastgemm_cublas)
[ "$(sort "$WORK/control/shlibs")" = "$shlibs" ] || fail "shlibs: $(cat "$WORK/control/shlibs")"
grep -rq ldconfig "$WORK/control" || fail "the DEB does not run ldconfig"
owners=$(dpkg-deb --fsys-tarfile "$deb" | tar -tv | awk '{ print $2 }' | sort -u)
[ "$owners" = root/root ] || fail "files of the DEB belong to: $owners"

dpkg-deb -x "$deb" "$WORK/root"
check_files "$WORK/root/usr" "$LIBDIR"
check_command "$WORK/root/usr" "$LIBDIR"
check_pkg_config "$WORK/root/usr" "$LIBDIR"
