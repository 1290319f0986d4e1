"""What runs here, for a report of a problem."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

from . import _core

OPTIONAL = ("numpy", "pandas", "matplotlib")


def show_versions() -> None:
    """Prints the versions of the library, Python and the packages it works with."""
    rows = [("perfmodel", _core.version_get()), ("python", platform.python_version()),
            ("platform", platform.platform())]
    rows += [(name, _installed(name)) for name in OPTIONAL]
    sys.stdout.write("".join(f"{name:<12}{version}\n" for name, version in rows))


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
