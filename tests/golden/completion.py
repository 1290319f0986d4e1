#!/usr/bin/env python3
"""Holds that the completion offers exactly what is accepted, for every option of every command.

    completion.py --command build/tools/perfmodel

Each command is called as its help shows it, with one option more, whose value is wrong: where the answer says "it is
one of ...", the completion offers just these, and offers none for any other option but those of files, entries of the
catalogue and numbers. Every word that is offered is then given, and none may be called unknown.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

WRONG = "wrong-value"
CASE = re.compile(r'^    (\w+)\) options="([^"]*)"\n      case \$before in\n(.*?)      esac ;;', re.S | re.M)


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout, done.stderr


def offered(command, folder):
    """command -> option -> what stands behind it in the completion, and all its options."""
    script, _ = run([command, "--completion"], folder)
    found = {}
    for name, options, cases in CASE.findall(script):
        lines = [re.match(r"\s+(--[\w-]+)(?:\|-\w)?\) (.*)", line) for line in cases.splitlines()]
        found[name] = ({line[1]: line[2] for line in lines}, options.split())
    return found


def example(command, name, folder):
    text, _ = run([command, name, "--help"], folder)
    words = shlex.split(" ".join(text.split("For example:")[1].split()))
    return words[1:]


def words_of(case, command, folder):
    """The words of a case, those that it asks the catalogue for among them; None: it offers no words."""
    match = re.search(r'words="([^"]*)"', case or "")
    if match is None:
        return None
    words = []
    for literal, kind in re.findall(r"(\$\(_perfmodel_ids (\w+)\)|[^\s$]+)", match[1]):
        if not kind:
            words.append(literal)
            continue
        text, _ = run([command, "list", kind, "--quiet", "--format", "csv"], folder)
        words += [line.split(",")[0].strip('"') for line in text.splitlines()[1:]]
    return words


def accepted(message):
    """What a message says that an option takes; None: it does not say."""
    match = re.search(r"it is (?:one of )?((?:[\w.-]+, )+[\w.-]+(?: or [\w.-]+)?)$", message)
    return match and set(re.split(", | or ", match[1]))


def check_option(call, option, case, command, folder):
    """Problems, as lines. An engine is of serving, which commands of other tasks have to be told."""
    if option == "--engine" and call[1] != "serve":
        call = [*call, "--serve"]
    name = f"{call[1]} {option}"
    words = words_of(case, command, folder)
    _, message = run([*call, f"{option}={WRONG}"], folder)
    last = message.strip().splitlines()[-1] if message.strip() else ""
    wanted = accepted(last) if f'"{WRONG}" is unknown' in last or "unknown" in last else None
    if wanted == {"no", "yes"}:
        wanted = None  # a switch, which stands alone
    if wanted is not None and (words is None or set(words) != wanted):
        yield f"{name}: offers {words}, takes {sorted(wanted)}"
    if wanted is None and words is None and "perfmodel list" in last and "COMPREPLY" not in (case or ""):
        yield f"{name}: offers nothing, but: {last}"
    if words is None or (wanted is not None and set(words) == wanted and len(words) > 12):
        return
    for word in words[:12]:
        _, message = run([*call, f"{option}={word}"], folder)
        if re.search(rf'"{re.escape(word)}[^"]*" is (unknown|not )|unknown [\w ]+ "{re.escape(word)}"', message):
            yield f"{name}: offers {word}, but: {message.strip()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    command = os.path.abspath(parser.parse_args().command)
    problems, options = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (cases, names) in offered(command, folder).items():
            call = [command, *example(command, name, folder)]
            for option in names:
                if option in ("--help", "--quiet", "--output", "--catalog", "--trace", "--price", "--data"):
                    continue
                options += 1
                problems += check_option(call, option, cases.get(option), command, folder)
    print("\n".join(problems) or f"the completion of {options} options offers what they take")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
