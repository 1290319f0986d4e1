#!/usr/bin/env python3
"""A catalogue file of release 0.2 loads with the values that it states, or `check` says what to write instead.

    test_catalog.py PERFMODEL
"""

import csv
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import records

HERE = Path(__file__).resolve().parent
PASSED_OVER = re.compile(r"<(\w+)> of .* has no effect; write <(\w+)>")  # a note
INSTEAD = re.compile(r"\bwrite <(\w+)>")
NOT_FIELDS = {"graph", "network"}  # parts of systems


def run(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def is_helpful(message: str, elements: set[str]) -> bool:
    """Whether an error says what to write instead, and that exists."""
    return any(name in elements for name in INSTEAD.findall(message))


def differences(entry: ElementTree.Element, shown: dict[str, str], passed_over: set[str]) -> list[str]:
    """The fields of an entry that are not shown as the file states them."""
    stated = {field.tag: " ".join(field.text.split()) for field in entry if field.tag not in NOT_FIELDS | passed_over}
    wrong = {name: value for name, value in stated.items() if shown.get(name) != value}
    return [f"{name}: {value} in the file, {shown.get(name)} shown" for name, value in wrong.items()]


def check_entry(perfmodel: str, path: Path, entry: ElementTree.Element, passed_over: set[str]) -> list[str]:
    title = f"{entry.tag} {entry.get('id')}"
    done = run(perfmodel, "show", *title.split(), "--catalog", path, "--quiet", "--format", "csv")
    if done.returncode:
        return [f"{title}: {done.stderr}"]
    shown = {row["field"]: row["value"] for row in csv.DictReader(done.stdout.splitlines())}
    return [f"{title}: {difference}" for difference in differences(entry, shown, passed_over)]


def check_file(perfmodel: str, path: Path, elements: set[str]) -> list[str]:
    loaded = run(perfmodel, "list", "sources", "--catalog", path)
    if loaded.returncode:
        message = run(perfmodel, "check", path).stderr
        return [] if is_helpful(message, elements) else [f"refused without what to write instead: {message}"]
    passed_over = {name for name, now in PASSED_OVER.findall(loaded.stderr) if now in elements}
    root = ElementTree.parse(path).getroot()
    entries = [entry for entry in root if entry.tag not in ("block", "network")]
    return [problem for entry in entries for problem in check_entry(perfmodel, path, entry, passed_over)]


def main(perfmodel: str) -> int:
    elements = {field for fields in records.fields().values() for field in fields}
    files = sorted((HERE / "0.2").glob("*.xml"))
    problems = [f"{path.name}: {problem}" for path in files for problem in check_file(perfmodel, path, elements)]
    print(*problems, f"{len(files)} files of release 0.2: {len(problems)} problems", sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
