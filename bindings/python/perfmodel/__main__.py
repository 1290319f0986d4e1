"""`python -m perfmodel` becomes the command, the program in the package; `plot` and `report` are its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

COMMAND = "perfmodel"


def main() -> NoReturn:
    """Replaces this process by the command, with the same arguments."""
    if sys.argv[1:2] in (["plot"], ["report"]):
        from ._command import main as drawn

        sys.exit(drawn(sys.argv[1:]))
    own = Path(__file__).with_name("bin") / COMMAND
    path = own if own.is_file() else shutil.which(COMMAND)  # a build leaves the package without a program
    if path is None:
        sys.exit("perfmodel: the command is not installed; pip install . brings it, or cmake --install")
    os.environ["PERFMODEL_PYTHON"] = sys.executable
    os.execv(path, [COMMAND, *sys.argv[1:]])


if __name__ == "__main__":
    main()
