"""Whether two texts are equal but for the last digits of numbers, which the C libraries of other machines round
otherwise.

    scripts/same_numbers.py ONE OTHER    prints "equal, N bytes" or "equal to 1e-12, N bytes, M lines rounded otherwise"
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

WORD = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?|[^\d]+")
CLOSE = 1e-12


def close(one: str, other: str) -> bool:
    try:
        a, b = float(one), float(other)
    except ValueError:
        return False
    return abs(a - b) <= CLOSE * max(abs(a), abs(b))


def same(one: str, other: str) -> bool:
    a, b = WORD.findall(one), WORD.findall(other)
    return len(a) == len(b) and all(x == y or close(x, y) for x, y in zip(a, b, strict=True))


def main() -> int:
    one, other = (Path(path).read_text() for path in sys.argv[1:3])
    lines, others = one.splitlines(), other.splitlines()
    differ = [(a, b) for a, b in zip(lines, others, strict=False) if a != b]
    wrong = abs(len(lines) - len(others)) + sum(not same(a, b) for a, b in differ)
    size = len(other.encode())
    if wrong:
        print(f"{wrong} lines differ")
    else:
        print(
            f"equal to 1e-12, {size} bytes, {len(differ)} lines rounded otherwise" if differ else f"equal, {size} bytes"
        )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
