"""Entries of catalogue files: read, given other values, and printed as a file that the command writes into the tree.

The parts of `perfmodel calibrate --all` that are Python are called as SCRIPT PERFMODEL FILE...: the program, and the
files that hold the constants as they are. They print the entries that they changed; perfmodel writes the values."""
import argparse
import copy
import pathlib
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATE = "2026-11"
FRAMEWORKS, INFERENCE = "data/frameworks/frameworks.xml", "data/calibration/inference.xml"
KERNELS, OPERATORS = "data/calibration/kernels.xml", "data/calibration/operators.xml"


def arguments(doc, *flags):
    """What a script is called with: `command` is the program with the files that its runs load."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("perfmodel")
    parser.add_argument("files", nargs="*", help="files of constants instead of those that the program has")
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    found = parser.parse_args()
    found.command = (found.perfmodel, *found.files)
    return found


def catalogs(command):
    return [option for file in command[1:] for option in ("--catalog", file)]


def read(command, name, kind):
    """Entries of a kind by id, as one of the command's files has them, or the tree."""
    path = next((file for file in command[1:] if file.endswith(name)), ROOT / name)
    return {entry.get("id"): entry for entry in ET.parse(path).getroot() if entry.tag == kind}


def with_values(entry, values):
    """A copy of the entry with these values: of each field the text and its attributes, or None for none."""
    changed = copy.deepcopy(entry)
    for field, value in values.items():
        for old in changed.findall(field):
            changed.remove(old)
        if value is not None:
            ET.SubElement(changed, field, value[1]).text = value[0]
    return changed


def as_file(entries):
    root = ET.Element("perfmodel", version="1")
    root.extend(entries)
    return ET.tostring(root, encoding="unicode") + "\n"
