#!/usr/bin/env python3
"""Fits what the software of large models adds, and writes it into data/frameworks/today.xml.

    lab/scripts/calibrate_large_models.py [PERFMODEL]     (default build/tools/perfmodel)

The rows are those that travel with the project (data/measured/large_models.csv.gz), but for those that a reading finds
unfit (data/readings/large.xml) and those that do not print their micro-batch. A note of the file stays behind what the
fit says."""
import csv
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "data/frameworks/today.xml"
FITTED = re.compile(r'    <(\w+) fitted_to="[^"]*" rows="\d+" date="[^"]*"(?: note="([^"]*)")?>([^<]*)</\1>\n')
FOUND = re.compile(r"(?:\+-[^;]*|at its \w+ bound|which do not decide it[^;]*)(?:; )?")


def fitted(command):
    """Of (framework, constant): the line that the program writes."""
    done = subprocess.run([command, "calibrate", "--set", "large-models", "--format", "csv", "-q"],
                          check=True, capture_output=True, text=True).stdout.splitlines()
    names = {(row["entry"], row["constant"]) for row in csv.DictReader(done)}
    text = subprocess.run([command, "calibrate", "--set", "large-models", "--xml", "-q"],
                          check=True, capture_output=True, text=True).stdout
    entries = dict(re.findall(r'<framework id="([^"]*)"(.*?)</framework>', text, flags=re.S))
    return {(entry, name): line for entry, name in names for line in FITTED.finditer(entries[entry]) if line[1] == name}


def with_note(line, before):
    """The line with what the note before said besides the fit."""
    kept = FOUND.sub("", re.search(r'note="([^"]*)"', before)[1] if "note=" in before else "", count=1)
    return line[0] if not kept else line[0].replace(f'note="{line[2]}"', f'note="{line[2]}; {kept}"')


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/tools/perfmodel")
    text = FILE.read_text()
    for (entry, name), line in sorted(fitted(command).items()):
        start = text.index(f'<framework id="{entry}"')
        end = text.index("</framework>", start)
        own = re.sub(rf"    <{name} [^\n]*\n", lambda before: with_note(line, before[0]), text[start:end])
        text = text[:start] + own + text[end:]
        print(f"{entry:<24}{name:<24}{line[3]}")
    FILE.write_text(text)


if __name__ == "__main__":
    main()
