#!/usr/bin/env python3
"""The table of modules in docs/architecture.md is what scripts/check_floors.py holds: modules, their layers, their
doors."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import check_floors  # noqa: E402

ROW = re.compile(r"^\| (\d+|beside|above|lab) \| `([a-z/_]+)` \|.*\| ([^|]*) \|$", re.MULTILINE)


def missing_doors(text: str) -> list[str]:
    """Headers of a cell that are not there; a name without a folder is in the folder of the one before it."""
    found, folder = [], ""
    for name in re.findall(r"`([^`]+\.h)`", text):
        folder = name.rpartition("/")[0] or folder
        path = f"{folder}/{name.rpartition('/')[2]}".removeprefix("/")
        if not any((base / path).exists() for base in (check_floors.SOURCES, ROOT / "libperfmodel/include",
                                                       ROOT / "lab/include")):
            found.append(path)
    return found


def main() -> int:
    rows = ROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    held = {module: str(layer) for layer, modules in enumerate(check_floors.LAYERS, 1) for module in modules}
    held |= dict.fromkeys(check_floors.BESIDE, "beside") | dict.fromkeys(check_floors.ABOVE, "above")
    held |= dict.fromkeys(check_floors.LAB_LAYERS, "lab")
    said = {module: layer for layer, module, _ in rows}
    problems = [f"{module}: the page says {said.get(module)}, the check {held.get(module)}"
                for module in sorted({*held, *said}) if held.get(module) != said.get(module)]
    problems += [f"{module}: no such interface {door}" for _, module, cell in rows for door in missing_doors(cell)]
    print("\n".join(problems) or f"{len(said)} modules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
