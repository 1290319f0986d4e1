"""Runs a compiler on each file of the library and the command as it is compiled, with other options, and prints what it says.

    scripts/each_file.py BUILD COMPILER OPTION...    BUILD: a folder of CMake with compile_commands.json
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def wanted(words: list[str]) -> list[str]:
    """What says which headers and which language."""
    following = {"-I", "-isystem", "-include", "-D"}
    kept = [word for word in words if word.startswith(("-I", "-D", "-std="))]
    return kept + [part for at, word in enumerate(words) if word in following for part in words[at : at + 2]]


def main() -> int:
    build, options = Path(sys.argv[1]), sys.argv[2:]
    entries = json.loads((build / "compile_commands.json").read_text())
    sources = [(e["file"], shlex.split(e["command"]), e["directory"]) for e in entries if str(build.resolve()) not in e["file"]]

    def look(source: tuple[str, list[str], str]) -> subprocess.CompletedProcess[str]:
        name, words, folder = source
        with tempfile.TemporaryDirectory() as place:  # not /dev/null: clang removes its output before it writes it
            command = [*options, *wanted(words), "-o", f"{place}/out", name]
            return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(look, sources))
    for one in done:
        print(one.stdout + one.stderr, end="")
    print(f"{len(done)} files")
    return int(any(one.returncode for one in done))


if __name__ == "__main__":
    sys.exit(main())
