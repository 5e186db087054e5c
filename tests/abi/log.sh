#!/usr/bin/env bash
# FASTGEMM_LOG as a program's user sees it: silent by default, errors when asked for, to stderr or to a file.
set -uo pipefail
fail() { echo "$1"; exit 1; }

errors=$(FASTGEMM_LOG=error "$PROGRAM" 2>&1 >/dev/null) || fail "exit code"
prefix='^fastgemm: error:'
not_initialized=FG_STATUS_NOT_INITIALIZED
grep -q "$prefix fg_create: $not_initialized: no usable GPU" <<<"$errors" || fail "no line of fg_create: $errors"
grep -q "$prefix fg_sgemm: $not_initialized: handle is null" <<<"$errors" || fail "no line of fg_sgemm"

file=$WORK/log.txt
rm -f "$file"
text=$(FASTGEMM_LOG=error FASTGEMM_LOG_FILE=$file "$PROGRAM" 2>&1 >/dev/null)
[ -z "$text" ] || fail "stderr although a file is given: $text"
[ "$(cat "$file")" = "$errors" ] || fail "the file does not hold what stderr did"

[ -z "$(FASTGEMM_LOG=off "$PROGRAM" 2>&1 >/dev/null)" ] || fail "off is not silent"
text=$(FASTGEMM_LOG=loud FASTGEMM_WORKSPACE_MB=x "$PROGRAM" 2>&1 >/dev/null)
[ -z "$text" ] || fail "an unreadable level is not silent: $text"
text=$(FASTGEMM_LOG=error FASTGEMM_WORKSPACE_MB=x "$PROGRAM" 2>&1 >/dev/null)
grep -q "$prefix FASTGEMM_WORKSPACE_MB = \"x\" is not a whole number" <<<"$text" || fail "unreadable value: $text"
text=$(FASTGEMM_LOG=error FASTGEMM_LOG_FILE=/no/such/folder/log "$PROGRAM" 2>&1 >/dev/null)
grep -q "cannot open FASTGEMM_LOG_FILE = \"/no/such/folder/log\"" <<<"$text" || fail "no complaint: $text"
