#!/usr/bin/env python3
"""Compares what users rely on (names, records, file formats) with the baseline, or writes the baseline.

    baseline.py compare FILE COMMAND...     prints the difference; exit status 1 if there is one
    baseline.py write FILE COMMAND...       replaces the file

FILE is a list in baseline/, and COMMAND prints what it should hold, from what was built. Until the version of the
headers is released, a list may change in any way. Afterwards `write` refuses to drop or change a line, since programs
and files of users need it; only records that cross the interface with their size may grow, at their end.
"""

import difflib
import re
import subprocess
import sys
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parents[2]
SIZE = re.compile(r"(\w+) (\d+) bytes")
OFFSET = re.compile(r"(\w+)\.\w+ .*@(\d+)")


def is_released(changes: str, header: str) -> bool:
    """Whether the changelog has a date for the version of the headers, or for an earlier one with the same soname."""
    major, minor = (re.search(rf"#define PM_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR"))
    return re.search(rf"^## {major}\.{minor}\.\d+ \(\d", changes, re.MULTILINE) is not None


def growing(functions: list[str], records: list[str]) -> set[str]:
    """The records whose size functions are told. The struct of record "group" may be called pm_group_choice."""
    found = set()
    for struct in re.findall(r"pm_(\w+) \*\w+, size_t \w*size\b", "\n".join(functions)):
        found |= {max((name for name in records if struct.startswith(name)), key=len, default=struct)}
    return found


def is_growth(line: str, now: list[str], growing_records: set[str], was: list[str]) -> bool:
    """Whether a line that went states the size of a record that only has further fields behind its end now."""
    size = SIZE.fullmatch(line)
    if not size or size[1] not in growing_records:
        return False
    fields = [match for new in now if new not in was and (match := OFFSET.match(new)) and match[1] == size[1]]
    return all(int(match[2]) >= int(size[2]) for match in fields)


def broken(was: list[str], now: list[str], growing_records: set[str]) -> list[str]:
    """The lines on which programs and files may rely and that are gone."""
    kept, lists = set(now), records.fields()
    lost = [line for line in was if line not in kept and not is_growth(line, now, growing_records, was)]
    return [line for line in lost if not records.is_longer(line, now, lists)]


def listed(command: list[str]) -> list[str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return done.stdout.splitlines()


def compare(file: Path, now: list[str]) -> int:
    was = file.read_text(encoding="utf-8").splitlines()
    names = [f"{file.name} ({what})" for what in ("baseline", "built")]
    difference = list(difflib.unified_diff(was, now, *names, lineterm="", n=1))
    if difference:
        advice = "If this is meant: ninja baseline_update, and a line in the table of CHANGELOG.md"
        print(*difference, advice, sep="\n")
    return bool(difference)


def write(file: Path, now: list[str]) -> int:
    was = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    header = (ROOT / "libperfmodel/include/perfmodel.h").read_text(encoding="utf-8")
    if is_released((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), header):
        functions = (file.parent / "c.txt").read_text(encoding="utf-8").splitlines()
        names = [size[1] for line in was if (size := SIZE.fullmatch(line))]
        if lost := broken(was, now, growing(functions, names)):
            print(*lost, f"{file.name}: released programs and files rely on these; that takes another soname", sep="\n")
            return 1
    file.write_text("\n".join(now) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    action, name, *words = sys.argv[1:]
    sys.exit({"compare": compare, "write": write}[action](Path(name), listed(words)))
