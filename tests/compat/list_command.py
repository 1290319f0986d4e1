#!/usr/bin/env python3
"""Prints the commands with their arguments and options.

    list_command.py PERFMODEL
"""

import re
import subprocess
import sys

OPTION = re.compile(r"^  ((?:-\w, )?--[\w-]+(?: \S+)?)", re.MULTILINE)


def help_of(command: str, *words: str) -> str:
    return subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands(command: str) -> list[str]:
    listed = help_of(command).split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


if __name__ == "__main__":
    perfmodel = sys.argv[1]
    for name in commands(perfmodel):
        text = help_of(perfmodel, name)
        print(re.sub(r"\s+", " ", re.match(r"usage: perfmodel (.*?)\n\n", text, re.DOTALL)[1]))
        for option in sorted(OPTION.findall(text), key=lambda option: option.split("--")[1]):
            print(f"{name} {option}")
