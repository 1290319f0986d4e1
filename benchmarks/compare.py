#!/usr/bin/env python3
"""Compares the speed of two builds: runs the same benchmarks with both in turn, prints medians and their ratio.

    benchmarks/compare.py A B [--rounds 5]

A and B are each a git revision, "." (the working tree) or a build folder that has the command and the Python package.
Revisions and the working tree are built under build/compare/, for the Python that runs this script, which needs NumPy.

The benchmarks are those of the working tree. A program that an older build cannot compile or run is replaced by the
newest version of it in the history that the build can; the last lines say which. A measurement that only one build has
is "-". Times are of the processor, not of the clock, and both builds run in every round, so other load affects both.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "compare"
PROGRAMS = ["bench_predict.c", "bench_search.c", "bench_predict.py"]
STARTS = 20
PREDICT = ["predict", "resnet50", "dgx1-v100"]
ROW = re.compile(r"(\S.*?) {2,}(\d+)")
Rates = dict[str, float]


def output(*command: object, **options) -> str:
    """What a command prints; CalledProcessError if it fails."""
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


@dataclass
class Build:
    """A build of the library with its command and Python package, installed in a folder of its own."""

    name: str
    folder: Path
    programs: list[list[Path]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def prefix(self) -> Path:
        return FOLDER / (self.name.replace("/", "_") + "-installed")

    @property
    def environment(self) -> dict[str, str]:
        library = self.prefix / "lib"
        return {
            **os.environ,
            "PYTHONPATH": str(self.folder / "python"),
            "PKG_CONFIG_PATH": str(library / "pkgconfig"),
            "LD_LIBRARY_PATH": str(library),
        }

    def add(self, program: str) -> None:
        """Adds the newest version of a benchmark that this build compiles and runs."""
        log = output("git", "-C", ROOT, "log", "--format=%h", "--", f"benchmarks/{program}").split()
        for version in ["", *log]:
            path = f"{version}:benchmarks/{program}" if version else ""
            text = output("git", "-C", ROOT, "show", path) if version else (ROOT / "benchmarks" / program).read_text()
            try:
                command = self.make(program, text)
                self.run(command)
            except subprocess.CalledProcessError:
                continue
            self.programs.append(command)
            if version:
                self.notes.append(f"{self.name}: {program} is that of {version}")
            return
        self.notes.append(f"{self.name}: no version of {program} works")

    def make(self, program: str, text: str) -> list[Path]:
        """The command that runs this text of a benchmark."""
        source = self.prefix / program
        source.write_text(text)
        if source.suffix == ".py":
            return [Path(sys.executable), source]
        flags = output("pkg-config", "--define-prefix", "--cflags", "--libs", "perfmodel", env=self.environment).split()
        compiler = ["cc", "-std=c11", "-O2", "-Werror=implicit-function-declaration"]
        output(*compiler, source, *flags, "-lm", "-o", source.with_suffix(""))
        return [source.with_suffix("")]

    def run(self, command: list[Path]) -> Rates:
        """Rates by name. A program that prints none is of an older format."""
        rows = (ROW.fullmatch(line) for line in output(*command, env=self.environment).splitlines())
        rates = {row[1]: float(row[2]) for row in rows if row}
        if not rates:
            raise subprocess.CalledProcessError(1, str(command[0]))
        return rates

    def starts(self) -> Rates:
        commands = {"perfmodel predict": [self.folder / "tools" / "perfmodel", *PREDICT],
                    "import perfmodel": [sys.executable, "-c", "import perfmodel"]}
        return {name: STARTS / self.seconds(command) for name, command in commands.items()}

    def seconds(self, command: list[object]) -> float:
        """Processor time of STARTS processes."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(STARTS):
            output(*command, env=self.environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def configured(source: Path, folder: Path) -> Path:
    """The build folder of a source tree, up to date."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DPM_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
               "-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
    output("cmake", "-S", source, "-B", folder, "-G", "Ninja", *options)
    output("cmake", "--build", folder, "-j2")
    return folder


def built(text: str) -> Build:
    """The build that an argument names."""
    if (Path(text) / "CMakeCache.txt").is_file():
        build = Build(Path(text).resolve().name, Path(text).resolve())
    elif text == ".":
        build = Build("tree", configured(ROOT, FOLDER / "tree"))
    else:
        name = output("git", "-C", ROOT, "rev-parse", "--short=8", "--verify", text + "^{commit}").strip()
        source = FOLDER / f"{name}-source"
        if not source.is_dir():
            output("git", "-C", ROOT, "worktree", "add", "--force", "--detach", source, name)
        build = Build(name, configured(source, FOLDER / name))
    output("cmake", "--install", build.folder, "--prefix", build.prefix)
    for program in PROGRAMS:
        build.add(program)
    return build


def measure(build: Build) -> Rates:
    rates = build.starts()
    for command in build.programs:
        rates.update(build.run(command))
    return rates


def shown(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:,.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("A", "B"):
        parser.add_argument(name, help="a git revision, \".\" or a build folder")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each build (default 5)")
    given = parser.parse_args()
    builds = [built(given.A), built(given.B)]
    rounds = [[measure(build) for build in builds] for _ in range(given.rounds)]
    print(f"{'median rate, 1/s':<28}{builds[0].name:>14}{builds[1].name:>14}{'B/A':>8}")
    for name in {name: None for one in rounds[0] for name in one}:
        a, b = (statistics.median([one[i][name] for one in rounds]) if name in rounds[0][i] else None for i in (0, 1))
        print(f"{name:<28}{shown(a):>14}{shown(b):>14}{'-' if a is None or b is None else f'{b / a:.2f}':>8}")
    print("\n".join(note for build in builds for note in build.notes))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{(error.stdout or '')[-2000:]}{error.stderr or ''}")
