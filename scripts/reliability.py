"""The table of docs/reliability.md: what a reader may rely on, by which command it was found, with what figure, and
when.

    scripts/reliability.py run BUILD PYTHON [ROW...]   runs the commands, keeps what they gave in docs/reliability.csv
    and writes
                                                       the page; fails if one fails that did not before
    scripts/reliability.py write                       writes docs/reliability.md from it
    scripts/reliability.py check                       fails if the page is not what would be written
    scripts/reliability.py fuzzed TARGET SECONDS INPUTS EDGES FAILURES    adds a run of a fuzzer to docs/fuzzing.csv

A row is met if its command succeeds, its figure reaches what is wanted, and nothing of the goal is missing; partly, if
something is; not, if the command fails or there is none. A row that no command has been run for says so.
"""

from __future__ import annotations

import csv
import datetime
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS, PAGE = ROOT / "docs" / "reliability.csv", ROOT / "docs" / "reliability.md"
FUZZED = ROOT / "docs" / "fuzzing.csv"
SECONDS = 1800


@dataclass(frozen=True)
class Row:
    """A goal; `figure` finds numbers in what the command prints, which are added up."""

    number: int
    goal: str
    wanted: str
    command: str = ""
    figure: str = ""
    unit: str = ""
    least: float = 0
    missing: str = ""


CHECKS = r"Checks: (\d+)"
PASSED = r"(\d+) passed"
TESTS = r"out of (\d+)"
PYTEST = "{python} -m pytest -q -p no:cacheprovider bindings/python/tests/"
UNIT = "{build}/tests/unit_tests "

ROWS = (
    Row(1, "line coverage of the library and its laboratory, by tests in C and cases of the command", "98 %",
        "sh scripts/coverage.sh", r"all lines: ([\d.]+) %", "%", 98),
    Row(2, "branch coverage", "95 %, readers, numbers and allocation 100 %", "sh scripts/coverage.sh report",
        r"all branches: ([\d.]+) %", "%", 95,
        "more than a third of it checks of pointers, of memory and of a status from below, which rows 4 and 26 are "
        "about; readers, numbers and allocation are at 100 %; the lab counts since 2026-11-28"),
    Row(3, "modified condition/decision coverage", "reported", "sh scripts/coverage.sh report",
        r"all conditions: ([\d.]+) %", "%", 0.01),
    Row(4, "every allocation fails, once and for ever; of Lua see 30",
        "20,000 failures: 0 crashes, leaks, silent successes",
        "PM_MEMORY_ALL=1 {build}/tests/memory/test_memory && " + PYTEST + "test_no_memory.py",
        r"(\d+) failed allocations", "failures", 20_000),
    Row(5, "input and output fail at every call, reads and writes are short", "0 silent, no half file",
        "python3 tests/faults/faults.py --command {build}/tools/perfmodel --calls "
        "{build}/tests/faults/failing_calls.so",
        r"(\d+) failed calls", "failures", 150),
    Row(6, "fuzz targets, beside ONNX in Python's tests", "8", "ls tests/fuzz/fuzz_*.c | wc -l", r"(\d+)", "targets",
        8),
    Row(7, "corpora in every test run", "100 %",
        "ctest --test-dir {build} -L fuzz && " + PYTEST + "test_hostile_models.py", TESTS, "tests", 9),
    Row(8, "branch coverage of the reader by fuzzing", "90 %, and the reason of each other branch, in "
        "docs/fuzz_unreached.csv", "sh scripts/coverage.sh fuzz", r"loader branches: ([\d.]+) %", "%", 90),
    Row(9, "hostile files, each refused with its message", "60",
        "ls tests/hostile/*.error | wc -l && " + UNIT + "hostile", r"^(\d+)$", "files", 60),
    Row(10, "worst files of every reader take work by their size, and machines by the square of their GPUs",
        "blocks and bytes counted: twice as much in 2.2 times, 4.5 for GPUs", "{build}/tests/worst/test_worst", CHECKS,
        "kinds", 60),
    Row(11, "a parse opens no network and no other file", "0",
        "! strace -f -e trace=network,openat {build}/tools/perfmodel check tests/memory/own.xml"
        " 2>&1 >/dev/null | grep -vE 'ENOENT|O_CLOEXEC|\\+\\+\\+|own.xml|SIG' | grep -E 'socket|connect|openat'"),
    Row(12, "address and undefined-behaviour sanitizers, and clang's of integers", "0 reports",
        "ctest --test-dir build/sanitize -j 2 -LE 'install|recipes|once' && sh scripts/sanitize.sh integer", TESTS,
        "tests", 200),
    Row(13, "memory sanitizer, of libxml2 and zlib too", "0 reports", "sh scripts/sanitize.sh memory", TESTS, "tests",
        100),
    Row(14, "threads share a catalogue under the thread sanitizer", "0 races", "build/threads/tests/unit_tests threads",
        CHECKS, "tests", 1),
    Row(15, "Valgrind over the command, Lua and Python", "0 errors, 0 lost", "sh scripts/valgrind.sh {build} {python}"),
    Row(16, "functions without limits, printing, state; findings of gcc's and clang's analysers, clang's warnings and "
        "cppcheck", "0", "sh scripts/check_symbols.sh {build} && sh scripts/analyse.sh",
        r"(\d+) objects", "objects", 1,
        "clang-tidy in every run; its checks of bugs and of CERT, on 2026-11-28, named 185 places, none an error"),
    Row(17, "the same bytes for gcc at -O0, -O2, -O3 -march=native, and clang at -O1 to -O3", "equal",
        "sh scripts/same_bytes.sh gcc-O0 gcc-O3-native clang-O1 clang-O2 clang-O3", r"equal, (\d+) bytes",
        "bytes compared", 1_000_000),
    Row(18, "32-bit (with SSE2; the x87 rounds otherwise)", "equal; to 1e-12 where the C library rounds exp, log, pow "
        "otherwise", "sh scripts/same_bytes.sh i386",
        r"equal(?: to 1e-12)?, (\d+) bytes", "bytes compared", 200_000),
    Row(19, "big-endian (s390x)", "equal; to 1e-12 where the C library rounds exp, log, pow otherwise",
        "sh scripts/same_bytes.sh s390x",
        r"equal(?: to 1e-12)?, (\d+) bytes", "bytes compared", 200_000),
    Row(20, "aarch64", "equal; to 1e-12 where the C library rounds exp, log, pow otherwise",
        "sh scripts/same_bytes.sh arm64",
        r"equal(?: to 1e-12)?, (\d+) bytes", "bytes compared", 200_000),
    Row(21, "five locales in C, the command, Python and Lua", "equal",
        UNIT + "quantities table && " + PYTEST + "test_locales.py", PASSED, "tests", 15),
    Row(22, "extreme numbers in generated calls: finite, or an error", "10,000",
        "{build}/tests/fuzz/fuzz_calls --random 10000", r"(\d+) inputs",
        "sequences of calls", 10_000),
    Row(23, "laws of the model", "40", PYTEST + "test_laws.py", PASSED, "cases of laws", 40),
    Row(24, "other people's counts: formulas, and what Transformers and timm count as they are today",
        "6 formulas, 350 models",
        PYTEST + "test_import_docs.py && {python} bindings/python/tests/hf_parameters.py --check && {python} "
                 "bindings/python/tests/timm_counts.py --check tests/unit/timm.csv",
        r"^(\d+) (?:models|networks) as", "models", 350),
    Row(25, "C, command, Python and Lua give the same numbers", "200", PYTEST + "test_same_numbers.py", PASSED, "tests",
        1),
    Row(26, "every callable of Python with arguments of every kind", "0 signals, 0 SystemError",
        PYTEST + "test_abuse.py -k harm", PASSED, "test of 19,000 calls", 1),
    Row(27, "ten thousand error paths without growth", "2 MiB", PYTEST + "test_abuse.py -k leave", PASSED, "paths", 3),
    Row(28, "pickle, copy, fork, spawn, executors", "all", PYTEST + "test_pickle.py", PASSED, "tests", 36),
    Row(29, "Ctrl-C", "before the call is done", PYTEST + "test_interrupt.py", PASSED, "calls", 8),
    Row(30, "Lua with wrong arguments, and without memory", "0 crashes, 0 leaks",
        "ctest --test-dir {build} -V -R 'lua_test_errors|lua_memory'",
        r"(\d+) failed allocations", "failures", 1000),
    Row(31, "Python's lock is released: evaluation and planning, on two cores", "1.7 times with 4 threads",
        "{python} benchmarks/bench_threads.py",
        r"^([\d.]+) times", "times", 1.7),
    Row(32, "names, records and file formats", "as listed", "ctest --test-dir {build} -R baseline_", TESTS, "tests", 1),
    Row(33, "an earlier release's catalogue files", "read, equal", "ctest --test-dir {build} -R compat_catalog", TESTS,
        "tests", 1),
    Row(34, "mutation score of four critical files", "85 %", "python3 scripts/mutate.py {build}", r"^(\d+) per cent",
        "%", 85),
    Row(35, "lines of tests for each line of code: what they find is in rows 1 to 3 and 34", "3",
        r"""lines() {{ git ls-files libperfmodel tools bindings tests | grep -E '\.(c|h|i|lua|py)$' | grep -E $1"""
        r""" '(^|/)tests/' | xargs cat | grep -c .; }};"""
        r""" echo "$(lines) $(lines -v)" | awk '{{ printf "%.2f lines\n", $1 / $2; exit $1 < 3 * $2 }}'""",
        r"^([\d.]+) lines", "lines", 3),
    Row(36, "CSV: formulas are guarded, values come back", "1,000 strings",
        PYTEST + "test_hostile_text.py -k 'csv or pandas or json'", PASSED,
        "tests of 1,000 strings", 3),
    Row(37, "names are escaped in HTML, text, SVG, DOT, traces", "all",
        UNIT + "import table && " + PYTEST + "test_hostile_text.py -k 'html or trace'",
        PASSED, "tests of 1,000 names", 2),
    Row(38, "libxml2 2.9 and the one of Debian's development", "equal; hostile files but for libxml2's own words",
        "sh scripts/same_bytes.sh libxml2",
        r"equal, (\d+) bytes", "bytes compared", 200_000),
    Row(39, "guards of compiler and linker", "all", "grep -q FORTIFY_SOURCE=3 {build}/build.ninja && PM_BUILD_TREE=1 "
        "sh scripts/check_hardening.sh "
        "{build}/tools/perfmodel {build}/libperfmodel/libperfmodel.so", r"(\d+) files", "files", 2),
    Row(40, "errors against measurements stay below their gates", "all", "ctest --test-dir {build} -L measured", TESTS,
        "sets", 1),
    Row(41, "notebooks", "all run", PYTEST + "test_notebooks.py", PASSED, "notebooks", 2),
    Row(42, "two builds are equal; tests need no network", "equal", "sh scripts/same_build.sh",
        r"(\d+) installed files, 0 differ", "files", 10),
    Row(43, "extreme values of every field of a run, and pairs of its counts, are predicted or refused", "all tasks",
        "{build}/tests/unit_tests extremes", r"Checks: (\d+), Failures: 0, Errors: 0", "tests", 2),
    Row(44, "control and direction characters of names in messages, notes and rows", "none",
        "{build}/tests/unit_tests shown", r"Checks: (\d+), Failures: 0, Errors: 0", "tests", 6),
    Row(45, "files that are written: owner, rights, hard links, links, limits", "the rule of tools/file_rule.c",
        "PERFMODEL_COMMAND={build}/tools/perfmodel " + PYTEST + "test_output_files.py", PASSED, "tests", 34),
    Row(46, "threads of Python build, predict, print, pickle and free in 100 mixes", "0 signals",
        PYTEST + "test_threads.py", PASSED, "tests", 9),
    Row(47, "entries that are like each other in a circle, of every kind", "refused, with the user's file and line",
        "{build}/tests/unit_tests fallback", r"Checks: (\d+), Failures: 0, Errors: 0", "tests", 6),
    Row(48, "options of every command with extreme values: an answer, or one error that says why", "all commands",
        "PERFMODEL_COMMAND={build}/tools/perfmodel " + PYTEST + "test_hostile_command.py", PASSED, "tests", 37),
    Row(49, "settings of other programs: what is not read is listed, what cannot be is refused", "every syntax",
        "{build}/tests/unit_tests settings", r"Checks: (\d+), Failures: 0, Errors: 0", "tests", 20),
    Row(50, "numbers that no program measures, and names of files that break tables, in every trace and log",
        "refused, or rows of as many cells as titles", "{build}/tests/unit_tests hostile_numbers",
        r"Checks: (\d+), Failures: 0, Errors: 0", "tests", 2),
    Row(51, "growth of every reader, each piece of each of its samples repeated; samples follow the tables of readers",
        "blocks and bytes counted: twice as much in 2.5 times, 4.5 for machines; 1,000 for a byte",
        "{build}/tests/worst/test_growth",
        r"Checks: (\d+), Failures: 0, Errors: 0", "samples", 200),
    Row(52, "extreme values of every field in Lua: an answer, or one line at the script's place", "every task",
        "ctest --test-dir {build} -R lua_test_extremes", TESTS, "tests", 1),
    Row(53, "states of Lua in threads of one process, and mixes of its objects", "0 signals, equal answers",
        "ctest --test-dir {build} -R 'lua_states|lua_test_mixes'", TESTS, "tests", 2),
)  # fmt: skip


def run(row: Row, build: str, python: str) -> dict[str, str]:
    """What the row's command gave."""
    command = row.command.format(build=build, python=python)
    start = time.monotonic()
    environment = {**os.environ, "CK_TIMEOUT_MULTIPLIER": "5", "CK_VERBOSITY": "normal"}
    try:
        done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True,
                              timeout=SECONDS)
        code, output = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        code, output = 124, ""
    figure = sum(float(found) for found in re.findall(row.figure, output, re.M)) if row.figure else 0.0
    today = datetime.date.today().isoformat()
    print(f"{row.number}: exit {code}, {figure:g} {row.unit}, {time.monotonic() - start:.0f} s", flush=True)
    if code != 0:
        print("\n".join(output.splitlines()[-20:]), flush=True)
    return {"row": str(row.number), "exit": str(code), "figure": f"{figure:.10g}", "date": today}


def results() -> dict[int, dict[str, str]]:
    if not RESULTS.exists():
        return {}
    with RESULTS.open(newline="") as file:
        return {int(line["row"]): line for line in csv.DictReader(file)}


def keep(found: dict[int, dict[str, str]]) -> None:
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["row", "exit", "figure", "date"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(found[number] for number in sorted(found))
    PAGE.write_text(page())


def verdict(row: Row, found: dict[str, str] | None) -> str:
    if found is None or found["exit"] != "0":
        return "no"
    if float(found["figure"]) < row.least or row.missing:
        return "partly"
    return "yes"


def figure_of(row: Row, found: dict[str, str]) -> str:
    figure = f"{float(found['figure']):,.10g} {row.unit}" if row.figure else "0"
    if found["exit"] == "0":
        return figure
    return f"{figure}, exit {found['exit']}" if float(found["figure"]) > 0 else f"exit {found['exit']}"


def line(row: Row, found: dict[str, str] | None) -> str:
    figure = "not run" if found is None else figure_of(row, found)
    command = f"`{row.command.format(build='BUILD', python='python3')}`".replace("|", "\\|") if row.command else ""
    missing = (
        f"; missing: {row.missing}" if row.missing and found is not None else f"; {row.missing}" if row.missing else ""
    )
    date = found["date"] if found is not None else ""
    return (
        f"| {row.number} | {row.goal} | {row.wanted} | {verdict(row, found)}{missing} | {figure} | {date} | {command} |"
    )


def fuzzing() -> list[str]:
    """What the fuzzers did that coverage leads (scripts/fuzz.sh), as a table."""
    with FUZZED.open(newline="") as file:
        runs = list(csv.DictReader(file))
    seconds = sum(int(run["seconds"]) for run in runs)
    return [
        "",
        f"`sh scripts/fuzz.sh SECONDS` lets coverage lead the fuzzers, under the address and undefined-behaviour "
        f"sanitizers: so far {seconds // 60} minutes",
        "in all, on a machine that had other work too. What failed is in their corpora, and fixed.",
        "",
        "| target | seconds | inputs | edges covered | inputs that failed | date |",
        "|---|--:|--:|--:|--:|---|",
        *(f"| {run['target']} | {run['seconds']} | {int(run['inputs']):,} | {int(run['edges']):,} | {run['failures']} "
          f"| {run['date']} |" for run in runs),
    ]


def add_fuzzing(words: list[str]) -> None:
    """Seconds and inputs are added up; edges and failures are the most of any run."""
    columns = ("target", "seconds", "inputs", "edges", "failures", "date")
    runs = {run["target"]: run for run in csv.DictReader(FUZZED.open(newline=""))}
    run = dict(zip(columns, [*words, datetime.date.today().isoformat()], strict=True))
    before = runs.get(run["target"], dict.fromkeys(columns, 0))
    for key, join in (("seconds", sum), ("inputs", sum), ("edges", max), ("failures", max)):
        run[key] = str(join((int(run[key]), int(before[key]))))
    runs[run["target"]] = run
    with FUZZED.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(runs[name] for name in sorted(runs))


def page() -> str:
    found = results()
    verdicts = [verdict(row, found.get(row.number)) for row in ROWS]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in ("yes", "partly", "no"))
    return "\n".join([
        "# Reliability",
        "",
        "What can be relied on, and how it is known. `BUILD` is a folder of CMake with tests; the Python package is "
        "that of the",
        "build. `scripts/reliability.py` runs the commands and writes this page from what they gave, so a row that is "
        "not met says so.",
        "",
        f"Of {len(ROWS)} goals: {counts}.",
        "",
        "| # | goal | wanted | met | figure | date | command |",
        "|--:|---|---|---|---|---|---|",
        *(line(row, found.get(row.number)) for row in ROWS),
        *fuzzing(),
        "",
    ])  # fmt: skip


def main() -> int:
    what, arguments = sys.argv[1:2], sys.argv[2:]
    if what == ["run"] and len(arguments) >= 2:
        found = results()
        chosen, worse = {int(number) for number in arguments[2:]}, 0
        for row in ROWS:
            if row.command and (not chosen or row.number in chosen):
                before, found[row.number] = found.get(row.number), run(row, *arguments[:2])
                keep(found)
                worse += before is not None and before["exit"] == "0" and found[row.number]["exit"] != "0"
        return int(worse > 0)
    elif what == ["write"]:
        PAGE.write_text(page())
    elif what == ["fuzzed"]:
        add_fuzzing(arguments)
    elif what == ["check"]:
        if page() == PAGE.read_text():
            return 0
        print("docs/reliability.md is not what scripts/reliability.py writes from docs/reliability.csv: run it with "
              "write", file=sys.stderr)
        return 1
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
