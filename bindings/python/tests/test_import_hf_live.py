"""The committed counts of Hugging Face models are those of the installed package: `scripts/test.sh full` installs
it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import needs

needs.package("transformers")
needs.package("torch")

SCRIPT = Path(__file__).resolve().parent / "hf_parameters.py"


def test_the_package_counts_what_the_table_says() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
