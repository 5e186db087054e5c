#!/usr/bin/env bash
# GNU Octave without its desktop.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
command -v octave-cli > /dev/null || skip "no octave-cli: install octave"
export HOME=$WORK
same octave octave-cli --norc --no-history "$SOURCE/products.m"
expect_at_least octave not_worth 25
