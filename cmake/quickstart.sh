#!/usr/bin/env bash
# libfastgemm on a fresh machine: installs what is missing, builds, and runs the benchmark or the tests.
#
#   cmake/quickstart.sh bench [arguments of `fastgemm bench`]
#   cmake/quickstart.sh test
#
# Environment, all optional:
#   FASTGEMM_BUILD_DIR      build folder; default: build, beside this script's folder
#   FASTGEMM_ARCHITECTURES  CUDA architectures to build for, as CMake names them; default: all of the project's, and for
#                           `bench` on a machine with a GPU that GPU's alone
#   FASTGEMM_CUDA           folder of a CUDA toolkit, or "wheels": NVIDIA's wheels from PyPI, put in the build folder;
#                           default: a toolkit that is there, else the wheels
#   FASTGEMM_SANITIZERS     `test` alone: OFF leaves out the host tests under sanitizers, which are some minutes of it
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=$(realpath -m "${FASTGEMM_BUILD_DIR:-$source_dir/build}")
log=$build_dir/quickstart.log
min_cmake=3.25
min_cuda=12.4
cuda_wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
             nvidia-cuda-cccl==13.0.85 nvidia-cublas==13.1.0.3 nvidia-curand==10.4.0.35)  # CUDA 13.0, update 2
sass_wheels=(nvidia-cuda-cuobjdump==13.2.78 nvidia-cuda-nvdisasm==13.2.78)  # the first on PyPI; they read older code

say() { printf '==> %s\n' "$*"; }
fail() { printf 'quickstart: %s\n' "$*" >&2; exit 1; }
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }  # version $1 >= version $2

# step WHAT COMMAND...: says WHAT, runs COMMAND with its output in the log, and shows the log's end where it fails.
step() {
  say "$1"
  local start status=0
  start=$(($(wc -l < "$log") + 1))
  shift
  "$@" >> "$log" 2>&1 < /dev/null || status=$?
  [ "$status" -eq 0 ] && return
  tail -n "+$start" "$log" | tail -n 60 >&2
  fail "failed with status $status: $* (whole output: $log)"
}

# ---- packages of the distribution --------------------------------------------------------------------------------
missing=()
want_command() { command -v "$1" > /dev/null || missing+=("$2"); }
want_library() { PATH=$PATH:/sbin ldconfig -p 2> /dev/null | grep -F "$1" > /dev/null || missing+=("$2"); }
want_package() { dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null | grep -qx installed || missing+=("$1"); }
want_header() { echo "#include <$1>" | "${CXX:-c++}" -E -x c++ - > /dev/null 2>&1 || missing+=("$2"); }

find_missing() {
  want_command "${CXX:-c++}" g++
  want_command cmake cmake
  want_command ninja ninja-build
  want_header CLI/CLI.hpp libcli11-dev
  want_header nlohmann/json.hpp nlohmann-json3-dev
  want_library libopenblas.so.0 libopenblas0
  [ "$1" = test ] || return 0
  want_command pkg-config pkg-config
  want_command "${FC:-gfortran}" gfortran
  want_command python3 python3
  echo '#if !__has_include(<catch2/catch.hpp>) && !__has_include(<catch2/catch_all.hpp>)
#error
#endif' | "${CXX:-c++}" -E -x c++ - > /dev/null 2>&1 || missing+=(catch2)
  want_header boost/context/fiber.hpp libboost-context-dev
  if command -v dpkg > /dev/null; then  # the DEB is built and looked into
    want_command dpkg-shlibdeps dpkg-dev
    want_command file file
    want_command abidiff abigail-tools
    # Programs that run with the drop-in preloaded: some 15 MB of downloads, and 80 MB for Octave with what it needs.
    local package
    for package in libblas3 libblas-test liblapack3 liblapack-test python3-numpy openmpi-bin libscalapack-openmpi-dev \
        octave; do
      want_package "$package"
    done
  fi
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {  # PACKAGE...
  local by_hand="install by hand: $*"
  command -v apt-get > /dev/null || fail "this is neither Debian nor Ubuntu (no apt-get); $by_hand"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || fail "not root, and no sudo here; $by_hand"
    sudo -n true 2> /dev/null || { [ -t 0 ] && sudo -v; } || fail "sudo needs a password; $by_hand"
  fi
  [ -n "${lists_read:-}" ] || step "Reading the package lists" as_root apt-get update
  lists_read=yes
  step "Installing: $*" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# ---- Python packages, in the build folder ------------------------------------------------------------------------
pip=$build_dir/venv/bin/pip
need_pip() {
  "$pip" --version > /dev/null 2>&1 && return
  local packages=()
  python3 -c 'import venv, ensurepip' > /dev/null 2>&1 || packages+=(python3-venv)
  [ -e /etc/ssl/certs/ca-certificates.crt ] || ! command -v apt-get > /dev/null || packages+=(ca-certificates)
  [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
  step "Making a Python environment in $build_dir/venv" python3 -m venv --clear "$build_dir/venv"
}

# Wheels into a folder of their own; a mark written last says that they are all there.
install_wheels() {  # FOLDER WHEEL...
  local folder=$1
  shift
  [ "$(cat "$folder/.complete" 2> /dev/null)" = "$*" ] && return
  need_pip
  rm -rf "$folder"
  step "Fetching from PyPI: $*" "$pip" install --no-deps --only-binary :all: --no-compile --target "$folder" "$@"
  echo "$*" > "$folder/.complete"
}

need_cmake() {
  cmake=cmake
  local version
  version=$(cmake --version | sed -n 's/^cmake version //p')
  at_least "$version" "$min_cmake" && return
  say "CMake $version is older than $min_cmake"
  need_pip
  cmake=$build_dir/venv/bin/cmake
  [ -x "$cmake" ] || step "Fetching CMake from PyPI" "$pip" install 'cmake>=3.25,<4'
}

# ---- CUDA toolkit ------------------------------------------------------------------------------------------------
# Says on stdout why the toolkit in folder $1 will not do; silent where it will.
cuda_fault() {
  local version header library
  [ -x "$1/bin/nvcc" ] || { echo "it has no bin/nvcc"; return; }
  version=$("$1/bin/nvcc" --version 2> /dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
  [ -n "$version" ] || { echo "its nvcc does not run"; return; }
  at_least "$version" "$min_cuda" || { echo "it is CUDA $version, older than $min_cuda"; return; }
  for header in cuda_runtime.h cublasLt.h curand.h; do
    [ -e "$1/include/$header" ] || { echo "it has no include/$header"; return; }
  done
  for library in libcudart_static.a libcublas.so libcublasLt.so libcurand.so; do
    [ -e "$1/lib64/$library" ] || { echo "it has no lib64/$library"; return; }
  done
}

cuda_from_wheels() {
  install_wheels "$build_dir/cuda" "${cuda_wheels[@]}"
  cuda=$build_dir/cuda/nvidia/cu13
  ln -sfn lib "$cuda/lib64"  # where CMake and nvcc look
  local library
  for library in "$cuda"/lib/lib*.so.*; do
    [ -L "$library" ] || ln -sf "$(basename "$library")" "${library%%.so.*}.so"
  done
  local fault
  fault=$(cuda_fault "$cuda")
  [ -z "$fault" ] || fail "the CUDA toolkit from PyPI in $cuda will not do: $fault"
}

find_cuda() {
  local candidates=() folder fault
  if [ "${FASTGEMM_CUDA:-}" = wheels ]; then
    cuda_from_wheels
  elif [ -n "${FASTGEMM_CUDA:-}" ]; then
    fault=$(cuda_fault "$FASTGEMM_CUDA")
    [ -z "$fault" ] || fail "the CUDA toolkit in FASTGEMM_CUDA=$FASTGEMM_CUDA will not do: $fault"
    cuda=$(realpath "$FASTGEMM_CUDA")
  else
    # nvcc knows its own folder, where the one on the PATH may be a link or a wrapper.
    folder=$(nvcc --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p') || true
    [ -z "$folder" ] || candidates+=("$(cd "$folder" && pwd -P)")
    candidates+=(${CUDA_HOME:+"$CUDA_HOME"} /usr/local/cuda)
    for folder in "${candidates[@]}"; do
      [ -d "$folder" ] || continue
      fault=$(cuda_fault "$folder")
      [ -n "$fault" ] || { cuda=$folder; break; }
      say "CUDA toolkit in $folder not used: $fault"
    done
    [ -n "${cuda:-}" ] || cuda_from_wheels
  fi
  say "CUDA toolkit: $cuda ($("$cuda/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'))"
}

# cuobjdump and nvdisasm read the machine code that some tests look at; the wheels' toolkit has neither.
find_cuobjdump() {
  cuobjdump=$cuda/bin/cuobjdump
  [ -x "$cuobjdump" ] && [ -x "$cuda/bin/nvdisasm" ] && return
  install_wheels "$build_dir/sass" "${sass_wheels[@]}"
  cuobjdump=$(find "$build_dir/sass" -path '*/bin/cuobjdump' | head -n 1)
}

# ---- build and run -----------------------------------------------------------------------------------------------
gpu_architecture() {  # of the first GPU, as CMake names it; nothing where there is none
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -n 1) || return 0
  case $capability in
    9.0) echo 90a-real ;;
    7.5 | 8.*) echo "${capability/./}-real" ;;
    1[0-9].*) echo 90-virtual ;;
  esac
}

configure() {
  local cache=$build_dir/CMakeCache.txt fresh=() launcher=()
  if [ -e "$cache" ] && ! { grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$cache" &&
                            grep -q "^CMAKE_CUDA_COMPILER:[A-Z]*=$cuda/bin/nvcc$" "$cache"; }; then
    fresh=(--fresh)  # CMake cannot change the generator or a compiler of a build folder
  fi
  local narrow=(-UFASTGEMM_ARCHITECTURES)  # the project's default, whatever an earlier run asked for
  [ -z "$architectures" ] || narrow=(-DFASTGEMM_ARCHITECTURES="$architectures")
  if command -v ccache > /dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  step "Configuring in $build_dir" "$cmake" -S "$source_dir" -B "$build_dir" -G Ninja "${fresh[@]}" "${launcher[@]}" \
    -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc" -DCUDAToolkit_ROOT="$cuda" "${narrow[@]}" "$@"
}

build() {
  local what="Building for ${architectures:-all architectures} (the first time takes minutes)"
  if [ -t 1 ]; then
    say "$what"
    "$cmake" --build "$build_dir" --parallel "$(nproc)" || fail "the build failed; the compiler's messages are above"
  else
    step "$what" "$cmake" --build "$build_dir" --parallel "$(nproc)"
  fi
}

run_bench() {
  [ -n "$architectures" ] || architectures=$(gpu_architecture)
  configure -DFASTGEMM_BUILD_TESTS=OFF
  build
  say "Running: fastgemm bench $*"
  "$build_dir/src/cli/fastgemm" bench "$@"
}

run_tests() {
  local report=$build_dir/ctest.xml status=0
  local -A count
  find_cuobjdump
  configure -DFASTGEMM_BUILD_TESTS=ON -DFASTGEMM_CUOBJDUMP="$cuobjdump" \
    -DFASTGEMM_SANITIZER_TESTS="${FASTGEMM_SANITIZERS:-ON}"
  build
  say "Running the tests"
  rm -f "$report"
  "${cmake%cmake}ctest" --test-dir "$build_dir" --no-tests=error --output-on-failure --parallel "$(nproc)" \
    --output-junit "$report" || status=$?
  [ -e "$report" ] || fail "ctest ended with status $status and no report"
  for kind in tests failures disabled skipped; do
    count[$kind]=$(grep -m 1 -o "\b$kind=\"[0-9]*\"" "$report" | tr -dc 0-9)
  done
  local not_run=$((count[disabled] + count[skipped]))
  [ "$not_run" -eq 0 ] || say "$not_run skipped (they need a GPU or a tool that is not here; ctest names them above)"
  echo "$((count[tests] - count[failures] - not_run)) passed, ${count[failures]} failed"
  return "$status"
}

job=${1:-}
case $job in
  bench | test) shift ;;
  *) fail "usage: cmake/quickstart.sh bench [arguments of 'fastgemm bench'] | test" ;;
esac
[ "$job" = bench ] || [ $# -eq 0 ] || fail "'test' takes no arguments"
mkdir -p "$build_dir"
: > "$log"
architectures=${FASTGEMM_ARCHITECTURES:-}
find_missing "$job"
[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
need_cmake
find_cuda
export LD_LIBRARY_PATH="$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"  # where libcublas is opened from at run time
if [ "$job" = bench ]; then run_bench "$@"; else run_tests; fi
