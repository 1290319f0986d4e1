#!/usr/bin/env python3
"""Prints the columns of the command's tables as CSV has them, and the keys of JSON that are not a column's name.

    list_tables.py PERFMODEL

The tables are those of the questions in tables.txt, which has one at least for each command that prints a table. Fields
of records, in their order, are those that list_records.c prints.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

import records
from list_command import commands

NO_TABLE = {"run", "topology", "import", "export", "new", "plot", "report"}  # drawings, files

RECORDS = records.fields()
HERE = Path(__file__).resolve().parent


def answer(command: str, question: list[str], form: str) -> str:
    words = [command, *question, "--quiet", "--format", form]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    return done.stdout or sys.exit(f"{' '.join(question)} --format {form} prints nothing: {done.stderr}")


def keys(value: object, path: str = "") -> list[str]:
    """The keys of objects within objects and lists: "cycles.order"."""
    if isinstance(value, list):
        return [key for item in value for key in keys(item, path)]
    if not isinstance(value, dict):
        return [path]
    return [key for name, item in value.items() for key in keys(item, f"{path}.{name}" if path else name)]


def stretches(header: list[str], names: list[str]) -> list[str]:
    """The columns; a stretch of them that are the fields of a record in its order is one line."""
    lines, at = [], 0
    while at < len(header):
        ends = {record: stretch(names, at, list(fields)) for record, fields in RECORDS.items()}
        longest = max(ends, key=lambda record: (ends[record], -len(RECORDS[record])))
        line, _ = records.described(names[at : ends[longest]], {longest: list(RECORDS[longest])})
        lines.append(line or header[at])
        at = ends[longest] if line else at + 1
    return lines


def stretch(names: list[str], at: int, fields: list[str]) -> int:
    """Where columns from that one on cease to be fields in their order."""
    last = -1
    while at < len(names) and names[at] in fields[last + 1 :]:
        last, at = fields.index(names[at]), at + 1
    return at


def print_table(command: str, question: list[str]) -> None:
    label = " ".join([question[0], *(word for word in question if word.startswith("--") and word != "--columns")])
    header = next(csv.reader(answer(command, question, "csv").splitlines()))
    names = [column.split(" [")[0] for column in header]
    for line in stretches(header, names):
        print(f"{label}: {line}")
    for key in dict.fromkeys(keys(json.loads(answer(command, question, "json")))):
        if key not in names:
            print(f"{label}: json {key}")


if __name__ == "__main__":
    questions = [line.split() for line in (HERE / "tables.txt").read_text(encoding="utf-8").splitlines()]
    if left_out := set(commands(sys.argv[1])) - NO_TABLE - {question[0] for question in questions}:
        sys.exit(f"tables.txt asks nothing of {', '.join(sorted(left_out))}")
    for question in questions:
        print_table(sys.argv[1], question)
