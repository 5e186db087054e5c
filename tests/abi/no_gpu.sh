#!/usr/bin/env bash
# A linked C program on machines that cannot run it: fg_create says why, prints nothing itself, and nothing crashes.
set -uo pipefail

# run LABEL EXPECTED [VAR=value ...]: stdout must match EXPECTED, stderr must be empty, the exit code 0.
run() {
  local label=$1 expected=$2 code=0 output errors
  shift 2
  errors=$(mktemp)
  output=$(env "$@" "$PROGRAM" 2>"$errors") || code=$?
  if [ "$code" != 0 ] || [ -s "$errors" ] || ! grep -Eq "$expected" <<<"$output"; then
    echo "$label: exit code $code"; echo "stdout: $output"; echo "stderr: $(cat "$errors")"
    failed=1
  fi
  rm -f "$errors"
}

failed=0
run "GPUs hidden" "^FG_STATUS_NOT_INITIALIZED: no usable GPU: .*(no NVIDIA driver|no CUDA device)"

if [ -e "$STUB" ]; then
  stubs=$WORK/stubs
  mkdir -p "$stubs"
  ln -sf "$STUB" "$stubs/libcuda.so.1"
  run "toolkit stub first" "^FG_STATUS_NOT_INITIALIZED: no usable GPU: .*stub" LD_LIBRARY_PATH="$stubs"
fi

broken=$WORK/broken
mkdir -p "$broken"
echo "not a library" >"$broken/libcuda.so.1"
run "broken driver file" "^FG_STATUS_NOT_INITIALIZED: no usable GPU: " LD_LIBRARY_PATH="$broken"
exit $failed
