#!/usr/bin/env python3
"""Writes the table of networks in docs/networks.md from what the command lists.

    network_table.py --command build/tools/perfmodel            writes it
    network_table.py --command build/tools/perfmodel --check    fails if it is not what the command lists
"""

import argparse
import csv
import difflib
import io
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "networks.md"
BEGIN, END = "<!-- begin: scripts/network_table.py -->\n", "<!-- end -->\n"


def amount(value: float) -> str:
    """Four digits and a prefix."""
    for factor, prefix in ((1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= 0.9995 * factor:
            return f"{float(f'{value / factor:.4g}'):g}{prefix}"
    return f"{value:g}"


def table(command: str) -> str:
    listed = subprocess.run([command, "list", "networks", "--format", "csv"], stdout=subprocess.PIPE, check=True)
    rows = list(csv.DictReader(io.StringIO(listed.stdout.decode("utf-8"), newline="")))
    lines = ["| id | input | layers | parameters | MAC | FLOP |", "|---|---|--:|--:|--:|--:|"]
    for row in sorted(rows, key=lambda row: row["id"]):
        mac, flop = amount(float(row["mac [MAC]"])), amount(float(row["flop [FLOP]"]))
        parameters = f"{int(float(row['parameters'])):,}"
        lines.append(f"| {row['id']} | {row['input']} | {row['layers']} | {parameters} | {mac} | {flop} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, help="the perfmodel to ask")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page would change")
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    current = before + BEGIN + table(options.command) + END + rest.split(END, 1)[1]
    if page == current:
        return 0
    if options.check:
        diff = difflib.unified_diff(page.splitlines(), current.splitlines(), PAGE.name, "listed", lineterm="")
        print("\n".join(diff))
        return 1
    PAGE.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
