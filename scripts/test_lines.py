"""How many lines of tests there are for each line of code, blank ones left out: scripts/test_lines.py; fails below WANTED."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = {".c", ".h", ".i", ".lua", ".py"}
WANTED = 3


def lines(*folders: str) -> tuple[int, int]:
    """Of tests, and of the rest."""
    count = [0, 0]
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in LANGUAGES):
        count["tests" not in path.relative_to(ROOT).parts] += sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines())
    return count[0], count[1]


def main() -> int:
    tests, code = lines("libperfmodel", "tools", "bindings", "tests")
    print(f"{tests / code:.2f} lines of tests for each line of code: {tests} and {code}")
    return int(tests < WANTED * code)


if __name__ == "__main__":
    sys.exit(main())
