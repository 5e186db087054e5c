#!/usr/bin/env python3
"""Runs everything that needs a GPU from a finished build, and writes tests/gpu/RECORD.json.

    tests/gpu/record.py --build build                       all that this build can show
    tests/gpu/record.py --build build --check --bench       only these; the rest of a record of the same tree is kept
    tests/gpu/record.py --build build --sm75-build build75  sm_75 code on a newer GPU
    tests/gpu/record.py --build build --soak 480            eight minutes of threads and streams

Standard library only. The record is written after every step, so an interrupted run leaves what it had.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

import record_freshness
import tree_hash

SUITES = ("kernels", "fuzz", "large", "replay", "graph", "threads", "accuracy", "sequential", "tensor",
          "fallback", "errors")
SANITIZER_TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
FORMAT = 1


def run(command, timeout, environment=None):
    """(exit code, output); 124 where it ran past `timeout` seconds, 127 where it could not be started."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, text=True,
                              errors="replace", env=environment, check=False)
        return done.returncode, done.stdout
    except OSError as error:
        return 127, str(error)
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or ""
        return 124, output if isinstance(output, str) else output.decode(errors="replace")


def failure_messages(case):
    """What Catch2 says of a failed test: infos, messages, and the two sides of failed expressions."""
    lines = []
    for element in case.iter():
        if element.tag in ("Failure", "Exception", "FatalErrorCondition", "Info", "Warning", "Original", "Expanded"):
            lines.append(f"{element.tag.lower()}: {' '.join((element.text or '').split())}")
    return lines[:12]


def parse_suite(xml_text, output, code):
    """Counts from Catch2's XML report (version 2 or 3) and the 'calls SUITE COUNT' lines of its output."""
    result = {"calls": sum(int(count) for count in re.findall(r"^calls \S+ (\d+)$", output, re.MULTILINE))}
    try:
        root = ElementTree.fromstring(xml_text)
        cases = list(root.iter("TestCase"))
        failed = sum(case.find("OverallResult").get("success") != "true" for case in cases)
        totals = list(root.iter("OverallResults"))[-1]
    except (ElementTree.ParseError, AttributeError, IndexError):
        return {**result, "tests": 1, "failed": 1, "exit_code": code, "output": output[-2000:]}
    result.update(tests=len(cases), failed=failed,
                  assertions=int(totals.get("successes")) + int(totals.get("failures")),
                  failed_assertions=int(totals.get("failures")))
    if failed == 0 and (code != 0 or not cases):
        result["failed"] = 1
    if result["failed"]:
        result.update(exit_code=code, output=output[-2000:],
                      failed_tests={case.get("name"): failure_messages(case) for case in cases
                                    if case.find("OverallResult").get("success") != "true"})
    return result


def parse_soak(result, output, seconds):
    """A soak's suite result, with how long it ran and what its last line says."""
    result["soak_seconds"] = seconds
    last = re.search(r"^soak of \d+ s, (\d+) new handles, device memory grew by (-?\d+) bytes$", output, re.MULTILINE)
    if last:
        result.update(new_handles=int(last.group(1)), memory_growth_bytes=int(last.group(2)))
    elif result["failed"] == 0:
        result.update(failed=1, output=output[-2000:])  # the hidden test did not run
    return result


def parse_sanitizer(output, code):
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", output)
    result = {"errors": int(summary[-1]) if summary else 1, "exit_code": code}
    if code != 0 and result["errors"] == 0:
        result["errors"] = 1
    if result["errors"]:
        result["output"] = output[-3000:]
    return result


def device_facts():
    facts = {}
    code, output = run(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap,memory.total",
                        "--format=csv,noheader"], 60)
    if code == 0 and output.strip():
        values = [value.strip() for value in output.splitlines()[0].split(",")]
        facts = dict(zip(("name", "driver", "compute_capability", "memory"), values))
    code, output = run(["nvidia-smi"], 60)
    version = re.search(r"CUDA Version: *([\d.]+)", output)
    if version:
        facts["cuda_of_driver"] = version.group(1)
    if shutil.which("nvcc"):
        version = re.search(r"release ([\d.]+)", run(["nvcc", "--version"], 60)[1])
        if version:
            facts["cuda_toolkit"] = version.group(1)
    return facts


class Recorder:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.tests = self.find("fg_gpu_tests")
        self.environment = self.environment_of(self.build)
        self.scratch = tempfile.TemporaryDirectory()
        self.record = {"format": FORMAT, "suites": {}}
        present = tree_hash.tree_hash(tree_hash.repository_root())
        if options.output.exists():
            earlier = json.loads(options.output.read_text())
            if earlier.get("tree_hash") == present:
                self.record = earlier
        self.record.update(date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
                           device=device_facts(), tree_hash=present)

    def find(self, name, build=None):
        build = build or self.build
        found = sorted(path for path in build.rglob(name) if path.is_file())
        if not found:
            sys.exit(f"record: there is no {name} under {build}")
        return found[0]

    def environment_of(self, build):
        """This process's environment, with the library of `build` before any other."""
        folders = [str(self.find("libfastgemm.so.1", build).parent), os.environ.get("LD_LIBRARY_PATH")]
        return dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(filter(None, folders)))

    def write(self):
        self.options.output.write_text(json.dumps(self.record, indent=1) + "\n")

    def scratch_file(self, name):
        return pathlib.Path(self.scratch.name) / name

    def run_suite(self, suite, timeout, environment):
        """The suite's result, and its output."""
        report = self.scratch_file(f"{suite}.xml")
        begin = time.monotonic()
        code, output = run([self.tests, f"[{suite}]", "-r", "xml", "-o", report], timeout, environment)
        result = parse_suite(report.read_text(errors="replace") if report.exists() else "", output, code)
        result["seconds"] = round(time.monotonic() - begin, 1)
        return result, output

    def run_suites(self, suites):
        for suite in suites:
            result, _ = self.run_suite(suite, self.options.timeout, self.environment)
            self.record["suites"][suite] = result
            self.say(f"suite {suite}", result["failed"] == 0, result)

    def run_soak(self, seconds):
        environment = dict(self.environment, FASTGEMM_SOAK_SECONDS=str(seconds))
        result, output = self.run_suite("soak", seconds + 90, environment)
        self.record["soak"] = parse_soak(result, output, seconds)
        self.say(f"soak of {seconds} s", result["failed"] == 0, result)

    def run_check(self, key="check", build=None):
        """fastgemm check, into the record's `key`; with another build than the record's where one is given."""
        build = build or self.build
        report = self.scratch_file(f"{key}.json")
        command = [self.find("fastgemm", build), "check", "--json", report]
        command += shlex.split(self.options.check_arguments)
        code, output = run(command, self.options.timeout, self.environment_of(build))
        try:
            result = json.loads(report.read_text())
        except (OSError, ValueError):
            result = {"failed": 1, "output": output[-2000:]}
        if code != 0 and result.get("failed") == 0:
            result["failed"] = 1
        self.record[key] = result
        shown = {name: result.get(name) for name in ("ran", "declined", "failed")}
        self.say(key, result["failed"] == 0, shown | {"output": result.get("output", "")})

    def run_sanitizer(self):
        results = self.record.setdefault("sanitizer", {})
        for tool in SANITIZER_TOOLS:
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", self.tests, "[sanitize]"]
            code, output = run(command, self.options.timeout, self.environment)
            results[tool] = parse_sanitizer(output, code)
            self.say(f"compute-sanitizer {tool}", results[tool]["errors"] == 0, results[tool])

    def run_bench(self, key="bench", arguments=""):
        """fastgemm bench with `arguments`, into the record's `key`."""
        report = self.scratch_file(f"{key}.json")
        command = [self.find("fastgemm"), "bench", "--json", report] + shlex.split(arguments)
        code, output = run(command, self.options.timeout, self.environment)
        try:
            self.record[key] = json.loads(report.read_text())
        except (OSError, ValueError):
            self.record[key] = {"error": f"exit code {code}: {output[-2000:]}"}
        self.say(key, code == 0, {"exit_code": code})

    def say(self, what, good, result):
        self.write()
        shown = {key: value for key, value in result.items() if key not in ("output", "failed_tests")}
        print(f"{what}: {'ok' if good else 'FAILED'} {json.dumps(shown)}", flush=True)
        for name, messages in result.get("failed_tests", {}).items():
            print(f"  {name}\n    " + "\n    ".join(messages), flush=True)
        if not good and "output" in result:
            print(result["output"], flush=True)


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder of a finished build")
    parser.add_argument("--tests", action="store_true", help="the suites of fg_gpu_tests")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this suite; may be repeated")
    parser.add_argument("--check", action="store_true", help="fastgemm check")
    parser.add_argument("--sanitizer", action="store_true", help="compute-sanitizer's four tools")
    parser.add_argument("--bench", action="store_true", help="fastgemm bench")
    parser.add_argument("--ladder", action="store_true", help="fastgemm bench --ladder")
    parser.add_argument("--soak", type=int, metavar="SECONDS", help="the soak, for so long; never by itself")
    parser.add_argument("--sm75-build", type=pathlib.Path, metavar="BUILD",
                        help="fastgemm check of a build for 75-virtual alone: sm_75 code, compiled by the driver")
    parser.add_argument("--check-arguments", default="", help="more arguments for fastgemm check")
    parser.add_argument("--bench-arguments", default="", help="more arguments for fastgemm bench")
    parser.add_argument("--timeout", type=int, default=580, help="seconds for each step")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "RECORD.json")
    options = parser.parse_args(arguments)
    steps = (options.tests, options.suite, options.check, options.sanitizer, options.bench, options.ladder,
             options.soak, options.sm75_build)
    if not any(steps):
        options.tests = options.check = options.sanitizer = options.bench = options.ladder = True
    return options


def main():
    options = parse_options(sys.argv[1:])
    recorder = Recorder(options)
    if options.tests or options.suite:
        recorder.run_suites(options.suite or SUITES)
    if options.soak:
        recorder.run_soak(options.soak)
    if options.check:
        recorder.run_check()
    if options.sanitizer:
        recorder.run_sanitizer()
    if options.bench:
        recorder.run_bench(arguments=options.bench_arguments)
    if options.ladder:
        recorder.run_bench("ladder", "--ladder")
    if options.sm75_build:
        recorder.run_check("check_sm75", options.sm75_build.resolve())
    recorder.write()
    code, message = record_freshness.judge(options.output.read_text(), recorder.record["tree_hash"])
    print(message)
    return code


if __name__ == "__main__":
    sys.exit(main())
