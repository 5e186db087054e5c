#!/usr/bin/env bash
# BUILD installed under DESTDIR, as distributions do: nothing lands outside it, and the staged tree works where it lies.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

prefix=/opt/fastgemm-destdir-test
[ ! -e "$prefix" ] || fail "$prefix is in the way"
DESTDIR="$WORK/stage" "$CMAKE" --install "$BUILD" --prefix "$prefix" --component fastgemm
[ ! -e "$prefix" ] || fail "DESTDIR was not honoured: $prefix came to be"
diff <(expected_files "$LIBDIR" | sed "s|^|${prefix#/}/|" | sort) <(files_under "$WORK/stage") || fail "the staged files are not right"
check_no_trace "$WORK/stage" "$WORK/stage"
check_no_trace "$WORK/stage" "$prefix"
check_command "$WORK/stage$prefix" "$LIBDIR"
check_find_package "$WORK/stage$prefix" "$LIBDIR"
