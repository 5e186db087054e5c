#!/usr/bin/env python3
"""Does the machine code really hold the instructions that a family is named for? By the rules of sass_rules.txt."""
import argparse
import fnmatch
import pathlib
import sys

import cuobjdump

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def read_rules(text):
    """[(object pattern, kernel pattern, architecture pattern, [must], [must not])]."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 5 or not all(fields[:4]):
            raise ValueError(f"sass_rules.txt, line {number}: want object | kernel | architecture | must | must not")
        rules.append((fields[0], fields[1], fields[2], fields[3].split(), fields[4].split()))
    return rules


def judge(rule, kernels, readable):
    """(kernels the rule applied to, what is wrong, one line each)."""
    _, kernel_pattern, architecture_pattern, must, must_not = rule
    applied = 0
    wrong = []
    for architecture, name, opcodes in kernels:
        shown = readable.get(name, name)
        if not (fnmatch.fnmatchcase(architecture, architecture_pattern) and fnmatch.fnmatchcase(shown, kernel_pattern)):
            continue
        applied += 1
        for opcode in must:
            if not any(found.startswith(opcode) for found in opcodes):
                wrong.append(f"{architecture} {shown}: has no {opcode}")
        for opcode in must_not:
            if any(found.startswith(opcode) for found in opcodes):
                wrong.append(f"{architecture} {shown}: has {opcode}")
    return applied, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuobjdump", default="")
    parser.add_argument("--rules", type=pathlib.Path, default=HERE / "sass_rules.txt")
    parser.add_argument("objects", nargs="*")
    options = parser.parse_args()
    if not options.objects:
        print("skipped: this build holds no kernel")
        return SKIPPED
    program = pathlib.Path(options.cuobjdump) if options.cuobjdump else None
    if program is None or not (program.parent / "nvdisasm").exists():
        print("skipped: cuobjdump and nvdisasm were not found side by side (set FASTGEMM_CUOBJDUMP; PyPI has them as "
              "nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm)")
        return SKIPPED
    failed = False
    rules = read_rules(options.rules.read_text(encoding="utf-8"))
    for path in options.objects:
        matching = [rule for rule in rules if fnmatch.fnmatchcase(path, rule[0])]
        if not matching:
            continue
        kernels = cuobjdump.parse_sass(cuobjdump.run_cuobjdump(options.cuobjdump, "-sass", path))
        readable = cuobjdump.demangle({name for _, name, _ in kernels})
        for rule in matching:
            applied, wrong = judge(rule, kernels, readable)
            fault = "" if applied else "  NO SUCH KERNEL"
            print(f"{pathlib.Path(path).name}: {applied} kernels {rule[1]} for {rule[2]}: {' '.join(rule[3])}{fault}")
            for line in wrong:
                print("  " + line)
            failed |= bool(wrong) or applied == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
