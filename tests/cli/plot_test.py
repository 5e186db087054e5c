#!/usr/bin/env python3
"""tests/bench/plot.py on a made-up run: the pictures are there, and bad input is refused with a reason."""
import copy
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLOT = Path(__file__).resolve().parent.parent / "bench" / "plot.py"
SKIPPED = 77


def result(name, tflops):
    return {"contender": name, "ours": name == "fastgemm", "detail": name, "ms": 1.0, "tflops": tflops, "trials": 3}


def row(kind, size, ours, other):
    return {"type": kind, "ops": "NN", "m": size, "n": size, "k": size, "intensity": size / 6.0,
            "results": [result("fastgemm", ours), result("cublasSgemm", other),
                        {"contender": "cublasLt", "ours": False, "detail": "", "skipped": "no heuristic"}]}


SAMPLE = {  # made-up figures of a made-up GPU
    "format": "fastgemm-bench-1", "measured_on_gpu": True,
    "gpu": {"name": "Made-up GPU", "memory_gbps": 1000.0, "fp32_tflops": 10.0, "fp16_tflops": 100.0},
    "cublas": {"version": "1.2.3"}, "protocol": {"regime": "interleaved", "trials": 3},
    "rows": [row("f32", 1024, 5.0, 6.0), row("f32", 256, 1.0, 2.0), row("f16", 1024, 50.0, 60.0)]}


class PlotTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return Path(self.folder.name) / name

    def plot(self, data, *options):
        source = self.path("run.json")
        source.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return subprocess.run([sys.executable, str(PLOT), str(source), *options], capture_output=True, text=True,
                              check=False)

    def refused(self, data, reason, *options):
        done = self.plot(data, *options)
        self.assertEqual(done.returncode, 1)
        self.assertIn(reason, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_png(self):
        done = self.plot(SAMPLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("run-size.png", "run-roofline.png"):
            self.assertEqual(self.path(name).read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_svg(self):
        done = self.plot(SAMPLE, "--format", "svg", "--out", str(self.path("picture")))
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("picture-size.svg", "picture-roofline.svg"):
            self.assertIn("<svg", self.path(name).read_text(encoding="utf-8"))

    def test_points_are_sorted_and_skipped_contenders_left_out(self):
        spec = importlib.util.spec_from_file_location("plot", PLOT)
        plot = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(plot)
        series = plot.points(SAMPLE, "f32", None)
        self.assertEqual(set(series), {"fastgemm", "cublasSgemm"})
        self.assertEqual([round(size) for size, _, _ in series["fastgemm"]], [256, 1024])
        self.assertEqual([rate for _, _, rate in series["fastgemm"]], [1.0, 5.0])

    def test_bad_input(self):
        self.refused("{", "is not JSON")
        self.refused({"rows": []}, "was not written by")
        self.refused({**SAMPLE, "measured_on_gpu": False, "no_gpu_reason": "no driver"}, "no driver")
        without = copy.deepcopy(SAMPLE)
        del without["gpu"]["memory_gbps"]
        self.refused(without, "gpu.memory_gbps")
        self.refused(SAMPLE, "no measured row of TT", "--ops", "TT")
        self.refused(SAMPLE, "no measured row of NN elsewhere", "--ops", "NN", "--tag", "elsewhere")
        self.refused(SAMPLE, "cannot write", "--out", str(self.path("nowhere") / "picture"))

    def test_missing_file(self):
        done = subprocess.run([sys.executable, str(PLOT), str(self.path("none.json"))], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none.json", done.stderr)


if __name__ == "__main__":
    if importlib.util.find_spec("matplotlib") is None:
        print("matplotlib is not installed")
        sys.exit(SKIPPED)
    unittest.main()
