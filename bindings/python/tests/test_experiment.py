"""Experiment files: the sweep that they describe, the same by command, Python, Lua and by options; hostile ones."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import perfmodel as pm
import pytest

FILES = Path(__file__).resolve().parents[3] / "tests" / "experiments"
GOOD = sorted(path for path in FILES.glob("*.xml") if not path.name.startswith("bad-"))
BAD = sorted(FILES.glob("bad-*.xml"))
COMMAND = os.environ.get("PERFMODEL_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="the command of a build is not given")

OPTIONS = {
    "best": "resnet50,vgg16 dgx1-v100,dgx2 --gpus 1,8 --batch 32,64 --optimizer sgd,adam --where memory<=16GB,gpus>1 "
    "--sort=-throughput --top 5 --columns network,system,gpus,batch,optimizer,throughput",
    "front": "resnet50,vgg16 dgx1-v100,dgx2 --gpus 1,2,8 --batch 8,16,32,64,512 --optimizer sgd,adam "
    "--where memory<=16GB --front=-throughput,memory,gpus --columns network,gpus,batch,optimizer,throughput,memory",
    "global": "resnet50 dgx1-v100 --gpus 1,3,8 --global-batch 256 --dataset ilsvrc2012 --where status=ok",
    "hardware": "resnet50 dgx1-v100 --framework pytorch-2.4,none --axis gpu.memory_bandwidth=x1,x1.1 --set classes=10",
    "inference": "resnet50 t4 --task inference --batch 1,8 --precision fp16,int8",
    "main": "resnet50 dgx1-v100,dgx-a100 --gpus 1,8 --batch 16,32,64 --gradient-accumulation-steps 1,2 "
    "--front=-throughput,memory --sort=-throughput --top 3 --columns main,forward_time",
    "own-machine": f"resnet50 mine --catalog {FILES}/machine/mine.xml --batch 32,64",
    "serving": "llama3-8b dgx-h100 --serve --gpus 1 --concurrency 1,64 --isl 512",
}


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(COMMAND), *map(str, words)], capture_output=True, text=True, timeout=600)


def test_each_file_has_its_options() -> None:
    assert [path.stem for path in GOOD] == sorted(OPTIONS) and len(BAD) > 30


@needs_command
@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_same_by_options_command_and_python(path: Path, tmp_path: Path) -> None:
    wanted, file, streamed = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"
    assert run("sweep", *OPTIONS[path.stem].split(), "-q", "-o", wanted).returncode == 0
    assert run("run", path, "-q", "-o", file).returncode == 0
    assert run("run", path, "-q", "-o", streamed, "--workers", 2).returncode == 0
    assert wanted.read_bytes() == file.read_bytes() == streamed.read_bytes()
    asked = pickle.loads(pickle.dumps(pm.experiment(path)))
    asked.run(tmp_path / "d.csv")
    with ProcessPoolExecutor(2) as executor:
        asked.run(tmp_path / "e.csv", executor=executor)
    assert wanted.read_bytes() == (tmp_path / "d.csv").read_bytes() == (tmp_path / "e.csv").read_bytes()
    table = asked.run()
    assert table is not None and table.to_csv() == wanted.read_bytes().decode()


@pytest.mark.skipif("LUA_CPATH" not in os.environ or shutil.which("lua5.4") is None, reason="there is no Lua")
@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_same_in_lua(path: Path, tmp_path: Path) -> None:
    pm.experiment(path).run(tmp_path / "a.csv")
    code = f'require("perfmodel").experiment("{path}", "{tmp_path}/b.csv")'
    done = subprocess.run(["lua5.4", "-e", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_hostile_files_are_refused_with_their_line(path: Path) -> None:
    wanted = path.with_suffix(".error").read_text(encoding="utf-8").strip()
    with pytest.raises(pm.Error) as caught:
        pm.experiment(path)
    assert str(caught.value).replace(f"{FILES}/", "") == wanted
    if COMMAND:
        done = subprocess.run([COMMAND, "run", path.name], cwd=FILES, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (3, "", f"perfmodel: {wanted}\n")
    if COMMAND and path.stem != "bad-catalogue":  # which is right as a file of the catalogue
        check = subprocess.run([COMMAND, "check", path.name], cwd=FILES, capture_output=True, text=True)
        assert check.returncode == 3 and check.stdout == "" and path.name in check.stderr


@needs_command
@pytest.mark.parametrize("change, reason", [
    (("resnet50", "resnet5"), "unknown network"), (("dgx1-v100", "dgx9"), "dgx9"), (("gpu.memory_b", "gpu.b"), "gpu.b"),
    (("classes", "klasses"), "klasses"), ((">10<", ">cows<"), "cows"), (("x1.1", "fast"), "fast"),
])  # fmt: skip
def test_what_only_the_catalogue_knows_names_the_file(change: tuple[str, str], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text((FILES / "hardware.xml").read_text().replace(*change))
    for command in ("run", "check"):
        done = run(command, path)
        assert done.returncode == 3 and done.stdout == ""
        assert done.stderr.startswith(f"perfmodel: {path}: ") and reason in done.stderr and done.stderr.count("\n") == 1
    with pytest.raises(pm.Error, match=reason):
        pm.experiment(path).run()


@needs_command
@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_check_counts_runs_and_predicts_none(path: Path) -> None:
    done = run("check", path, "--format", "csv")
    kind, effect = done.stdout.splitlines()[1].split(",")[1::2]
    assert (done.returncode, done.stderr, kind) == (0, "", "experiment")
    assert effect.split() == [str(len(pm.experiment(path).grid)), "runs"]


@needs_command
@pytest.mark.parametrize("change", [("throughput", "thruput"), ("<where>", "<where>thruput>1</where><where>")])
def test_check_knows_columns(change: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    run("new", "experiment", "-o", path)
    path.write_text(path.read_text().replace(*change))
    done = run("check", path)
    assert (done.returncode, done.stdout) == (3, "") and "thruput" in done.stderr


@needs_command
def test_the_template_runs_and_meets_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "new.xml"
    assert run("new", "experiment", "-o", path).returncode == 0
    table = pm.experiment(path).run()
    assert table is not None and len(table) == 10
    assert run("run", path, "--format", "csv").stdout == str(table.to_csv()).replace("\r\n", "\n")
    schemas = [*Path(str(COMMAND)).resolve().parents[1].rglob("perfmodel.xsd")]
    if not schemas or shutil.which("xmllint") is None:
        pytest.skip("there is no schema, or nothing to judge by it")
    for good in (path, *GOOD):
        done = subprocess.run(["xmllint", "--noout", "--schema", str(schemas[0]), str(good)], capture_output=True)
        assert done.returncode == 0, done.stderr


@needs_command
def test_stopped_and_gone_on_with(tmp_path: Path) -> None:
    """A file of rows under way belongs to its experiment."""
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.xml"
    path.write_text((FILES / "global.xml").read_text().replace("256", ", ".join(map(str, range(8, 400, 8)))))
    assert run("run", path, "-o", tmp_path / "a.parquet", "-q").returncode == 0
    again = run("run", path, "-o", tmp_path / "a.parquet", "--resume")
    assert "nothing to resume" in again.stderr and again.returncode != 0
    assert run("run", path, "--resume").returncode != 0


def test_other_endings(tmp_path: Path) -> None:
    asked = pm.experiment(FILES / "best.xml")
    for ending in ("json", "txt", "csv"):
        asked.run(tmp_path / f"x.{ending}")
        assert (tmp_path / f"x.{ending}").stat().st_size > 100
    with pytest.raises(pm.ArgumentError, match=".parquet"):
        asked.run(tmp_path / "x.doc")
    assert "the first 5 by -throughput" in repr(asked)
    assert "the front of -throughput, memory, gpus" in repr(pm.experiment(FILES / "front.xml"))
