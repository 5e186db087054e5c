#!/bin/sh
# run_if_gpu.sh CHILD COMMAND...: runs COMMAND where fg_gpu_child finds a GPU; else says why not and exits 77.
child=$1
shift
"$child" probe || exit 77
exec "$@"
