"""Grids on the engines of others, for scripts/test_extended.sh: a cluster of dask, ranks of MPI. Work is (grid, first,
last); the bytes are those of one process, and a worker that is killed loses nothing.

    python bindings/python/tests/test_executors.py speed      how many times as fast two processes are as one
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import perfmodel as pm
import pytest

COLUMNS = ["system", "gpus", "batch", "gradient_accumulation_steps", "throughput", "memory", "status"]
PIECES = 6


def grid(pieces: int = PIECES) -> pm.Grid:
    return pm.grid("resnet50", ["dgx1-v100", "dgx-a100"], gpus=[1, 8], batch=range(1, 513),
                   gradient_accumulation_steps=range(1, 16 * pieces + 1))  # fmt: skip


def alone(folder: Path) -> bytes:
    grid().write(folder / "alone.csv", columns=COLUMNS)
    return (folder / "alone.csv").read_bytes()


def cluster() -> Any:
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)


def test_a_cluster_of_dask_gives_the_same_bytes(tmp_path: Path) -> None:
    with cluster() as local, local.get_client() as client:
        grid().write(tmp_path / "x.csv", columns=COLUMNS, executor=client.get_executor())
        best = grid().top(5, sort="-throughput", executor=client.get_executor())
    assert (tmp_path / "x.csv").read_bytes() == alone(tmp_path)
    assert best["throughput"].tolist() == grid().top(5, sort="-throughput")["throughput"].tolist()


def test_a_killed_worker_of_dask_loses_nothing(tmp_path: Path) -> None:
    killed = []

    def progress(done: int, total: int) -> None:
        if not killed:
            killed.append(next(iter(local.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    with cluster() as local, local.get_client() as client:
        grid().write(tmp_path / "x.csv", columns=COLUMNS, executor=client.get_executor(), progress=progress)
    assert killed and (tmp_path / "x.csv").read_bytes() == alone(tmp_path)


def test_a_killed_process_loses_nothing_on_its_way(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2) as executor:
        executor.submit(os.getpid).result()
        victim = next(iter(executor._processes))
        threading.Timer(0.3, os.kill, (victim, signal.SIGKILL)).start()
        grid().write(tmp_path / "x.csv", columns=COLUMNS, executor=executor)
    assert (tmp_path / "x.csv").read_bytes() == alone(tmp_path)


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="there is no MPI")
def test_ranks_of_mpi_give_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    words = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable, "-m", "mpi4py.futures",
             __file__, "mpi", str(tmp_path / "x.csv")]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "4 ranks" in done.stdout
    assert (tmp_path / "x.csv").read_bytes() == alone(tmp_path)


def test_a_cluster_of_dask_writes_the_same_parts(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    grid().write(f"{tmp_path}/alone/", columns=COLUMNS)
    with cluster() as local, local.get_client() as client:
        grid().write(f"{tmp_path}/x/", columns=COLUMNS, executor=client.get_executor())
    parts = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("alone", "x")]
    assert parts[0] == parts[1] and len(parts[0]) > 1


def on_ranks(path: str) -> None:
    from mpi4py import MPI
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as executor:
        grid().write(path, columns=COLUMNS, executor=executor)
    print(f"{MPI.COMM_WORLD.Get_size()} ranks")


def speed() -> None:
    """The best row, a file, and a folder of parts, by one process and by two."""
    asked = grid(64)
    asked.part(0, 1)
    with tempfile.TemporaryDirectory() as folder:
        compare("found", asked, lambda executor: asked.top(1, sort="-throughput", executor=executor))
        for what, name in (("in a file", "x.parquet"), ("in parts", "x/")):
            path = f"{folder}/{name}"
            compare(what, asked, lambda executor: asked.write(path, columns=COLUMNS, executor=executor))


def compare(what: str, asked: pm.Grid, work: Callable[[Any], object], turns: int = 3) -> None:
    """In turns, as the cores may have other work; the shortest times, and the processor's, count."""
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(turns):
        for workers, taken in times.items():
            taken.append(seconds_of(workers, work))
    one, two = (min(taken) for taken in times.values())
    print(f"{len(asked):,} rows {what}: one process {one[0]:.2f} s, two {two[0]:.2f} s, {one[0] / two[0]:.2f} x; "
          f"of the processor {one[1]:.2f} and {two[1]:.2f} s")


def seconds_of(workers: int, work: Callable[[Any], object]) -> tuple[float, float]:
    """By the clock, and of the processor with that of the workers."""
    before = os.times()
    with ProcessPoolExecutor(workers) as executor:
        for _ in range(workers):
            executor.submit(os.getpid).result()
        start = time.perf_counter()
        work(executor)
        clock = time.perf_counter() - start
    after = os.times()
    return clock, sum(after[:4]) - sum(before[:4])


if __name__ == "__main__":
    on_ranks(sys.argv[2]) if sys.argv[1] == "mpi" else speed()
