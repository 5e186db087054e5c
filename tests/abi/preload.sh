#!/usr/bin/env bash
# Loading the library into a program that does not use it: nothing printed, and little time.
set -euo pipefail
limit_ms=5  # the least of 15 runs; opening libcublas alone takes a hundred times as long

output=$(LD_PRELOAD=$LIBRARY /bin/echo hello 2>&1)
[ "$output" = hello ] || { echo "printed: $output"; exit 1; }
maps=$(LD_PRELOAD=$LIBRARY /bin/cat /proc/self/maps)
grep -q libfastgemm <<<"$maps" || { echo "not loaded"; exit 1; }
if grep -E 'lib(cublas|cuda)' <<<"$maps"; then echo "loads CUDA libraries"; exit 1; fi

# Least wall time of /bin/true in microseconds, with $1 preloaded.
least_us() {
  local best=999999999 start elapsed
  for _ in $(seq 15); do
    start=${EPOCHREALTIME/./}
    LD_PRELOAD=$1 /bin/true
    elapsed=$((${EPOCHREALTIME/./} - start))
    if [ "$elapsed" -lt "$best" ]; then best=$elapsed; fi
  done
  echo "$best"
}
without=$(least_us "")
with=$(least_us "$LIBRARY")
echo "preload: $with us, without: $without us"
[ $(((with - without) / 1000)) -lt $limit_ms ] || { echo "more than $limit_ms ms"; exit 1; }
