#!/usr/bin/env python3
"""sgemm on host memory: the drop-in beside OpenBLAS and NVBLAS (as it comes, and with NVBLAS_AUTOPIN_MEM_ENABLED).

Each contender is a process of its own (host_sgemm). Prints a Markdown table of median wall times, and the ratio of the
best other one to the drop-in; --pinned and --tensor add columns for squares from 1024 up. With --turns a second table:
shapes that stay on the host, by the drop-in and by OpenBLAS in turns, call by call in one process after a product on
the GPU, since times of two processes differ by more than a forwarded call costs. Needs no package."""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time

SQUARES = ["16", "64", "128", "256", "512", "1024", "2048", "4096", "8192"]
LARGEST = "16384"
SKINNY = ["4096x16x4096", "16x4096x4096", "8192x8192x32", "8192x32x8192", "2048x2048x128", "64x64x65536",
          "512x512x8192", "20000x500x500", "3000x3000x3000:TN:0.5"]
LARGE_SQUARES = [*SQUARES[5:], LARGEST]
TURNS = ["16", "24", "32", "48", "64", "96", "128", "192", "256", "384", "512", "4096x16x16", "16x4096x16",
         "16x16x4096", "4096x16x4096", "16x4096x4096", "64x64x65536", "512x512x32", "2048x2048x32", "4096x4096x32",
         "8192x8192x32", "2000x32x2000", "1024x1024x128"]
STARTS_THE_GPU = "2048"


def run(name, arguments, library, shapes, extra, *options):
    """Fields of each line that host_sgemm prints, with the shape, as they come."""
    environment = {**os.environ, **extra}
    command = [arguments.program, library, "--seconds", str(arguments.seconds), *options, *shapes]
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                                                                  stderr=errors, text=True) as process:
        for row in map(str.split, process.stdout):
            if len(row) in (5, 6):
                yield row[0], [float(field) for field in row[1:]]
        process.wait()
        errors.seek(0)
        complaint = errors.read().strip() if process.returncode != 0 else ""
    print(f"{name}: {time.monotonic() - start:.1f} s {complaint}", file=sys.stderr)


def contenders(arguments, folder):
    """Library, variables, shapes and options of each column."""
    shapes = arguments.shapes
    squares = [shape for shape in LARGE_SQUARES if shape in shapes]
    drop_in = {"FASTGEMM_DROPIN": "on", "FASTGEMM_HOST_BLAS": arguments.openblas}
    chosen = {"fastgemm": (arguments.fastgemm, drop_in, shapes, [])}
    if arguments.pinned:
        chosen["pinned memory"] = (arguments.fastgemm, drop_in, squares, ["--pinned"])
    if arguments.tensor:
        chosen["fp32_tensor"] = (arguments.fastgemm, {**drop_in, "FASTGEMM_MATH": "fp32_tensor"}, squares, [])
    for devices in arguments.devices:
        chosen[f"GPUs {devices}"] = (arguments.fastgemm, {**drop_in, "FASTGEMM_DEVICES": devices}, shapes, [])
    chosen["OpenBLAS"] = (arguments.openblas, {}, shapes, [])
    for name, pin in ("NVBLAS pinned", "NVBLAS_AUTOPIN_MEM_ENABLED\n"), ("NVBLAS", ""):
        if not arguments.nvblas:
            break
        configuration = os.path.join(folder, name.replace(" ", "-") + ".conf")
        with open(configuration, "w") as file:
            file.write(f"NVBLAS_LOGFILE {folder}/nvblas.log\nNVBLAS_CPU_BLAS_LIB {arguments.openblas}\n"
                       f"NVBLAS_GPU_LIST ALL\n{pin}")
        chosen[name] = (arguments.nvblas, {"NVBLAS_CONFIG_FILE": configuration}, shapes, [])
    return chosen


def print_table(shapes, results):
    names = list(results)
    print("| m x n x k | " + " | ".join(f"{name}, ms" for name in names) + " | best other / fastgemm |")
    print("| --- |" + " --- |" * (len(names) + 1))
    for shape in shapes:
        cells = [results[name].get(shape) for name in names]
        others = [results[name][shape][0] for name in names if "BLAS" in name and shape in results[name]]
        ours = results["fastgemm"].get(shape)
        ratio = f"{min(others) / ours[0]:.2f}" if ours and others else ""
        texts = ["" if cell is None else f"{cell[0] * 1e3:.4g}{'' if cell[3] <= 1.0 else ' WRONG'}" for cell in cells]
        print(f"| {shape} | " + " | ".join(texts) + f" | {ratio} |")


def print_turns(turns):
    print("\n| in turns: m x n x k | fastgemm, us | OpenBLAS, us | more, ns | more, % |")
    print("| --- |" + " --- |" * 4)
    for shape, (median, _, _, error, beside) in turns.items():
        print(f"| {shape} | {median * 1e6:.4g}{'' if error <= 1.0 else ' WRONG'} | {beside * 1e6:.4g} | "
              f"{(median - beside) * 1e9:.0f} | {(median / beside - 1) * 100:.2f} |")


def write_csv(path, results, turns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "shape", "contender", "median_ms", "fastest_ms", "calls", "error"])
        for name, rows in results.items():
            for shape, (median, fastest, calls, error) in rows.items():
                writer.writerow(["processes", shape, name, f"{median * 1e3:.6g}", f"{fastest * 1e3:.6g}", int(calls),
                                 f"{error:.3g}"])
        for shape, (median, fastest, calls, error, beside) in turns.items():
            writer.writerow(["turns", shape, "fastgemm", f"{median * 1e3:.6g}", f"{fastest * 1e3:.6g}", int(calls),
                             f"{error:.3g}"])
            writer.writerow(["turns", shape, "OpenBLAS", f"{beside * 1e3:.6g}", "", int(calls), ""])


def measure(arguments):
    """Both tables' rows."""
    results, turns = {}, {}

    def keep(rows, row):  # each at once: a run that is cut short leaves what it has
        rows[row[0]] = row[1]
        if arguments.csv:
            write_csv(arguments.csv, results, turns)

    if arguments.turns:
        for row in run("in turns", arguments, arguments.fastgemm, [STARTS_THE_GPU, *TURNS],
                       {"FASTGEMM_DROPIN": "on", "FASTGEMM_HOST_BLAS": arguments.openblas},
                       "--beside", arguments.openblas):
            if row[0] != STARTS_THE_GPU:
                keep(turns, row)
    with tempfile.TemporaryDirectory() as folder:
        for name, (library, extra, shapes, options) in contenders(arguments, folder).items():
            results[name] = {}
            for row in run(name, arguments, library, shapes, extra, *options):
                keep(results[name], row)
    return results, turns


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="host_sgemm")
    parser.add_argument("fastgemm", help="libfastgemm.so")
    parser.add_argument("--openblas", default="libopenblas.so.0")
    parser.add_argument("--nvblas", default="", help="libnvblas.so; without it those columns are left out")
    parser.add_argument("--pinned", action="store_true", help="a column with the matrices in pinned memory")
    parser.add_argument("--tensor", action="store_true", help="a column with FASTGEMM_MATH=fp32_tensor")
    parser.add_argument("--devices", action="append", default=[], metavar="0,1", help="a column with these GPUs alone")
    parser.add_argument("--turns", action="store_true", help="the second table")
    parser.add_argument("--csv", help="write every figure there")
    parser.add_argument("--seconds", type=float, default=0.5, help="a shape and contender, where it takes less")
    parser.add_argument("shapes", nargs="*", default=[*SQUARES, *SKINNY, LARGEST])
    arguments = parser.parse_intermixed_args()
    results, turns = measure(arguments)
    print_table(arguments.shapes, results)
    if turns:
        print_turns(turns)
    wrong = any(not row[3] <= 1.0 for rows in [*results.values(), turns] for row in rows.values())
    return 1 if wrong or not all(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
