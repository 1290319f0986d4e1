#!/usr/bin/env python3
"""Prints the commands with their arguments and options.

    list_command.py PERFMODEL
"""

import re
import subprocess
import sys

import records

OPTION = re.compile(r"^  ((?:-\w, )?--[\w-]+(?: \S+)?)", re.MULTILINE)


def help_of(command: str, *words: str) -> str:
    return subprocess.run([command, *words, "--help-all"], capture_output=True, text=True, check=True).stdout


def commands(command: str) -> list[str]:
    listed = help_of(command).split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


if __name__ == "__main__":
    perfmodel = sys.argv[1]
    texts = {name: help_of(perfmodel, name) for name in commands(perfmodel)}
    options = {name: sorted(OPTION.findall(text),
                            key=lambda option: option.split("--")[1]) for name, text in texts.items()}
    common = set.intersection(*map(set, options.values()))
    print(*(f"every command {option}" for option in sorted(common)), sep="\n")
    lists = {record: list(names.values()) for record, names in records.given().items()}
    for name, text in texts.items():
        print(re.sub(r"\s+", " ", re.match(r"usage: perfmodel (.*?)\n\n", text, re.DOTALL)[1]))
        words = {option: option.split("--")[1].split()[0] for option in options[name] if option not in common}
        line, said = records.described(list(words.values()), lists)
        print(*([f"{name}: {line}"] if line else []), *(f"{name} {o}" for o, word in words.items() if word not in said),
              sep="\n")
