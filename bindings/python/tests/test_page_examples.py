"""Each `sh` block of a page runs, in a folder that has the files that pages name, and each command of the table of
expectations. Pages that need more are tested elsewhere: `ELSEWHERE` says where. Blocks of `console` are those of
scripts/pasted.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from test_pages import command

ROOT = Path(__file__).resolve().parents[3]
# What the reader of a page has, and an example of it here.
FILES = {
    "trace.json": "tests/traces/trace.json",
    "all_reduce.txt": "tests/traces/all_reduce.txt",
    "megatron.log": "tests/traces/megatron.log",
    "mlperf.log": "tests/traces/mlperf.log",
    "storage_summary.json": "tests/traces/storage_summary.json",
    "served.json": "tests/traces/served.json",
    "llama_bench.json": "tests/traces/llama_bench.json",
    "nvidia_smi.csv": "tests/traces/nvidia_smi.csv",
    "train.sh": "tests/settings/train.sh",
    "serve.sh": "tests/settings/vllm.sh",
}
# The matrix of a node whose GPUs have 18 NVLinks to switches: that of a DGX A100, with its 12 changed.
MATRIX = (ROOT / "tests/import/topo_dgx_a100.txt").read_text(encoding="utf-8").replace("NV12", "NV18")
CONFIG = """{"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32,
  "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288, "vocab_size": 151936}"""
ELSEWHERE = {
    "packages.md": "scripts/test_extended.sh",
    "worked-examples.md": "scripts/test_extended.sh",
    "your-cluster.md": "test_pages.py",
    "your-framework.md": "test_pages.py",
    "languages.md": "test_readme.py",
}
PAGES = sorted(p for p in (ROOT / "docs").glob("*.md") if p.name not in ELSEWHERE)


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


TABLE = (ROOT / "docs/expectations.md").read_text(encoding="utf-8")
XML = (ROOT / "docs/xml.md").read_text(encoding="utf-8")
EXPERIMENT = "".join(re.findall(r"^<experiment.*?^</experiment>\n", XML, re.DOTALL | re.MULTILINE))
EXAMPLES = [(page.name, text) for page in PAGES for text in blocks(page) if "calibrate --all" not in text]


def lay_out(folder: Path) -> dict[str, str]:
    """The files, and an environment whose commands are perfmodel and a driver that prints the matrix of its links."""
    for name, source in FILES.items():
        shutil.copy(ROOT / source, folder / name)
    (folder / "experiment.xml").write_text(EXPERIMENT, encoding="utf-8")
    (folder / "Qwen3-8B").mkdir()
    (folder / "Qwen3-8B/config.json").write_text(CONFIG, encoding="utf-8")
    bin = folder / "bin"
    bin.mkdir()
    (bin / "perfmodel").symlink_to(command())
    export = [str(command()), "export", "system", "dgx1-v100", "--id", "mine", "-o", str(folder / "mine.xml")]
    subprocess.run(export, check=True)
    driver = bin / "nvidia-smi"
    driver.write_text(f"#!/bin/sh\ncat <<'END'\n{MATRIX}END\n", encoding="utf-8")
    driver.chmod(0o755)
    return {**os.environ, "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 20 and all((ROOT / "docs" / name).exists() for name in ELSEWHERE)


@pytest.mark.parametrize(("page", "text"), EXAMPLES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(EXAMPLES)])
def test_example(page: str, text: str, tmp_path: Path) -> None:
    environment = lay_out(tmp_path)
    before = EXAMPLES[: EXAMPLES.index((page, text))]
    made = "".join(t for name, t in before if name == page and re.search(r"(-o|>) \S+\.xml", t))
    words = ["sh", "-eu", "-c", made + text]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, f"{page}:\n{text}{done.stderr}"


@pytest.mark.parametrize("words", re.findall(r"`(perfmodel [^`]*)`", TABLE))
def test_expectation_is_met(words: str, tmp_path: Path) -> None:
    environment = lay_out(tmp_path)
    before = set(tmp_path.iterdir())
    words_of_shell = ["sh", "-c", words]
    done = subprocess.run(words_of_shell, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr
    assert done.stdout or set(tmp_path.iterdir()) - before, "no answer"


def test_expectations_are_counted() -> None:
    numbers = [int(n) for n in re.findall(r"^\| (\d+) \|", TABLE, re.MULTILINE)]
    assert numbers == [*range(1, 53), *range(1, 11)]
    named = re.findall(r"`((?:bindings|debian|scripts|tests)/[^`]*)`", TABLE)
    assert len(named) > 10 and all((ROOT / name).exists() for name in named)
