#!/usr/bin/env bash
# ScaLAPACK's psgemm on four MPI ranks, and the width of its panels.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
command -v mpirun > /dev/null || skip "no mpirun: install openmpi-bin"
command -v "${FC:-gfortran}" > /dev/null || skip "no gfortran"
"${FC:-gfortran}" -O1 "$SOURCE/psgemm.f90" -o psgemm -lscalapack-openmpi 2> compile.txt || {
  grep -q 'cannot find -lscalapack' compile.txt && skip "no ScaLAPACK: install libscalapack-openmpi-dev"
  fail "$(cat compile.txt)"
}
# One machine, whoever we are and however small it is.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=false
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
on_ranks=(mpirun -n 4 --oversubscribe "$WORK/psgemm")

same own_width "${on_ranks[@]}"
[ "$(cat own_width/out)" = "0 elements wrong" ] || fail "$(cat own_width/out)"
[ "$(grep -c 'stats pid=.* calls=[1-9]' own_width.stats)" = 4 ] || fail "not four ranks: $(cat own_width.stats)"

# The panels' width is the local products' k; the sums are exact, so that the files stay the same.
widest() { grep -o ' k=[0-9]*' "$1.stats" | tr -dc '0-9\n' | sort -n | tail -n 1; }
FASTGEMM_LOG=trace preloaded unset "${on_ranks[@]}"
[ "$(widest unset)" = 32 ] || fail "ScaLAPACK's own width is not 32 but $(widest unset)"
FASTGEMM_LOG=trace FASTGEMM_PBLAS_NB=128 preloaded wide "${on_ranks[@]}"
[ "$(widest wide)" = 128 ] || fail "the widest panel is $(widest wide), not 128"
diff -r own_width wide || fail "other results with wider panels"
FASTGEMM_LOG=trace FASTGEMM_DROPIN=off FASTGEMM_PBLAS_NB=128 preloaded off "${on_ranks[@]}"
[ "$(widest off)" = 32 ] || fail "FASTGEMM_PBLAS_NB acts although the drop-in is off"
