"""Parts of a page that a script writes: what stands between <!-- part: name --> and <!-- end: name -->."""
import difflib
import functools
import pathlib
import re
import sys

import perfmodel as pm

ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.cache
def calibration(name):
    """Fits of a set, as no file was given: they take a minute and several pages show them."""
    return pm.calibrate(set=name)


def replaced(page, name, text):
    part = re.compile(rf"(<!-- part: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
    if not part.search(page):
        sys.exit(f"no part {name}")
    return part.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page)


def store(path, text, check):
    """Writes the page, or, to check it, only says where it is not what the rows give."""
    if not check:
        path.write_text(text, encoding="utf-8")
        return
    old = path.read_text(encoding="utf-8").splitlines()
    changes = list(difflib.unified_diff(old, text.splitlines(), path.name, "what the rows give", lineterm="", n=0))
    if changes:
        sys.exit("\n".join(changes))
    print(f"{path.name} is what the rows give")


def update(path, parts, check):
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = replaced(text, name, part)
    store(path, text, check)
