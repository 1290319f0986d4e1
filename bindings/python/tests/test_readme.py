"""The examples of the README and of the page of languages, pasted: they run, and print what these say."""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LANGUAGES = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README + LANGUAGES, re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[str]:
    found = [text for name, text in BLOCKS if name == language]
    assert found, f"no {language} in the README and docs/languages.md"
    return found


def command() -> Path:
    found = os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel")
    if not found:
        (pytest.fail if os.environ.get("PERFMODEL_ALL") else pytest.skip)("set PERFMODEL_COMMAND")
    return Path(str(found)).resolve()


def run(arguments: list[str], folder: Path) -> list[str]:
    done = subprocess.run(arguments, cwd=folder, check=True, capture_output=True, text=True)
    said = done.stderr.splitlines()
    assert all(line.startswith("perfmodel: the first plan in full: ") for line in said), done.stderr
    return done.stdout.splitlines()


def test_python(tmp_path: Path) -> None:
    for text in blocks("python"):
        printed = run([sys.executable, "-c", text], tmp_path)
        promised = re.findall(r"^print\(.*\)\s+# (.*)$", text, re.MULTILINE)
        assert len(printed) >= len(promised) > 0
        for line, promise in zip(printed, promised, strict=False):
            assert promise.startswith(line)
    assert (tmp_path / "sweep.csv").read_bytes().startswith(b"network,system,framework,gpus")


def test_commands(tmp_path: Path) -> None:
    lines = [line for text in blocks("sh") for line in text.splitlines() if line.startswith("perfmodel ")]
    assert len(lines) >= 5
    for line in lines:
        words = shlex.split(line, comments=True)
        run([str(command()), *words[1:]], tmp_path)


def test_command_prints_what_the_readme_shows(tmp_path: Path) -> None:
    shown = next(text for name, text in BLOCKS if name == "" and text.startswith("Training ResNet-50"))
    words = next(line for line in "".join(blocks("sh")).splitlines() if line.startswith("perfmodel predict")).split()
    printed = run([str(command()), *words[1:]], tmp_path)
    for line in shown.splitlines():
        assert line.strip() == "..." or line in printed


def test_lua(tmp_path: Path) -> None:
    lua = shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4"))
    if lua is None or "LUA_CPATH" not in os.environ:
        (pytest.fail if os.environ.get("PERFMODEL_ALL") else pytest.skip)("set LUA_PATH and LUA_CPATH")
    for text in blocks("lua"):
        (tmp_path / "example.lua").write_text(text, encoding="utf-8")
        assert run([str(lua), "example.lua"], tmp_path)


def test_c(tmp_path: Path) -> None:
    library = command().parents[1] / "libperfmodel"
    if not (library / "libperfmodel.so").exists():
        pytest.skip("the library is not beside the command")
    for text in blocks("c"):
        (tmp_path / "example.c").write_text(text, encoding="utf-8")
        include = ROOT / "libperfmodel" / "include"
        run(["cc", "-std=c11", "-Wall", "-Werror", f"-I{include}", "example.c", f"-L{library}", "-lperfmodel",
             f"-Wl,-rpath,{library}", "-o", "example"], tmp_path)  # fmt: skip
        assert "samples/s" in run([str(tmp_path / "example")], tmp_path)[0]


def test_links_work_on_the_page_of_a_package_index() -> None:
    """Absolute ones to the repository if its address is known, else words; what they name exists."""
    sys.path.insert(0, str(ROOT / "scripts"))
    for_index = __import__("readme").for_index
    address = "https://example.org/perfmodel"
    found = re.findall(r"\]\(([^)]*)\)", for_index(README, address))
    assert len(found) > 15 and len(found) == len(re.findall(r"\]\(", README))
    for target in found:
        kind, _, path = target.removeprefix(f"{address}/").partition("/HEAD/")
        assert kind in ("blob", "raw") and (ROOT / path.partition("#")[0]).exists(), target
    alone = for_index(README)
    assert "](" not in alone and "<!--" not in alone and "five minutes" in alone


def test_published_rate_beside_the_prediction() -> None:
    """The rate that the README quotes is the one that NVIDIA published for this very run, and the error is that of
    it."""
    words = next(line for line in "".join(blocks("sh")).splitlines() if line.startswith("perfmodel predict")).split()
    asked = {name: words[words.index(f"--{name}") + 1] for name in ("gpus", "batch", "precision")}
    with (ROOT / "examples" / "published.csv").open(newline="", encoding="utf-8") as file:
        rates = [
            float(row["throughput"]) for row in csv.DictReader(file)
            if (row["gpus"], row["batch_per_gpu"], row["precision"]) == (asked["gpus"], asked["batch"],
                asked["precision"])
            and row["system"] == "NVIDIA DGX-1"
        ]  # fmt: skip
    said = r"published \*\*([\d,]+) images/s\*\* for this run; the prediction is \*\*(\d+) % (above|below)"
    quoted, error, side = re.findall(said, README)[0]
    predicted = float(re.findall(r"throughput +(\d+) samples/s", README)[0])
    assert [float(quoted.replace(",", ""))] == rates
    assert round(100 * (predicted / rates[0] - 1)) == int(error) * (1 if side == "above" else -1)
