#!/usr/bin/env python3
"""Runs every command that a page shows with its output, in blocks of ```console with `$ ` before it, and compares.

    python3 scripts/pasted.py COMMAND [PAGE]...          fails where a page shows something else than the command prints
    python3 scripts/pasted.py --write COMMAND [PAGE]...  writes what it prints

COMMAND is the perfmodel command. The commands of a page run one after the other in one folder, empty at first. Without
pages: all of docs/ that have such blocks.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)


def commands_of(block):
    """The commands of a block; a line that ends in a backslash goes on."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)\n", block, re.M)


def answer(command, folder, path):
    """What a command prints, its messages among it; its failure is part of it."""
    environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}", COLUMNS="100", LC_ALL="C.UTF-8")
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    text = done.stdout + ("" if done.stdout.endswith("\n") or not done.stdout else "\n")
    return f"$ {command}\n" + "".join(line.rstrip() + "\n" for line in text.splitlines())


def page_with_answers(text, path):
    with tempfile.TemporaryDirectory() as folder:
        def block(match):
            return "```console\n" + "".join(answer(c, folder, path) for c in commands_of(match[1])) + "```\n"
        return BLOCK.sub(block, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("command", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    asked = parser.parse_args()
    pages = asked.pages or [p for p in sorted((ROOT / "docs").rglob("*.md")) if BLOCK.search(p.read_text())]
    count, differ = 0, []
    for page in pages:
        text = page.read_text()
        made = page_with_answers(text, asked.command.resolve().parent)
        count += sum(len(commands_of(block)) for block in BLOCK.findall(text))
        if asked.write:
            page.write_text(made)
        elif made != text:
            differ.append(page)
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), made.splitlines(True), str(page), "now"))
    print(f"pasted: {count} commands on {len(pages)} pages, {len(differ)} pages differ")
    sys.exit(1 if differ or not count else 0)


if __name__ == "__main__":
    main()
