#!/usr/bin/env python3
"""Runs the command as a person would and compares what it prints with what is written down.

    run.py --command build/tools/perfmodel            all cases
    run.py --command build/tools/perfmodel errors     only errors.txt
    run.py --command build/tools/perfmodel --perturb  holds that no case shows a fitted number that is shipped
    run.py --command build/tools/perfmodel --update   writes down what the command prints now; then read the diff

A case file holds commands and what they are to print:

    # a remark
    $ perfmodel show nosuch          a line for the shell
    | text                           a line of its standard output
    ! text                           a line of its standard error
    = 2                              its exit status; 0 is left out

A carriage return is written \\r, other control characters \\xNN, a backslash \\\\, and a line that lacks its line feed
ends in \\. The commands of a file run one after the other in a folder of their own, which holds a copy of files/ and,
as toy/, of catalog/: invented machines and software with round numbers. Cases that show numbers of predictions use
these, so that a new fit of the shipped constants changes no case. --perturb holds that: every command with a catalogue
first reads a copy of the shipped constants that are all 10 % less. $SOURCE is the root of the source tree.
"""
import argparse
import difflib
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
TERMINAL, SKIPPED = "terminal", 77  # the cases that need a pseudo-terminal, and the exit status without one

# Entries whose numbers are fitted or measured, and the files of the catalogue that hold them.
FITTED = {"band", "calibration", "decoder", "fit", "framework", "inference_profile", "kernel_calibration",
          "cudnn_generation",
          "loader", "memory_profile", "storage_access"}
FITTED_FILES = ("calibration/*.xml", "frameworks/*.xml", "memory/profiles.xml", "hosts/*.xml", "storage/access.xml")

# Cases about shipped facts and published measurements: they may change with them.
SHIPPED = {"list", "show", "validate"}

# Put in front of the command on the path: what is told of replaced entries is nobody's case.
WRAPPER = """#!/bin/sh
case " $* " in
  *" --help "* | *" -h "*) exec "$REAL" "$@" ;;
esac
case "$1" in
  predict | sweep | infer | size | sensitivity | rings | collective | copies | kernel | memory | input | layers)
    what=$1
    shift
    exec "$REAL" "$what" --catalog "$PERTURBED" "$@" ;;
esac
exec "$REAL" "$@"
"""


def escape(line):
    line = line.replace("\\", "\\\\").replace("\r", "\\r")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", lambda c: f"\\x{ord(c.group()):02x}", line)


def mark(prefix, text):
    """The lines of an output, each behind its prefix."""
    lines = text.split("\n")
    last = lines.pop()
    marked = [f"{prefix} {escape(line)}".rstrip(" ") for line in lines]
    if last:
        marked.append(f"{prefix} {escape(last)}\\")
    return marked


def run_line(line, folder, environment):
    done = subprocess.run(["/bin/sh", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out = done.stdout.decode("utf-8", "backslashreplace")
    err = done.stderr.decode("utf-8", "backslashreplace")
    code = [f"= {done.returncode}"] if done.returncode else []
    return [f"$ {line}"] + mark("|", out) + mark("!", err) + code


def perturb(text):
    """A fitted number 10 % less, with its unit. Whole numbers of things and of bytes stay: they are facts."""
    number, space, unit = (text or "").partition(" ")
    if number.isdigit() and unit in ("", "B"):
        return text
    try:
        return f"{float(number) * 0.9!r}{space}{unit}"
    except ValueError:
        return text


def write_perturbed(folder):
    """The shipped constants, all 10 % less."""
    root = xml.Element("perfmodel", version="1")
    data = HERE.parent.parent / "data"
    for path in sorted(path for pattern in FITTED_FILES for path in data.glob(pattern)):
        for entry in xml.parse(path).getroot():
            if entry.tag not in FITTED:
                continue
            for field in entry:
                if len(field) == 0 and entry.get("id") not in (field.text or ""):
                    field.text = perturb(field.text)
            root.append(entry)
    xml.ElementTree(root).write(folder / "perturbed.xml", encoding="utf-8", xml_declaration=True)


def make_perturbed(folder, environment, command):
    """An environment whose perfmodel reads the perturbed constants before the catalogues of its command line."""
    write_perturbed(folder)
    wrapper = folder / "perfmodel"
    wrapper.write_text(WRAPPER, encoding="utf-8")
    wrapper.chmod(0o755)
    return {**environment, "PATH": f"{folder}:{environment['PATH']}", "REAL": str(pathlib.Path(command).resolve()),
            "PERTURBED": str(folder / "perturbed.xml")}


def without_replaced(text):
    """The lines of a case but for notes that an entry takes the place of another."""
    return "".join(line for line in text.splitlines(keepends=True)
                   if not (line.startswith("! ") and " replaces the " in line))


def run_case(path, environment):
    """The case file as it would have to be for what the command prints now."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / "work"
        shutil.copytree(HERE / "files", work)
        shutil.copytree(HERE / "catalog", work / "toy")
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("$ "):
                lines += run_line(line[2:], work, environment)
            elif not line or line[0] not in "|!=":
                lines.append(line)
    return "\n".join(lines) + "\n"


def make_environment(command):
    """The command first on the path, and nothing of the caller's that changes its words."""
    folder = pathlib.Path(command).resolve().parent
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                                "LSAN_OPTIONS", "LLVM_PROFILE_FILE") if name in os.environ}
    return {**kept, "PATH": f"{folder}:{kept['PATH']}", "LC_ALL": "C", "SOURCE": str(HERE.parent.parent)}


def has_terminal():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def check(path, environment, update):
    wanted, got = path.read_text(encoding="utf-8"), run_case(path, environment)
    if "PERTURBED" in environment:
        got = got.replace(f" --catalog {environment['PERTURBED']}", "")  # in commands that a refusal ends with
        wanted, got = without_replaced(wanted), without_replaced(got)
    if wanted == got:
        return True
    if update:
        path.write_text(got, encoding="utf-8")
        print(f"updated {path.name}")
        return True
    diff = difflib.unified_diff(wanted.splitlines(), got.splitlines(), f"{path.name} (wanted)", f"{path.name} (got)",
                                lineterm="")
    print("\n".join(diff))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, help="the perfmodel to run")
    parser.add_argument("--update", action="store_true", help="write down what it prints now")
    parser.add_argument("--perturb", action="store_true", help="beside shipped constants that are 10 %% less")
    parser.add_argument("names", nargs="*", help="case files without .txt; all if none")
    options = parser.parse_args()
    if not os.access(options.command, os.X_OK):
        parser.error(f"{options.command} is not there")
    paths = [HERE / f"{name}.txt" for name in options.names] or sorted(HERE.glob("*.txt"))
    paths = [path for path in paths if path.name != "CMakeLists.txt"]
    if not has_terminal() and any(path.stem == TERMINAL for path in paths):
        print(f"{TERMINAL}.txt is skipped: no pseudo-terminal can be opened here")
        paths = [path for path in paths if path.stem != TERMINAL]
        if not paths:
            return SKIPPED
    environment = make_environment(options.command)
    with tempfile.TemporaryDirectory() as folder:
        if options.perturb:
            environment = make_perturbed(pathlib.Path(folder), environment, options.command)
            paths = [path for path in paths if path.stem not in SHIPPED]
        good = [check(path, environment, options.update and not options.perturb) for path in paths]
    commands = sum(path.read_text(encoding="utf-8").count("\n$ ") for path in paths)
    print(f"{sum(good)} of {len(good)} case files as written down ({commands} commands)")
    return 0 if all(good) and good else 1


if __name__ == "__main__":
    sys.exit(main())
