"""Ctrl-C is answered at once, whatever is at work; and no argument makes it necessary."""

from __future__ import annotations

import os
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


def interrupt(work: Callable[[], object], started: Callable[[], bool]) -> None:
    """Ends `work` by a Ctrl-C as soon as the core is at it."""

    def send() -> None:
        while not started():
            time.sleep(0.001)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # Started in the background, a shell has made us ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=send, name="sender")
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


def goes_on_behind(work: Callable[[], object]) -> bool:
    """Whether a Ctrl-C came through although the core is still at work, in a thread that was not there before."""
    before = threading.enumerate()

    def at_work() -> bool:
        return any(thread not in before and thread.name != "sender" for thread in threading.enumerate())

    interrupt(work, at_work)
    return at_work()


def parts_done(work: Callable[[], object], name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the core was called for a part of the work that a Ctrl-C ended."""
    done = 0
    call = getattr(_core, name)

    def counted(*arguments: object) -> object:
        nonlocal done
        done += 1
        return call(*arguments)

    monkeypatch.setattr(_core, name, counted)
    interrupt(work, lambda: done > 0)
    return done


@pytest.fixture(scope="module")
def long_sweep() -> pm.Sweep:
    plan = pm.Plan("resnet152", "dgx1-v100")
    runs = np.resize(plan.runs(gpus=[1, 2, 4, 8], batch=range(1, 1001)), MANY)
    return pm.Sweep(plan, runs, plan.predict(runs))


def test_predictions(long_sweep: pm.Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts_done(lambda: long_sweep.plan.predict(long_sweep.runs), "predict_into", monkeypatch) < MANY / CHUNK


def test_csv(long_sweep: pm.Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parts_done(long_sweep.to_csv, "study_table", monkeypatch) < MANY / CHUNK


def test_calibration() -> None:
    assert goes_on_behind(lambda: pm.calibrate(architectures="pascal"))


def test_search() -> None:
    gpus = [512, 1024, 2048, 4096]
    assert goes_on_behind(lambda: pm.search("gpt3-175b", "dgx-h100", gpus=gpus, global_batch=1536))


def test_validation(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    head = "model,framework,gpu,batch_per_gpu,precision,throughput,unit\n"
    rows.write_text(head + "".join(f"resnet18,PyTorch,V100,{batch},fp32,9,images/s\n" for batch in range(1, 20_000)))
    assert goes_on_behind(lambda: pm.validate("training", data=rows))


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
