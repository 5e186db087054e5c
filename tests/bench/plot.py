#!/usr/bin/env python3
"""Draws what `fastgemm bench --json FILE` measured on a GPU: TFLOP/s against size, and the roofline.

Two pictures are written: PREFIX-size.EXT, every contender's rate against the cube root of m*n*k, and
PREFIX-roofline.EXT, rates against arithmetic intensity under the limits of the GPU's memory and arithmetic.
"""
import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

SKIPPED = 77  # exit code: matplotlib is not installed
PEAKS = {"f32": ("fp32_tflops", "FP32 FMA"), "f16": ("fp16_tflops", "FP16 tensor cores")}
TYPES = {"f32": "FP32", "f16": "FP16, FP32 accumulation"}


def fail(message):
    sys.exit(f"plot.py: {message}")


def load(path):
    """The bench's JSON, checked for what the pictures need."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}")
    except ValueError as error:
        fail(f"{path} is not JSON: {error}")
    if not isinstance(data, dict) or data.get("format") != "fastgemm-bench-1":
        fail(f"{path} was not written by `fastgemm bench --json`")
    if not data.get("measured_on_gpu"):
        fail(f"{path} holds no figures of a GPU ({data.get('no_gpu_reason', 'none was measured')})")
    for key in ("name", "memory_gbps", "fp32_tflops", "fp16_tflops"):
        if key not in data.get("gpu", {}):
            fail(f"{path}: gpu.{key} is missing")
    return data


def points(data, type_name, ops, tag=None):
    """{contender: [(size, intensity, TFLOP/s)]}, ascending in size, of one type and pair of operations."""
    found = defaultdict(list)
    for row in data["rows"]:
        if row["type"] != type_name or (ops and row["ops"] != ops) or (tag and row.get("tag") != tag):
            continue
        size = (row["m"] * row["n"] * row["k"]) ** (1.0 / 3.0)
        for result in row["results"]:
            if "tflops" in result:
                found[result["contender"]].append((size, row["intensity"], result["tflops"]))
    return {name: sorted(values) for name, values in found.items()}


def panels(data, ops, tag=None):
    """The types that have something to show, in the order f32, f16."""
    found = [(name, points(data, name, ops, tag)) for name in TYPES]
    return [(name, series) for name, series in found if series]


def subtitle(data):
    protocol = data["protocol"]
    cublas = data.get("cublas", {}).get("version") or "none"
    return f"{data['gpu']['name']}, cuBLAS {cublas}, {protocol['regime']}, median of {protocol['trials']}"


def is_ours(name):
    return name.startswith("fastgemm") or name.startswith("rung")


def figure(pyplot, data, kinds, title):
    fig, axes = pyplot.subplots(1, len(kinds), figsize=(7.0 * len(kinds), 5.0), squeeze=False)
    fig.suptitle(f"{title}\n{subtitle(data)}", fontsize=11)
    return fig, axes[0]


def draw_sizes(pyplot, data, kinds):
    fig, axes = figure(pyplot, data, kinds, "Rate against size")
    for axis, (kind, series) in zip(axes, kinds):
        for name, values in series.items():
            axis.plot([v[0] for v in values], [v[2] for v in values], marker="o", markersize=4, label=name,
                      linewidth=2.2 if is_ours(name) else 1.2, linestyle="-" if is_ours(name) else "--")
        axis.set_title(TYPES[kind])
        axis.set_xscale("log", base=2)
        axis.set_xlabel("cube root of m n k")
        axis.set_ylabel("TFLOP/s")
        axis.set_ylim(bottom=0)
        axis.grid(True, alpha=0.3)
        axis.legend()
    return fig


def draw_roofline(pyplot, data, kinds):
    fig, axes = figure(pyplot, data, kinds, "Roofline")
    bandwidth = data["gpu"]["memory_gbps"] * 1e-3  # TFLOP/s per FLOP/byte
    for axis, (kind, series) in zip(axes, kinds):
        key, label = PEAKS[kind]
        peak = data["gpu"][key]
        ridge = peak / bandwidth
        measured = [v[1] for values in series.values() for v in values]
        low, high = min(measured + [ridge]) / 2, max(measured + [ridge]) * 2
        axis.plot([low, ridge, high], [low * bandwidth, peak, peak], color="black", linewidth=1.5,
                  label=f"memory {bandwidth:.2f} TB/s, {label} {peak:.0f} TFLOP/s")
        for name, values in series.items():
            axis.scatter([v[1] for v in values], [v[2] for v in values], s=34 if is_ours(name) else 18, label=name,
                         marker="o" if is_ours(name) else "x")
        axis.set_title(TYPES[kind])
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=10)
        axis.set_xlabel("arithmetic intensity, FLOP per byte that must move")
        axis.set_ylabel("TFLOP/s")
        axis.grid(True, which="both", alpha=0.3)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncol=2)  # below: it would cover points inside
    return fig


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", help="what `fastgemm bench --json FILE` wrote on a machine with a GPU")
    parser.add_argument("--out", metavar="PREFIX", help="where the pictures go (default: beside the JSON, by its name)")
    parser.add_argument("--format", choices=["png", "svg"], default="png", help="default png")
    parser.add_argument("--ops", choices=["NN", "NT", "TN", "TT"], help="only these operations (default: all)")
    parser.add_argument("--tag", help="only shapes with this tag (default: all)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    data = load(arguments.json)
    kinds = panels(data, arguments.ops, arguments.tag)
    if not kinds:
        wanted = " ".join(filter(None, (arguments.ops, arguments.tag)))
        fail(f"{arguments.json} holds no measured row" + (f" of {wanted}" if wanted else ""))
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("plot.py: matplotlib is not installed (Debian: python3-matplotlib)", file=sys.stderr)
        sys.exit(SKIPPED)
    prefix = arguments.out or str(Path(arguments.json).with_suffix(""))
    for name, draw in (("size", draw_sizes), ("roofline", draw_roofline)):
        path = f"{prefix}-{name}.{arguments.format}"
        fig = draw(pyplot, data, kinds)
        fig.tight_layout()
        try:
            fig.savefig(path, dpi=150, bbox_inches="tight")
        except OSError as error:
            fail(f"cannot write {path}: {error.strerror}")
        print(path)


if __name__ == "__main__":
    main()
