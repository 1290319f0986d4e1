"""The examples of docs/import.md run, and print what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import perfmodel as pm
import pytest
from needs import package

pytestmark = pytest.mark.filterwarnings("ignore")

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = [text for text in BLOCKS if not text.startswith("# not run here")]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 6


@pytest.mark.parametrize("text", EXAMPLES)
def test_example(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "import torch" in text:
        package("torch")
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "docs/import.md", "exec"), {"__name__": "example"})
    assert printed.getvalue().splitlines() == re.findall(r"^print\(.*\)  # (.*)$", text, re.MULTILINE)


def test_model_types_are_listed() -> None:
    decoders, scans, others = (
        {re.sub(r" \(.*", "", name.strip()) for name in re.split(r",(?![^(]*\))", part.replace("\n", " "))}
        for part in re.findall(r"\*\*(?:Decoders|With [\w ]+ state|Others)\*\*: (.*?)\.\n\n", PAGE, re.DOTALL)
    )
    models = ROOT / "libperfmodel" / "src" / "models"
    built, listed = (
        {name for line in re.findall(line_of, (models / file).read_text(encoding="utf-8")) for name in line.split()}
        for file, line_of in (("families.c", r'\.types = "([^"]+)"'), ("list.c", r'{"([^"]+)", pm__build'))
    )
    assert decoders | scans | {"qwen2_vl_text", "qwen2_5_vl_text"} == built and others == listed
