# For the scripts beside this one. Set by ctest: LIBRARY (libfastgemm.so), the folders PROGRAMS, WORK, SOURCE (this one).
set -uo pipefail
fail() { echo "$*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
rm -rf "$WORK" && mkdir -p "$WORK" && cd "$WORK" || exit 1

# plain NAME COMMAND...: runs it in folder NAME, with its output in NAME/out and NAME/err and its exit code in
# NAME/code.
plain() {
  mkdir -p "$1"
  (cd "$1" && shift && "$@" > out 2> err < "${INPUT:-/dev/null}"; echo $? > code)
}
# preloaded NAME COMMAND...: the same with the drop-in, and its statistics in NAME.stats.
preloaded() {
  local name=$1
  shift
  rm -f "$name.stats"
  plain "$name" env LD_PRELOAD="$LIBRARY" FASTGEMM_STATS=1 FASTGEMM_LOG_FILE="$WORK/$name.stats" "$@"
}
# counted NAME KEY: the sum over the processes of run NAME.
counted() {
  grep '^fastgemm: stats pid=' "$1.stats" 2> /dev/null | grep -o " $2=[0-9]*" |
    awk -F= '{ n += $2 } END { print n + 0 }'
}
expect() { # NAME KEY COUNT
  [ "$(counted "$1" "$2")" = "$3" ] || fail "$1: $2=$(counted "$1" "$2"), not $3: $(cat "$1.stats" 2> /dev/null)"
}
expect_at_least() { # NAME KEY COUNT
  [ "$(counted "$1" "$2")" -ge "$3" ] || fail "$1: $2=$(counted "$1" "$2"), under $3: $(cat "$1.stats" 2> /dev/null)"
}
succeeded() { [ "$(cat "$1/code")" = 0 ] || fail "$1: exit code $(cat "$1/code"): $(tail -n 20 "$1/out" "$1/err")"; }

# same NAME COMMAND...: runs it without (NAME-plain) and with the drop-in (NAME): exit code, output and every file that
# it writes must be the same, but for lines that match $TIMES. Nothing is offloaded.
same() {
  local name=$1
  shift
  plain "$name-plain" "$@"
  preloaded "$name" "$@"
  succeeded "$name-plain"
  for run in "$name-plain" "$name"; do
    find "$run" -type f -exec sed -i -E "/${TIMES:-no such line}/d" {} +
  done
  diff -r "$name-plain" "$name" || fail "$name: with the drop-in it is not the same (> with it)"
  expect "$name" offloaded 0
}
