#!/usr/bin/env python3
"""Plants one bug after another in a copy of kernels/ and tells which ones the emulation tests catch.

  tests/emulation/plant_bugs.py [--build DIR] [--jobs N] [--only TEXT] [--check]

Each bug of planted_bugs.py is one exact text of one file, replaced by another. The script fails if a text no longer
stands exactly once in its file (--check tests that alone), if the tests fail without any bug, or if a bug is missed.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

from planted_bugs import BUGS

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 900  # of one test run; one that takes longer hangs


def mutated(bug, kernels):
    """The text of the bug's file with the bug in it."""
    path = kernels / bug["file"]
    text = path.read_text()
    count = text.count(bug["find"])
    if count != 1:
        raise SystemExit(f"{bug['name']}: the text to find stands {count} times in kernels/{bug['file']}, not once")
    return text.replace(bug["find"], bug["replace"])


def configure(build, source):
    command = ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DFASTGEMM_ARCHITECTURES=none",
               f"-DFASTGEMM_EMULATED_SOURCES={source}"]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compile_tests(build, jobs):
    return subprocess.run(["ninja", "-C", build, "-j", str(jobs), "fg_emulation_tests"], capture_output=True, text=True)


def run_tests(build, selection):
    """None when all pass; else the first failure in one line."""
    command = [build / "tests/emulation/fg_emulation_tests", "--abort", selection]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return "does not end"
    if run.returncode == 0:
        return None
    expansion = re.search(r'with expansion:\s*(.*?)\n\s*==', run.stdout, re.S)
    return " ".join((expansion.group(1) if expansion else f"exit code {run.returncode}").split())


def reason(failure):
    """What is after the last of a case's parameters: the fault, without its numbers."""
    text = failure.split(", seed ", 1)[-1].split(": ", 1)[-1].strip('"')
    text = re.sub(r"block \d+, thread \d+ \(warp \d+, lane \d+\), ", "", text)
    return text if len(text) <= 110 else text[:107] + "..."


def plant(bug, kernels, build, jobs):
    path = kernels / bug["file"]
    sound = path.read_text()
    path.write_text(mutated(bug, kernels))
    try:
        compiled = compile_tests(build, jobs)
        if compiled.returncode != 0:
            raise SystemExit(f"{bug['name']}: does not compile\n{compiled.stdout[-3000:]}")
        return run_tests(build, bug["tests"])
    finally:
        path.write_text(sound)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-planted")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="bugs whose name contains this")
    parser.add_argument("--check", action="store_true", help="only see that every bug still applies")
    arguments = parser.parse_args()
    bugs = [bug for bug in BUGS if arguments.only in bug["name"]]
    for bug in bugs:
        mutated(bug, ROOT / "kernels")
    if arguments.check:
        print(f"all {len(bugs)} bugs apply")
        return 0

    build = arguments.build.resolve()
    source = build / "planted"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "kernels", source / "kernels")
    configure(build, source)
    compiled = compile_tests(build, arguments.jobs)
    if compiled.returncode != 0:
        raise SystemExit(compiled.stdout[-3000:])
    for selection in sorted({bug["tests"] for bug in bugs}):
        failure = run_tests(build, selection)
        if failure is not None:
            raise SystemExit(f"the tests {selection} fail without a bug: {failure}")

    print("| bug | where | caught by |\n| --- | --- | --- |", flush=True)
    missed = 0
    for bug in bugs:
        start = time.monotonic()
        failure = plant(bug, source / "kernels", build, arguments.jobs)
        missed += failure is None
        caught = "**missed**" if failure is None else reason(failure)
        print(f"| {bug['name']} | `{bug['file']}` | {caught} |", flush=True)
        print(f"{bug['name']}: {time.monotonic() - start:.0f} s: {failure}", file=sys.stderr, flush=True)
    print(f"\n{len(bugs) - missed} of {len(bugs)} caught.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
