"""What a build is made of, as CycloneDX 1.5: the project, and the libraries that its own library and command load.

    scripts/sbom.py BUILD [FILE]    BUILD: a folder of CMake; FILE: where it goes (default: standard output)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

LICENCES = {"libxml2": "MIT", "libz": "Zlib"}


def said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def cached(build: Path, name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found else ""


def component(name: str, version: str, licence: str = "") -> dict:
    out = {"type": "library", "name": name, "version": version}
    return {**out, "licenses": [{"license": {"id": licence}}]} if licence else out


def loaded(file: Path) -> dict[str, str]:
    """Names of the libraries that it asks for, and where each was found."""
    wanted = re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "-d", str(file)))
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", said("ldd", str(file)), re.M))
    return {name: places.get(name, "") for name in wanted if not name.startswith("libperfmodel")}


def version_of(name: str, place: str) -> str:
    """The number in the name of the file itself; of the C library what it says."""
    if name.startswith(("libc.", "libm.")):
        return said("getconf", "GNU_LIBC_VERSION").split()[-1]
    return Path(place).resolve().name.partition(".so.")[2]


def document(build: Path) -> dict:
    libraries = {**loaded(build / "libperfmodel" / "libperfmodel.so"), **loaded(build / "tools" / "perfmodel")}
    names = {name: name.partition(".so")[0] for name in libraries}
    parts = [component(names[name], version_of(name, place), LICENCES.get(names[name], "")) for name, place in sorted(libraries.items())]
    own = component("perfmodel", cached(build, "CMAKE_PROJECT_VERSION"), "MIT")
    compiler = cached(build, "CMAKE_C_COMPILER")
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {**own, "bom-ref": "perfmodel"}, "properties": [{"name": "compiler", "value": said(compiler, "--version").splitlines()[0]}]},
        "components": parts,
    }  # fmt: skip


def main() -> int:
    text = json.dumps(document(Path(sys.argv[1])), indent=2) + "\n"
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
