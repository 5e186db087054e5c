#!/usr/bin/env python3
"""Writes wgmma_f16.cuh and wgmma_bf16.cuh, whose operand lists nobody wants to type.

  kernels/ptx/generate_wgmma.py [--check]

--check writes nothing and fails if the files are not what it would write.
"""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
TYPES = {"f16": ("FP16", (8, 16, 32, 64, 96, 128, 160, 176, 192, 256)), "bf16": ("BF16", (64, 96, 128, 176, 192, 256))}
WIDTH = 120


def wrapped(items, indent, separator=", "):
    """The items, separated, in lines that fit."""
    lines, line = [], ""
    for number, item in enumerate(items):
        piece = item + (separator.rstrip() if number + 1 < len(items) else "")
        if line and indent + len(line) + 1 + len(piece) > WIDTH - 4:
            lines.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return lines + [line]


def function(name, n):
    count = n // 2
    registers = wrapped([f"%{i}" for i in range(count)], 10)
    results = wrapped([f'"+f"(d[{i}])' for i in range(count)], 8)
    text = [
        "template <Major kMajorA, Major kMajorB>",
        f"FG_DEVICE void wgmma_m64n{n}k16_{name}(float (&d)[{count}], std::uint64_t a, std::uint64_t b, "
        "bool accumulate) {",
        "  asm volatile(",
        f'      "{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{count + 2}, 0;\\n"',
        f'      "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.{name}.{name} {{"',
    ]
    for number, line in enumerate(registers):
        text.append(f'      "{line}{" " if number + 1 < len(registers) else "}, "}"')
    text.append(f'      "%{count}, %{count + 1}, p, 1, 1, %{count + 3}, %{count + 4};\\n}}"')
    text += [("      : " if number == 0 else "        ") + line for number, line in enumerate(results)]
    text += ['      : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)), "n"(static_cast<int>(kMajorA)),',
             '        "n"(static_cast<int>(kMajorB)));']
    return text + ["}", ""]


def header(name):
    kind, widths = TYPES[name]
    text = [
        f"// D = A B, or D += A B where `accumulate`, for {kind} operands in shared memory and FP32 accumulators, 64 x N",
        "// in a warpgroup (sm_90a): a and b are descriptors of kernels/tile/wgmma_descriptor.cuh, the accumulators lie as",
        "// wgmma_row and wgmma_column say. Between wgmma_fence and wgmma_wait, d belongs to the product. Made by",
        "// generate_wgmma.py.",
        "#pragma once", "", '#include "kernels/ptx/wgmma.cuh"', "", "namespace fastgemm::ptx {", "",
    ]
    for n in widths:
        text += function(name, n)
    return "\n".join(text + ["}  // namespace fastgemm::ptx", ""])


def main():
    check = "--check" in sys.argv[1:]
    stale = []
    for name in TYPES:
        path = FOLDER / f"wgmma_{name}.cuh"
        if not check:
            path.write_text(header(name))
        elif path.read_text() != header(name):
            stale.append(path.name)
    if stale:
        print("not what generate_wgmma.py writes:", ", ".join(stale))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
