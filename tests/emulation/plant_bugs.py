#!/usr/bin/env python3
"""Plants one bug after another in a copy of kernels/ and tells which ones the emulation tests catch.

  tests/emulation/plant_bugs.py [--build DIR] [--tree DIR] [--jobs N] [--only TEXT] [--check]

Each bug of planted_bugs.py is one exact text of one file, replaced by another. The script fails if a text no longer
stands exactly once in its file (--check tests that alone), if the tests fail without any bug, or if a bug is missed
whose entry does not say why. It also says where a bug stands in code that nothing instantiates.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

from planted_bugs import BUGS

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 900  # of one test run; one that takes longer hangs


def place(name):
    """Where a file of a bug lies: in kernels/ unless it says otherwise."""
    return name if name.startswith("tests/") else f"kernels/{name}"


def mutated(bug, tree):
    """The text of the bug's file with the bug in it."""
    text = (tree / place(bug["file"])).read_text()
    count = text.count(bug["find"])
    if count != 1:
        raise SystemExit(f"{bug['name']}: the text to find stands {count} times in {place(bug['file'])}, not once")
    return text.replace(bug["find"], bug["replace"])


def copy_sources(tree, copy):
    """What bugs are planted in: kernels/, and the product that is there for tests."""
    shutil.rmtree(copy, ignore_errors=True)
    for folder in ("kernels", "tests/emulation/wgmma_tile"):
        shutil.copytree(tree / folder, copy / folder)


def configure(build, source):
    command = ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DFASTGEMM_ARCHITECTURES=none",
               f"-DFASTGEMM_EMULATED_SOURCES={source}"]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compile_tests(build, jobs):
    run = subprocess.run(["ninja", "-C", build, "-j", str(jobs), "fg_emulation_tests"], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"the tests do not build\n{run.stdout[-3000:]}")


class Workshop:
    """Builds the tests with one bug in them, beside the sound build and from its objects."""

    def __init__(self, build, sound):
        self.build = build
        self.sound = sound  # the folder that holds the sound kernels/
        listing = subprocess.run(["ninja", "-C", build, "-t", "commands", "fg_emulation_tests"], check=True,
                                 capture_output=True, text=True)
        self.commands = listing.stdout.splitlines()

    def plant(self, bug, folder):
        copy_sources(self.sound, folder)
        (folder / place(bug["file"])).write_text(mutated(bug, self.sound))
        compiled = next(line for line in self.commands if line.endswith(f"{self.sound}/{place(bug['source'])}"))
        compiled = compiled.replace(str(self.sound), str(folder))
        compiled = re.sub(r" -MF \S+", f" -MF {folder}/bug.d", compiled)
        sound_object = self.build / re.search(r" -o (\S+)", compiled).group(1)
        self.call(bug, re.sub(r" -o \S+", f" -o {folder}/bug.o", compiled))
        if (folder / "bug.o").read_bytes() == sound_object.read_bytes():
            print(f"{bug['name']}: changes nothing that {bug['source']} is built to", file=sys.stderr)
        # The object comes before all others: before the archive, whose own one is then not taken, and before tests that
        # instantiate the same templates, of which the linker takes the first.
        archive = "tests/emulation/libfastgemm_emulated_kernels.a"
        linked = next(part for part in self.commands[-1].split(" && ") if archive in part)
        linked = re.sub(r" -o \S+", f" -o {folder}/planted", linked)
        self.call(bug, re.sub(r"^(\s*\S+) ", rf"\1 {folder}/bug.o ", linked))
        return folder / "planted"

    def call(self, bug, command):
        run = subprocess.run(command, shell=True, cwd=self.build, capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"{bug['name']}: does not build\n{run.stderr[-3000:]}")


def run_tests(program, selection):
    """None when all pass; else the first failure in one line."""
    command = [program, "--abort", selection]
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


def try_bug(workshop, bug, folder):
    failure = run_tests(workshop.plant(bug, folder), bug["tests"])
    print(f"{bug['name']}: {failure}", file=sys.stderr, flush=True)
    return failure


def try_bugs(bugs, build, tree, jobs):
    """For each bug, what run_tests says of it. Builds what is needed in `build`."""
    sound = build / "sound"
    copy_sources(tree, sound)
    configure(build, sound)
    compile_tests(build, jobs)
    workshop = Workshop(build, sound)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        program = build / "tests/emulation/fg_emulation_tests"
        selections = sorted({bug["tests"] for bug in bugs})
        for selection, failure in zip(selections, pool.map(lambda tests: run_tests(program, tests), selections)):
            if failure is not None:
                raise SystemExit(f"the tests {selection} fail without a bug: {failure}")
        folders = [build / "bugs" / str(number) for number in range(len(bugs))]
        return list(pool.map(lambda bug, folder: try_bug(workshop, bug, folder), bugs, folders))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-planted")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, help="where the sound kernels/ is")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="bugs whose name or source contains this")
    parser.add_argument("--check", action="store_true", help="only see that every bug still applies")
    arguments = parser.parse_args()
    bugs = [bug for bug in BUGS if arguments.only in bug["name"] or arguments.only in bug["source"]]
    for bug in bugs:
        mutated(bug, arguments.tree)
    if arguments.check:
        print(f"all {len(bugs)} bugs apply")
        return 0

    failures = try_bugs(bugs, arguments.build.resolve(), arguments.tree, arguments.jobs)
    print("| bug | where | caught by |\n| --- | --- | --- |")
    for bug, failure in zip(bugs, failures):
        caught = f"**missed**: {bug.get('missed')}" if failure is None else reason(failure)
        print(f"| {bug['name']} | `{bug['file']}` | {caught} |")
    missed = [bug for bug, failure in zip(bugs, failures) if failure is None]
    print(f"\n{len(bugs) - len(missed)} of {len(bugs)} caught.")
    return 1 if any("missed" not in bug for bug in missed) else 0


if __name__ == "__main__":
    sys.exit(main())
