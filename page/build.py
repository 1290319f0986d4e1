#!/usr/bin/env python3
"""Builds the page: the command as WebAssembly, in one HTML file that works from a disk, offline.

    python3 page/build.py BUILD --libxml2 FOLDER --zlib FOLDER [-o perfmodel.html]

BUILD is a build folder of the command, whose compiled catalogue is used; the other folders hold the sources of the
libraries.
Needs ninja and `pip install ziglang`. scripts/page.sh brings all of that.
"""
import argparse
import base64
import gzip
import html
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "page"

# Of libxml2 what reads text; of zlib what unpacks.
XML = ("parser parserInternals SAX2 tree entities encoding error xmlIO xmlmemory globals hash dict list threads buf "
       "chvalid uri valid xmlstring HTMLparser").split()
ZLIB = "adler32 crc32 inflate inffast inftrees zutil".split()
XML_WITH = {"TREE", "PUSH", "SAX1"}

ZIG = [sys.executable, "-m", "ziglang", "cc"]
FLAGS = ["-target", "wasm32-wasi", "-Os", "-DNDEBUG", "-D_DEFAULT_SOURCE", "-D_WASI_EMULATED_SIGNAL"]
# As the command is compiled; products are not fused, so that numbers are the same.
OWN = ["-std=c11", "-ffp-contract=off", "-fno-math-errno", "-DPM_BUILDING", "-include", str(PAGE / "wasi/wasi.h")]


def configure_xml(source, work):
    """The configuration of Debian 12's libxml2 with nothing but its parser."""
    text = (source / "include/libxml/xmlversion.h.in").read_text()
    text = text.replace("@VERSION@", "2.9.14").replace("@LIBXML_VERSION_NUMBER@", "20914")
    text = text.replace("@LIBXML_VERSION_EXTRA@", "").replace("@MODULE_EXTENSION@", "")
    text = re.sub(r"@WITH_(\w+)@", lambda m: str(int(m[1] in XML_WITH)), text)
    folder = work / "xml"
    (folder / "libxml").mkdir(parents=True, exist_ok=True)
    (folder / "libxml/xmlversion.h").write_text(text)
    have = "CTYPE ERRNO FCNTL FLOAT LIMITS MATH STDARG STDINT STDLIB STRING SYS_STAT SYS_TYPES TIME UNISTD".split()
    (folder / "config.h").write_text("".join(f"#define HAVE_{name}_H 1\n" for name in have)
                                     + "#define VA_LIST_IS_ARRAY 1\n#define HAVE_VSNPRINTF 1\n#define HAVE_SNPRINTF 1\n"
                                     + "#define HAVE_STAT 1\n#define XML_SOCKLEN_T unsigned\n")
    return folder


def jobs_of(build, xml, zlib, work):
    """Every file to compile, with its flags."""
    configured = configure_xml(xml, work)
    libraries = [f"-I{configured}", f"-I{xml / 'include'}", f"-I{zlib}"]
    rooms = ["libperfmodel/include", "libperfmodel/src", "tools", "lab/load", "lab/include"]
    own = OWN + [f"-I{ROOT / room}" for room in rooms] + libraries
    sources = sorted((ROOT / "libperfmodel/src").rglob("*.c")) + sorted((ROOT / "tools").glob("*.c"))
    sources = [s for s in sources if s.name != "calibrate_script.c"]
    sources += [build / "libperfmodel/catalog.c", ROOT / "lab/load/lab_load.c", PAGE / "wasi/wasi.c"]
    quiet = ["-w", "-DHAVE_CONFIG_H", "-D_REENTRANT=0"]
    return ([(s, own) for s in sources] + [(xml / f"{n}.c", libraries + quiet) for n in XML]
            + [(zlib / f"{n}.c", libraries + quiet) for n in ZLIB])


RULES = """ninja_required_version = 1.5
rule compile
  command = {zig} {flags} $flags -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = $in
rule link
  command = {zig} {link} -s @$out.rsp -lwasi-emulated-signal -Wl,-z,stack-size=1048576 -o $out
  rspfile = $out.rsp
  rspfile_content = $in
  description = $out
"""


def object_of(source):
    name = source.relative_to(ROOT) if source.is_relative_to(ROOT) else source
    return "objects/" + re.sub(r"\W", "_", str(name)) + ".o"


def compile_all(build, xml, zlib, work):
    """The program; only what changed is compiled."""
    jobs = jobs_of(build, xml, zlib, work)
    text = RULES.format(zig=shlex.join(ZIG), flags=shlex.join(FLAGS), link=shlex.join(FLAGS[:3]))
    for source, flags in jobs:
        text += f"build {object_of(source)}: compile {source}\n  flags = {shlex.join(flags)}\n"
    text += f"build perfmodel.wasm: link {' '.join(object_of(source) for source, _ in jobs)}\n"
    (work / "build.ninja").write_text(text)
    if subprocess.run(["ninja", "-C", work, "--quiet"]).returncode != 0:
        sys.exit("page: the program was not built")
    return work / "perfmodel.wasm"


def options_of(command, kind):
    """What the command lists of a kind, to choose from: in the page, since listing takes longer than an answer."""
    listed = subprocess.run([command, "list", kind, "--format", "json", "-q"], capture_output=True, check=True)
    rows = json.loads(listed.stdout)
    entries = [(row["id"], row["name"]) if "id" in row else 2 * (row["precision"],) for row in rows]
    return "".join(f'<option value="{html.escape(value)}">{html.escape(name)}</option>' for value, name in entries)


def write_page(wasm, command, result):
    """One file: style, scripts, lists to choose from and the program, packed, in the page."""
    packed = base64.b64encode(gzip.compress(wasm.read_bytes(), 9, mtime=0)).decode()
    page = (PAGE / "page.html").read_text()
    for name in re.findall(r"<!-- (\w+\.(?:css|js)) -->", page):
        tag = "style" if name.endswith("css") else "script"
        page = page.replace(f"<!-- {name} -->", f"<{tag}>\n{(PAGE / name).read_text()}</{tag}>")
    page = re.sub("<!-- list (\\w+) -->", lambda m: options_of(command, m[1]), page)
    result.write_text(page.replace("<!-- program -->", packed))
    print(f"{result}: {result.stat().st_size / 1e6:.2f} MB, of which the program {len(packed) / 1e6:.2f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--libxml2", type=pathlib.Path, required=True)
    parser.add_argument("--zlib", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    work = asked.build.resolve() / "page"
    wasm = compile_all(asked.build.resolve(), asked.libxml2.resolve(), asked.zlib.resolve(), work)
    write_page(wasm, asked.build.resolve() / "tools/perfmodel", asked.output or work / "perfmodel.html")


if __name__ == "__main__":
    main()
