#!/usr/bin/env bash
# `fastgemm run`: the program it becomes, that program's arguments and exit code, and the variables it finds.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
unset LD_PRELOAD

plain products "$COMMAND" run --stats --log-file "$WORK/products.stats" "$PROGRAMS/fg_dropin_callers" products 20
succeeded products
[ "$(cat products/out)" = "wrong: 0" ] || fail "$(cat products/out)"
expect products not_worth 40

# Options behind the program's name are the program's, and so is the exit code.
plain own "$COMMAND" run sh -c 'echo "$@"; exit 7' sh --stats -- --help "two words"
[ "$(cat own/code) $(cat own/out)" = "7 --stats -- --help two words" ] || fail "$(cat own/code own/out own/err)"

variable() { sed -n "s/^$1=//p" "$2/out"; }
plain bare "$COMMAND" run env
[ "$(basename "$(variable LD_PRELOAD bare)")" = libfastgemm.so.1 ] || fail "LD_PRELOAD=$(variable LD_PRELOAD bare)"
[ "$(variable LD_PRELOAD bare | cut -c1)" = / ] || fail "not absolute: $(variable LD_PRELOAD bare)"
[ "$(variable FASTGEMM_DROPIN bare)" = on ] && [ -z "$(variable FASTGEMM_STATS bare)" ] || fail "$(cat bare/out)"
LD_PRELOAD=libm.so.6 plain more "$COMMAND" run --verify --log trace --host-blas x.so env
[[ "$(variable LD_PRELOAD more)" == /*/libfastgemm.so.1:libm.so.6 ]] || fail "LD_PRELOAD=$(variable LD_PRELOAD more)"
for setting in FASTGEMM_DROPIN=verify FASTGEMM_LOG=trace FASTGEMM_HOST_BLAS=x.so; do
  grep -qx "$setting" more/out || fail "not $setting: $(cat more/out)"
done

# Calls of cuBLAS instead, and both.
plain cublas "$COMMAND" run --cublas --stats env
[[ "$(variable LD_PRELOAD cublas)" == /*/libfastgemm_cublas.so.1 ]] || fail "LD_PRELOAD=$(variable LD_PRELOAD cublas)"
for setting in FASTGEMM_DROPIN=on FASTGEMM_STATS=1; do grep -qx "$setting" cublas/out || fail "not $setting"; done
LD_PRELOAD=libm.so.6 plain both "$COMMAND" run --cublas --blas --verify env
folder=$(dirname "$(variable LD_PRELOAD cublas)")
[ "$(variable LD_PRELOAD both)" = "$folder/libfastgemm.so.1:$folder/libfastgemm_cublas.so.1:libm.so.6" ] ||
  fail "LD_PRELOAD=$(variable LD_PRELOAD both)"
grep -qx FASTGEMM_DROPIN=verify both/out || fail "not verify: $(cat both/out)"
plain both_products "$COMMAND" run --blas --cublas --stats --log-file "$WORK/both_products.stats" \
  "$PROGRAMS/fg_dropin_callers" products 20
succeeded both_products
expect both_products not_worth 40
if [ -n "${CUBLAS_PROGRAM:-}" ]; then
  unset LD_LIBRARY_PATH  # a real libcublas there would stand before the fake one
  plain calls "$COMMAND" run --cublas --stats --log-file "$WORK/calls.stats" "$CUBLAS_PROGRAM"
  succeeded calls
  grep -q 'stats entry=cublasSgemm_v2 served=0 passed=800$' calls.stats || fail "$(cat calls.stats)"
fi

code() { plain "$@"; cat "$1/code"; }
[ "$(code absent "$COMMAND" run ./no-such-program)" = 127 ] || fail "$(cat absent/err)"
grep -q '^fastgemm: cannot run "./no-such-program": No such file' absent/err || fail "$(cat absent/err)"
[ "$(code folder "$COMMAND" run "$WORK")" = 126 ] || fail "$(cat folder/err)"
[ "$(code nothing "$COMMAND" run)" = 2 ] || fail "$(cat nothing/err)"
[ "$(code without "$COMMAND" run --cublas --verify true)" = 2 ] || fail "$(cat without/err)"
grep -q 'add --blas' without/err || fail "$(cat without/err)"
[ "$(code unknown "$COMMAND" run --log loud true)" = 2 ] || fail "$(cat unknown/err)"

# A place that LD_PRELOAD cannot name.
mkdir "a b" && cp "$LIBRARY" "a b/libfastgemm.so.1"
LD_LIBRARY_PATH="$WORK/a b" plain blank "$COMMAND" run true
[ "$(cat blank/code)" = 2 ] && grep -q 'blanks and colons' blank/err || fail "$(cat blank/code blank/err)"
# Nor one without the library for cuBLAS.
mkdir alone && cp "$LIBRARY" alone/libfastgemm.so.1
LD_LIBRARY_PATH="$WORK/alone" plain alone_run "$COMMAND" run --cublas true
[ "$(cat alone_run/code)" = 126 ] && grep -q "there is no $WORK/alone/libfastgemm_cublas.so.1" alone_run/err ||
  fail "$(cat alone_run/code alone_run/err)"
