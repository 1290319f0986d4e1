"""Ctrl-C is answered at once, whatever is at work; and no argument makes it necessary."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from perfmodel import _core
from perfmodel._plan import CHUNK

MANY = 1_000_000


class Core:
    """A function of the core that holds still in its first call until Ctrl-C was sent: nothing here depends on time."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch):
        self.call, self.calls, self.ended = getattr(_core, name), 0, 0
        self.at_work, self.go_on = threading.Event(), threading.Event()
        self.thread: threading.Thread | None = None
        monkeypatch.setattr(_core, name, self)

    def __call__(self, *arguments: object) -> object:
        self.calls += 1
        self.thread = threading.current_thread()
        self.at_work.set()
        self.go_on.wait()
        made = self.call(*arguments)
        self.ended += 1
        return made


def interrupt(work: Callable[[], object], core: Core, then: Callable[[], object]) -> None:
    """Ends `work` by a Ctrl-C while the core is at it, and does something when the signal is on its way."""

    def send() -> None:
        core.at_work.wait()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        then()

    # Started in the background, a shell has made us ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=send, name="sender")
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        core.at_work.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def goes_on_behind(work: Callable[[], object], name: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a Ctrl-C comes through while the core is at work, in another thread than ours."""
    core = Core(name, monkeypatch)
    try:
        interrupt(work, core, lambda: None)
        return core.thread is not threading.main_thread() and core.ended == 0
    finally:
        core.go_on.set()


def parts_done(work: Callable[[], object], name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the core is called for a part of the work that a Ctrl-C ends in its first."""
    core = Core(name, monkeypatch)
    interrupt(work, core, core.go_on.set)
    return core.calls


@pytest.fixture(scope="module")
def long_table() -> pm.Table:
    return pm.sweep("alexnet", "dgx1-v100", batch=range(1, 6000)).select(sort="batch")


@pytest.mark.parametrize(("part", "work"), [
    ("table_format", lambda table: table.to_csv()), ("table_format", lambda table: table.to_json()),
    ("table_select", lambda table: table.select("batch>3")), ("table_pack", lambda table: pickle.dumps(table)),
])
def test_tables_of_many_rows(part: str, work: Callable[[pm.Table], object], long_table: pm.Table,
                             monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    assert goes_on_behind(lambda: work(long_table), part, monkeypatch)


@pytest.fixture(scope="module")
def long_sweep() -> pm.Sweep:
    plan = pm.Plan("resnet152", "dgx1-v100")
    runs = np.resize(plan.runs(gpus=[1, 2, 4, 8], batch=range(1, 1001)), MANY)
    return pm.Sweep(plan, runs, plan.predict(runs))


def test_predictions(long_sweep: pm.Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts_done(lambda: long_sweep.plan.predict(long_sweep.runs), "predict_into", monkeypatch) < MANY / CHUNK


def test_csv(long_sweep: pm.Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts_done(long_sweep.to_csv, "study_table", monkeypatch) < MANY / CHUNK


def test_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    assert goes_on_behind(lambda: pm.calibrate(architectures="pascal"), "calibrate", monkeypatch)


@pytest.mark.parametrize("part", ["search_new", "search_evaluate"])
def test_search(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert goes_on_behind(lambda: pm.search("gpt2", "dgx-h100", gpus=8, global_batch=64), part, monkeypatch)


def test_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert goes_on_behind(lambda: pm.validate("kernels"), "validate_table", monkeypatch)


@pytest.mark.parametrize(("part", "work"), [
    ("system_rings", lambda system: pm.rings(system)),
    ("collective_times", lambda system: pm.collective(system, "all_reduce", "1 MB")),
    ("study_predict", lambda system: pm.predict("resnet50", system, gpus=200, batch=8)),
    ("system_drawing", lambda system: pm.Catalog().system(system).copies()),
])
def test_nodes_of_many_gpus(part: str, work: Callable[[str], object], monkeypatch: pytest.MonkeyPatch) -> None:
    assert goes_on_behind(lambda: work("h100-sxm5*200:nvswitch"), part, monkeypatch)


def many_layers(layers: int = 2500) -> pm.Network:
    network = pm.Network("own")
    network.input(64)
    for _ in range(layers):
        network.add("relu")
    return network


def test_files_of_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.xml").write_text('<perfmodel version="1"/>')
    assert goes_on_behind(lambda: pm.Catalog(tmp_path / "own.xml"), "catalog_load", monkeypatch)


def test_networks_of_many_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    network = many_layers()
    assert goes_on_behind(lambda: pm.predict(network, "dgx1-v100"), "study_predict", monkeypatch)
    assert goes_on_behind(lambda: pm.sweep(network, "dgx1-v100", batch=[1, 2]), "study_complete", monkeypatch)


@pytest.mark.parametrize(("part", "work"), [
    ("network_table", lambda network: network.layers()), ("network_table", lambda network: network.tree()),
    ("network_times", lambda network: network.times("t4")), ("network_format_xml", lambda network: network.to_xml()),
    ("network_format_xml", lambda network: pickle.dumps(network)),
])
def test_tables_of_many_layers(part: str, work: Callable[[pm.Network], object],
                               monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    network = many_layers(6000)
    assert goes_on_behind(lambda: work(network), part, monkeypatch)


def test_texts_of_other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.sh").write_text("torchrun pretrain_gpt.py --tensor-model-parallel-size 2")
    assert goes_on_behind(lambda: pm.run_from(tmp_path / "train.sh"), "settings_table", monkeypatch)
    assert goes_on_behind(lambda: pm.from_hf({"model_type": "llama"}), "model_read", monkeypatch)


def test_sensitivities_of_many_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    work = lambda: pm.sensitivity("alexnet", "h100-sxm5*200:nvswitch")  # noqa: E731
    assert goes_on_behind(work, "sensitivity_rows", monkeypatch)


def test_runs_that_are_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = lambda: pm.sweep("alexnet", "dgx1-v100", batch=range(1, 20000))  # noqa: E731
    assert goes_on_behind(sweep, "study_complete", monkeypatch)
    plan = pm.Plan("alexnet", "dgx1-v100")
    assert goes_on_behind(lambda: plan.runs(batch=range(1, 20000)), "asked_runs", monkeypatch)


def test_timelines(monkeypatch: pytest.MonkeyPatch) -> None:
    prediction = pm.predict("gpt2", "dgx-a100", pipeline_parallel=4, batch=64, micro_batch=1)
    assert goes_on_behind(prediction.trace, "prediction_trace", monkeypatch)


def test_the_lock_is_released_where_ctrl_c_waits() -> None:
    """A call in another thread is of no use if it holds the lock of the interpreter: Ctrl-C is Python's work."""
    source = (Path(__file__).parents[1] / "python.i").read_text()
    for name in ("pm_catalog_load", "prediction_trace", "asked_runs", "study_complete", "study_predict", "study_plan",
                 "network_table", "network_times", "network_totals", "pm_network_format_xml", "pm_model_read",
                 "settings_table", "sensitivity_rows", "table_select", "table_format", "pm_table_pack"):
        assert f"PM_UNLOCKED({name})" in source


def longest_wait(work: Callable[[], object]) -> tuple[float, float]:
    """The longest time in which another thread had no turn, and that of the work."""
    thread = threading.Thread(target=work)
    start = last = time.perf_counter()
    longest = 0.0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest, last - start


def test_others_have_their_turn() -> None:
    """The core does not hold the interpreter's lock: a busy machine may take a turn, so the best of some counts."""
    shares = []
    for _ in range(5):
        system = pm.Catalog().system("h100-sxm5*1024:nvswitch")
        longest, whole = longest_wait(lambda: _core.system_rings(system._handle, np.empty(0), 1024))  # noqa: B023
        shares.append(longest / whole)
    assert min(shares) < 0.5


def test_endless_arguments() -> None:
    with pytest.raises(pm.ArgumentError, match="more than 1,048,576 values"):
        pm.collective("dgx1-v100", "all_reduce", "1 MB", gpus=range(10**9))


def test_what_fails_in_the_background_fails_in_front() -> None:
    with pytest.raises(pm.NotFoundError, match="nosuch"):
        pm.validate("nosuch")


def test_too_many_gpus_are_refused_before_they_are_counted() -> None:
    taken = 0

    def counted() -> Iterator[int]:
        nonlocal taken
        for taken in range(10**9):
            yield taken

    with pytest.raises((pm.Error, ValueError)):
        pm.collective("dgx1-v100", "all_reduce", bytes=8, gpus=counted())
    assert taken <= 1 << 20


def test_the_command_ends_and_leaves_the_file(tmp_path: Path) -> None:
    command = os.environ.get("PERFMODEL_COMMAND")
    if not command:
        pytest.skip("PERFMODEL_COMMAND is not set")
    (tmp_path / "old").write_text("old")
    running = subprocess.Popen([command, "calibrate", "--set", "kernels", "-o", "old"], cwd=tmp_path,
                               stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    time.sleep(0.3)
    assert running.poll() is None, "it takes longer than this"
    running.send_signal(signal.SIGINT)
    assert running.wait() == -signal.SIGINT, "it went on to its end"
    assert (tmp_path / "old").read_text() == "old" and len(list(tmp_path.iterdir())) == 1
