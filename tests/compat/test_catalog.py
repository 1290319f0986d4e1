#!/usr/bin/env python3
"""The entries of every frozen release load, and what has another name since keeps its value and is told.

    test_catalog.py COMMAND
"""

import csv
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from xml.etree import ElementTree

RENAMED = re.compile(r":\d+: <(\w+)> is called <(\w+)> now$", re.MULTILINE)


def run(command: str, *words: str) -> subprocess.CompletedProcess:
    answer = subprocess.run([command, *words], capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit status {answer.returncode}: {answer.stderr}")
    return answer


def shown(command: str, folder: str, entry: ElementTree.Element) -> set[str]:
    """The names that an entry's fields have now."""
    kind, name = entry.tag, entry.get("id")
    text = run(command, "show", kind, name, "--catalog", folder, "-q", "--format", "csv").stdout
    return {row["field"] for row in csv.DictReader(text.splitlines())}


def unpack(archive: Path, folder: Path) -> list[Path]:
    """All files side by side, as the command reads a folder."""
    with tarfile.open(archive) as members:
        for member in members:
            (folder / member.name.replace("/", "-")).write_bytes(members.extractfile(member).read())
    return sorted(folder.iterdir())


def check(command: str, archive: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = unpack(archive, Path(folder))
        entries = [entry for file in files for entry in ElementTree.parse(file).getroot()]
        told = run(command, "predict", "resnet50", "dgx1-v100", "--catalog", folder).stderr
        renamed = dict(RENAMED.findall(told))
        assert renamed, "nothing was told"
        for old, new in renamed.items():
            having = next((entry for entry in entries if entry.find(old) is not None), None)
            if having is not None:
                names = shown(command, folder, having)
                assert new in names and old not in names, (old, new, names)
    print(f"{archive.parent.name}: {len(entries)} entries, {len(renamed)} names have changed: {renamed}")


if __name__ == "__main__":
    for archive in sorted(Path(__file__).parent.glob("*/catalog.tar.gz")):
        check(sys.argv[1], archive)
