#!/usr/bin/env bash
# The README's programs are the consumers that the other tests of this folder build and run, word for word.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

for file in sgemm.c sgemm.cpp sgemm.f90; do
  readme_block "source: $file" > "$WORK/$file"
  diff "$SOURCE/tests/package/consumers/sgemm/$file" "$WORK/$file" || fail "README.md shows another $file (< tests, > README)"
done
readme_block 'source: CMakeLists.txt' > "$WORK/CMakeLists.txt"
diff "$SOURCE/tests/package/consumers/explain/CMakeLists.txt" "$WORK/CMakeLists.txt" || fail "README.md shows another CMakeLists.txt"

# Two commands for a fresh machine, and they are there to be run.
for job in bench test; do
  grep -qx "\./cmake/quickstart.sh $job" "$SOURCE/README.md" || fail "README.md does not give the command ./cmake/quickstart.sh $job"
done
[ -x "$SOURCE/cmake/quickstart.sh" ] || fail "cmake/quickstart.sh cannot be run"

# Every variable that the library reads is named, and none that it does not.
read_variables() { grep -ohE '"FASTGEMM_[A-Z_]+"' "$SOURCE/src/base/environment.cpp" | tr -d '"' | sort -u; }
readme_variables() { sed -n '/^## Environment/,/^## /p' "$SOURCE/README.md" | grep -oE '^\| `FASTGEMM_[A-Z_]+' | grep -oE 'FASTGEMM_[A-Z_]+' | sort -u; }
diff <(read_variables) <(readme_variables) || fail "README.md's environment variables are not those that src/base/environment.cpp reads (< read, > README)"
