"""Reads what cuobjdump says of the kernels in object files."""
import re
import shutil
import subprocess


class CuobjdumpError(Exception):
    """cuobjdump could not be run, or said something unexpected."""


def run_cuobjdump(cuobjdump, flag, path):
    done = subprocess.run([cuobjdump, flag, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", check=False)
    if done.returncode != 0:
        raise CuobjdumpError(f"cuobjdump {flag} {path}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def demangle(names):
    """Readable kernel names, without return type, parameters, and the hash nvcc gives anonymous namespaces."""
    names = list(names)
    if not names or not shutil.which("c++filt"):
        return {name: name for name in names}
    done = subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True, check=True)
    return {name: shorten(readable) for name, readable in zip(names, done.stdout.splitlines())}


def shorten(name):
    name = name.removeprefix("void ").replace("(anonymous namespace)::", "").replace("fastgemm::", "")
    depth = 0
    for at, character in enumerate(name):
        if character == "<":
            depth += 1
        elif character == ">":
            depth -= 1
        elif character == "(" and depth == 0:
            return name[:at]
    return name


def parse_resources(text):
    """[(architecture, mangled name, {"REG": .., "STACK": .., ...})] of `cuobjdump -res-usage`."""
    kernels = []
    architecture = function = None
    for line in text.splitlines():
        if match := re.match(r"\s*arch = (\S+)", line):
            architecture = match.group(1)
        elif match := re.match(r"\s*Function (\S+?):?$", line):
            function = match.group(1)
        elif function and "REG:" in line:
            usage = {key: int(value) for key, value in re.findall(r"([A-Z]+)(?:\[\d+\])?:(\d+)", line)}
            kernels.append((architecture, function, usage))
            function = None
    return kernels


def parse_sass(text):
    """[(architecture, mangled name, set of opcodes with their suffixes)] of `cuobjdump -sass`."""
    kernels = []
    architecture = opcodes = None
    for line in text.splitlines():
        if match := re.match(r"\s*arch = (\S+)", line):
            architecture = match.group(1)
        elif match := re.match(r"\s*Function : (\S+)", line):
            opcodes = set()
            kernels.append((architecture, match.group(1), opcodes))
        elif opcodes is not None:
            if match := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:\{ *)?(?:@!?U?P[0-9T]+ )?([A-Z][A-Z0-9_.]*)", line):
                opcodes.add(match.group(1))
    return kernels
