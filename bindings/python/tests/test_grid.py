"""Sweeps of any size: rows and bits of a sweep, whoever evaluates them; what is done is kept; little memory."""

from __future__ import annotations

import csv
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import perfmodel as pm
import pytest

import perfmodel._grid as grid_module

AXES: dict[str, Any] = dict(gpus=[1, 2, 4, 8], batch=list(range(1, 26)), precision=["fp32", "fp16"])
COLUMNS = ["gpus", "batch", "precision", "status", "throughput", "memory", "bottleneck"]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small grid has many."""
    monkeypatch.setattr(grid_module, "PIECE", 37)
    monkeypatch.setattr(grid_module, "WHOLE", 37)


@pytest.fixture
def grid() -> pm.Grid:
    return pm.grid("resnet50", ["dgx1-v100", "dgx-a100"], **AXES)


@pytest.fixture(scope="module")
def swept() -> pm.Sweep:
    return pm.sweep("resnet50", ["dgx1-v100", "dgx-a100"], **AXES)


def test_rows_are_those_of_the_sweep(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path) -> None:
    assert len(grid) == len(swept) == 400
    assert grid.write(tmp_path / "x.csv") == 400
    assert (tmp_path / "x.csv").read_bytes() == swept.to_csv().encode()
    assert grid.part(100, 164).to_csv() == pm.Table.to_csv(swept).split("\r\n")[0] + "\r\n" + "".join(
        line + "\r\n" for line in swept.to_csv().split("\r\n")[101:165]
    )
    assert os.listdir(tmp_path) == ["x.csv"]


def test_rows_and_columns_are_chosen(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path) -> None:
    where = ["memory<=4GB", "precision=fp16"]
    grid.write(tmp_path / "x.csv", where=where, columns=COLUMNS)
    with (tmp_path / "x.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = swept.select(*where)
    assert 0 < len(wanted) < len(swept)
    assert [float(row["throughput [1/s]"]) for row in rows] == wanted["throughput"].tolist()
    assert [title.split(" ")[0] for title in rows[0]] == COLUMNS
    again = np.concatenate([table["memory"] for table in grid.tables(where=where, rows=50)])
    assert again.tolist() == wanted["memory"].tolist()


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_files_of_arrow(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path, ending: str) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    grid.write(tmp_path / f"x.{ending}", columns=COLUMNS)
    read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
    table = read(tmp_path / f"x.{ending}")
    assert table.num_rows == 400
    assert table["throughput [1/s]"].to_pylist() == swept["throughput"].tolist()


def test_the_first_and_the_front(grid: pm.Grid, swept: pm.Sweep) -> None:
    for sort in ("-throughput", "memory"):
        wanted = swept.select(sort=sort)
        assert grid.top(9, sort=sort)["throughput"].tolist() == wanted["throughput"][:9].tolist()
    some = grid.top(4, sort="-throughput", where=["memory<=4GB"])
    assert some["throughput"].tolist() == swept.select("memory<=4GB", sort="-throughput")["throughput"][:4].tolist()
    front = grid.front("-throughput", "memory")
    rates, sizes = swept["throughput"], swept["memory"]
    beaten = [bool(((rates >= rate) & (sizes <= size) & ((rates > rate) | (sizes < size))).any())
              for rate, size in zip(rates, sizes)]  # fmt: skip
    wanted = [(float(rates[i]), float(sizes[i])) for i in range(400) if not beaten[i]]
    assert list(zip(front["throughput"].tolist(), front["memory"].tolist())) == wanted
    with pytest.raises(pm.ArgumentError, match="two columns"):
        grid.front("memory")


def test_a_table_has_the_front_and_the_first(grid: pm.Grid, swept: pm.Sweep) -> None:
    by = ["-throughput", "memory", "gpus"]
    for where in ((), ("memory<=4GB",), ("memory<=4kB",)):
        found = swept.select(*where, front=by)
        if len(found) > 0:
            assert found.to_csv() == grid.front(*by, where=where).to_csv()
        some = swept.select(*where, sort="-throughput", top=7)
        assert some["throughput"].tolist() == swept.select(*where, sort="-throughput")["throughput"].tolist()[:7]
    with pytest.raises(pm.Error, match="bottleneck is text"):
        swept.select(front=["bottleneck", "memory"])
    with pytest.raises(pm.ArgumentError, match="-1"):
        swept.select(top=-1)


@pytest.mark.parametrize("more", [{}, {"optimizer": ["sgd", "adam"]}, {"nodes": [1, 2], "axes": {"gpu.memory": "x2"}}])
def test_main_columns(more: dict[str, Any], tmp_path: Path) -> None:
    """The same of a sweep, in a file, of one piece and of many: what was asked, and what tables show."""
    asked = dict(gpus=[1, 8], batch=[32, 64], **more)
    main = pm.sweep("resnet50", "dgx1-v100", columns="main", **asked)
    names = [column.name for column in main.columns]
    assert {"network", "system", "framework", "gpus", "batch", "precision", "throughput", "status"} < {*names}
    assert len(names) < 30 and {"axes" if name == "axes" else name for name in more} - {"axes"} <= {*names}
    assert ("gpu.memory" in names) == ("axes" in more) and "momentum" not in names and "assumed" not in names
    whole = pm.sweep("resnet50", "dgx1-v100", **asked)
    assert main.to_csv() == pm.sweep("resnet50", "dgx1-v100", columns=names, **asked).to_csv()
    pm.grid("resnet50", "dgx1-v100", **asked).write(tmp_path / "x.csv", columns="main")
    assert (tmp_path / "x.csv").read_bytes() == main.to_csv().encode() and len(whole.columns) > 3 * len(names)


@pytest.mark.parametrize("task", ["inference", "serving"])
def test_other_tasks(task: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = dict(batch=[1, 8, 64]) if task == "inference" else dict(concurrency=[1, 8, 64])
    asked |= dict(task=task)
    network, system = ("resnet50", "t4") if task == "inference" else ("llama3-8b", "hgx-h100")
    pm.grid(network, system, **asked).write(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == pm.sweep(network, system, **asked).to_csv().encode()


def test_numbers_of_the_hardware(tmp_path: Path) -> None:
    asked: dict[str, Any] = dict(axes={"gpu.memory_bandwidth": ["x1", "x2"]}, gpus=[1, 8])
    pm.grid("resnet50", "dgx1-v100", **asked).write(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == pm.sweep("resnet50", "dgx1-v100", **asked).to_csv().encode()


# ---- Executors ----


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_gives_the_same_bytes(kind: Any, grid: pm.Grid, swept: pm.Sweep, tmp_path: Path) -> None:
    with kind(2) as executor:
        grid.write(tmp_path / "x.csv", executor=executor)
        assert (tmp_path / "x.csv").read_bytes() == swept.to_csv().encode()
        assert grid.top(3, sort="-throughput", executor=executor)["throughput"].tolist() == (
            swept.select(sort="-throughput")["throughput"][:3].tolist()
        )


class Dying(Executor):
    """Loses every third piece, and after ten takes no more."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, work: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        self.count += 1
        if self.count > 10:
            raise BrokenProcessPool("a worker died")
        future: Future[Any] = Future()
        if self.count % 3 == 0:
            future.set_exception(BrokenProcessPool("a worker died"))
        else:
            future.set_result(work(*arguments))
        return future


def test_a_worker_that_dies_loses_nothing(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path) -> None:
    grid.write(tmp_path / "x.csv", executor=Dying())
    assert (tmp_path / "x.csv").read_bytes() == swept.to_csv().encode()


def test_a_killed_process_loses_nothing(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path) -> None:
    with ProcessPoolExecutor(2) as executor:
        executor.submit(os.getpid).result()
        os.kill(next(iter(executor._processes)), signal.SIGKILL)
        grid.write(tmp_path / "x.csv", executor=executor)
    assert (tmp_path / "x.csv").read_bytes() == swept.to_csv().encode()


def test_work_is_sent_as_it_was_asked(grid: pm.Grid) -> None:
    again = pickle.loads(pickle.dumps(grid))
    assert len(pickle.dumps(grid)) < 100_000
    assert again.part(50, 90).to_csv() == grid.part(50, 90).to_csv()


# ---- What is done is kept ----




def stopped_at(row: int) -> Any:
    def progress(done: int, total: int) -> None:
        if done >= row:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_what_is_done_is_kept_and_gone_on_with(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path, ending: str) -> None:
    if ending != "csv":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"x.{ending}"
    with pytest.raises(KeyboardInterrupt):
        grid.write(path, columns=COLUMNS, progress=stopped_at(150))
    assert sorted(os.listdir(tmp_path)) == [path.name, f"{path.name}.unfinished"]
    assert read(path) == swept["throughput"][: 37 * 5].tolist(), "it can be read"
    seen: list[int] = []
    grid.write(path, columns=COLUMNS, resume=True, progress=lambda done, total: seen.append(done))
    assert min(seen) == 37 * 6 and os.listdir(tmp_path) == [path.name]
    assert read(path) == swept["throughput"].tolist()
    with pytest.raises(pm.ArgumentError, match="nothing to resume"):
        grid.write(path, columns=COLUMNS, resume=True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_stopped_before_anything_was_done(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path, ending: str) -> None:
    if ending != "csv":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"x.{ending}"
    with pytest.raises(KeyboardInterrupt):
        grid.write(path, columns=COLUMNS, progress=stopped_at(0))
    grid.write(path, columns=COLUMNS, resume=True)
    assert read(path) == swept["throughput"].tolist() and os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("where", [(), ("memory<=4GB", "gpus=8")])
def test_a_parquet_file_is_the_same_whoever_evaluated_it(grid: pm.Grid, tmp_path: Path, where: tuple[str, ...]) -> None:
    """By one process, by two, by workers that die, and resumed: byte for byte. Pieces may have no row."""
    pytest.importorskip("pyarrow")
    grid.write(tmp_path / "alone.parquet", columns="main", where=where)
    with ProcessPoolExecutor(2) as executor:
        grid.write(tmp_path / "two.parquet", columns="main", where=where, executor=executor)
    grid.write(tmp_path / "dying.parquet", columns="main", where=where, executor=Dying())
    for row in (1, 200):
        with pytest.raises(KeyboardInterrupt):
            grid.write(tmp_path / f"{row}.parquet", columns="main", where=where, progress=stopped_at(row))
        grid.write(tmp_path / f"{row}.parquet", columns="main", where=where, resume=True)
    wanted = (tmp_path / "alone.parquet").read_bytes()
    assert all((tmp_path / f"{name}.parquet").read_bytes() == wanted for name in ("two", "dying", "1", "200"))


@pytest.mark.parametrize("where", [(), ("memory<=4GB", "gpus=8")])
def test_a_parquet_file_has_the_rows_of_the_sweep(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path,
                                                  where: tuple[str, ...]) -> None:  # fmt: skip
    """Column by column, as Arrow has them, with the statistics of each piece."""
    parquet = pytest.importorskip("pyarrow.parquet")
    grid.write(tmp_path / "x.parquet", where=where)
    wanted = swept.select(*where).to_arrow()
    assert parquet.read_table(tmp_path / "x.parquet").equals(wanted)
    few = parquet.read_table(tmp_path / "x.parquet", filters=[("batch", ">", 20)])
    assert few.num_rows == sum(batch.as_py() > 20 for batch in wanted["batch"])


# ---- A folder of parts ----


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("where", [(), ("memory<=4GB", "gpus=8")])
def test_a_folder_is_read_as_one_table(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path, where: tuple[str, ...]) -> None:
    """Rows in order and to the bit, also where parts have no row, in each of the programs that are there."""
    parquet = pytest.importorskip("pyarrow.parquet")
    assert grid.write(f"{tmp_path}/rows/", where=where) == 400
    wanted = swept.select(*where).to_arrow()
    assert len(wanted) > 0 and parquet.read_table(tmp_path / "rows").equals(wanted)
    rates = wanted["throughput [1/s]"].to_pylist()
    assert os.listdir(tmp_path) == ["rows"] and len(os.listdir(tmp_path / "rows")) == 11  # 37 rows each
    for name in ("pandas", "polars"):
        try:
            table = __import__(name).read_parquet(tmp_path / "rows")
        except ImportError:
            continue
        assert list(table["throughput [1/s]"]) == rates, name


def test_a_folder_is_the_same_whoever_wrote_its_parts(grid: pm.Grid, tmp_path: Path) -> None:
    """One process, two, workers that die, and one that is killed: byte for byte."""
    pytest.importorskip("pyarrow")
    grid.write(f"{tmp_path}/alone/", columns="main")
    wanted = bytes_of(tmp_path / "alone")
    with ProcessPoolExecutor(2) as executor:
        grid.write(f"{tmp_path}/two/", columns="main", executor=executor)
        os.kill(next(iter(executor._processes)), signal.SIGKILL)
        grid.write(f"{tmp_path}/killed/", columns="main", executor=executor)
    grid.write(f"{tmp_path}/dying/", columns="main", executor=Dying())
    assert len(wanted) == 11 and all(bytes_of(tmp_path / name) == wanted for name in ("two", "killed", "dying"))
    assert sorted(os.listdir(tmp_path)) == ["alone", "dying", "killed", "two"]


def test_parts_that_are_there_are_not_evaluated_again(grid: pm.Grid, tmp_path: Path) -> None:
    """A part that is missing is; one that a killed worker began is not taken for one that is there."""
    pytest.importorskip("pyarrow")
    folder = tmp_path / "rows"
    folder.mkdir()
    grid.write(folder, columns=COLUMNS)
    wanted = bytes_of(folder)
    with pytest.raises(pm.ArgumentError, match="nothing to resume"):
        grid.write(folder, columns=COLUMNS, resume=True)
    with pytest.raises(KeyboardInterrupt):
        grid.write(folder, columns=COLUMNS, progress=stopped_at(150))
    assert sorted(os.listdir(tmp_path)) == ["rows", "rows.unfinished"] and len(os.listdir(folder)) == 5
    first, second, *_ = sorted(folder.iterdir())
    (folder / f".{second.name}.1.part").write_bytes(second.read_bytes()[:99])
    second.unlink()
    kept = first.stat().st_mtime_ns
    grid.write(folder, columns=COLUMNS, resume=True)
    assert bytes_of(folder) == wanted and first.stat().st_mtime_ns == kept and os.listdir(tmp_path) == ["rows"]


def test_a_folder_of_something_else_is_left_alone(grid: pm.Grid, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name in ("mine.txt", "part-00000-of-spark.parquet", "part-00000.parquet"):
        mine = tmp_path / name
        mine.write_text("mine")
        with pytest.raises(pm.ArgumentError, match=name):
            grid.write(tmp_path)
        assert mine.read_text() == "mine"
        mine.unlink()
    with pytest.raises(KeyboardInterrupt):
        grid.write(f"{tmp_path}/rows.parquet/", progress=stopped_at(1))
    before = bytes_of(tmp_path / "rows.parquet")
    with pytest.raises(pm.ArgumentError, match="another sweep"):
        grid.write(tmp_path / "rows.parquet", where=["memory<=4GB"], resume=True)
    assert before and bytes_of(tmp_path / "rows.parquet") == before


def test_a_large_sweep_has_a_thousand_parts_at_most() -> None:
    from perfmodel._parts import rows_of_part

    for rows in (1, 131_072, 131_072_000, 131_072_001, 10**10):
        part = rows_of_part(rows, 131_072)
        assert part % 131_072 == 0 and -(-rows // part) <= 1000 and (part == 131_072) == (rows <= 131_072_000)


def read(path: Path) -> list[float]:
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return [float(row["throughput [1/s]"]) for row in csv.DictReader(file)]
    import pyarrow.feather
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)
    return list(table["throughput [1/s]"].to_pylist())


def test_another_question_does_not_go_on_with_it(grid: pm.Grid, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        grid.write(tmp_path / "x.csv", progress=stopped_at(1))
    before = (tmp_path / "x.csv").read_bytes()
    for other in (pm.grid("vgg16", "dgx1-v100", **AXES), pm.grid("resnet50", "dgx1-v100", gpus=8)):
        with pytest.raises(pm.ArgumentError, match="another sweep"):
            other.write(tmp_path / "x.csv", resume=True)
    with pytest.raises(pm.ArgumentError, match="another sweep"):
        grid.write(tmp_path / "x.csv", where=["memory<=4GB"], resume=True)
    assert (tmp_path / "x.csv").read_bytes() == before


def test_resuming_what_never_began_begins(grid: pm.Grid, swept: pm.Sweep, tmp_path: Path) -> None:
    grid.write(tmp_path / "x.csv", resume=True)
    assert (tmp_path / "x.csv").read_bytes() == swept.to_csv().encode()


# ---- Progress, memory, refusals ----


def test_progress_says_rate_and_remaining_time() -> None:
    from perfmodel._progress import Meter

    meter = Meter(None, 10_000_000)
    assert meter.line(3_200_000, 2.0) == "3,200,000 of 10,000,000 rows, 1,600,000/s, 4 s left"
    assert meter.line(10_000_000, 100.0) == "10,000,000 of 10,000,000 rows, 100,000/s"
    assert "1 h 1 min left" in Meter(None, 3661).line(1, 1.0)
    seen: list[tuple[int, int]] = []
    pm.grid("resnet50", "dgx1-v100", **AXES).top(1, sort="-throughput", progress=lambda *two: seen.append(two))
    assert seen[-1] == (200, 200) and len(seen) == 6


def test_a_large_grid_is_no_memory() -> None:
    """Ten thousand million rows are a question of a moment; a piece in their middle too."""
    start = time.monotonic()
    grid = pm.grid("resnet50", "dgx1-v100", batch=range(1, 100_001), gradient_accumulation_steps=range(1, 100_001))
    assert len(grid) == 10**10
    assert len(grid.part(5 * 10**9, 5 * 10**9 + 10)) == 10
    assert time.monotonic() - start < 60


def test_memory_stays_the_same(tmp_path: Path) -> None:
    """Ten times the rows, the same memory: in processes of their own."""
    code = (
        "import resource, sys, perfmodel as pm\n"
        "g = pm.grid('resnet50', 'dgx1-v100', batch=[32, 64], gradient_accumulation_steps=range(1, int(sys.argv[1])))\n"
        "g.write(sys.argv[2], columns=['batch', 'throughput', 'memory'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    most = [int(subprocess.run([sys.executable, "-c", code, str(rows), str(tmp_path / "x.csv")], check=True,
                               capture_output=True, text=True).stdout) for rows in (20_000, 100_000)]  # fmt: skip
    assert most[1] < 1.15 * most[0]


@pytest.mark.parametrize(
    "name, more, reason",
    [
        ("x.txt", {}, "rows are written to"),
        ("x.csv", {"where": ["nothing>1"]}, "nothing"),
        ("x.csv", {"columns": ["nothing"]}, "nothing"),
    ],
)
def test_refusals(name: str, more: Any, reason: str, grid: pm.Grid, tmp_path: Path) -> None:
    (tmp_path / name).write_text("what was there")
    with pytest.raises(pm.Error, match=reason):
        grid.write(tmp_path / name, **more)
    assert os.listdir(tmp_path) == [name] and (tmp_path / name).read_text() == "what was there"


def test_parts_are_within() -> None:
    grid = pm.grid("resnet50", "dgx1-v100", gpus=[1, 8])
    assert len(grid.part(1, 2)) == 1 and len(grid.part(0, 2)) == 2
    with pytest.raises(pm.ArgumentError, match="not among"):
        grid.part(1, 3)
    with pytest.raises(pm.ArgumentError, match="not among"):
        grid.part(1, 1)


# ---- Columns without a table ----

SWEEPS: dict[str, Any] = {
    "training": lambda: pm.sweep(
        ["resnet50", "vgg16"], ["dgx1-v100", "dgx2"], gpus=[1, 8, 16], batch=[32, 1000], no_prefetch=[False, True],
        input=5000, dataset="ilsvrc2012",
    ),
    "kernels": lambda: pm.sweep("resnet50", "dgx1-v100", framework=["none", "pytorch-2.4"], gpus=[1, 8]),
    "plans": lambda: pm.sweep(
        "llama3-8b", "hgx-h100", zero=[0, 3], tensor_parallel=[1, 2], tokens="1e9", gpu_mtbf="90 d",
    ),
    "inference": lambda: pm.sweep(
        "resnet50", ["t4", "v100"], task="inference", batch=[1, 64], precision=["fp32", "int8"],
    ),
    "serving": lambda: pm.sweep("llama3-8b", ["hgx-h100", "t4"], task="serving", concurrency=[1, 64]),
}  # fmt: skip


@pytest.mark.parametrize("name", SWEEPS)
def test_columns_are_those_of_the_table(name: str) -> None:
    swept = SWEEPS[name]()
    table = pm.Table(swept._whole())
    direct = {title: column for title, column in swept.to_dict().items()}
    taken = [info.name for info in swept.columns if swept._direct(info) is not None]
    assert set(taken) >= {info.name for info in swept.columns} - {"assumed"}
    for info in swept.columns:
        own, wanted = swept[info.name], table[info.name]
        assert own.dtype == wanted.dtype, info.name
        assert all(a == b or a != a and b != b for a, b in zip(own.tolist(), wanted.tolist())), info.name
        assert list(direct) == list(table.to_dict())
    few = [info.name for info in swept.columns[:12]]
    some = type(swept)(swept.plan, swept.runs, swept.predictions, columns=few, _given=swept._given)
    for a, b in zip(some.to_numpy(), pm.Table(some._whole()).to_numpy()):
        assert all(x == y or x != x for x, y in zip(a, b))


@pytest.mark.parametrize("name", SWEEPS)
def test_arrow_is_that_of_the_table(name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    swept = SWEEPS[name]()
    for columns in (None, [info.name for info in swept.columns if info.name != "assumed"]):
        some = type(swept)(swept.plan, swept.runs, swept.predictions, columns=columns, _given=swept._given)
        own, wanted = some.to_arrow(), pyarrow.table(pm.Table(some._whole()))
        assert own.schema.equals(wanted.schema, check_metadata=True) and own.equals(wanted)


ASKED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "training": (["resnet50", "vgg16"], ["dgx1-v100", "dgx2"], dict(gpus=[1, 8, 16], batch=[1000, 32, 7], input=5000)),
    "batches of all": ("resnet50", ["dgx1-v100", "dgx2"], dict(gpus=[1, 3, 8], global_batch=[64, 96, 1024])),
    "no batch": ("resnet50", "dgx1-v100", dict(framework=["none", "pytorch-2.4"], overlap=["none", "backward"])),
    "hardware": ("resnet50", "dgx1-v100", dict(axes={"gpu.memory_bandwidth": ["x1", "x2"]}, batch=[8, 16])),
    "plans": ("llama3-8b", "hgx-h100", dict(zero=[0, 3], tensor_parallel=[1, 2], batch=range(1, 300), tokens="1e9")),
    "inference": ("resnet50", ["t4", "v100"], dict(task="inference", batch=[1, 64], precision=["fp32", "int8"])),
    "serving": ("llama3-8b", ["hgx-h100", "t4"], dict(task="serving", concurrency=[1, 64])),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_chosen_columns_are_those_of_whole_rows(name: str) -> None:
    """To the bit, though runs and predictions are never made for them; these come when they are asked for."""
    networks, systems, more = ASKED[name]
    whole = pm.sweep(networks, systems, **more)
    names = [info.name for info in whole.columns if info.name not in ("assumed", "strong_scaling_efficiency")]
    some = pm.sweep(networks, systems, **more, columns=names)
    assert some._found and "runs" not in some.__dict__
    for column in names:
        assert some[column].dtype == whole[column].dtype
        assert all(a == b or a != a and b != b for a, b in zip(some[column].tolist(), whole[column].tolist())), column
    kept = pm.Sweep(whole.plan, whole.runs, whole.predictions, columns=names, _given=whole._given, paths=whole._paths)
    assert some.to_csv() == kept.to_csv() and str(some) == str(kept)
    assert len(some.select("status=ok")) == len(whole.select("status=ok"))
    assert pickle.loads(pickle.dumps(some)).to_csv() == some.to_csv()
    assert some.runs.tobytes() == whole.runs.tobytes() and len(some) == len(whole)


@pytest.mark.parametrize("name", ASKED)
def test_rows_that_meet_conditions_are_those_of_the_table(name: str) -> None:
    networks, systems, more = ASKED[name]
    whole = pm.sweep(networks, systems, **more)
    where, names = ["status=ok", "memory>=1GB"], ["system", "gpus", "memory"]
    wanted = whole.select(*where)
    (found,) = pm.grid(networks, systems, **more).tables(where=where, columns=names)
    assert 0 < len(found) == len(wanted)
    for column in names:
        assert found[column].tolist() == wanted[column].tolist()


# ---- The command ----

COMMAND = os.environ.get("PERFMODEL_COMMAND")


def run(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(COMMAND), *words], capture_output=True, text=True, timeout=600, **more)


@pytest.mark.skipif(not COMMAND, reason="the command of a build is not given")
def test_the_command_streams_the_same_rows(tmp_path: Path) -> None:
    words = ["sweep", "resnet50,vgg16", "dgx1-v100", "--gpus", "1,8", "--batch", "32,64", "--axis",
             "gpu.memory_bandwidth=x1,x2", "--optimizer=sgd,adam"]  # fmt: skip
    plain = run(*words, "--format", "csv")
    done = run(*words, "--workers", "2", "-o", str(tmp_path / "x.csv"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "x.csv").read_bytes().decode() == plain.stdout.replace("\n", "\r\n")
    few = run(*words, "--workers", "1", "--where", "gpus=8,batch>=64", "--columns", "gpus,throughput", "-o",
              str(tmp_path / "y.csv"))  # fmt: skip
    assert few.returncode == 0
    assert (tmp_path / "y.csv").read_text().splitlines() == run(
        *words, "--where", "gpus=8,batch>=64", "--columns", "gpus,throughput", "--format", "csv"
    ).stdout.splitlines()
    wrong = run(*words, "--resume")
    assert wrong.returncode == 2 and "-o FILE.csv" in wrong.stderr
    assert "nothing to resume" in run(*words, "--resume", "-o", str(tmp_path / "x.csv")).stderr
    pytest.importorskip("pyarrow")
    assert run(*words, "-o", str(tmp_path / "x.parquet")).returncode == 0
    assert len(read(tmp_path / "x.parquet")) == 32
