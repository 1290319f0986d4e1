"""What `-o` does to the file that is there: the rule at the head of tools/output.c."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ.get("PERFMODEL_COMMAND", "")
pytestmark = pytest.mark.skipif(not COMMAND, reason="PERFMODEL_COMMAND is not set")
LIST = ["list", "optimizers", "--format", "csv"]


def run(folder: Path, *words: str, most: int | None = None) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, preexec_fn=limit)


def written(folder: Path) -> str:
    return run(folder, *LIST).stdout


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_keeps_its_rights_and_its_owner(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("old")
    old.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(old, 1000, 1001)
    before = old.stat()
    assert run(tmp_path, *LIST, "-o", "old").returncode == 0
    after = old.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert old.read_text() == written(tmp_path) and names(tmp_path) == {"old"}


def test_all_names_of_a_file_are_written(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("old" * 10000)
    os.link(one, other)
    assert run(tmp_path, *LIST, "-o", "one").returncode == 0
    assert one.samefile(other) and other.read_text() == written(tmp_path)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one(tmp_path: Path, there: bool) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/next")
    (tmp_path / "folder" / "next").symlink_to("../target")
    if there:
        (tmp_path / "target").write_text("old")
    assert run(tmp_path, *LIST, "-o", "link").returncode == 0
    assert (tmp_path / "link").is_symlink() and (tmp_path / "folder" / "next").is_symlink()
    assert (tmp_path / "target").read_text() == written(tmp_path)


def test_a_link_without_end_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = run(tmp_path, *LIST, "-o", "loop")
    assert done.returncode == 4 and done.stderr.count("\n") == 1 and names(tmp_path) == {"loop"}


@pytest.mark.parametrize("output", ["step", "./step", "link"])
def test_a_timeline_needs_a_file_of_its_own(tmp_path: Path, output: str) -> None:
    (tmp_path / "link").symlink_to("step")
    done = run(tmp_path, "predict", "alexnet", "dgx1-v100", "--trace", "step", "-o", output)
    assert done.returncode == 2 and "are one file" in done.stderr and names(tmp_path) == {"link"}


@pytest.mark.parametrize("output", ["old", "new"])
def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path, output: str) -> None:
    (tmp_path / "old").write_text("old")
    done = run(tmp_path, *LIST, "-o", output, most=100)
    assert done.returncode == 4 and "File too large" in done.stderr
    assert names(tmp_path) == {"old"} and (tmp_path / "old").read_text() == "old"
