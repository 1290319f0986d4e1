"""What scripts/coverage.sh measured (llvm-cov's JSON on standard input), as lines that scripts/reliability.py reads.

    scripts/coverage.py all     of the library: every file with what is missing, and sums
    scripts/coverage.py fuzz    of the readers of catalogue files, by fuzzers alone; fails unless
                                docs/fuzz_unreached.csv has a reason for each branch that they do not reach, and
                                none for another
"""

from __future__ import annotations

import csv
import json
import re
import sys
from math import floor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REASONS = ROOT / "docs" / "fuzz_unreached.csv"
# The library's sources and those of its laboratory, wherever the tree itself is.
PART = re.compile(r".*/(?:libperfmodel|lab)/src/")
KINDS = {"lines": "lines", "branches": "branches", "mcdc": "conditions"}
# Readers of bytes from elsewhere, numbers, allocation.
CRITICAL = ("base/csv.c", "base/json.c", "base/number.c", "base/memory.c", "base/text.c", "base/utf8.c",
            "catalog/xml.c", "catalog/xml_bytes.c",
            "catalog/files.c", "record/units.c")  # fmt: skip
LOADER = ("catalog/xml.c", "catalog/xml_bytes.c", "catalog/read.c", "catalog/load.c", "base/document.c")
Branch = tuple[str, str, str, str]  # file, function, condition, and the outcome that it never has


def share(counts: dict[str, float]) -> float:
    return 100 * counts["covered"] / counts["count"] if counts["count"] else 100.0


def added(files: list[dict], kind: str) -> dict[str, float]:
    return {what: sum(f["summary"][kind][what] for f in files) for what in ("covered", "count")}


def function_at(lines: list[str], number: int) -> str:
    """The function whose body holds a line, which opens with a brace of its own."""
    while lines[number] != "{":
        number -= 1
    while not (found := re.match(r"\w.*?(\w+)\(", lines[number])):
        number -= 1
    return found[1]


def text_at(lines: list[str], first: int, begin: int, last: int, end: int) -> str:
    part = [*lines[first - 1 : last]]
    part[-1] = part[-1][: end - 1]
    part[0] = part[0][begin - 1 :]
    return " ".join(" ".join(part).split())


def unreached(f: dict) -> set[Branch]:
    lines = Path(f["filename"]).read_text().splitlines()
    return {(f["name"], function_at(lines, first - 1), text_at(lines, first, begin, last, end), outcome)
            for first, begin, last, end, *counts in f["branches"]
            for outcome, count in zip(("true", "false"), counts)
            if count == 0}  # fmt: skip


def without_reason(files: list[dict]) -> list[str]:
    """What is wrong with the reasons: branches that have none, and reasons of branches that are reached or gone."""
    with REASONS.open(newline="") as file:
        given = {(r["file"], r["function"], r["condition"], r["outcome"]) for r in csv.DictReader(file) if r["reason"]}
    found = set().union(*(unreached(f) for f in files))
    return [f"no reason in {REASONS.name}: " + ",".join(b) for b in sorted(found - given)] + [
        f"reached, or not there: {REASONS.name}: " + ",".join(b) for b in sorted(given - found)]  # fmt: skip


def main() -> int:
    files = [f for f in json.load(sys.stdin)["data"][0]["files"] if PART.search(f["filename"])]
    for f in files:
        f["name"] = PART.split(f["filename"])[-1]
    wanted = LOADER if sys.argv[1:] == ["fuzz"] else CRITICAL
    for f in sorted(files, key=lambda f: share(f["summary"]["branches"])):
        if share(f["summary"]["branches"]) < 100 or share(f["summary"]["lines"]) < 100:
            print(
                f"{f['name']}: "
                + ", ".join(f"{word} {share(f['summary'][kind]):.1f} %" for kind, word in KINDS.items())
            )
    chosen = [f for f in files if f["name"] in wanted]
    for label, group in (("all", files), ("loader" if wanted is LOADER else "critical", chosen)):
        for kind, word in KINDS.items():
            counts = added(group, kind)
            print(f"{label} {word}: {floor(100 * share(counts)) / 100:.2f} %, {counts['covered']:.0f} of "
                  f"{counts['count']:.0f}")
    wrong = without_reason(chosen) if wanted is LOADER else []
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
