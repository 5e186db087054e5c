#!/usr/bin/env python3
"""Puts one small fault after another into a copy of the sources and tells which ones the tests of the CPU catch.

  tests/mutation/mutate.py [--work DIR] [--jobs N] [--part src|kernels] [--only TEXT] [--report FILE] [--check]

Faults in src/ stand in library_faults.py and program_faults.py, those in kernels/ in tests/emulation/planted_bugs.py,
whose script plants them. The script fails if a fault's text no longer stands exactly once in its file (--check tests
that alone), if the tests fail without a fault, or if a fault is missed that its list does not explain.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/emulation"))

import library_faults  # noqa: E402
import plant_bugs  # noqa: E402
import program_faults  # noqa: E402
from planted_bugs import BUGS  # noqa: E402

FAULTS = library_faults.FAULTS + program_faults.FAULTS
LIMIT_SECONDS = 300  # of one program's run; one that takes longer hangs
SOURCES = ("CMakeLists.txt", "README.md", "fastgemm.pc.in", "cmake", "include", "kernels", "src", "tests")
ON = {"FASTGEMM_DROPIN": "on", "FASTGEMM_STATS": "1", "FASTGEMM_LOG": "trace", "FASTGEMM_LOG_FILE": "{build}/dropin.log"}
NO_GPU = {"CUDA_VISIBLE_DEVICES": "-1"}


def program(target, folder, *arguments, also=(), **environment):
    return dict(targets=(target, *also), command=(f"{{build}}/{folder}/{target}", *arguments), environment=environment)


# What faults name: a program, or a run of one that needs a process or an environment of its own.
PROGRAMS = {
    "fg_tests": program("fg_tests", "tests", "--abort", "~[.]~[tile]~[sgemm_ffma]~[hopper]~[tensor]"),  # kernels' index maps
    "cublas_loaded": program("fg_tests", "tests", "[.own-process-loaded]"),
    "trace": dict(targets=("fg_tests",), command=("bash", "{tree}/tests/api/trace.sh"),
                  environment={"FG_TESTS": "{build}/tests/fg_tests"}),
    "fg_fallback_tests": program("fg_fallback_tests", "tests/exec", "--abort"),
    "fg_fault_tests": program("fg_fault_tests", "tests/faults", "--abort"),
    "fg_fuzz_tests": program("fg_fuzz_tests", "tests/fuzz", "--abort", FASTGEMM_FUZZ_SETS="100000"),
    "fg_cli_tests": program("fg_cli_tests", "tests/cli", "--abort"),
    "fg_cli_command_tests": program("fg_cli_command_tests", "tests/cli", "--abort", **NO_GPU),
    "fg_cli_bench_tests": program("fg_cli_bench_tests", "tests/cli", "--abort"),
    "fg_dropin_tests": program("fg_dropin_tests", "tests/dropin", "--abort"),
    "interpose": program("fg_dropin_interpose_tests", "tests/dropin", "--abort", **ON),
    "dropin_names": program("fg_dropin_names", "tests/dropin", "--abort", also=("fastgemm",),
                            LD_PRELOAD="{build}/src/libfastgemm.so", **NO_GPU),
    "fg_offload_tests": program("fg_offload_tests", "tests/dropin/engine", "--abort"),
    "fg_hook_tests": program("fg_hook_tests", "tests/cublas_hook", "--abort", **NO_GPU),
    "hook_names": program("fg_hook_names", "tests/cublas_hook", "--abort",
                          LD_PRELOAD="{build}/tests/cublas_hook/libfg_hook_preload.so"),
    "hook_library": dict(targets=("fastgemm_cublas", "fg_hook_host", "fg_hook_plugin_12", "fg_hook_plugin_13",
                                  "fg_hook_program"),
                         command=("bash", "{tree}/tests/cublas_hook/library.sh"),
                         environment=NO_GPU | {"LIBRARY": "{build}/src/libfastgemm_cublas.so",
                                               "SYMBOLS": "{tree}/tests/cublas_hook/symbols.txt",
                                               "PROGRAMS": "{build}/tests/cublas_hook",
                                               "WORK": "{build}/tests/cublas_hook/library"}),
}


def mutated(fault, tree):
    """The text of the fault's file with the fault in it."""
    text = (tree / fault["file"]).read_text()
    count = text.count(fault["find"])
    if count != 1:
        raise SystemExit(f"{fault['name']}: the text to find stands {count} times in {fault['file']}, not once")
    return text.replace(fault["find"], fault["replace"])


def copy_tree(source, target):
    """Files that are already the same keep their time, so that a second run builds little."""
    for name in SOURCES:
        for path in [source / name, *(source / name).rglob("*")]:
            copy = target / path.relative_to(source)
            if path.is_dir() or "__pycache__" in path.parts:
                continue
            if copy.exists() and copy.read_bytes() == path.read_bytes():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)


class Workshop:
    """A copy of the sources, and a build of it without device code."""

    def __init__(self, source, work, jobs):
        self.tree = work / "tree"
        self.build = work / "build"
        self.jobs = jobs
        copy_tree(source, self.tree)
        command = ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DFASTGEMM_ARCHITECTURES=none"]
        if shutil.which("ccache"):
            command += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def make(self, names):
        """None, or the compiler's complaints."""
        targets = sorted({target for name in names for target in PROGRAMS[name]["targets"]})
        run = subprocess.run(["ninja", "-C", self.build, "-j", str(self.jobs), *targets], capture_output=True, text=True)
        return None if run.returncode == 0 else run.stdout[-3000:]

    def run(self, name):
        """None when all tests pass; else the first failure in one line."""
        def filled(text):
            return text.format(build=self.build, tree=self.tree)

        entry = PROGRAMS[name]
        environment = os.environ | {key: filled(value) for key, value in entry["environment"].items()}
        command = [filled(part) for part in entry["command"]]
        try:
            run = subprocess.run(command, capture_output=True, timeout=LIMIT_SECONDS, cwd=self.build, env=environment)
        except subprocess.TimeoutExpired:
            return "does not end"
        if run.returncode == 0:
            return None
        return first_failure(run.stdout.decode(errors="replace"), run.returncode)

    def try_fault(self, fault):
        """The program that caught it and what it said, or None; both None if it was missed."""
        path = self.tree / fault["file"]
        sound = path.read_text()
        path.write_text(mutated(fault, self.tree))
        try:
            complaint = self.make(fault["tests"])
            if complaint is not None:
                raise SystemExit(f"{fault['name']}: does not build\n{complaint}")
            for name in fault["tests"]:
                failure = self.run(name)
                if failure is not None:
                    return name, failure
            return None, None
        finally:
            path.write_text(sound)


def first_failure(output, code):
    """The name of the test case that failed; for a program that is no Catch2 program, or crashed, the exit code."""
    case = re.search(r"^-{20,}\n(.*?)\n-{20,}$", output, re.M | re.S)
    name = case.group(1).splitlines()[0].strip() if case else f"exit code {code}"
    return name if code >= 0 else f"{name} (signal {-code})"


def try_host_faults(faults, arguments):
    if not faults:
        return []
    workshop = Workshop(arguments.tree, arguments.work.resolve(), arguments.jobs)
    names = sorted({name for fault in faults for name in fault["tests"]})
    complaint = workshop.make(names)
    if complaint is not None:
        raise SystemExit(f"the tests do not build\n{complaint}")
    for name in names:
        failure = workshop.run(name)
        if failure is not None:
            raise SystemExit(f"{name} fails without a fault: {failure}")
    rows = []
    for fault in faults:
        name, failure = workshop.try_fault(fault)
        caught = None if name is None else f"{name}: {failure}"
        print(f"{fault['file']}: {fault['name']}: {caught}", file=sys.stderr, flush=True)
        rows.append((fault["name"], fault["file"], caught, fault["missed"]))
    return rows


def try_kernel_bugs(bugs, arguments):
    if not bugs:
        return []
    failures = plant_bugs.try_bugs(bugs, arguments.work.resolve() / "kernels", arguments.tree, arguments.jobs)
    return [(bug["name"], plant_bugs.place(bug["file"]), failure and plant_bugs.reason(failure), bug.get("missed"))
            for bug, failure in zip(bugs, failures)]


def write_report(rows, file):
    print("| fault | where | caught by |\n| --- | --- | --- |", file=file)
    for name, where, caught, why_missed in rows:
        print(f"| {name} | `{where}` | {caught or f'**missed**: {why_missed}'} |", file=file)
    count = sum(1 for row in rows if row[2] is not None)
    print(f"\n{count} of {len(rows)} caught.", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build-mutation", help="for the copy and its builds")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, help="where the sound sources are")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", choices=("src", "kernels"), help="one of the two alone")
    parser.add_argument("--only", default="", help="faults whose name or file contains this")
    parser.add_argument("--report", type=pathlib.Path, help="a file for the table; default: standard output")
    parser.add_argument("--check", action="store_true", help="only see that every fault still applies")
    arguments = parser.parse_args()
    faults = [fault for fault in FAULTS if arguments.only in fault["name"] or arguments.only in fault["file"]]
    bugs = [bug for bug in BUGS if arguments.only in bug["name"] or arguments.only in bug["file"]]
    if arguments.part is not None:
        faults, bugs = (faults, []) if arguments.part == "src" else ([], bugs)
    for fault in faults:
        mutated(fault, arguments.tree)
    for bug in bugs:
        plant_bugs.mutated(bug, arguments.tree)
    if arguments.check:
        print(f"all {len(faults)} faults in src and {len(bugs)} in kernels apply")
        return 0
    rows = try_host_faults(faults, arguments) + try_kernel_bugs(bugs, arguments)
    if arguments.report is None:
        write_report(rows, sys.stdout)
    else:
        with arguments.report.open("w") as file:
            write_report(rows, file)
    return 1 if any(caught is None and why is None for _, _, caught, why in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
