#!/usr/bin/env python3
"""Writes the library as two files that compile alone: perfmodel.c, with the shipped catalogue, and perfmodel.h.

    python3 scripts/amalgamate.py BUILD FOLDER      BUILD: a build folder, for its compiled catalogue

    cc -O2 -c perfmodel.c                           no flags, no libraries but libm
    cc -O2 -DPM_WITH_LIBXML2 -DPM_WITH_ZLIB -c perfmodel.c $(pkg-config --cflags libxml-2.0 zlib)

Each source file follows in turn, behind the headers that it includes first. A name that two files have for something of
their own gets the file's name as well; macros of a file end with it. libperfmodel/single/xml_small.c reads XML unless
PM_WITH_LIBXML2 is defined; packed files are refused unless PM_WITH_ZLIB is.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ROOT / "libperfmodel"
# What needs a library, its switch, and what stands there without it.
INSTEAD = {"catalog/xml.c": ("PM_WITH_LIBXML2", "xml_small.c"), "catalog/inflate.c": ("PM_WITH_ZLIB", "no_zlib.c")}

TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d[\w.]*|\s+|->|.""", re.S)
INCLUDE = re.compile(r'^#include (["<])([^">]+)[">].*\n', re.M)
TAGS = ("struct", "union", "enum")
# Names of the system that files use for something of their own.
SYSTEM = {"write", "pipe"}
WORD = re.compile(r"[A-Za-z_]\w*$")

TOP = """/*
** perfmodel {version}, all of the library in one file, written by scripts/amalgamate.py:
**
**     cc -O2 -c perfmodel.c      then link with -lm
**
** {licence}
*/
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define PM_BUILDING
/* Products and sums are rounded one by one, so that every machine gives the same bits. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-math-errno", "no-trapping-math")
#endif
#include "perfmodel.h"
{includes}
/* What the header does not declare stays inside a shared library. */
#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif
"""
BOTTOM = """
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
"""


def tokens_of(text):
    return TOKEN.findall(text)


def is_blank(token):
    return token.isspace() or token.startswith(("/*", "//"))


def without_directives(text):
    return re.sub(r"^#(?:[^\n\\]|\\.)*", "", text.replace("\\\n", " "), flags=re.M)


def own_names(path):
    """Names at file scope that no other file sees: static functions and data, types, tags and enumerators."""
    names, statement, depth, listing, function = set(), [], 0, False, False
    for token in (t for t in tokens_of(without_directives(path.read_text())) if not is_blank(t)):
        if token == "{":
            if depth == 0:
                names |= declared(statement)
                listing, function = "enum" in statement, statement[-1:] == [")"]
            depth += 1
        elif token == "}":
            depth -= 1
            statement = [] if depth == 0 and function else statement
        elif depth == 0 and token == ";":
            names |= declared(statement)
            statement = []
        elif depth == 0:
            statement.append(token)
        elif depth == 1 and listing and WORD.match(token) and before in ("{", ","):
            names.add(token)
        before = token
    return names


def declared(statement):
    """The names that a declaration makes, of which the head or all is given."""
    names = {statement[-1]} if statement[-2:-1] in (["struct"], ["union"], ["enum"]) else set()
    if statement[:1] == ["typedef"] and not names:
        inner = re.search(r"\( \* (\w+) \)|(?<=[*\w] )(\w+) \(", " ".join(statement))
        names = {inner[1] or inner[2]} if inner else {statement[-1]} if statement[-1] not in TAGS else set()
    depth, last = 0, None
    for token in statement[statement.index("static"):] + [";"] if "static" in statement else []:
        if depth == 0 and token in ("(", "[", "=", ";", ",") and last and last not in TAGS:
            names.add(last)
        if depth == 0 and token == "(":
            break
        depth += (token in ("(", "[")) - (token in (")", "]"))
        last = token if WORD.match(token) else last if token == "]" else None
    return {name for name in names if WORD.match(name) and not name.startswith("pm_")}


def rename(text, names, suffix):
    """The file with these names made its own; members of structs keep theirs."""
    if not names:
        return text
    tokens = tokens_of(text)
    solid = [place for place, token in enumerate(tokens) if not is_blank(token)]
    before, structs, statement = "", [], []
    for place, behind in zip(solid, solid[1:] + [0]):
        token, after = tokens[place], tokens[behind]
        if token == "{":
            structs.append(before not in ("=", ")", ",", "{") and any(word in statement for word in TAGS[:2]))
        elif token == "}" and structs:
            structs.pop()
        statement = [] if token in (";", "{", "}") else statement + [token]
        member = before in (".", "->") or (structs and structs[-1] and after in (";", ",", "[", ")", ":"))
        if token in names and not member:
            tokens[place] = f"{token}_{suffix}"
        before = token
    return "".join(tokens)


class Writer:
    """Headers are written once, at their first use; those of the system are collected."""

    def __init__(self, folders, known=()):
        self.folders, self.seen, self.system = folders, set(known), []

    def include(self, match, beside):
        """What stands for one line #include."""
        if match[1] == "<":
            self.system += [match[2]] * (match[2] not in self.system)
            return ""
        header = next(folder / match[2] for folder in [beside, *self.folders] if (folder / match[2]).exists())
        if header in self.seen:
            return ""
        self.seen.add(header)
        return self.expand(header.read_text(), header.parent)

    def expand(self, text, beside):
        return INCLUDE.sub(lambda match: self.include(match, beside), text)


def macros_of(text):
    return list(dict.fromkeys(re.findall(r"^#define (\w+)", text, re.M)))


def body_of(path, names):
    """A source file without its headers: with names of its own, and an end to its macros."""
    text = path.read_text()
    own = INCLUDE.sub("", text)
    own = re.sub(r"#ifndef _POSIX_C_SOURCE\n.*?#endif\n", "", own, flags=re.S)
    place = path.with_suffix("").relative_to(CORE / "src") if CORE / "src" in path.parents else path.stem
    return rename(own, names, re.sub(r"\W", "_", str(place))) + "".join(f"#undef {name}\n" for name in macros_of(own))


def write_header(folder):
    writer = Writer([CORE / "include"])
    text = writer.expand((CORE / "include/perfmodel.h").read_text(), CORE / "include")
    guard = "#ifndef PERFMODEL_H\n#define PERFMODEL_H\n"
    text = text.replace(guard, guard + "".join(f"#include <{name}>\n" for name in writer.system), 1)
    (folder / "perfmodel.h").write_text(text)
    return writer.seen


def write_source(build, folder, public):
    known = public | {CORE / "include/perfmodel.h"}
    writer = Writer([CORE / "src", CORE / "include"], known)
    sources = sorted((CORE / "src").rglob("*.c"))
    files = sources + [CORE / "single" / other for _, other in INSTEAD.values()] + [build / "libperfmodel/catalog.c"]
    own = {path: own_names(path) for path in files[:-1]}  # the last, which is long, has none
    users = collections.Counter(name for names in own.values() for name in names)
    shared = {name for name, count in users.items() if count > 1} | SYSTEM
    parts = []
    for path in sources + files[-1:]:
        name = str(path.relative_to(CORE / "src")) if path in sources else path.name
        text = path.read_text()
        head = "".join(writer.include(match, path.parent) for match in INCLUDE.finditer(text))
        body = body_of(path, own.get(path, set()) & shared)
        if name in INSTEAD:
            switch, other = INSTEAD[name][0], CORE / "single" / INSTEAD[name][1]
            libraries = "".join(f"#include <{n}>\n" for n in re.findall(r"#include <((?:libxml/|zlib)[^>]+)>", text))
            body = f"#ifdef {switch}\n{libraries}{body}#else\n{body_of(other, own[other] & shared)}#endif\n"
        parts.append(f"\n/* ---- {name} ---- */\n{head}{body}")
    system = [n for n in writer.system if not n.startswith(("libxml", "zlib"))]
    version = re.search(r'PM_VERSION "([^"]+)"', (CORE / "include/perfmodel.h").read_text())[1]
    licence = (ROOT / "LICENSE").read_text().strip().replace("\n", "\n** ")
    top = TOP.format(version=version, licence=licence, includes="".join(f"#include <{n}>\n" for n in system))
    (folder / "perfmodel.c").write_text(top + "".join(parts) + BOTTOM)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    write_source(build.resolve(), folder, write_header(folder))
    for name in ("perfmodel.c", "perfmodel.h"):
        print(f"{folder / name}: {(folder / name).stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
