#!/usr/bin/env python3
"""Runs the command as a person would and compares what it prints with what is written down.

    run.py --command build/tools/perfmodel            all cases
    run.py --command build/tools/perfmodel errors     only errors.txt
    run.py --command build/tools/perfmodel --update   writes down what the command prints now; then read the diff

A case file holds commands and what they are to print:

    # a remark
    $ perfmodel show nosuch          a line for the shell
    | text                           a line of its standard output
    ! text                           a line of its standard error
    = 2                              its exit status; 0 is left out

A carriage return is written \\r, other control characters \\xNN, a backslash \\\\, and a line that lacks its line feed
ends in \\. The commands of a file run one after the other in a folder of their own, which holds a copy of files/;
$SOURCE is the root of the source tree.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


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
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    out = done.stdout.decode("utf-8", "backslashreplace")
    err = done.stderr.decode("utf-8", "backslashreplace")
    code = [f"= {done.returncode}"] if done.returncode else []
    return [f"$ {line}"] + mark("|", out) + mark("!", err) + code


def run_case(path, environment):
    """The case file as it would have to be for what the command prints now."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / "work"
        shutil.copytree(HERE / "files", work)
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
                                                "LSAN_OPTIONS") if name in os.environ}
    return {**kept, "PATH": f"{folder}:{kept['PATH']}", "LC_ALL": "C", "SOURCE": str(HERE.parent.parent)}


def check(path, environment, update):
    wanted, got = path.read_text(encoding="utf-8"), run_case(path, environment)
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
    parser.add_argument("names", nargs="*", help="case files without .txt; all if none")
    options = parser.parse_args()
    if not os.access(options.command, os.X_OK):
        parser.error(f"{options.command} is not there")
    paths = [HERE / f"{name}.txt" for name in options.names] or sorted(HERE.glob("*.txt"))
    paths = [path for path in paths if path.name != "CMakeLists.txt"]
    environment = make_environment(options.command)
    good = [check(path, environment, options.update) for path in paths]
    commands = sum(path.read_text(encoding="utf-8").count("\n$ ") for path in paths)
    print(f"{sum(good)} of {len(good)} case files as written down ({commands} commands)")
    return 0 if all(good) and good else 1


if __name__ == "__main__":
    sys.exit(main())
