"""What `-o` does to the file that is there: the rule in tools/file_rule.c."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import perfmodel as pm
import pytest
from perfmodel import _files, _rows_file

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
    assert done.returncode == 2 and "are the same file" in done.stderr and names(tmp_path) == {"link"}


@pytest.mark.parametrize("output", ["old", "new"])
def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path, output: str) -> None:
    (tmp_path / "old").write_text("old")
    done = run(tmp_path, *LIST, "-o", output, most=100)
    assert done.returncode == 4 and "File too large" in done.stderr
    assert names(tmp_path) == {"old"} and (tmp_path / "old").read_text() == "old"


TOPO = Path(__file__).parents[3] / "tests" / "import" / "topo_dgx1.txt"


@pytest.mark.parametrize("words", [
    ["import", "in.csv", "--gpu", "v100-sxm2-16gb"], ["validate", "--set", "kernels", "--data", "in.csv"],
    ["list", "gpus", "--catalog", "in.csv"], ["predict", "gpt2", "dgx-a100", "--run", "./in.csv"],
])  # fmt: skip
@pytest.mark.parametrize("output", ["in.csv", "link.csv"])
def test_what_is_read_is_not_written_over(tmp_path: Path, words: list[str], output: str) -> None:
    (tmp_path / "in.csv").write_text(TOPO.read_text())
    (tmp_path / "link.csv").symlink_to("in.csv")
    done = run(tmp_path, *words, "-o", output)
    assert done.returncode == 2 and "is a file that is read" in done.stderr and done.stderr.count("\n") == 1
    assert (tmp_path / "in.csv").read_text() == TOPO.read_text() and names(tmp_path) == {"in.csv", "link.csv"}


@pytest.mark.parametrize("words", [
    ["predict", "gpt2", "dgx-a100", "--run", "in.csv", "--trace", "in.csv"],
    ["predict", "gpt2", "dgx-a100", "--catalog", "in.csv", "--trace", "link.csv"],
    ["import", "in", "-o", "in"], ["check", "in", "-o", "other"],
    ["size", "gpt2", "--system", "dgx-a100", "--target-rate", "9 /s", "--price", "in.csv", "-o", "in.csv"],
    ["calibrate", "--set", "training", "--xml", "--catalog", "folder", "-o", "folder/own.xml"],
    ["calibrate", "--xml", "--catalog", "folder", "-o", "./folder/../folder/own.xml"],
], ids=" ".join)  # fmt: skip
def test_no_option_writes_over_what_is_read(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "folder").mkdir()
    own = tmp_path / "folder" / "own.xml"
    own.write_text('<perfmodel version="1"/>')
    for name in ("in.csv", "in"):
        (tmp_path / name).write_text(TOPO.read_text())
    os.link(tmp_path / "in", tmp_path / "other")
    (tmp_path / "link.csv").symlink_to("in.csv")
    done = run(tmp_path, *words)
    assert done.returncode == 2 and "is a file that is read" in done.stderr and done.stderr.count("\n") == 1
    assert (tmp_path / "in").read_text() == (tmp_path / "in.csv").read_text() == TOPO.read_text()
    assert own.read_text() == '<perfmodel version="1"/>'


ROWS = "model,framework,gpu,batch_per_gpu,precision,throughput,unit\nresnet18,PyTorch,V100,64,fp32,900,images/s\n"


def test_python_keeps_what_an_answer_was_read_from(tmp_path: Path) -> None:
    data, own, asked = tmp_path / "rows.csv", tmp_path / "own.xml", tmp_path / "asked.csv"
    data.write_text(ROWS)
    own.write_text('<perfmodel version="1"/>')
    asked.write_text('<experiment version="1"><networks>alexnet</networks><systems>dgx1-v100</systems></experiment>')
    (tmp_path / "link.csv").symlink_to("rows.csv")
    answer = pm.validate("training", data=data, catalog=pm.Catalog(own))
    fitted = pm.calibrate(data=data, set="training", catalog=pm.Catalog(own))
    for write in (
        lambda: answer.to_csv(data), lambda: answer.to_json(tmp_path / "link.csv"), lambda: answer.to_csv(own),
        lambda: fitted.xml(own), lambda: fitted.xml(data), lambda: pm.experiment(asked).run(output=asked),
    ):  # fmt: skip
        with pytest.raises(pm.ArgumentError, match="is a file that is read"):
            write()
    assert data.read_text() == ROWS
    answer.to_csv(tmp_path / "new.csv")
    answer.to_csv(tmp_path / "new.csv")


EXPERIMENT = '<experiment version="1"><networks>alexnet</networks><systems>dgx1-v100</systems></experiment>'
CONFIG = """{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
             "vocab_size": 100, "intermediate_size": 64}"""
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "catalogue": ('<perfmodel version="1"/>', lambda path: pm.Catalog(path)),
    "rows": (ROWS, lambda path: pm.validate("training", data=path)),
    "experiment": (EXPERIMENT, lambda path: pm.experiment(path)),
    "settings": ("torchrun pretrain_gpt.py --tensor-model-parallel-size 2\n", lambda path: pm.run_from(path)),
    "config": (CONFIG, lambda path: pm.from_hf(path, seq=8)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("writer", [".csv", ".json", ".xlsx", ".parquet", ".arrow", ".xml", ".html", "grid.csv",
                                    "grid.parquet", "run.csv", "run.txt"])  # fmt: skip
def test_python_writes_over_nothing_that_it_has_read(tmp_path: Path, reader: str, writer: str) -> None:
    for module in ("pyarrow", "openpyxl"):
        pytest.importorskip(module)
    text, read = READERS[reader]
    ending, table = writer.lstrip("rungid"), pm.sweep("alexnet", "dgx1-v100", batch=[1, 2])
    place, link = tmp_path / f"in{ending}", tmp_path / f"link{ending}"
    place.write_text(text)
    link.symlink_to(place.name)
    os.link(place, tmp_path / f"other{ending}")
    read(link)

    def write(to: Path) -> object:
        if writer.startswith("grid"):
            return pm.grid("alexnet", "dgx1-v100", batch=[1, 2]).write(to)
        if writer.startswith("run"):
            (tmp_path / "asked").write_text(EXPERIMENT)
            return pm.experiment(tmp_path / "asked").run(output=to)
        writers: dict[str, Callable[[], object]] = {
            ".csv": lambda: table.to_csv(to), ".json": lambda: table.to_json(to), ".xlsx": lambda: table.to_excel(to),
            ".xml": lambda: pm.network("alexnet").to_xml(to), ".html": lambda: pm.report(table, to),
        }  # fmt: skip
        return writers.get(ending, lambda: _rows_file.write_whole([table], to))()

    for name in ("in", "link", "other"):
        with pytest.raises(pm.ArgumentError, match="is a file that is read"):
            write(tmp_path / f"{name}{ending}")
        assert place.read_text() == text
    for _ in range(2):
        write(tmp_path / f"new{ending}")


def test_python_writes_again_what_it_wrote_and_read(tmp_path: Path) -> None:
    """A cell of a notebook is run again; a file that somebody changed since is theirs."""
    place = tmp_path / "own.xml"
    for _ in range(2):
        pm.network("alexnet").to_xml(place)
        pm.Catalog(tmp_path)
    place.write_text('<perfmodel version="1"/>')
    with pytest.raises(pm.ArgumentError, match="is a file that is read"):
        pm.network("alexnet").to_xml(place)


def test_threads_write_one_file(tmp_path: Path) -> None:
    texts = {name: (name * 100_000).encode() for name in "abcd"}
    for _ in range(20):
        threads = [threading.Thread(target=_files.replace, args=(text, tmp_path / "one")) for text in texts.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (tmp_path / "one").read_bytes() in texts.values() and names(tmp_path) == {"one"}


def test_long_names_are_written(tmp_path: Path) -> None:
    name = "n" * 250 + ".csv"
    pm.network("alexnet").layers().to_csv(tmp_path / name)
    assert run(tmp_path, *LIST, "-o", "m" * 254).returncode == 0
    assert names(tmp_path) == {name, "m" * 254}


def test_pipes_that_nobody_opens_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for words, code in ((["import", "pipe"], 3), (["predict", "gpt2", "dgx-a100", "--run", "pipe"], 3),
                        ([*LIST, "-o", "pipe"], 4)):  # fmt: skip
        done = run(tmp_path, *words)
        assert done.returncode == code and "nobody" in done.stderr and done.stderr.count("\n") == 1
    with pytest.raises(pm.Error, match="nobody writes"):
        pm.run_from(tmp_path / "pipe")


def test_pipes_take_their_time(tmp_path: Path) -> None:
    """A writer that waits for its reader, and one that has nothing yet."""
    for text in (f"cat {TOPO} > pipe & $C import pipe --gpu v100-sxm2-16gb",
                 f"(sleep 3; cat {TOPO}) > pipe & $C import pipe --gpu v100-sxm2-16gb",
                 f"(sleep 3; cat {TOPO}) | $C import /dev/stdin --gpu v100-sxm2-16gb"):  # fmt: skip
        done = subprocess.run(["sh", "-c", f"rm -f pipe; mkfifo pipe; {text}"], cwd=tmp_path, capture_output=True,
                              text=True, env={**os.environ, "C": COMMAND})  # fmt: skip
        assert done.returncode == 0 and "<system " in done.stdout


def test_a_name_of_the_catalogue_is_no_file_that_is_read(tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path, "predict", "gpt2", "dgx-a100", "-q", "-o", "gpt2").returncode == 0



def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    for words in (["import", "."], ["predict", "gpt2", "dgx-a100", "--run", "."]):
        assert "it is a folder" in run(tmp_path, *words).stderr


@pytest.mark.parametrize("trace", ["-", "/dev/stdout"])
@pytest.mark.parametrize("more", [[], ["-o", "-"], ["-o", "/dev/stdout"]])
def test_two_answers_do_not_share_standard_output(tmp_path: Path, trace: str, more: list[str]) -> None:
    done = run(tmp_path, "predict", "alexnet", "dgx1-v100", "--trace", trace, *more)
    assert (done.returncode, done.stdout) == (2, "") and "are the same file" in done.stderr


# ---- What Python writes follows the same rule ----


WRITERS = {".csv": "to_csv", ".json": "to_json", ".xlsx": "to_excel", ".parquet": "", ".arrow": ""}


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    needed = {".parquet": "pyarrow", ".arrow": "pyarrow", ".xlsx": "openpyxl"}.get(request.param)
    if needed:
        pytest.importorskip(needed)
    table = pm.sweep("alexnet", "dgx1-v100", batch=[1, 2])

    def to(path: Path) -> None:
        place = path.with_name(f"{path.name}{request.param}")
        if WRITERS[request.param]:
            getattr(table, WRITERS[request.param])(place)
        else:
            _rows_file.write_whole([table], place)

    return to


def as_named(folder: Path, name: str) -> Path:
    return next(path for path in folder.iterdir() if path.name.startswith(f"{name}."))


def test_python_keeps_owner_rights_and_names(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path / "old")
    old = as_named(tmp_path, "old")
    fresh = old.read_bytes()
    old.write_bytes(b"old" * 100_000)
    old.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(old, 1000, 1001)
    before = old.stat()
    write(tmp_path / "old")
    after = old.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    os.link(old, tmp_path / "other")
    old.write_bytes(b"old" * 100_000)
    write(tmp_path / "old")
    assert old.samefile(tmp_path / "other") and abs(old.stat().st_size - len(fresh)) < 100
    assert names(tmp_path) == {old.name, "other"}


def test_python_keeps_links(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path / "one")
    ending = as_named(tmp_path, "one").suffix
    link, target = tmp_path / f"link{ending}", tmp_path / f"target{ending}"
    link.symlink_to(target.name)
    write(tmp_path / "link")
    assert link.is_symlink() and target.is_file() and names(tmp_path) == {f"one{ending}", link.name, target.name}


def test_python_leaves_devices(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    _files.replace(b"text", pipe)
    assert os.read(end, 10) == b"text" and pipe.is_fifo()
    os.close(end)


def test_python_leaves_nothing_of_what_is_too_large(tmp_path: Path, write: Callable[[Path], None]) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError):
            write(tmp_path / "new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert names(tmp_path) == set()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_that_do_not_fit_leave_nothing_to_take_for_whole(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("pyarrow")
    place, limits = tmp_path / f"rows.{ending}", resource.getrlimit(resource.RLIMIT_FSIZE)
    grid = pm.grid("alexnet", "dgx1-v100", batch=list(range(1, 65)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
    try:
        with pytest.raises(OSError):
            grid.write(place)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert names(tmp_path) == set()
