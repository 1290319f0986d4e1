"""Prints the C interface: every constant and enumerator with its value, every function, and every struct but the
records that functions name.

    list_c.py COMPILER
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [ROOT / "libperfmodel" / "include", ROOT / "lab" / "include"]


def preprocess(compiler: str) -> str:
    """What the compiler sees of the public headers, without those of the system."""
    command = [compiler, "-E", *(f"-I{folder}" for folder in HEADERS), HEADERS[1] / "perfmodel-lab.h"]
    whole = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, own = [], False
    for line in whole.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        own = any(str(folder) in marker[1] for folder in HEADERS) if marker else own
        if not marker and own:
            kept.append(line)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", "", " ".join(kept))
    return re.sub(r"\s+", " ", text)


def declarations(text: str) -> list[str]:
    """Declarations at file level, each without its final semicolon; of functions with a body, what stands before it."""
    found, start, depth = [], 0, 0
    for at, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        body = c == "}" and depth == 0 and "(" in text[start:at].split("{")[0]
        if depth == 0 and (c == ";" or body):
            declaration = text[start:at].strip()
            found.append(declaration.split("{")[0].strip() if body else declaration)
            start = at + 1
    return found


def enumerators(members: str, known: dict[str, int]) -> list[str]:
    """Their values: as written, else one more than the last."""
    lines, value = [], -1
    for member in filter(None, map(str.strip, members.split(","))):
        name, _, given = map(str.strip, member.partition("="))
        value = eval(given, {}, known) if given else value + 1
        known[name] = value
        lines.append(f"{name} = {value}")
    return lines


def header_text() -> str:
    return "".join(path.read_text(encoding="utf-8") for folder in HEADERS for path in sorted(folder.rglob("*.h")))


def records() -> dict[str, str]:
    """The structs that are declared by a list of fields, with the name of the list."""
    return dict(re.findall(r"struct (pm_\w+) \{ PM_(\w+)_FIELDS\(PM_DECLARE\)", header_text()))


def constants() -> list[str]:
    found = re.findall(r'^#define (PM_\w+) ("[^"]*"|[\d.]+)', header_text(), re.MULTILINE)
    return [f"{name} = {value}" for name, value in found]


def name_of(declaration: str) -> str:
    """Of a function, else of the first type."""
    return (re.search(r"\bpm_\w+(?=\()", declaration) or re.search(r"\b(pm_|Arrow)\w+", declaration))[0]


def interface(compiler: str) -> list[str]:
    values, others, known, lists = constants(), [], {}, records()
    for declaration in declarations(preprocess(compiler)):
        match = re.fullmatch(r"(?:typedef )?(struct|enum) ?(\w*) ?\{(.*)\} ?(\w*)", declaration)
        if match and match[1] == "enum":
            values += enumerators(match[3], known)
        elif match and match[2] in lists:
            others.append(f"struct {match[2]}: the record of PM_{lists[match[2]]}_FIELDS")
        elif match:
            others.append(f"struct {match[2]} {{{match[3]}}}")
        else:
            others.append(re.sub(r"^(extern|static inline|static|typedef) ", "", declaration))
    words = set(re.findall(r"\w+", " ".join(line for line in others if ": the record of " not in line)))
    others = [line for line in others if ": the record of " not in line or name_of(line) not in words]
    return sorted(values) + sorted(set(others), key=lambda line: (name_of(line), line))


if __name__ == "__main__":
    print("\n".join(interface(sys.argv[1])))
