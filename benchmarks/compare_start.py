#!/usr/bin/env python3
"""Sets two builds side by side in what a script waits for: starting, and rates from Python.

    benchmarks/compare_start.py NEW OLD [--rounds 15]

NEW and OLD are build folders (configured with -DPM_PYTHON=ON, for the Python that runs this) or git revisions, which are
then built in a temporary folder, as release. Every round asks both in turn, so that whatever else the machine does meets
both; the median of each row counts.

    command             a whole `perfmodel predict resnet50 dgx1-v100`
    import              `import perfmodel`, NumPy imported before
    first prediction    that and the first `predict`
    pm.predict          one more prediction
    sweep to pandas     a row of a grid of 16,384 runs as a DataFrame, plan and runs included

0.1.0 is revision dfafca6. November 2026 beside it, on a shared and busy two-core Intel Xeon, Python 3.11, GCC 12:

    microseconds               old         new  new/old  old/new
    command                55781.1     16203.6     0.29     3.44
    import                453753.2     25786.4     0.06    17.60
    first prediction      497146.0    197418.7     0.40     2.52
    pm.predict               350.3        76.5     0.22     4.58
    sweep to pandas           85.2        11.6     0.14     7.35
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compare import build, is_revision

# Seconds by row, as JSON: what one process can say.
PROGRAM = """
import json, time
import numpy
def timed(work, rounds, each):
    best = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best.append((time.perf_counter() - start) / each)
    return sorted(best)[len(best) // 2]
def many():
    for _ in range(200):
        pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64, precision="fp16").throughput
def grid():
    runs = {"gpus": range(1, 9), "batch": range(1, 1025), "precision": "fp16"}
    pm.sweep("resnet50", ["dgx1-p100", "dgx1-v100"], **runs).to_pandas()
start = time.perf_counter()
import perfmodel as pm
result = {"import": time.perf_counter() - start}
pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64, precision="fp16").throughput
result["first prediction"] = time.perf_counter() - start
result["pm.predict"] = timed(many, 5, 200)
try:
    import pandas
except ImportError:
    pass
else:
    result["sweep to pandas"] = timed(grid, 3, 16384)
print(json.dumps(result))
"""
OPTIONS = ["-DPM_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]


def folder_of(text: str, scratch: Path) -> Path:
    """The build folder that a path or a revision stands for."""
    if (Path(text) / "python" / "perfmodel").is_dir():
        return Path(text).resolve()
    if is_revision(text):
        return build(text, scratch / text, OPTIONS)
    sys.exit(f"compare_start.py: {text} is neither a build with the Python package nor a revision")


def measure(folder: Path) -> dict[str, float]:
    """Seconds by row, of one process each."""
    command = [folder / "tools" / "perfmodel", "predict", "resnet50", "dgx1-v100"]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = {"command": time.perf_counter() - start}
    environment = {**os.environ, "PYTHONPATH": str(folder / "python")}
    said = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=environment)
    return {**seconds, **json.loads(said.stdout)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("new", help="a build folder or a git revision")
    parser.add_argument("old", help="likewise")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        new, old = (folder_of(text, Path(scratch)) for text in (given.new, given.old))
        rounds = [(measure(new), measure(old)) for _ in range(given.rounds)]
    print(f"{'microseconds':<18}{'old':>12}{'new':>12}{'new/old':>9}{'old/new':>9}")
    for row in rounds[0][0]:
        times = [statistics.median(1e6 * one[i][row] for one in rounds) for i in (1, 0)]
        print(f"{row:<18}{times[0]:>12.1f}{times[1]:>12.1f}{times[1] / times[0]:>9.2f}{times[0] / times[1]:>9.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
