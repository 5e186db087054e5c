#!/usr/bin/env python3
"""How good the dispatcher's choices are, from a measured table of all kernels.

    fastgemm bench --shapes tests/bench/shapes_all.csv --kernels auto,all --csv all.csv      on the GPU
    tests/bench/regret.py all.csv [--fastgemm build/src/cli/fastgemm]                       anywhere

For every shape: the fastest of our kernels, what the dispatcher took (or, with --fastgemm, what that build would take
on --gpu), and what cuBLAS needs. Ends with the geometric means. A choice that was not measured counts as absent.
"""
import argparse
import csv
import math
import re
import subprocess


def read_shapes(path):
    shapes = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] for name in ("tag", "type", "ops", "m", "n", "k", "lda", "ldb", "ldc", "beta"))
            shape = shapes.setdefault(key, {"ours": {}, "cublas": {}, "auto": None})
            if not row["ms"] or float(row["ms"]) <= 0:
                continue
            us = float(row["ms"]) * 1e3
            if row["contender"] == "fastgemm":
                shape["auto"] = (row["detail"], us)
            elif row["ours"] == "1":
                name = row["contender"].removeprefix("fastgemm ")
                shape["ours"][name if "/" in name else name + "/1"] = us
            else:
                shape["cublas"][row["contender"]] = us
    return shapes


def planned(fastgemm, gpu, key):
    _, kind, ops, m, n, k, lda, ldb, ldc, beta = key
    pad = int(ldc) - int(m)
    command = [fastgemm, "explain", "--gpu", gpu, "--mnk", f"{m}x{n}x{k}", "--types", kind, "--ops", ops,
               "--beta", beta, "--pad", str(pad)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    name = re.search(r"kernel: (\S+)", text).group(1)
    predicted = re.search(r"predicted: ([\d.e+]+)", text)
    return name, float(predicted.group(1)) if predicted else math.nan


def measured(shape, name):
    if name == "cublas":
        return shape["cublas"].get("cublasGemmEx", math.nan)
    if name in shape["ours"] or "/" not in name:
        return shape["ours"].get(name if "/" in name else name + "/1", math.nan)
    # A number of parts between measured ones: the nearer of its neighbours.
    row, parts = name.split("/")
    near = [(abs(math.log(int(other.split("/")[1]) / int(parts))), us) for other, us in shape["ours"].items()
            if other.split("/")[0] == row]
    return min(near)[1] if near else math.nan


def geometric_mean(values):
    values = [value for value in values if value > 0 and math.isfinite(value)]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", help="CSV that fastgemm bench wrote")
    parser.add_argument("--fastgemm", help="the command of the build whose choices are judged")
    parser.add_argument("--gpu", default="sm_90")
    options = parser.parse_args()
    totals = {}
    print("| type | ops | shape | chosen | us | predicted | best of ours | us | cublasGemmEx | best cuBLAS | chosen/best "
          "| cuBLAS/chosen |\n|" + " --- |" * 12)
    for key, shape in read_shapes(options.table).items():
        if not shape["ours"] or not shape["cublas"]:
            continue
        predicted = math.nan
        if options.fastgemm:
            chosen, predicted = planned(options.fastgemm, options.gpu, key)
            us = measured(shape, chosen)
        else:
            chosen, us = shape["auto"]
        best = min(shape["ours"], key=shape["ours"].get)
        best_us = min(shape["ours"][best], shape["cublas"].get("cublasGemmEx", math.inf))
        cublas = min(shape["cublas"].values())
        totals.setdefault(key[1], []).append((us / best_us, cublas / us))
        print(f"| {key[1]} | {key[2]} | {key[3]}x{key[4]}x{key[5]} | {chosen} | {us:.1f} | {predicted:.1f} | {best} "
              f"| {shape['ours'][best]:.1f} | {shape['cublas'].get('cublasGemmEx', math.nan):.1f} | {cublas:.1f} "
              f"| {us / best_us:.2f} | {cublas / us:.2f} |")
    for kind, pairs in totals.items():
        loss = [pair[0] for pair in pairs]
        ratio = [pair[1] for pair in pairs]
        print(f"{kind}: {len(pairs)} shapes; chosen/best {geometric_mean(loss):.3f}, worst "
              f"{max(filter(math.isfinite, loss)):.2f}; cuBLAS/chosen {geometric_mean(ratio):.3f}, worst "
              f"{min(filter(math.isfinite, ratio)):.2f}, {sum(value < 0.98 for value in ratio)} under 0.98")


if __name__ == "__main__":
    main()
