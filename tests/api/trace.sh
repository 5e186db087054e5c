#!/usr/bin/env bash
# FASTGEMM_LOG=trace: a product over the host device leaves the line that log.h describes, a refused call an error line.
set -uo pipefail
fail() { echo "$1"; cat "$log"; exit 1; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
export FASTGEMM_LOG=trace FASTGEMM_LOG_FILE=$log
"$FG_TESTS" "fg_gemm_ex adds bias and applies the activation" >/dev/null || fail "the test itself failed"
line='^fastgemm: gemm type=f32 ops=NN m=2 n=2 k=2 lda=2 ldb=2 ldc=2 alpha=2 beta=0.5 batch=1'
line+=' math=default ldd=2'
grep -Eq "$line( align=[1248])? act=relu bias=1 kernel=host_f32 us=[0-9]+\.[0-9]\$" "$log" ||
  fail "no trace line of the product"
[ "$(grep -c '^fastgemm: gemm ' "$log")" = 3 ] || fail "not one trace line a product"

: >"$log"
"$FG_TESTS" "fg_gemm_ex refuses and touches nothing" >/dev/null || fail "the test itself failed"
grep -q '^fastgemm: error: fg_gemm_ex: FG_STATUS_INVALID_VALUE: ldd = 1 is less than max(1, m) = 2$' "$log" ||
  fail "no error line"
if grep -q "^fastgemm: gemm " "$log"; then fail "a refused product has a trace line"; fi
