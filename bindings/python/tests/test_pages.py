"""The two pages of ten minutes, pasted: each command runs in an empty folder, with nothing but the installed
command."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
MOST_STEPS = 12


def command() -> Path:
    """What pip installed, else what the build made."""
    installed = Path(sysconfig.get_path("scripts")) / "perfmodel"
    found = str(installed) if installed.exists() else os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel")
    if not found:
        (pytest.fail if os.environ.get("PERFMODEL_ALL") else pytest.skip)("set PERFMODEL_COMMAND")
    return Path(str(found)).resolve()


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)


def follow(name: str, folder: Path) -> list[str]:
    """What each block prints. A folder with the command alone stands first on the path; there is no other variable."""
    bin = folder / "bin"
    bin.mkdir()
    (bin / "perfmodel").symlink_to(command())
    work = folder / "work"
    work.mkdir()
    environment = {"PATH": f"{bin}{os.pathsep}{os.defpath}", "HOME": str(folder)}
    printed = []
    for block in blocks(name):
        done = subprocess.run(["sh", "-eu", "-c", block], cwd=work, env=environment, capture_output=True, text=True,
                              timeout=3600)
        assert done.returncode == 0, f"{block}{done.stderr}"
        printed.append(done.stdout)
    return printed


@pytest.mark.parametrize("name", ["your-cluster.md", "your-framework.md"])
def test_at_most_twelve_steps(name: str) -> None:
    steps = [int(n) for n in re.findall(r"^\*\*(\d+)\. ", page(name), re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1)) and 0 < len(steps) <= MOST_STEPS
    assert len(blocks(name)) <= len(steps)


def test_your_cluster(tmp_path: Path) -> None:
    printed = "\n".join(follow("your-cluster.md", tmp_path))
    for promised in ("our-node.xml", "NV18", "bus_bandwidth", "4 nodes of 8 GPUs", "our-node", "memory-bandwidth"):
        assert promised in printed
    with (tmp_path / "work" / "scaling.csv").open(newline="") as file:
        rates = [float(row["throughput [1/s]"]) for row in csv.DictReader(file)]
    assert len(rates) == 3 and rates == sorted(rates)


def errors(table: str) -> list[float]:
    found = [abs(float(e)) for e in re.findall(r"(-?[\d.]+) %\s*$", table, re.MULTILINE)]
    assert len(found) == 7
    return found


def test_your_framework(tmp_path: Path) -> None:
    printed = follow("your-framework.md", tmp_path)
    before, after = (errors(text) for text in printed if "measured" in text and "predicted" in text and "error" in text)
    assert sum(after) < 0.5 * sum(before)
    assert any("fitted to 7 rows of rows.csv" in " ".join(text.split()) for text in printed)


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("import*.md")) + ["calibration.md"])
def test_links_lead_to_pages_and_their_sections(name: str) -> None:
    for target, section in re.findall(r"\]\(([\w.-]+\.md)(?:#([\w-]+))?\)", page(name)):
        assert (DOCS / target).is_file(), f"{name}: {target}"
        titles = re.findall(r"^#+ (.+)$", page(target), re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        assert section == "" or section in slugs, f"{name}: {target}#{section}"


def test_each_kind_of_file_has_its_page() -> None:
    listed = set(re.findall(r"\((import-\w+\.md)\)", page("import.md")))
    assert {path.name for path in DOCS.glob("import-*.md")} == listed
