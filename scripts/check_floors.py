#!/usr/bin/env python3
"""Fails if a file includes what lies above it, beside it, or is none of its business.

The floors of the library, from the bottom up, are the lines of FLOORS: a part may include itself and every part of the
lines above its own in that list. Parts of one line do not know each other, except as SIBLINGS says.
A part is a folder of libperfmodel/src, a file directly in it, or a public header: catalog_xml.c and catalog.h are both
of the part `catalog`.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "libperfmodel"

FLOORS = [
    ["base"],
    ["units", "record"],
    ["hardware", "framework", "network", "table"],
    ["kernel", "collective", "pipeline", "memory", "report"],
    ["step", "predict", "counts"],
    ["sweep", "inference"],
    ["size", "sensitivity"],
]

# Beside the cost code: knows hardware and networks, and nothing of costs knows it.
BESIDE = {
    "catalog": {"base", "units", "record", "hardware", "framework", "network", "table"},
    # Above all: reads measurements, matches their names to the catalogue, and predicts them.
    "validate": {"catalog", *(part for floor in FLOORS for part in floor)},
    # Above that: fits constants to the rows that validation reads.
    "calibrate": {"catalog", "validate", *(part for floor in FLOORS for part in floor)},
}

SIBLINGS = {
    ("record", "units"),  # a field is read as a quantity
    ("network", "hardware"),  # a tensor has the bytes of a precision
    ("step", "predict"),  # the public header predict.h declares what both implement
    ("predict", "step"),
    ("size", "sensitivity"),
    ("base", "units"),  # units.h declares the numbers that base reads and writes
}

# Public headers that go by another name than their part, and files that see everything because they list everything.
ALIASES = {"error": "base", "arrow": "table", "perfmodel": "perfmodel"}
UMBRELLA = {"src/record_types.c", "src/version.c", "include/perfmodel.h"}

# One file knows libxml2, one zlib, the catalogue alone reads the embedded data, and a document is for those who read one.
ONLY = {
    "libxml/": {"src/catalog_xml.c"},
    "zlib.h": {"src/catalog_data.c"},
    "base/embedded.h": {"src/catalog"},
    "base/document.h": {"src/base/document", "src/catalog", "src/network/"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def part_of(path: str) -> str:
    """The part of a path relative to src/ or include/, or of the text of an #include."""
    path = path.removeprefix("perfmodel/")
    first = path.split("/")[0].removesuffix(".c").removesuffix(".h")
    return ALIASES.get(first, first) if "/" in path else ALIASES.get(first, first.split("_")[0])


def allowed(part: str) -> set[str] | None:
    """What a part may include; None for a part that no floor names."""
    if part in BESIDE:
        return BESIDE[part] | {part}
    for index, floor in enumerate(FLOORS):
        if part in floor:
            below = {each for lower in FLOORS[:index] for each in lower}
            return below | {part} | {to for start, to in SIBLINGS if start == part}
    return None


def library_problems(file: Path) -> list[str]:
    """What is wrong with the includes of one file of the library."""
    name = file.relative_to(SOURCES).as_posix()
    part = part_of(name.split("/", 1)[1])
    may = allowed(part)
    problems = []
    for bracket, target in INCLUDE.findall(file.read_text(encoding="utf-8")):
        for prefix, owners in ONLY.items():
            if target.startswith(prefix) and not any(name.startswith(owner) for owner in owners):
                problems.append(f"includes {target}, which is not its business")
        if bracket == "<" or name in UMBRELLA:
            continue
        if may is None:
            problems.append(f'is of the part "{part}", which no floor names')
        elif part_of(target) not in may:
            problems.append(f"includes {target}: {part} may include {', '.join(sorted(may))}")
    return problems


def outsider_problems(file: Path) -> list[str]:
    """What is wrong with the includes of a file that stands for a user: the public header and its own neighbours only."""
    problems = []
    for bracket, target in INCLUDE.findall(file.read_text(encoding="utf-8")):
        ours = (SOURCES / "src" / target).exists() or target.startswith("perfmodel/")
        neighbour = bracket == '"' and (file.parent / target).exists() and "/" not in target
        if ours or (bracket == '"' and not neighbour and target != "perfmodel.h"):
            problems.append(f"includes {target}; outside the library only perfmodel.h is known")
    return problems


def main() -> int:
    checks = [(library_problems, [SOURCES / "src", SOURCES / "include"])]
    outside = ["tools", "bindings", "examples", "benchmarks", "tests/install"]
    checks.append((outsider_problems, [ROOT / name for name in outside]))
    problems, count = [], 0
    for check, folders in checks:
        for file in sorted(each for folder in folders for each in folder.rglob("*.[chi]") if each.is_file()):
            count += 1
            problems += [f"{file.relative_to(ROOT)}: {problem}" for problem in check(file)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"floors: {count} files, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
