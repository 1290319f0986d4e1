"""The parts of docs/accuracy.md on kernels: the gates, and each fitted architecture left out in turn.

An architecture is left out by giving its GPUs the constants of the one named beside it, as an entry of a user's own.
"""
import csv
import re
import statistics
import subprocess
import sys
import tempfile

import page_parts
from page_parts import ROOT

sys.path.insert(0, str(ROOT / "tests" / "kernels"))
import gates  # noqa: E402

# Architecture: the one whose constants stand in for its own, and its GPUs among the rows.
STAND_INS = {
    "maxwell": ("pascal", ("m40", "titan-x-maxwell")),
    "pascal": ("gp100", ("p4",)),
    "gp100": ("pascal", ("p100-pcie", "p100-sxm2")),
    "volta": ("ampere", ("v100-pcie-32gb", "v100-sxm2-16gb")),
    "turing": ("volta", ("t4",)),
    "ampere": ("volta", ("a100-pcie-40gb",)),
}
CLASSES = {
    "FP32 GEMM": r"gemm(-batched|-linear)? fp32 (neusight|{library})",
    "tensor-core GEMM": r"gemm fp16 {library}",
    "FP32 convolution forward": r"conv-forward fp32 (neusight|{library})",
    "FP32 convolution wgrad": r"conv-wgrad fp32 {library}",
    "tensor-core convolution forward": r"conv-forward fp16 {library}",
    "element-wise, large": r"elementwise-large .*",
    "softmax, large": r"softmax-large .*",
}


def measure(command, *options):
    done = subprocess.run([command, "validate", "--set", "kernels", "--rows", "--format", "csv", "-q", *options],
                          check=True, capture_output=True, text=True)
    return [(row["group"], abs(float(row["error [%]"]))) for row in csv.DictReader(done.stdout.splitlines())
            if row["error [%]"]]


def stand_in(architecture, other):
    """A catalogue in which `architecture` has the constants of `other`."""
    text = (ROOT / "data" / "calibration" / "kernels.xml").read_text(encoding="utf-8")
    entries = {m[1]: m for m in re.finditer(r'<kernel_calibration id="([^"]+)"([^>]*)>(.*?)</kernel_calibration>', text,
                                            re.S)}
    own, donor = entries[architecture], entries[other]
    return (f'<perfmodel version="1">\n<kernel_calibration id="{architecture}"{own[2]}>{donor[3]}'
            "</kernel_calibration>\n</perfmodel>\n")


def mean(rows, pattern):
    found = [error for group, error in rows if re.fullmatch(pattern, group)]
    return len(found), statistics.fmean(found) if found else 0


def gate_lines(rows):
    yield "| class | rows | mape | gate | median | gate | holds |\n|---|---|---|---|---|---|---|"
    for name, (pattern, gate, middle) in gates.GATES.items():
        found = [error for group, error in rows if re.fullmatch(pattern, group)]
        average, median = statistics.fmean(found), statistics.median(found)
        holds = "yes" if average <= gate and (middle is None or median <= middle) else "no"
        yield f"| {name} | {len(found)} | {average:.1f} | {gate} | {median:.1f} | {middle or ''} | {holds} |"


def left_out_lines(command, rows):
    yield "| GPU | constants of | class | rows | own, mape | others', mape |\n|---|---|---|---|---|---|"
    for architecture, (other, gpus) in STAND_INS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(stand_in(architecture, other))
            file.flush()
            without = measure(command, "--catalog", file.name)
        for gpu in gpus:
            for name, pattern in CLASSES.items():
                whole = re.escape(gpu) + " " + pattern.replace("{library}", gates.LIBRARY)
                count, own = mean(rows, whole)
                if count > 0:
                    yield f"| {gpu} | {other} | {name} | {count} | {own:.1f} | {mean(without, whole)[1]:.1f} |"


def write(command, check):
    rows = measure(command)
    parts = {"kernels": gate_lines(rows), "left-out": left_out_lines(command, rows)}
    page_parts.update(ROOT / "docs" / "accuracy.md", {name: "\n".join(lines) for name, lines in parts.items()}, check)
