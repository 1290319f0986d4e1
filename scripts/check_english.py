#!/usr/bin/env python3
"""Finds phrases of scripts/english.txt in the tree; the changelog may quote them. Exit status 1 if there is one."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts/english.txt"
LEFT_OUT = re.compile(r"^(CHANGELOG\.md|scripts/english\.txt|data/measured/|"
                      r"tests/(hostile|fuzz|import|settings|traces)/)")

# Between two words of a phrase: a space, or the end of a line and what the next one begins with in code and comments.
GAP = r"[\s*#|\"/]+"


def phrases():
    lines = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def files():
    """Those that git knows; in a tree without git, all but builds."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\0")
    if listed.returncode != 0:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    return [n for n in names if n and not n.startswith("build/") and not LEFT_OUT.match(n)]


def main():
    better, found, count = phrases(), 0, 0
    forms = "|".join(GAP.join(map(re.escape, phrase.split())) for phrase in better)
    pattern = re.compile(rf"(?<!\w)({forms})(?!\w)", re.IGNORECASE)
    for name in files():
        try:
            text = (ROOT / name).read_text()
        except (UnicodeDecodeError, OSError):
            continue
        count += 1
        for match in pattern.finditer(text):
            found += 1
            line = text.count("\n", 0, match.start()) + 1
            phrase = re.sub(GAP, " ", match[0].lower())
            print(f"{name}:{line}: \"{phrase}\": write {better[phrase]}")
    print(f"english: {count} files, {found} problems")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
