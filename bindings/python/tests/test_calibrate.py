"""Constants from measurements: those that made the times come back, and the faces agree."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest

HEADER = "kernel,op,pass,M,N,K,precision,gpu,time_us\n"


def rows_of(gpu: str, slower: float) -> str:
    """Products of many sizes as the model times them, all of them slower by one factor."""
    sizes = 8 * np.round(2 ** np.random.default_rng(1).uniform(4, 9, (300, 3)))
    times = pm.gemm(sizes[:, 0], sizes[:, 1], sizes[:, 2], gpu=gpu)["time"] * 1e6 * slower
    lines = [f"gemm,gemm,fwd,{m:.0f},{n:.0f},{k:.0f},fp32,{gpu},{t!r}" for (m, n, k),
             t in zip(sizes, map(float, times))]
    return HEADER + "\n".join(lines) + "\n"


def value(calibration: pm.Calibration, constant: str) -> float:
    names = list(calibration.constants["constant"])
    return float(calibration.constants["value"][names.index(constant)])


def test_a_slower_gpu_has_a_lower_efficiency(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(rows_of("v100-pcie", 1.0))
    alike = value(pm.calibrate(path, architectures="volta"), "simt_efficiency")
    path.write_text(rows_of("v100-pcie", 1.1))
    slower = pm.calibrate(path, architectures=["volta"])
    assert value(slower, "simt_efficiency") == pytest.approx(alike / 1.1, rel=0.02)
    assert set(slower.errors["use"]) == {"fitted", "hold-out-shape"}
    assert max(slower.errors["mape"]) < 5
    target = tmp_path / "fitted.xml"
    assert slower.xml(target) == target.read_text() and "simt_efficiency" in target.read_text()
    fitted = pm.Catalog(target).list("kernel_calibrations")
    assert fitted["simt_efficiency"][list(fitted["id"]).index("volta")] == value(slower, "simt_efficiency")


def test_a_frame_is_a_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "rows.csv"
    path.write_text(rows_of("t4", 1.0))
    frame = pandas.read_csv(path)
    one, other = (pm.calibrate(data, architectures="turing").constants for data in (path, frame))
    assert one["value"] == pytest.approx(other["value"], rel=1e-3)


@pytest.mark.skipif("PERFMODEL_COMMAND" not in os.environ, reason="PERFMODEL_COMMAND names no command")
def test_the_command_says_the_same() -> None:
    text = subprocess.run([os.environ["PERFMODEL_COMMAND"], "calibrate", "--architecture", "pascal", "--format", "csv"],
                          check=True,
                          capture_output=True, text=True).stdout
    theirs, ours = list(csv.DictReader(text.splitlines())), pm.calibrate(architectures="pascal").constants
    assert [row["constant"] for row in theirs] == list(ours["constant"])
    assert [float(row["value"]) for row in theirs] == list(ours["value"])


def test_errors_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(pm.NotFoundError, match="voltage"):
        pm.calibrate(architectures="voltage")
    with pytest.raises(pm.ArgumentError, match="hold_out_shapes"):
        pm.calibrate(hold_out_shapes=1.5)
    with pytest.raises(pm.Error, match="time_us"):
        path = tmp_path / "bad.csv"
        path.write_text("kernel,precision,gpu\n")
        pm.calibrate(path)


PROFILE = """<perfmodel version="1"><framework id="mine" name="Mine"><cudnn>cudnn8</cudnn>
<evidence>uncalibrated</evidence><kernel_time>30 us</kernel_time>
<parallelism>all-reduce</parallelism><overlap>backward</overlap></framework>
</perfmodel>"""


def test_a_profile_of_ones_own_is_fitted_to_own_rates(tmp_path: Path) -> None:
    (tmp_path / "mine.xml").write_text(PROFILE)
    rows = "".join(f"resnet{n},mine,V100,{b},fp32,{r},images/s\n" for n, b,
                   r in ((50, 1, 60), (50, 32, 330), (18, 2, 250)))
    (tmp_path / "rates.csv").write_text("model,framework,gpu,batch_per_gpu,precision,throughput,unit\n" + rows)
    catalog = pm.Catalog(tmp_path / "mine.xml")
    fit = pm.calibrate(tmp_path / "rates.csv", set="training", frameworks="mine", catalog=catalog)
    assert list(fit.constants["constant"]) == ["kernel_time", "step_time"]
    assert fit.xml(tmp_path / "fitted.xml").count("<framework ") == 1
    fitted = pm.Catalog(tmp_path / "fitted.xml").list("frameworks")
    assert fitted["kernel_time"][list(fitted["id"]).index("mine")] == pytest.approx(value(fit, "kernel_time"), rel=1e-9)
    own = pm.Catalog(tmp_path / "fitted.xml").framework("mine")
    assert own.profile.fitted_to == "rates.csv" and own.profile.rows == 3
    assert own.basis == f"fitted to 3 rows of rates.csv, {own.profile.date}"
    shown = pm.predict("resnet50", "t4", framework=own).explain()
    assert f"Framework: Mine (mine), cuDNN 8 and later; {own.basis}\n" in shown
    with pytest.raises(pm.NotFoundError, match="other"):
        pm.calibrate(tmp_path / "rates.csv", set="training", frameworks="other", catalog=catalog)


WAY = """<perfmodel version="1"><inference_profile id="mine" name="Mine"><framework>pt-nchw</framework>
<origin>rule</origin><fusion>none</fusion><launch origin="rule">9 us</launch><step_time origin="rule">90 us</step_time>
</inference_profile></perfmodel>"""


@pytest.mark.parametrize("of_rates", [True, False])
def test_a_way_to_run_inference_is_fitted_to_own_calls(tmp_path: Path, of_rates: bool) -> None:
    """From calls predicted with known host times these come back, whether rates or latencies were measured; the guess
    before any row, 300 us of a call, holds them a little."""
    (tmp_path / "mine.xml").write_text(WAY)
    (tmp_path / "known.xml").write_text(WAY.replace("9 us", "40 us").replace("90 us", "800 us"))
    known = pm.Catalog(tmp_path / "known.xml").inference_profile("mine")
    rows = []
    for depth, batch in [(18, 1), (18, 4), (34, 1), (50, 1), (50, 2), (101, 1), (152, 1), (152, 2)]:
        call = pm.infer(f"resnet{depth}", "v100-sxm2-16gb", batch=batch, precision="fp16", framework=known)
        measured = f"{call.throughput!r}," if of_rates else f",{call.latency * 1e3!r}"
        rows.append(f"resnet{depth},mine,V100-SXM2-16GB,{batch},fp16,images/s,{measured}\n")
    header = "model,framework,gpu,batch_per_gpu,precision,unit,throughput,latency_avg_ms\n"
    (tmp_path / "calls.csv").write_text(header + "".join(rows))
    fit = pm.calibrate(tmp_path / "calls.csv", set="inference", frameworks="mine",
                       catalog=pm.Catalog(tmp_path / "mine.xml"))
    assert value(fit, "launch") == pytest.approx(40e-6, rel=0.05)
    assert value(fit, "step_time") == pytest.approx(800e-6, rel=0.2)
    fit.xml(tmp_path / "fitted.xml")
    profile = pm.Catalog(tmp_path / "fitted.xml").list("inference_profiles")
    place = list(profile["id"]).index("mine")
    assert profile["launch"][place] == value(fit, "launch") and profile["calibrated_on"][place] == "volta"
