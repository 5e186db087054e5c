#!/usr/bin/env python3
"""PyTorch and CuPy with and without libfastgemm_cublas.so: results, calls served, times.

    tests/gpu/cublas_hook.py --library build/src/libfastgemm_cublas.so [--report report.json] [--csv table.csv]

Each way runs in a process of its own. Every product is compared with one in FP64, some calls must have been served by
our kernels, and times are medians over CUDA events, which the two take by turns. A third process makes the products
once more with a trace: the table lists the calls of cuBLAS that they came to. Exit code 1: something is wrong; 77: no
GPU or no PyTorch.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

BOUNDS = {"float32": 2e-6, "float16": 1e-3, "tf32": 2e-3}  # norm of the error over that of the result


# ---- in the child: results ---------------------------------------------------------------------------------------
class Checks:
    """Products in FP32 or FP16 beside the same in FP64."""

    def __init__(self, torch):
        self.torch = torch
        self.errors = {}
        self.generator = torch.Generator(device="cuda").manual_seed(7)

    def random(self, *shape, dtype="float32"):
        values = self.torch.randn(*shape, device="cuda", generator=self.generator)
        return values.to(getattr(self.torch, dtype))

    def compare(self, name, result, expected, bound):
        error = ((result.double() - expected).norm() / expected.norm()).item()
        self.errors[name] = {"error": error, "bound": BOUNDS[bound], "right": bool(error <= BOUNDS[bound])}

    def product(self, name, function, *operands, bound=None):
        dtype = str(operands[0].dtype).removeprefix("torch.")
        expected = function(*(operand.double() for operand in operands))
        self.compare(f"{name} {dtype}", function(*operands), expected, bound or dtype)


def check_products(checks, dtype):
    torch = checks.torch
    functional = torch.nn.functional

    def random(*shape):
        return checks.random(*shape, dtype=dtype)

    checks.product("mm 1024", torch.mm, random(1024, 1024), random(1024, 1024))
    checks.product("mm odd", torch.mm, random(513, 1031), random(1031, 257))
    checks.product("mm transposed", torch.mm, random(768, 1280).t(), random(512, 768).t())
    checks.product("linear", functional.linear, random(640, 1024), random(2048, 1024), random(2048))
    checks.product("linear without bias", functional.linear, random(640, 1024), random(2048, 1024))
    checks.product("addmm", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0), random(300, 400),
                   random(300, 500), random(500, 400))
    checks.product("bmm", torch.bmm, random(12, 384, 96), random(12, 96, 512))
    checks.product("attention scores", lambda q, k: q @ k.transpose(-1, -2), random(4, 8, 256, 64),
                   random(4, 8, 256, 64))
    bias, left, right = random(1536), random(512, 768), random(768, 1536)
    hidden = torch.addmm(bias.double(), left.double(), right.double())
    checks.compare(f"relu epilogue {dtype}", torch._addmm_activation(bias, left, right), hidden.relu(), dtype)
    checks.compare(f"gelu epilogue {dtype}", torch._addmm_activation(bias, left, right, use_gelu=True),
                   functional.gelu(hidden, approximate="tanh"), dtype)


def check_backward(checks, dtype):
    torch = checks.torch
    weight = checks.random(1024, 768, dtype=dtype).requires_grad_()
    data = checks.random(512, 768, dtype=dtype)
    gradient = checks.random(512, 1024, dtype=dtype)
    torch.nn.functional.linear(data, weight).backward(gradient)  # in a thread of autograd's
    checks.compare(f"backward {dtype}", weight.grad, gradient.double().t() @ data.double(), dtype)


def check_graph(checks, dtype):
    """A product captured before any other on its stream, replayed beside eager ones."""
    torch = checks.torch
    left, right = checks.random(512, 2048, dtype=dtype), checks.random(2048, 640, dtype=dtype)
    expected = left.double() @ right.double()
    result = torch.empty(512, 640, device="cuda", dtype=left.dtype)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            torch.mm(left, right, out=result)
    except RuntimeError as failure:
        checks.errors[f"graph {dtype}: {failure}"] = {"error": float("inf"), "bound": 0.0, "right": False}
        return
    other = torch.cuda.Stream()
    for _ in range(20):
        result.zero_()
        torch.cuda.synchronize()
        graph.replay()
        with torch.cuda.stream(other):
            torch.mm(left, right)
    torch.cuda.synchronize()
    checks.compare(f"graph {dtype}", result, expected, dtype)


def check_tf32(checks):
    """TF32 that the program allows stays cuBLAS's; the result must not be FP32's either way wrong."""
    torch = checks.torch
    torch.backends.cuda.matmul.allow_tf32 = True
    checks.product("mm with TF32 allowed", torch.mm, checks.random(1024, 1024), checks.random(1024, 1024), bound="tf32")
    torch.backends.cuda.matmul.allow_tf32 = False


def check_cupy(checks, cupy):
    for dtype in ("float32", "float16"):
        left, right = checks.random(700, 900, dtype=dtype), checks.random(900, 500, dtype=dtype)
        checks.torch.cuda.synchronize()
        result = cupy.asnumpy(cupy.from_dlpack(left) @ cupy.from_dlpack(right))
        checks.compare(f"cupy {dtype}", checks.torch.from_numpy(result).cuda(), left.double() @ right.double(), dtype)


# ---- in the child: times -----------------------------------------------------------------------------------------
def median_ms(torch, function, repeats):
    for _ in range(3):
        function()
    pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(repeats)]
    for start, end in pairs:
        start.record()
        function()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in pairs)


def mlp(torch, checks, tokens, dtype):
    """The feed-forward block of a transformer, width 4096."""
    data = checks.random(tokens, 4096, dtype=dtype)
    up, down = checks.random(16384, 4096, dtype=dtype), checks.random(4096, 16384, dtype=dtype)
    bias_up, bias_down = checks.random(16384, dtype=dtype), checks.random(4096, dtype=dtype)
    functional = torch.nn.functional
    return lambda: functional.linear(functional.gelu(functional.linear(data, up, bias_up), approximate="tanh"), down,
                                     bias_down)


def im2col_convolution(torch, checks, dtype):
    """A 3 x 3 convolution, 128 to 128 channels of 56 x 56, 32 images, as the product that im2col makes of it."""
    images = checks.random(32, 128, 56, 56, dtype=dtype)
    weights = checks.random(128, 128 * 9, dtype=dtype)
    return lambda: weights @ torch.nn.functional.unfold(images, 3, padding=1)


def host_us(torch, function):
    """Time of a call on the host, of products so small that the GPU keeps up."""
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            function()
        best = min(best, (time.perf_counter() - start) / 200 * 1e6)
    return best


class Turns:
    """Two processes that measure by turns, each of them first in every other round: what one leaves behind, such as a
    hot card, is the other's as well. Alone: nobody is waited for."""

    def __init__(self, file=None, position=0, longest=120.0):
        self.file = file  # holds the number of the turn
        self.position = position  # 0 or 1
        self.longest = longest  # seconds for the other's turn
        self.round = 0

    def take(self, measure):
        if self.file is None:
            return measure()
        turn = 2 * self.round + (self.round + self.position) % 2
        self.round += 1
        deadline = time.monotonic() + self.longest
        while self.current() != turn:
            if time.monotonic() > deadline:
                sys.exit("the other process has not taken its turn")
            time.sleep(0.0005)
        try:
            return measure()
        finally:
            written = self.file.with_suffix(f".{self.position}")
            written.write_text(str(turn + 1))
            written.rename(self.file)

    def current(self):
        return int(self.file.read_text()) if self.file.exists() else 0


ROUNDS = 4


def cases(torch, checks, dtype):
    """Name, unit, and what makes the function to be timed."""
    def product(function, *shapes):
        operands = [checks.random(*shape, dtype=dtype) for shape in shapes]
        return lambda: function(*operands)

    linear = torch.nn.functional.linear
    for tokens in (4096, 512, 16):
        yield f"MLP block, {tokens} tokens", "ms", lambda tokens=tokens: mlp(torch, checks, tokens, dtype)
    yield "im2col convolution", "ms", lambda: im2col_convolution(torch, checks, dtype)
    yield "mm 4096", "ms", lambda: product(torch.mm, (4096, 4096), (4096, 4096))
    yield "bmm 64 x 512 x 512 x 128", "ms", lambda: product(torch.bmm, (64, 512, 128), (64, 128, 512))
    yield "host time of mm 32", "us", lambda: product(torch.mm, (32, 32), (32, 32))
    yield "host time of linear 32", "us", lambda: product(linear, (32, 32), (32, 32), (32,))


def times(torch, checks, turns):
    measured = {}
    for dtype, repeats in (("float32", 3), ("float16", 9)):
        for name, unit, make in cases(torch, checks, dtype):
            function = make()

            def measure(function=function, unit=unit, repeats=repeats):
                return median_ms(torch, function, repeats) if unit == "ms" else host_us(torch, function)

            measured[f"{name} {dtype} ({unit})"] = statistics.median(turns.take(measure) for _ in range(ROUNDS))
            del function, make, measure
    return measured


def child(report, after, turns):
    import torch
    try:
        import cupy
    except ImportError:
        cupy = None
    while after is not None and not after.exists():
        time.sleep(0.02)
    if not torch.cuda.is_available():
        sys.exit(77)
    checks = Checks(torch)
    for dtype in ("float32", "float16"):
        check_graph(checks, dtype)
        check_products(checks, dtype)
        check_backward(checks, dtype)
    check_tf32(checks)
    if cupy is not None:
        check_cupy(checks, cupy)
    measured = times(torch, checks, turns) if turns is not None else {}
    maps = pathlib.Path("/proc/self/maps").read_text()
    libraries = sorted(set(re.findall(r"/\S*/libcublas\.so\S*", maps)))
    finished = report.with_suffix(".part")
    finished.write_text(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__,
                                    "cupy": cupy and cupy.__version__, "libcublas": libraries, "errors": checks.errors,
                                    "times": measured}))
    finished.rename(report)  # the other one waits for it


# ---- in the parent -----------------------------------------------------------------------------------------------
def start_child(report, after, environment, *options):
    """Loads PyTorch at once, since that takes longest, and begins once the file `after` is there."""
    command = [sys.executable, __file__, "--child", str(report), *options] + (["--after", str(after)] if after else [])
    return subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def report_of(process, report):
    output, _ = process.communicate(timeout=400)
    if process.returncode == 77 or "No module named 'torch'" in output:
        sys.exit(77)
    if process.returncode != 0:
        sys.exit(f"{report.stem}: exit code {process.returncode}\n{output}")
    return json.loads(report.read_text())


def run_all(library, folder):
    """What the children report without and with the library, what the latter logs, and what a third one traces."""
    log, trace = folder / "log", folder / "trace"
    plain, hooked, traced = (folder / f"{name}.json" for name in ("plain", "hooked", "traced"))
    preloaded = {"LD_PRELOAD": str(library.resolve()), "FASTGEMM_STATS": "1", "FASTGEMM_LOG_FILE": str(log)}
    traces = {**preloaded, "FASTGEMM_LOG_FILE": str(trace), "FASTGEMM_LOG": "trace"}
    turn = str(folder / "turn")
    children = [start_child(plain, None, {}, "--turns", turn, "--position", "0"),
                start_child(hooked, None, preloaded, "--turns", turn, "--position", "1"),
                start_child(traced, hooked, traces)]
    try:
        reports = [report_of(child, report) for child, report in zip(children, (plain, hooked, traced))]
        texts = [file.read_text() if file.exists() else "" for file in (log, trace)]  # none where no call came
        return reports[0], reports[1], *texts
    finally:
        for process in children:
            process.kill()


def calls_of(trace):
    """How often each call was made: name, what became of it, and where one of our kernels took it the product."""
    calls = collections.Counter()
    product = ""
    for line in trace.splitlines():
        line = line.removeprefix("fastgemm: ")
        if line.startswith("gemm "):
            product = " ".join(token for token in line.split()[1:] if not token.startswith("us="))
        elif match := re.match(r"cublas: (\w+) (served|passed on)", line):
            calls[f"{match[1]} {match[2]} {product}".strip()] += 1
            product = ""
    return calls


def served(stats):
    return {match[1]: (int(match[2]), int(match[3]))
            for match in re.finditer(r"stats entry=(\w+) served=(\d+) passed=(\d+)", stats)}


def complaints(plain, hooked, counts):
    found = [f"{name}: error {case['error']:.3g} > {case['bound']:.3g}" for name, case in hooked["errors"].items()
             if not case["right"]]
    if sum(count for count, _ in counts.values()) == 0:
        found.append("no call was served")
    if len(hooked["libcublas"]) > len(plain["libcublas"]):
        found.append(f"a second libcublas is loaded: {hooked['libcublas']}")
    return found


def write_csv(path, plain, hooked, counts, calls):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "name", "cublas", "fastgemm"])
        for name, value in plain["times"].items():
            writer.writerow(["time", name, f"{value:.5g}", f"{hooked['times'][name]:.5g}"])
        for name, case in plain["errors"].items():
            writer.writerow(["error", name, f"{case['error']:.3g}", f"{hooked['errors'][name]['error']:.3g}"])
        for entry, (here, passed) in counts.items():
            writer.writerow(["calls passed on and served", entry, passed, here])
        for call, count in sorted(calls.items()):
            own = " served" in call
            writer.writerow(["call of the checks", call, 0 if own else count, count if own else 0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, default=pathlib.Path("build/src/libfastgemm_cublas.so"))
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--child", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--position", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--after", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        turns = Turns(arguments.turns, arguments.position) if arguments.turns is not None else None
        return child(arguments.child, arguments.after, turns)
    with tempfile.TemporaryDirectory() as temporary:
        plain, hooked, log, trace = run_all(arguments.library, pathlib.Path(temporary))
    counts = served(log)
    found = complaints(plain, hooked, counts)
    if arguments.report is not None:
        everything = {"plain": plain, "hooked": hooked, "calls": counts, "complaints": found, "log": log}
        arguments.report.write_text(json.dumps(everything, indent=1))
    if arguments.csv is not None:
        write_csv(arguments.csv, plain, hooked, counts, calls_of(trace))
    print(f"{hooked['device']}, PyTorch {hooked['torch']}, CuPy {hooked['cupy']}; {len(hooked['errors'])} results")
    for entry, (here, passed) in counts.items():
        print(f"{entry:32} served {here:6} passed on {passed:6}")
    for name, without in plain["times"].items():
        print(f"{name:44} {without:9.3f} {hooked['times'][name]:9.3f} {without / hooked['times'][name]:6.2f}x")
    for complaint in found:
        print("WRONG", complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
