#!/usr/bin/env python3
"""Runs a benchmark of two builds in turn, and prints the rates of both side by side.

    benchmarks/compare.py NEW OLD [--rounds 5] [--benchmark bench_predict]

NEW and OLD are build folders (configured with -DPM_BENCHMARKS=ON) or benchmark programs; OLD may also be a git revision,
which is then built in a temporary folder, as release. Every round runs both, so that whatever else the machine does
meets both; the best of each row counts. Rates differ by a tenth and more from run to run, ratios by less.

Rows have the same names in both; the benchmark of 0.1.0 knows no memory, and works out strong scaling in every row,
today's ignores memory, whose verdict it prices all the same, and leaves strong scaling out, as every program does that
does not ask for it.

0.1.0 is revision dfafca6. November 2026 beside it, processor time on a shared two-core Intel Xeon, GCC 12:

    evaluations/s          old         new  new/old
    scalar              144513      274109     1.90
    batch               142356      294834     2.07
    one GPU             301756      296919     0.98
    batch grid         1931990     7238618     3.75
    ideal grid         3140225    12523782     3.99
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build(revision: str, folder: Path, options: list[str]) -> Path:
    """The build folder of a git revision, made inside `folder`."""
    source, binary = folder / "source", folder / "build"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", revision], check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", source], input=archive.stdout, check=True)
    options = ["-DCMAKE_BUILD_TYPE=Release", *options]
    for command in (["cmake", "-S", source, "-B", binary, *options], ["cmake", "--build", binary, "-j2"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return binary


def is_revision(text: str) -> bool:
    command = ["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", text + "^{commit}"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def program(text: str, benchmark: str, folder: Path) -> Path:
    """The program that a path or a revision stands for."""
    path = Path(text)
    if path.is_file():
        return path.resolve()
    if (path / "benchmarks" / benchmark).is_file():
        return (path / "benchmarks" / benchmark).resolve()
    if is_revision(text):
        return build(text, folder, ["-DPM_BENCHMARKS=ON", "-DPM_TOOL=OFF"]) / "benchmarks" / benchmark
    sys.exit(f"compare.py: {text} is neither a build with benchmarks, nor a program, nor a revision")


def rates(path: Path) -> dict[str, float]:
    """Evaluations per second by row: the number behind a name of one or two words. The first line is the heading."""
    printed = subprocess.run([path], check=True, capture_output=True, text=True).stdout
    rows = [line.rsplit(None, 2) for line in printed.splitlines()[1:]]
    return {row[0].strip(): float(row[1]) for row in rows if len(row) == 3}


def best_of(programs: list[Path], rounds: int) -> list[dict[str, float]]:
    """The highest rate of each row of each program; they take turns."""
    best: list[dict[str, float]] = [{} for _ in programs]
    for _ in range(rounds):
        for known, path in zip(best, programs):
            for name, rate in rates(path).items():
                known[name] = max(rate, known.get(name, 0))
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("new", help="a build folder or a benchmark")
    parser.add_argument("old", help="likewise, or a git revision")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--benchmark", default="bench_predict", choices=["bench_predict"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [program(text, given.benchmark, Path(folder)) for text in (given.new, given.old)]
        new, old = best_of(paths, given.rounds)
    print(f"{'evaluations/s':<14}{'old':>12}{'new':>12}{'new/old':>9}")
    for name in new:
        if name in old:
            print(f"{name:<14}{old[name]:>12.0f}{new[name]:>12.0f}{new[name] / old[name]:>9.2f}")
    only = [name for name in {**new, **old} if (name in new) != (name in old)]
    if only:
        print("in one of them alone:", ", ".join(only))
    return 0 if any(name in old for name in new) else 1


if __name__ == "__main__":
    sys.exit(main())
