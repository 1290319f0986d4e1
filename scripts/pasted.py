#!/usr/bin/env python3
"""Runs every command that a page shows with its output, in blocks of ```console with `$ ` before it, and compares.

    python3 scripts/pasted.py COMMAND [PAGE]...            fails if a page shows anything but what the command prints
    python3 scripts/pasted.py --write COMMAND [PAGE]...    writes what it prints
    python3 scripts/pasted.py --site HTML COMMAND PAGE...  checks pages of the built site, as their buttons copy them

COMMAND is the perfmodel command. The blocks of a page run one after the other in one folder, empty at first. Blocks of
```sh and ```python have to succeed. Without pages: all of docs/ that have blocks of ```console; those with ```python
only if the python3 of the path has perfmodel and PyTorch.
"""
import argparse
import difflib
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(console|sh|python)\n(.*?)^```\n", re.M | re.S)


def commands_of(block):
    """The commands of a block; a line that ends in a backslash goes on."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)\n", block, re.M)


def environment(path):
    return dict(os.environ, PATH=f"{path}:{os.environ['PATH']}", COLUMNS="100", LC_ALL="C.UTF-8")


def answer(command, folder, path):
    """What a command prints, its messages among it; its failure is part of it."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment(path), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    text = done.stdout + ("" if done.stdout.endswith("\n") or not done.stdout else "\n")
    return f"$ {command}\n" + "".join(line.rstrip() + "\n" for line in text.splitlines())


def paste(language, text, folder, path):
    """A block without what it prints: of the shell, or a program of Python."""
    words = ["sh", "-eu"] if language == "sh" else ["python3", "-"]
    done = subprocess.run(words, input=text, cwd=folder, env=environment(path), text=True, capture_output=True,
                          timeout=1800)
    if done.returncode != 0:
        sys.exit(f"pasted: this fails:\n{text}{done.stdout}{done.stderr}")


def page_with_answers(text, path):
    with tempfile.TemporaryDirectory() as folder:
        def block(match):
            language, shown = match.groups()
            if language != "console":
                paste(language, shown, folder, path)
                return match[0]
            return "```console\n" + "".join(answer(c, folder, path) for c in commands_of(shown)) + "```\n"
        return BLOCK.sub(block, text)


class Blocks(html.parser.HTMLParser):
    """A page of the site as blocks of Markdown: language, and text as a reader sees it."""

    def __init__(self, text):
        super().__init__()
        self.found, self.language, self.copied = "", None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        known = re.fullmatch(r"language-(\w+) highlight", values.get("class") or "")
        if tag == "div" and known:
            self.language, self.copied, self.text = {"bash": "sh"}.get(known[1], known[1]), values.get("data-copy"), ""

    def handle_data(self, data):
        if self.language:
            self.text += data

    def handle_endtag(self, tag):
        if tag != "pre" or self.language is None:
            return
        if self.language == "console" and "\n".join(commands_of(self.text)) != self.copied:
            sys.exit(f"pasted: the button copies something else than the commands: {self.copied}")
        self.found += f"```{self.language}\n{self.text}```\n"
        self.language = None


def read(page, site):
    return Blocks((site / page).read_text()).found if site else page.read_text()


def pages_with_answers():
    words = ["python3", "-c", "import perfmodel, torch"]
    python = subprocess.run(words, capture_output=True, check=False).returncode == 0
    for page in sorted((ROOT / "docs").rglob("*.md")):
        languages = {match[1] for match in BLOCK.finditer(page.read_text())}
        if "console" in languages and "python" in languages and not python:
            print(f"pasted: {page.name} is left out: this python3 has no perfmodel or no PyTorch")
        elif "console" in languages:
            yield page


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--site", type=pathlib.Path, metavar="HTML")
    parser.add_argument("command", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    asked = parser.parse_args()
    count, pages, differ = 0, asked.pages or list(pages_with_answers()), []
    for page in pages:
        text = read(page, asked.site)
        made = page_with_answers(text, asked.command.absolute().parent)
        made = made.expandtabs(4) if asked.site else made  # as Markdown does
        count += len(BLOCK.findall(text))
        if asked.write:
            page.write_text(made)
        elif made != text:
            differ.append(page)
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), made.splitlines(True), str(page), "now"))
    print(f"pasted: {count} blocks on {len(pages)} pages, {len(differ)} pages differ")
    sys.exit(1 if differ or not count else 0)


if __name__ == "__main__":
    main()
