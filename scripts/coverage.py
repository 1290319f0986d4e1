"""What scripts/coverage.sh measured (llvm-cov's JSON on standard input), as lines that scripts/reliability.py reads."""

from __future__ import annotations

import json
import re
import sys
from math import floor

# The library's sources and those of its laboratory, wherever the tree itself is.
PART = re.compile(r".*/(?:libperfmodel|lab)/src/")
KINDS = {"lines": "lines", "branches": "branches", "mcdc": "conditions"}
# Readers of bytes from elsewhere, numbers, allocation.
CRITICAL = ("base/csv.c", "base/json.c", "base/number.c", "base/memory.c", "base/text.c", "base/utf8.c",
            "catalog/xml.c", "catalog/xml_bytes.c",
            "catalog/files.c", "record/units.c")  # fmt: skip
LOADER = ("catalog/xml.c", "catalog/xml_bytes.c", "catalog/read.c", "catalog/load.c", "base/document.c")


def share(counts: dict[str, float]) -> float:
    return 100 * counts["covered"] / counts["count"] if counts["count"] else 100.0


def added(files: list[dict], kind: str) -> dict[str, float]:
    return {what: sum(f["summary"][kind][what] for f in files) for what in ("covered", "count")}


def main() -> None:
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


if __name__ == "__main__":
    main()
