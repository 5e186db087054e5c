#!/usr/bin/env bash
# Netlib's own testers, from Debian's libblas-test and liblapack-test: the same text with and without the drop-in. They
# exit with 0 whatever they find, so that their text counts.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
blas=$(echo /usr/lib/*/blas/xblat3s)
lapack=$(echo /usr/lib/*/lapack/xlintsts)
[ -x "$blas" ] || skip "no xblat3s: install libblas-test"
blas=$(dirname "$blas")
reference=$blas:$(dirname "$lapack")  # netlib's libraries, whatever the system's alternatives are
[ -e "$blas/libblas.so.3" ] || skip "no BLAS of netlib's: install libblas3"

# The system's BLAS, then netlib's.
export INPUT=$blas/sblat3.in
same blat3_system "$blas/xblat3s"
expect blat3_system not_worth 17496
export LD_LIBRARY_PATH=$reference
same blat3 "$blas/xblat3s"
expect blat3 not_worth 17496
expect_at_least blat3 invalid 8
grep -q 'SGEMM  PASSED THE TESTS OF ERROR-EXITS' blat3/sblat3.out || fail "error exits: $(cat blat3/sblat3.out)"
grep -q 'SGEMM  PASSED THE COMPUTATIONAL TESTS ( 17496 CALLS)' blat3/sblat3.out || fail "$(cat blat3/sblat3.out)"

# Its cblas_sgemm calls sgemm_, which comes back to us and is not to be decided on again.
INPUT=$blas/sin3 same cblat3 "$blas/xscblat3"
grep -q 'cblas_sgemm *PASSED THE TESTS OF ERROR-EXITS' cblat3/out || fail "error exits: $(cat cblat3/out)"
for order in COLUMN ROW; do
  grep -q "cblas_sgemm *PASSED THE $order-MAJOR *COMPUTATIONAL TESTS ( 17496 CALLS)" cblat3/out ||
    fail "$order: $(cat cblat3/out)"
done
expect cblat3 not_worth 34992
expect cblat3 nested 34992

[ -x "$lapack" ] && [ -e "$(dirname "$lapack")/liblapack.so.3" ] ||
  skip "netlib's BLAS is right; no xlintsts, or no LAPACK of netlib's: install liblapack-test and liblapack3"
export TIMES='Total time used'
INPUT=$(dirname "$lapack")/stest.in same lintst "$lapack"
expect_at_least lintst not_worth 1000000
grep -q 'All tests for SGE routines passed the threshold' lintst/out || fail "$(cat lintst/out)"
