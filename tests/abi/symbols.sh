#!/usr/bin/env bash
# What the shared library exports, needs and calls itself. A change to symbols.txt changes the ABI: only add to it.
set -euo pipefail

diff <(nm -D --defined-only "$LIBRARY" | awk '{print $NF}' | LC_ALL=C sort) "$SYMBOLS" ||
  { echo "exported symbols differ from tests/abi/symbols.txt (< library, > list)"; exit 1; }
# A versioned definition would not answer a reference that asks for another version: all but fg_* have none.
versioned=$(readelf -W --dyn-syms "$LIBRARY" | awk '$7 != "UND" && $8 ~ /@/ { print $8 }' | grep -v '^fg_' || true)
[ -z "$versioned" ] || { echo "host BLAS names with a version: $versioned"; exit 1; }

dynamic=$(readelf -d "$LIBRARY")
if grep -E 'NEEDED.*lib(cublas|cublasLt|cuda|cudart|nvrtc)\.' <<<"$dynamic"; then
  echo "the library must load without CUDA's libraries"; exit 1
fi
grep -q 'SONAME.*\[libfastgemm\.so\.1\]' <<<"$dynamic" || { echo "SONAME is not libfastgemm.so.1"; exit 1; }
if grep -E 'TEXTREL|RPATH|RUNPATH' <<<"$dynamic"; then echo "unwanted dynamic entries"; exit 1; fi
[ "$(basename "$(readlink -f "$LIBRARY")")" = "libfastgemm.so.$VERSION" ] ||
  { echo "file version is not $VERSION"; exit 1; }

IFS=. read -r major minor patch <<<"$VERSION"
header=$(dirname "$SYMBOLS")/../../include/fastgemm/fastgemm.h
grep -q "define FG_VERSION_MAJOR $major\$" "$header" && grep -q "define FG_VERSION_MINOR $minor\$" "$header" &&
  grep -q "define FG_VERSION_PATCH $patch\$" "$header" || { echo "fastgemm.h is not of version $VERSION"; exit 1; }

# The Fortran module and the header declare every function that is exported.
for face in fastgemm.h fastgemm.f90; do
  while read -r name; do
    grep -qw "$name" "$(dirname "$header")/$face" || { echo "$name is not in $face"; exit 1; }
  done < <(grep -o '^fg_[a-z0-9_]*' "$SYMBOLS")
done
