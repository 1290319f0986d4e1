#!/usr/bin/env python3
"""The table of rooms in docs/architecture.md is what scripts/check_floors.py holds: rooms, their floors, their
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
    held = {room: str(floor) for floor, rooms in enumerate(check_floors.FLOORS, 1) for room in rooms}
    held |= dict.fromkeys(check_floors.BESIDE, "beside") | dict.fromkeys(check_floors.ABOVE, "above")
    held |= dict.fromkeys(check_floors.LAB_FLOORS, "lab")
    said = {room: floor for floor, room, _ in rows}
    problems = [f"{room}: the page says {said.get(room)}, the check {held.get(room)}"
                for room in sorted({*held, *said}) if held.get(room) != said.get(room)]
    problems += [f"{room}: no such door {door}" for _, room, cell in rows for door in missing_doors(cell)]
    print("\n".join(problems) or f"{len(said)} rooms")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
