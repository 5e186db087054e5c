# Steps that the tests of this folder share. The environment is set by CMakeLists.txt:
#   SOURCE, BUILD   this project's source and build folders          WORK     scratch folder of this test, emptied here
#   VERSION         the project's version                            CONFIG   build type of BUILD, in lower case
#   CMAKE, CC, CXX, FC, CUDA_HOME, CUDA_LIBRARY_DIR                  what the consumers are built with
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C
unset DESTDIR PKG_CONFIG_PATH CMAKE_PREFIX_PATH
rm -rf "$WORK"
mkdir -p "$WORK"

fail() { echo "FAILED: $*" >&2; exit 1; }

files_under() { (cd "$1" && find . \( -type f -o -type l \) -printf '%P\n' | sort); }

# expected_files LIBDIR: every file of an installation, relative to the prefix.
expected_files() {
  sort << END
bin/fastgemm
include/fastgemm/fastgemm.f90
include/fastgemm/fastgemm.h
include/fastgemm/fastgemm.hpp
$1/cmake/FastGEMM/FastGEMMConfig.cmake
$1/cmake/FastGEMM/FastGEMMConfigVersion.cmake
$1/cmake/FastGEMM/FastGEMMTargets-$CONFIG.cmake
$1/cmake/FastGEMM/FastGEMMTargets.cmake
$1/libfastgemm.so
$1/libfastgemm.so.1
$1/libfastgemm.so.$VERSION
$1/libfastgemm_cublas.so
$1/libfastgemm_cublas.so.1
$1/libfastgemm_cublas.so.$VERSION
$1/pkgconfig/fastgemm.pc
share/doc/fastgemm/README.md
END
}

check_files() {  # PREFIX LIBDIR
  diff <(expected_files "$2") <(files_under "$1") || fail "the files under $1 are not those of an installation (< expected, > found)"
}

# check_command PREFIX LIBDIR: the fastgemm command finds its library from where it lies, with no help.
check_command() {
  local found
  found=$(env -u LD_LIBRARY_PATH ldd "$1/bin/fastgemm" | sed -n 's/.*libfastgemm.so.1 => \([^ ]*\).*/\1/p')
  [ -n "$found" ] && [ "$(realpath "$found")" = "$(realpath "$1/$2/libfastgemm.so.1")" ] ||
    fail "bin/fastgemm takes libfastgemm.so.1 from '$found', not from $1/$2"
  [[ "$(env -u LD_LIBRARY_PATH "$1/bin/fastgemm" --version)" == *"$VERSION"* ]] || fail "fastgemm --version does not say $VERSION"
}

# run_consumer PREFIX LIBDIR PROGRAM: it uses this prefix's library, ends well, and prints what this machine should see.
run_consumer() {
  local output
  export LD_LIBRARY_PATH="$1/$2:$CUDA_LIBRARY_DIR"
  ldd "$3" | grep -F "libfastgemm.so.1 => $1/$2/" > /dev/null || fail "$3 does not use the library in $1/$2"
  output=$("$3") || fail "$3 ended with status $?: $output"
  echo "$(basename "$3"): $output"
  if nvidia-smi -L > /dev/null 2>&1; then
    [[ $output == "0 of 60000 elements wrong" || $(basename "$3") == explain && -n $output ]] || fail "$3 printed: $output"
  else
    [[ $output == "fg_create: FG_STATUS_NOT_INITIALIZED: "?* ]] || fail "$3 printed: $output"
  fi
  unset LD_LIBRARY_PATH
}

# readme_block MARK: the fenced block that follows <!-- MARK --> in README.md.
readme_block() {
  awk -v mark="<!-- $1 -->" '$0 == mark { seen = 1 } seen && /^```/ { if (inside) exit; inside = 1; next } inside' "$SOURCE/README.md"
}

# check_pkg_config PREFIX LIBDIR: the README's commands build every consumer through pkg-config.
check_pkg_config() {
  local folder
  folder=$(mktemp -d "$WORK/pkg-config.XXXX")
  cp "$SOURCE"/tests/package/consumers/*/*.{c,cpp,f90} "$folder"
  readme_block 'compile: pkg-config' > "$folder/compile"
  grep -q pkg-config "$folder/compile" || fail "README.md has no block marked 'compile: pkg-config'"
  mkdir "$folder/bin"  # the compilers of this build under the names that the README uses, with warnings as errors
  echo "#!/bin/sh
exec '$CC' -std=c99 -Wall -Wextra -Werror \"\$@\"" > "$folder/bin/cc"
  echo "#!/bin/sh
exec '$CXX' -std=c++17 -Wall -Wextra -Werror \"\$@\"" > "$folder/bin/c++"
  echo "#!/bin/sh
exec '$FC' -Wall -Werror \"\$@\"" > "$folder/bin/gfortran"
  chmod +x "$folder"/bin/*
  (
    export PATH="$folder/bin:$PATH" PKG_CONFIG_PATH="$1/$2/pkgconfig" LIBRARY_PATH="$CUDA_LIBRARY_DIR"
    [ "$(pkg-config --modversion fastgemm)" = "$VERSION" ] || fail "pkg-config does not say $VERSION"
    cd "$folder" && bash -ex compile
  ) || fail "the README's commands do not compile with $1/$2/pkgconfig"
  for program in explain sgemm_c sgemm_cpp sgemm_fortran; do run_consumer "$1" "$2" "$folder/$program"; done
}

# check_find_package PREFIX LIBDIR: CMake projects find the package; the first with no CUDA toolkit in reach.
check_find_package() {
  local folder where
  folder=$(mktemp -d "$WORK/find_package.XXXX")
  where=(-DCMAKE_PREFIX_PATH="$1")
  [ "$2" != lib64 ] || where=(-DFastGEMM_DIR="$1/$2/cmake/FastGEMM")  # Debian's CMake does not look into lib64
  "$CMAKE" -S "$SOURCE/tests/package/consumers/explain" -B "$folder/explain" "${where[@]}" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
  "$CMAKE" --build "$folder/explain"
  run_consumer "$1" "$2" "$folder/explain/explain"
  "$CMAKE" -S "$SOURCE/tests/package/consumers/sgemm" -B "$folder/sgemm" "${where[@]}" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_Fortran_COMPILER="$FC" -DCUDAToolkit_ROOT="$CUDA_HOME"
  "$CMAKE" --build "$folder/sgemm"
  for program in sgemm_c sgemm_cpp sgemm_fortran; do run_consumer "$1" "$2" "$folder/sgemm/$program"; done
}

# check_no_trace PREFIX FORMER: no file under PREFIX knows the prefix it was installed to.
check_no_trace() {
  ! grep -rlF -- "$2" "$1" || fail "the files above hold the path $2"
}
