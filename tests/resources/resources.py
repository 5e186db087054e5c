#!/usr/bin/env python3
"""The resource gate: registers, stack, local and shared memory of every kernel, from the compiler's own report.

Fails where a kernel has a stack frame or local memory (that is also where spilled registers go) and no line of
exceptions.txt allows it, and where the committed table, written by the same compiler, says otherwise.

    resources.py --cuobjdump PATH --compiler 13.0.88 --table build/resources.csv OBJECT...
    the same with --update     writes tests/resources/resources.csv anew (its rows of other architectures stay)
"""
import argparse
import csv
import fnmatch
import pathlib
import sys

import cuobjdump

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ("architecture", "kernel", "registers", "stack", "local", "static_shared")
SKIPPED = 77


def collect(program, objects):
    """Rows of all kernels in the objects, sorted; equal names within an architecture are numbered."""
    found = []
    for path in objects:
        found += cuobjdump.parse_resources(cuobjdump.run_cuobjdump(program, "-res-usage", path))
    return rows_of(found, cuobjdump.demangle({name for _, name, _ in found}))


def rows_of(found, readable):
    rows = []
    for architecture, name, usage in found:
        rows.append(dict(zip(COLUMNS, (architecture, readable[name], usage.get("REG", 0), usage.get("STACK", 0),
                                       usage.get("LOCAL", 0), usage.get("SHARED", 0)))))
    rows.sort(key=lambda row: tuple(row.values()))
    seen = {}
    for row in rows:
        key = (row["architecture"], row["kernel"])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            row["kernel"] += f" #{seen[key]}"
    return rows


def read_exceptions(text):
    """[(architecture pattern, kernel pattern, most bytes, reason)]; a line that lacks one is an error."""
    exceptions = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 4 or not all(fields) or not fields[2].isdigit():
            raise ValueError(f"exceptions.txt, line {number}: want architecture | kernel | bytes | reason")
        exceptions.append((fields[0], fields[1], int(fields[2]), fields[3]))
    return exceptions


def allowed(row, exceptions):
    largest = max(row["stack"], row["local"])
    return any(fnmatch.fnmatchcase(row["architecture"], architecture) and fnmatch.fnmatchcase(row["kernel"], kernel)
               and largest <= most for architecture, kernel, most, _ in exceptions)


def gate(rows, exceptions):
    """What is wrong with the rows, one line each."""
    wrong = []
    for row in rows:
        if (row["stack"] or row["local"]) and not allowed(row, exceptions):
            wrong.append(f"{row['architecture']} {row['kernel']}: {row['stack']} bytes of stack, {row['local']} of "
                         "local memory (a spill, or an array that is indexed at run time)")
    return wrong


def write_table(path, compiler, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(f"# nvcc {compiler}\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_table(path):
    """(compiler, rows) of a table, ("", []) where there is none."""
    if not path.exists():
        return "", []
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines[1:]))
    for row in rows:
        row.update({column: int(row[column]) for column in COLUMNS[2:]})
    return lines[0].removeprefix("# nvcc "), rows


def changes(rows, committed):
    """Where rows differ from the committed ones of the same architectures, one line each."""
    built = {row["architecture"] for row in rows}
    now = {(row["architecture"], row["kernel"]): row for row in rows}
    then = {(row["architecture"], row["kernel"]): row for row in committed if row["architecture"] in built}
    lines = [f"{architecture} {kernel}: not in the table" for architecture, kernel in sorted(now.keys() - then.keys())]
    lines += [f"{architecture} {kernel}: gone" for architecture, kernel in sorted(then.keys() - now.keys())]
    for key in sorted(now.keys() & then.keys()):
        for column in COLUMNS[2:]:
            if now[key][column] != then[key][column]:
                lines.append(f"{key[0]} {key[1]}: {column} {then[key][column]} -> {now[key][column]}")
    return lines


def compare_with_committed(rows, compiler, path):
    """True where the committed table agrees, is not there, or was written by another compiler."""
    committed_compiler, committed = read_table(path)
    if not committed:
        print("no resources.csv is committed: nothing to compare with")
        return True
    lines = changes(rows, committed)
    if not lines:
        return True
    same_compiler = committed_compiler == compiler
    print(f"{'CHANGED' if same_compiler else 'note: changed'} since resources.csv was written with nvcc "
          f"{committed_compiler} (this is {compiler}):")
    print("  " + "\n  ".join(lines))
    if same_compiler:
        print("if that is meant, write the table anew: resources.py --update")
    return not same_compiler


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuobjdump", default="")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--table", type=pathlib.Path, required=True)
    parser.add_argument("--exceptions", type=pathlib.Path, default=HERE / "exceptions.txt")
    parser.add_argument("--committed", type=pathlib.Path, default=HERE / "resources.csv")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("objects", nargs="*")
    options = parser.parse_args()
    if not options.objects:
        print("skipped: this build holds no kernel")
        return SKIPPED
    if not options.cuobjdump or not pathlib.Path(options.cuobjdump).exists():
        print("skipped: cuobjdump was not found (set FASTGEMM_CUOBJDUMP; PyPI has it as nvidia-cuda-cuobjdump)")
        return SKIPPED
    rows = collect(options.cuobjdump, options.objects)
    if not rows:
        print(f"cuobjdump found no kernel in {len(options.objects)} objects")
        return 1
    write_table(options.table, options.compiler, rows)
    print(f"{len(rows)} kernels, at most {max(row['registers'] for row in rows)} registers; table: {options.table}")
    if options.update:
        built = {row["architecture"] for row in rows}
        others = [row for row in read_table(options.committed)[1] if row["architecture"] not in built]
        write_table(options.committed, options.compiler,
                    sorted(rows + others, key=lambda row: (row["architecture"], row["kernel"])))
    wrong = gate(rows, read_exceptions(options.exceptions.read_text(encoding="utf-8")))
    for line in wrong:
        print(line)
    agrees = compare_with_committed(rows, options.compiler, options.committed)
    return 1 if wrong or not agrees else 0


if __name__ == "__main__":
    sys.exit(main())
