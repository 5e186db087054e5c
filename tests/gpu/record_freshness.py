#!/usr/bin/env python3
"""Is tests/gpu/RECORD.json the record of a clean run, and of this tree?

A tree that has moved on since is a warning; a record that is malformed or holds failures is an error (exit code 1).
"""
import json
import pathlib
import sys

import tree_hash

RECORD = pathlib.Path(__file__).resolve().parent / "RECORD.json"
REQUIRED = {"format": int, "date": str, "device": dict, "tree_hash": str, "suites": dict}


def problems(record):
    """What is wrong with a record, one line each."""
    if not isinstance(record, dict):
        return ["it is not a JSON object"]
    found = []
    for key, kind in REQUIRED.items():
        if not isinstance(record.get(key), kind):
            found.append(f"\"{key}\" is missing or not of type {kind.__name__}")
    if found:
        return found
    if not record["suites"]:
        found.append("it holds no test suite")
    for name, suite in record["suites"].items():
        if not isinstance(suite, dict) or not isinstance(suite.get("failed"), int):
            found.append(f"suite {name} has no count of failures")
        elif suite["failed"] != 0 or not suite.get("tests"):
            found.append(f"suite {name}: {suite['failed']} of {suite.get('tests', 0)} tests failed")
    soak = record.get("soak")
    if soak is not None and (soak.get("failed") != 0 or not soak.get("tests")):
        found.append(f"soak of {soak.get('soak_seconds')} s failed")
    for key in ("check", "check_sm75"):
        check = record.get(key)
        if check is not None and check.get("failed") != 0:
            found.append(f"fastgemm {key}: {check.get('failed')} calls failed")
    for key in ("bench", "ladder"):
        if "error" in record.get(key, {}):
            found.append(f"fastgemm {key}: {record[key]['error']}")
    for tool, result in record.get("sanitizer", {}).items():
        if result.get("errors") != 0:
            found.append(f"compute-sanitizer {tool}: {result.get('errors')} errors")
    return found


def soak_text(record):
    soak = record.get("soak")
    if soak is None:
        return "no soak is on record"
    return (f"soak of {soak['soak_seconds']} s: {soak['calls']} calls right, device memory grew by "
            f"{soak['memory_growth_bytes']} bytes")


def judge(text, present_hash):
    """(exit code, text to print) for the text of a record, or None where there is no record."""
    if text is None:
        return 0, "WARNING: there is no tests/gpu/RECORD.json: nothing is on record as run on a GPU"
    try:
        record = json.loads(text)
    except ValueError as error:
        return 1, f"RECORD.json is malformed: {error}"
    found = problems(record)
    if found:
        return 1, "RECORD.json is no record of a clean run:\n  " + "\n  ".join(found)
    where = f"{record['device'].get('name', 'unknown GPU')}, {record['date']}"
    if record["tree_hash"] != present_hash:
        return 0, ("WARNING: kernels/, src/ or include/ have changed since the last run on a GPU "
                   f"({where}):\n  recorded {record['tree_hash']}\n  present  {present_hash}\n  {soak_text(record)}")
    return 0, f"the tree is the one that last ran on a GPU ({where}); {soak_text(record)}"


def main():
    text = RECORD.read_text() if RECORD.exists() else None
    code, message = judge(text, tree_hash.tree_hash(tree_hash.repository_root()))
    print(message)
    return code


if __name__ == "__main__":
    sys.exit(main())
