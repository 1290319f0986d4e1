"""Ctrl-C is answered at once, whatever is at work; and no argument makes it necessary."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest

MANY = 1_000_000


def interrupted_after(seconds: float, work: Callable[[], object]) -> float:
    """How long `work` went on after a Ctrl-C."""
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(seconds)
        sent.append(time.monotonic())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # Started in the background, a shell has made us ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    give_up = time.monotonic() + 30
    try:
        with pytest.raises(KeyboardInterrupt):
            while time.monotonic() < give_up:
                work()
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    return time.monotonic() - sent[0]


@pytest.fixture(scope="module")
def long_sweep() -> pm.Sweep:
    plan = pm.Plan("resnet152", "dgx1-v100")
    runs = np.resize(plan.runs(gpus=[1, 2, 4, 8], batch=range(1, 1001)), MANY)
    return pm.Sweep(plan, runs, plan.predict(runs))


def test_predictions(long_sweep: pm.Sweep) -> None:
    assert interrupted_after(0.1, lambda: long_sweep.plan.predict(long_sweep.runs)) < 0.5


def test_csv(long_sweep: pm.Sweep) -> None:
    assert interrupted_after(0.1, long_sweep.to_csv) < 0.5


def test_calibration() -> None:
    assert interrupted_after(0.2, lambda: pm.calibrate(architectures="pascal")) < 0.5


def test_search() -> None:
    gpus = [512, 1024, 2048, 4096]
    assert interrupted_after(0.2, lambda: pm.search("gpt3-175b", "dgx-h100", gpus=gpus, global_batch=1536)) < 0.5


def test_validation(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    head = "model,framework,gpu,batch_per_gpu,precision,throughput,unit\n"
    rows.write_text(head + "".join(f"resnet18,PyTorch,V100,{batch},fp32,9,images/s\n" for batch in range(1, 20_000)))
    assert interrupted_after(0.2, lambda: pm.validate("training", data=rows)) < 0.5


def test_endless_arguments() -> None:
    with pytest.raises(pm.ArgumentError, match="more than 1,048,576 values"):
        pm.collective("dgx1-v100", "all_reduce", "1 MB", gpus=range(10**9))


def test_what_fails_in_the_background_fails_in_front() -> None:
    with pytest.raises(pm.NotFoundError, match="nosuch"):
        pm.validate("nosuch")


def test_collectives() -> None:
    sizes = np.linspace(1, 1e9, 200_000)
    assert interrupted_after(0.1, lambda: pm.collective("dgx1-v100", "all_reduce", bytes=sizes, gpus=8)) < 0.5


def test_too_many_gpus_are_refused_at_once() -> None:
    before = time.monotonic()
    with pytest.raises((pm.Error, ValueError)):
        pm.collective("dgx1-v100", "all_reduce", bytes=8, gpus=range(10**9))
    assert time.monotonic() - before < 0.5


def test_the_command_ends_and_leaves_the_file(tmp_path: Path) -> None:
    command = os.environ.get("PERFMODEL_COMMAND")
    if not command:
        pytest.skip("PERFMODEL_COMMAND is not set")
    (tmp_path / "old").write_text("old")
    running = subprocess.Popen([command, "calibrate", "--set", "kernels", "-o", "old"], cwd=tmp_path, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    time.sleep(0.3)
    assert running.poll() is None, "it takes longer than this"
    sent = time.monotonic()
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=10) == -signal.SIGINT and time.monotonic() - sent < 0.5
    assert (tmp_path / "old").read_text() == "old" and len(list(tmp_path.iterdir())) == 1
