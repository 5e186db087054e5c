#!/usr/bin/env bash
# NumPy, which reaches its BLAS through a library that is opened at run time and global to nobody.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
for python in /usr/bin/python3 python3 none; do
  "$python" -c 'import numpy' 2> /dev/null && break
done
[ "$python" != none ] || skip "no NumPy: install python3-numpy"
same numpy "$python" "$SOURCE/numpy_products.py"
expect_at_least numpy not_worth 20
