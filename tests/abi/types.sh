#!/usr/bin/env bash
# Functions and types of the C API against the committed dump. Additions pass; `ninja abi_update` writes them down.
set -euo pipefail
command -v abidiff > /dev/null || { echo "abidiff (Debian: abigail-tools) is not installed"; exit 77; }

# 4: a change; 8: an incompatible one; 1 and 2: abidiff itself failed.
status=0
abidiff --no-added-syms --no-unreferenced-symbols "$DUMP" "$LIBRARY" || status=$?
if [ "$status" -ne 0 ]; then
  echo "the ABI is not that of $(basename "$DUMP") (status $status): only additions keep the SONAME"
  exit 1
fi
