#!/usr/bin/env bash
# Programs of our own: threads, forks, wrong arguments, private and 64-bit libraries, a library that is merely linked.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# ---- every name, forwarded as it came ----------------------------------------------------------------------------
preloaded names "$PROGRAMS/fg_dropin_names"
succeeded names
expect names calls 90
expect names inactive 0
[ "$(counted names invalid)" -gt 30 ] || fail "names: $(cat names.stats)"
FASTGEMM_DROPIN=off preloaded names_off "$PROGRAMS/fg_dropin_names"
succeeded names_off
expect names_off inactive 90

same unset "$PROGRAMS/fg_dropin_callers" unset 10
expect unset not_worth 20

# ---- threads -----------------------------------------------------------------------------------------------------
same threads "$PROGRAMS/fg_dropin_callers" threads 500
expect threads calls 16000
expect threads not_worth 16000

# ---- forks -------------------------------------------------------------------------------------------------------
same fork "$PROGRAMS/fg_dropin_callers" fork
[ "$(grep -c 'stats pid=.* calls=10 ' fork.stats)" = 2 ] || fail "not 10 calls in parent and child: $(cat fork.stats)"

# ---- wrong arguments reach the program's own xerbla_ -------------------------------------------------------------
same wrong "$PROGRAMS/fg_dropin_xerbla"
[ "$(grep -o 'argument [0-9]*' wrong/out | tr -dc '0-9\n' | xargs)" = "1 2 3 4 5 8 10 13" ] ||
  fail "$(cat wrong/out)"
grep -q '^c 9 9 9 9$' wrong/out || fail "C was touched: $(cat wrong/out)"
expect wrong invalid 8
expect wrong not_worth 2
same wrong_jump "$PROGRAMS/fg_dropin_xerbla" jump
expect wrong_jump invalid 1
expect wrong_jump not_worth 2

# ---- a caller's own library --------------------------------------------------------------------------------------
same plugins "$PROGRAMS/fg_dropin_host" "$PROGRAMS/libfg_plugin_a.so" "$PROGRAMS/libfg_plugin_b.so"
[ "$(xargs < plugins/out)" = "a b a b" ] || fail "plugins reached: $(xargs < plugins/out)"
expect plugins calls 4
# Beside a BLAS that is global, which the dynamic linker would have taken for plugins, too.
same plugins_global "$PROGRAMS/fg_dropin_host_with_blas" "$PROGRAMS/libfg_plugin_a.so" "$PROGRAMS/libfg_plugin_b.so"
expect plugins_global calls 4
[ "$(xargs < plugins_global/out)" = "shared shared shared shared" ] || fail "reached: $(xargs < plugins_global/out)"

FASTGEMM_LOG=trace preloaded wide "$PROGRAMS/fg_dropin_wide"
succeeded wide
[ "$(grep -c 'gemm type=f32 ops=NT m=21474836487 n=0 k=8589934592 lda=25769803776 ' wide.stats)" = 2 ] ||
  fail "64-bit integers of plain names were not read as such: $(cat wide.stats)"

# ---- merely linked -----------------------------------------------------------------------------------------------
linked() { # NAME [VARIABLE=VALUE ...] PROGRAM [ARGUMENT ...]
  local name=$1
  shift
  plain "$name" env FASTGEMM_STATS=1 FASTGEMM_LOG_FILE="$WORK/$name.stats" "$@"
  succeeded "$name"
}
linked inert "$PROGRAMS/fg_dropin_names_linked"
expect inert inactive 90
linked asked FASTGEMM_DROPIN=on "$PROGRAMS/fg_dropin_names_linked"
expect asked inactive 0
linked other_preload LD_PRELOAD=libm.so.6 "$PROGRAMS/fg_dropin_names_linked"
expect other_preload inactive 90
linked alone "$PROGRAMS/fg_dropin_callers_alone" products 20
expect alone not_worth 40
linked alone_off FASTGEMM_DROPIN=off "$PROGRAMS/fg_dropin_callers_alone" products 20
expect alone_off inactive 40
plain fake env FASTGEMM_HOST_BLAS="$PROGRAMS/libfg_fake_private_a.so" "$PROGRAMS/fg_dropin_callers_alone" products 9
[ "$(cat fake/out)" != "wrong: 0" ] || fail "FASTGEMM_HOST_BLAS was not asked: a fake one does not multiply"
# A library whose own scope has our names and no others.
linked plugin_alone timeout 20 "$PROGRAMS/fg_dropin_host" "$PROGRAMS/libfg_plugin_alone.so"
[ "$(xargs < plugin_alone/out)" = "served served" ] || fail "$(cat plugin_alone/out)"
# No BLAS anywhere: a library of that name without the names.
mkdir empty
echo | "${CC:-cc}" -shared -x c - -o empty/libblas.so.3 || fail "no compiler"
linked builtin FASTGEMM_LOG=info LD_LIBRARY_PATH="$WORK/empty" "$PROGRAMS/fg_dropin_callers_alone" products 20
grep -q 'sgemm_ goes to built-in, as a fallback' builtin.stats || fail "not built in: $(cat builtin.stats)"
expect builtin not_worth 40
# Forks while other threads are calling, which OpenBLAS does not survive.
linked fork_busy LD_LIBRARY_PATH="$WORK/empty" timeout 60 "$PROGRAMS/fg_dropin_callers_alone" fork-busy
