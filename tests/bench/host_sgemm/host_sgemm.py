#!/usr/bin/env python3
"""sgemm on host memory: the drop-in beside OpenBLAS and NVBLAS (as it comes, and with NVBLAS_AUTOPIN_MEM_ENABLED).

Each contender is a process of its own (host_sgemm); they take turns at each group of shapes. Prints a Markdown table of
median wall times, and the ratio of the best other one to the drop-in. Needs no package."""
import argparse
import os
import subprocess
import sys
import tempfile

SQUARES = ["16", "64", "128", "256", "512", "1024", "2048", "4096", "8192", "16384"]
SKINNY = ["4096x16x4096", "16x4096x4096", "8192x8192x32", "8192x32x8192", "2048x2048x128", "64x64x65536",
          "512x512x8192", "20000x500x500", "3000x3000x3000:TN:0.5"]
SLOW_ON_CPU = 2.0 * 12000 ** 3  # FLOP from which only drop-in and NVBLAS are run


def flops(shape):
    size = [int(number) for number in shape.split(":")[0].split("x")]
    m, n, k = size if len(size) == 3 else size * 3
    return 2.0 * m * n * k


def run(program, library, shapes, seconds, extra):
    environment = {**os.environ, **extra}
    command = [program, library, "--seconds", str(seconds), *shapes]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{library}: {done.stderr.strip()}", file=sys.stderr)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[0]: (float(row[1]), float(row[4])) for row in rows if len(row) == 5}


def contenders(arguments, folder):
    chosen = {"fastgemm": (arguments.fastgemm, {"FASTGEMM_DROPIN": "on", "FASTGEMM_HOST_BLAS": arguments.openblas}),
              "OpenBLAS": (arguments.openblas, {})}
    if arguments.tensor:
        chosen["fp32_tensor"] = (arguments.fastgemm, {**chosen["fastgemm"][1], "FASTGEMM_MATH": "fp32_tensor"})
    for devices in arguments.devices:
        chosen[f"GPUs {devices}"] = (arguments.fastgemm, {**chosen["fastgemm"][1], "FASTGEMM_DEVICES": devices})
    for name, pin in ("NVBLAS", ""), ("NVBLAS pinned", "NVBLAS_AUTOPIN_MEM_ENABLED\n"):
        if not arguments.nvblas:
            break
        configuration = os.path.join(folder, name.replace(" ", "-") + ".conf")
        with open(configuration, "w") as file:
            file.write(f"NVBLAS_LOGFILE {folder}/nvblas.log\nNVBLAS_CPU_BLAS_LIB {arguments.openblas}\n"
                       f"NVBLAS_GPU_LIST ALL\n{pin}")
        chosen[name] = (arguments.nvblas, {"NVBLAS_CONFIG_FILE": configuration})
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="host_sgemm")
    parser.add_argument("fastgemm", help="libfastgemm.so")
    parser.add_argument("--openblas", default="libopenblas.so.0")
    parser.add_argument("--nvblas", default="", help="libnvblas.so; without it those columns are left out")
    parser.add_argument("--tensor", action="store_true", help="a column with FASTGEMM_MATH=fp32_tensor")
    parser.add_argument("--devices", action="append", default=[], metavar="0,1", help="a column with these GPUs alone")
    parser.add_argument("--seconds", type=float, default=0.5, help="a shape and contender, where it takes less")
    parser.add_argument("shapes", nargs="*", default=SQUARES + SKINNY)
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        chosen = contenders(arguments, folder)
        results = {}
        for name, (library, extra) in chosen.items():
            shapes = [shape for shape in arguments.shapes if name != "OpenBLAS" or flops(shape) < SLOW_ON_CPU]
            results[name] = run(arguments.program, library, shapes, arguments.seconds, extra)
    names = list(chosen)
    print("| m x n x k | " + " | ".join(f"{name}, ms" for name in names) + " | best other / fastgemm |")
    print("| --- |" + " --- |" * (len(names) + 1))
    wrong = False
    for shape in arguments.shapes:
        cells = []
        for name in names:
            seconds, error = results[name].get(shape, (None, 0.0))
            bad = not error <= 1.0
            wrong = wrong or (bad and seconds is not None)
            cells.append("" if seconds is None else f"{seconds * 1e3:.4g}" + (" WRONG" if bad else ""))
        others = [results[name][shape][0] for name in names if "NVBLAS" in name or name == "OpenBLAS"
                  if shape in results[name]]
        ours = results["fastgemm"].get(shape)
        ratio = f"{min(others) / ours[0]:.2f}" if ours and others else ""
        print(f"| {shape} | " + " | ".join(cells) + f" | {ratio} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
