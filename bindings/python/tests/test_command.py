"""The command that pip brings: as a program beside Python, and as python -m perfmodel; outside of the source tree."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import perfmodel as pm
import pytest

SHARED = Path(sysconfig.get_path("data")) / "share"
SCRIPT = Path(sysconfig.get_path("scripts")) / "perfmodel"


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=3600)


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed by pip")
@pytest.mark.parametrize("start", [[str(SCRIPT)], [sys.executable, "-m", "perfmodel"]])
def test_command_of_pip(start: list[str], tmp_path: Path) -> None:
    assert run(*start, "--version", folder=tmp_path).stdout == f"perfmodel {pm.__version__}\n"
    done = run(*start, "list", "optimizers", "-o", "made.csv", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "made.csv").read_text().startswith("optimizer,meaning,state [B],")
    wrong = run(*start, "predcit", folder=tmp_path)
    assert (wrong.returncode, wrong.stderr) == (2, 'perfmodel: unknown command "predcit"; did you mean "predict"?\n')


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed by pip")
def test_pages_and_examples_of_pip(tmp_path: Path) -> None:
    assert b"<xs:schema" in (SHARED / "perfmodel/perfmodel.xsd").read_bytes()
    assert run(str(SCRIPT), "--manual", folder=tmp_path).stdout == (SHARED / "man/man1/perfmodel.1").read_text()
    assert "_perfmodel()" in (SHARED / "bash-completion/completions/perfmodel").read_text()
    rows = SHARED / "perfmodel/examples/published.csv"
    done = run(str(SCRIPT), "validate", "--set", "training", "--data", str(rows), "-q", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
