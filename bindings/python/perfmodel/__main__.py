"""`python -m perfmodel` becomes the command that pip installed with the package; `plot` and `report` are its own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import NoReturn

COMMAND = "perfmodel"


def _places() -> Iterator[Path]:
    """Where the command may be: where pip says that it put it, beside the packages of `pip install --target`, the
    path."""
    try:
        yield from (Path(str(file.locate())) for file in files("perfmodel") or () if file.parent.name in ("bin",
            "Scripts"))
    except PackageNotFoundError:
        pass  # the package as a build left it
    yield Path(__file__).parent.parent / "bin" / COMMAND
    found = shutil.which(COMMAND)
    if found is not None:
        yield Path(found)


def main() -> NoReturn:
    """Runs the command with the arguments of this process, in its place."""
    if sys.argv[1:2] in (["plot"], ["report"]):
        from ._command import main as drawn

        sys.exit(drawn(sys.argv[1:]))
    path = next((place for place in _places() if place.is_file()), None)
    if path is None:
        sys.exit("perfmodel: the command is not installed; pip install . brings it, or cmake --install")
    os.execv(path, [COMMAND, *sys.argv[1:]])


if __name__ == "__main__":
    main()
