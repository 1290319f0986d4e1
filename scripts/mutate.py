"""Do the tests notice? Changes one operator or constant of a critical file at a time, and runs the tests that are to
fail.

    scripts/mutate.py BUILD [FILE...]    BUILD: a folder of CMake with tests, made by Ninja; FILE: of those below

Each change is compiled into the test programs before the library's own object, which the linker then leaves out. Prints
those that no test noticed, and the share that one did.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "libperfmodel" / "src"
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
LONGER = 3  # a change may make a loop without end: so many times what compiling, linking and running take without it
# which ends with the program; tests in processes of their own would go on
ONE_PROCESS = {**os.environ, "CK_FORK": "no"}

# Critical files, and the programs whose tests must notice: suites of unit_tests, or a fuzzer with its corpus.
FILES = {
    "base/csv.c": ("unit_tests csv", "fuzz/fuzz_csv"),
    "base/number.c": ("unit_tests quantities table", "fuzz/fuzz_words"),
    "base/json.c": ("unit_tests json", "fuzz/fuzz_json"),
    "catalog/xml_bytes.c": ("unit_tests document hostile", "worst/test_worst"),
}
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|->|\+\+|--|[<>=!]=|&&|\|\||[+*/%-]=|<<|>>|'
    r"[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\w*|.",
    re.S | re.M,
)
OPERATORS = {"<": ["<=", ">"], "<=": ["<"], ">": [">=", "<"], ">=": [">"], "==": ["!="], "!=": ["=="], "&&": ["||"],
             "||": ["&&"], "+": ["-"],
             "-": ["+"], "++": ["--"], "--": ["++"], "+=": ["-="], "-=": ["+="], "true": ["false"], "false": ["true"],
             "!": [""]}  # fmt: skip


def changes(text: str) -> Iterator[tuple[int, str, str]]:
    """Place, what is there, and what is put there."""
    before = ""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.isspace() or token.startswith(("/*", "//")):
            continue
        if re.fullmatch(r"\d+", token) and not before.endswith("."):
            yield match.start(), token, str(int(token) + 1)
        elif re.fullmatch(r"'[^\\]'", token):
            yield match.start(), token, f"'{chr(ord(token[1]) + 1)}'"
        elif not (token == "-" and before in ("(", ",", "=", "return")) or token == "-":
            for other in OPERATORS.get(token, []):
                yield match.start(), token, other
        before = token


def commands(build: str, target: str) -> list[str]:
    return subprocess.run(["ninja", "-C", build, "-t", "commands", target], capture_output=True, text=True,
                          check=True).stdout.splitlines()[:]


def compiling(build: str, name: str) -> list[str]:
    """The command that compiles the file, without its outputs."""
    line = next(c for c in commands(build, "libperfmodel/all") if c.endswith(f"/src/{name}"))
    words = shlex.split(line)
    words = words[next(i for i, word in enumerate(words) if word.endswith(("cc", "gcc", "clang"))) :]
    for flag in ("-MT", "-MF", "-o"):
        at = words.index(flag)
        del words[at : at + 2]
    return [word for word in words if word not in ("-MD", "-c", "-Werror") and not word.endswith(f"/src/{name}")]


def linking(build: str, program: str) -> str:
    return next(c for c in reversed(commands(build, f"tests/{program}")) if f"-o tests/{program} " in c)


class Tests:
    """The programs of a file, linked with a change."""

    def __init__(self, build: str, name: str, folder: Path):
        self.build, self.folder, self.compile, self.seconds = build, folder, compiling(build, name), 60.0
        self.runs = []
        for number, words in enumerate(run.split() for run in FILES[name]):
            program, made = words[0], folder / f"program{number}"
            corpus = (
                [str(path) for path in sorted((CORPUS / program.removeprefix("fuzz/fuzz_")).glob("*"))]
                if "fuzz" in program
                else []
            )
            link = linking(build, program).replace(f"-o tests/{program} ", f"{folder / 'changed.o'} -o {made} ")
            self.runs.append((link, [str(made), *words[1:], *corpus]))

    def notice(self, text: str, at_name: Path) -> bool | None:
        """Whether a test fails; None if it does not compile."""
        source = self.folder / at_name.name
        source.write_text(text)
        done = subprocess.run([*self.compile, f"-I{at_name.parent}", "-w", "-O0", "-c", str(source), "-o",
                               str(self.folder / "changed.o")],
                              cwd=self.build, capture_output=True)  # fmt: skip
        if done.returncode != 0:
            return None
        return any(self.fails(link, run) for link, run in self.runs)

    def fails(self, link: str, run: list[str]) -> bool:
        subprocess.run(link, shell=True, cwd=self.build, check=True, capture_output=True)
        try:
            return subprocess.run(run, cwd=self.folder, env=ONE_PROCESS, capture_output=True,
                                  timeout=self.seconds).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def mutate(build: str, name: str) -> tuple[int, int]:
    """Changes that were noticed, and all that compile."""
    path, noticed, tried = SOURCES / name, 0, 0
    text = path.read_text()
    with tempfile.TemporaryDirectory() as place:
        tests = Tests(build, name, Path(place))
        start = time.monotonic()
        if tests.notice(text, path):
            raise SystemExit(f"{name}: the tests fail without a change")
        tests.seconds = LONGER * (time.monotonic() - start)
        for at, old, new in changes(text):
            verdict = tests.notice(text[:at] + new + text[at + len(old) :], path)
            if verdict is None:
                continue
            noticed, tried = noticed + verdict, tried + 1
            if not verdict:
                line = text.count("\n", 0, at) + 1
                print(f"{name}:{line}: {old} -> {new or 'nothing'}: {text.splitlines()[line - 1].strip()}", flush=True)
    print(f"{name}: {noticed} of {tried} noticed", flush=True)
    return noticed, tried


def main() -> int:
    build, names = str(Path(sys.argv[1]).resolve()), sys.argv[2:] or list(FILES)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda name: mutate(build, name), names))
    noticed, tried = (sum(column) for column in zip(*found, strict=True))
    share = 100 * noticed // tried
    print(f"{share} per cent of {tried} changes are noticed")
    return int(share < 85)


if __name__ == "__main__":
    sys.exit(main())
