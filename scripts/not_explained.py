"""Drops findings of an analyser that a file explains: scripts/not_explained.py FILE, findings on standard input."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    reasons = [line.split(": ", 2)[:2] for line in Path(sys.argv[1]).read_text().splitlines() if line]
    for finding in sys.stdin:
        if not any(finding.startswith(f"{name}:") and f"[{check}]" in finding for name, check in reasons):
            print(finding, end="")


if __name__ == "__main__":
    main()
