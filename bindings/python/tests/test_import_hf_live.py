"""The committed counts of Hugging Face models are those of the installed package: `scripts/test.sh full` installs
it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import needs
import pytest

needs.package("transformers")
needs.package("torch")

SCRIPTS = [Path(__file__).resolve().parent / name for name in ("hf_parameters.py", "hf_towers.py")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_package_counts_what_the_table_says(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
