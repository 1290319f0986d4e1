#!/usr/bin/env python3
"""Fails if a header or a source is documented too little, or a name or a line does not keep to the conventions.

- At least 40 % of the lines of each header are documentation: comments, lines that end in one, and lines of a list
  whose last text says what the field or the choice is. Blank lines do not count at all.
- A comment stands over every function, type, list and macro. What a list declares (the struct of its fields, the
  enumeration of its choices) is said by the list's comment, and the entry that is told sizes by the comment it shares
  with the function that knows them.
- A function's name has a verb, and the members of an enumeration begin with the name of its type.
- Every .c file begins with a comment, which says what it is for; no line of C, Python or Lua has more than 120 columns.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = (ROOT / "libperfmodel" / "include", ROOT / "lab" / "include")
LEAST = 0.40

# Code, and what of it is written by the build.
FOLDERS = ["libperfmodel", "lab", "tools", "bindings", "examples", "benchmarks", "scripts", "tests", "site", "page"]
WRITTEN = {"_core.py"}
COLUMNS = 120

# What functions do; docs/architecture.md says which word is for what.
VERBS = set("""
add calibrate check clean clear complete count diagnose drop evaluate explain export fill find fit format free get has
import infer keep list load make mark new pack parse predict read resolve serve set show tabulate unpack validate write
""".split())

# Belong to the Arrow project, or are known to the preprocessor alone.
FOREIGN = re.compile(r"ARROW_|PERFMODEL_(\w+_)?H$|struct Arrow|extern \"C\"")


def documentation(lines: list[str]) -> tuple[int, int]:
    """(lines that document, lines that are not blank)."""
    told = count = 0
    inside = False
    for line in (line.strip() for line in lines):
        if not line:
            continue
        count += 1
        field = re.match(r"X\(\w+, .*\"[^\"]+\"[^\"]*\)?", line)
        told += bool(inside or "/*" in line or field)
        if inside or "/*" in line:
            inside = "*/" not in line.split("/*")[-1]
    return told, count


def declarations(lines: list[str]):
    """(line number, name, kind, whether a comment is over or beside it), in order."""
    commented = inside = False
    previous = ""
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip()
        if inside or line.lstrip().startswith("/*"):
            inside = "*/" not in line
            commented = True
            continue
        beside = "/*" in line
        found = None
        if match := re.match(r"(PM_API|PM_INLINE) [^(]*?\b(pm_\w+)\(", line):
            found = (match[2], "function")
            shared = match[1] == "PM_INLINE" and previous in (f"{match[2]}_sized", match[2].rsplit("_", 1)[0] + "_fill")
            previous = match[2]
            commented = commented or shared
        elif match := re.match(r"#define (\w+)", line):
            found = (match[1], "macro")
        elif match := re.match(r"(?:typedef )?(struct|enum|union)\b ?(\w*)", line):
            if re.match(r"typedef (struct|enum|union) \w+ \w+;", line) or "{" in line:
                found = (match[2] or line, match[1])
        elif re.match(r"(typedef|extern) ", line):
            found = (line, "type")
        if found:
            yield number, *found, commented or beside, line
        if line == "" or found:
            commented = False


def is_named_by_list(name: str, kind: str, line: str, lists: set[str]) -> bool:
    """What an X-macro list declares, right below it."""
    if kind == "struct":
        match = re.search(r"{ (PM_\w+_FIELDS)\(PM_DECLARE\)", line)
        return bool(match and match[1] in lists)
    if kind == "enum":
        return any(name.upper().startswith(list_name.removesuffix("_LIST")) or
                   f"{name.upper()}_LIST" == list_name for list_name in lists)
    return kind == "macro" and (name.endswith("_ENUM") or name.startswith("PM_DECLARE_"))


def header_problems(path: Path) -> tuple[list[str], int, int]:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    name_of = "/".join(path.parts[path.parts.index("include") + 1 :])
    problems = []
    lists: set[str] = set()
    for number, name, kind, told, line in declarations(lines):
        if FOREIGN.search(line) or FOREIGN.search(name):
            continue
        told = told or name in lists  # the other branch of an #if
        if told and kind == "macro":
            lists.add(name)
        if not told and not is_named_by_list(name, kind, line, lists):
            problems.append(f"{name_of}:{number}: {name} has no comment")
        if kind == "function" and not VERBS & set(name.split("_")):
            problems.append(f"{name_of}:{number}: {name} has no verb")
    for match in re.finditer(r"enum (pm_\w+) \{\n#define \w+_ENUM\([^)]*\) (PM_\w*)##", text):
        problems += prefix_problem(name_of, match[1], match[2])
    for match in re.finditer(r"enum (pm_\w+) \{([^}#]*)\}", text):
        for member in re.findall(r"\b(PM_\w+)", re.sub(r"/\*.*?\*/", "", match[2])):
            problems += prefix_problem(name_of, match[1], member)
    told, count = documentation(lines)
    if told < LEAST * count:
        problems.append(f"{name_of}: {100 * told / count:.0f} % documentation, and {100 * LEAST:.0f} % are due")
    return problems, told, count


def prefix_problem(header: str, type_name: str, member: str) -> list[str]:
    stem = re.sub(r"_(kind|choice)$", "", type_name).upper() + "_"
    return [] if member.startswith(stem) else [f"{header}: {member}... of {type_name} does not begin with {stem}"]


def source_problems() -> list[str]:
    """Files without a purpose, and lines that are too long."""
    problems = []
    for file in sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.*")):
        if file.suffix not in (".c", ".h", ".i", ".py", ".lua") or file.name in WRITTEN:
            continue
        name, text = file.relative_to(ROOT), file.read_text(encoding="utf-8")
        if file.suffix == ".c" and not text.startswith("/*"):
            problems.append(f"{name}: does not begin with a comment that says what it is for")
        long = [number for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]
        problems += [f"{name}:{number}: more than {COLUMNS} columns" for number in long]
    return problems


def main() -> int:
    headers = [path for folder in HEADERS for path in sorted(folder.rglob("*.h"))]
    problems = source_problems()
    told = count = 0
    for header in headers:
        found, documenting, lines = header_problems(header)
        problems += found
        told += documenting
        count += lines
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"headers: {len(headers)}, {100 * told / max(count, 1):.0f} % documentation, {len(problems)} problems")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
