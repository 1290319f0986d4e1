"""Files of other programs as measurements: what nccl-tests, profilers and benchmarks of serving write.

The samples in tests/traces are written by hand after the programs' own output: their form is theirs, their times are
not measured. Products of trace.json take 1.2 times what the shipped constants say, which a calibration has to find.
"""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import perfmodel as pm
import pytest

TRACES = Path(__file__).resolve().parents[3] / "tests" / "traces"
COMMAND = os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel")
Rows = list[dict[str, str]]


def command(*arguments: str) -> tuple[Rows, str]:
    """The table that the command prints, and what it says besides."""
    if not COMMAND:
        (pytest.fail if os.environ.get("PERFMODEL_ALL") else pytest.skip)("set PERFMODEL_COMMAND")
    done = subprocess.run([str(COMMAND), *arguments], capture_output=True, text=True, check=True)
    return list(csv.DictReader(done.stdout.splitlines())), done.stderr


def imported(path: Path, *options: str) -> tuple[Rows, str]:
    """The rows that a file becomes, and what the command says of the rest."""
    return command("import", str(path), *options)


def sizes(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("op", "precision", "B", "M", "N", "K", "transA", "transB"))


def test_a_trace_of_the_profiler() -> None:
    rows, rest = imported(TRACES / "trace.json")
    products = {sizes(row): row for row in rows if row["kernel"] == "gemm"}
    linear = products["gemm", "fp16-mixed", "1", "2048", "2304", "768", "T", "N"]
    assert linear["gpu"] == "NVIDIA A100-SXM4-40GB" and linear["calls"] == "2"
    split = products["gemm", "fp16-mixed", "1", "768", "768", "2048", "N", "T"]
    assert float(split["time_us"]) == 21 + 4.5  # the kernels of one call
    assert ("bmm", "fp16-mixed", "96", "512", "512", "64", "T", "N") in products
    passes = {row["pass"]: row for row in rows if row["kernel"] == "conv"}
    assert set(passes) == {"fwd", "bwd_data", "bwd_weight"}
    for row in passes.values():
        assert (row["conv_N"], row["conv_C"], row["conv_K"], row["conv_H"], row["filt_R_h"]) == ("64", "256", "64",
            "56", "1")
        assert row["precision"] == "tf32" and row["stride_h"] == "1" and row["pad_w"] == "0"
    assert [row["shape"] for row in rows if row["kernel"] == "softmax"] == ["49152x512"]
    assert re.search(r"63 kernels make rows \(97\.\d % of the kernels' time\), 4 do not:", rest)
    for name in ("aten::convolution_backward", "ncclDevKernel_AllReduce", "aten::_flash_attention_forward",
                 "aten::embedding"):
        assert re.search(rf"\b1 \([\d.]+ %\): {name}", rest)


def test_older_traces_name_the_operator_in_the_launch(tmp_path: Path) -> None:
    trace = json.loads((TRACES / "trace.json").read_text())
    for event in trace["traceEvents"]:
        if event["cat"] == "kernel":
            event["args"].pop("External id", None)
    (tmp_path / "old.json").write_text(json.dumps(trace))
    assert imported(tmp_path / "old.json")[0] == imported(TRACES / "trace.json")[0]


def test_what_the_profiler_of_this_pytorch_writes(tmp_path: Path) -> None:
    """Real operators of the CPU, with kernels added as a GPU's trace has them."""
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile

    model = torch.nn.Sequential(torch.nn.Linear(48, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Softmax(-1))
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        model(torch.randn(16, 48)).sum().backward()
        torch.bmm(torch.randn(4, 8, 24, dtype=torch.half), torch.randn(4, 24, 40, dtype=torch.half))
    recorded.export_chrome_trace(str(tmp_path / "cpu.json"))
    trace = json.loads((tmp_path / "cpu.json").read_text())
    trace["deviceProperties"] = [{"id": 0, "name": "NVIDIA GeForce RTX 4090"}]
    kernels = [{"ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64_tn", "dur": 10 + i, "args":
                {"External id": event["args"]["External id"],
                 "device": 0}} for i, event in enumerate(trace["traceEvents"])
               if event.get("cat") == "cpu_op"]
    trace["traceEvents"] += kernels
    (tmp_path / "gpu.json").write_text(json.dumps(trace))
    rows, rest = imported(tmp_path / "gpu.json")
    products = [sizes(row) for row in rows if row["kernel"] == "gemm"]
    assert sorted(products) == sorted([("gemm", "fp32", "1", "16", "32", "48", "T", "N"),
                                       ("gemm", "fp32", "1", "32", "48", "16", "N", "T"),
                                       ("bmm", "fp16-mixed", "4", "8", "40", "24", "N", "N")])
    shapes = {row["id"]: row["shape"] for row in rows if row["shape"]}
    assert shapes["aten::native_layer_norm"] == shapes["aten::_softmax"] == "16x32" and shapes["aten::gelu"] == "512x1"
    count = sum(int(row["calls"]) for row in rows)
    left = int(re.search(r"(\d+) do not", rest)[1])  # type: ignore[index]
    assert count + left == len(kernels)
    assert sum(int(n) for n in re.findall(r"(\d+) \([\d.]+ %\):", rest)) == left


@pytest.mark.parametrize("name", ["gpu_trace.csv", "kern_sum.csv"])
def test_reports_of_nsight_systems(name: str) -> None:
    rows, rest = imported(TRACES / name, "--system", "a100-sxm4-40gb")
    assert len(rows) == 13 and {row["gpu"] for row in rows} == {"a100-sxm4-40gb"}
    split = next(row for row in rows if row["id"] == "aten::mm")
    assert sizes(split) == ("gemm", "fp16-mixed", "1", "768", "768", "2048", "N",
                            "T") and float(split["time_us"]) == 25.5
    assert "14 kernels make rows" in rest and "ncclDevKernel_AllReduce" in rest and "aten::embedding" in rest
    if name == "gpu_trace.csv":  # a summary names no GPU
        assert {row["gpu"] for row in imported(TRACES / name)[0]} == {"NVIDIA A100-SXM4-40GB"}


def test_nccl_tests() -> None:
    text, _ = imported(TRACES / "all_reduce.txt", "--system", "dgx-h100")
    assert len(text) == 28
    assert [(row["gpus"], row["nodes"], row["collective"], row["note"], row["nccl_version"]) for row in text] == [
        ("8", "1", "all_reduce", "-g 8", "2.22.3")] * 28
    large = next(row for row in text if row["message_bytes"] == "1073741824")
    assert float(large["time_us"]) == 4692.91
    document, _ = imported(TRACES / "all_gather.json", "--system", "dgx-h100")
    assert len(document) == 21
    assert {(row["gpus"], row["nodes"], row["collective"], row["note"]) for row in document} == {("16", "2",
        "all_gather", "-g 1")}


def events(*kernels: tuple[int, int], old: bool,
           names: tuple[str, str, str] = ("cpu_op", "cuda_runtime", "kernel")) -> str:
    """A trace of products, each a thread and a start, in the ids of PyTorch up to 2.0 or of later releases."""
    made = []
    for i, (thread, start) in enumerate(kernels):
        common = {"ph": "X", "pid": 1, "tid": thread}
        own = 7 + i if old else 2 * i + 1
        made += [{**common, "cat": names[0], "name": "aten::linear", "ts": start, "dur": 90,
                  "args": {"External id": 2 * i}},
                 {**common, "cat": names[0], "name": "aten::mm", "ts": start + 10, "dur": 60, "args": {
                     "External id": 2 * i + 1, "Input Dims": [[64 << i, 32], [32, 16]],
                     "Input type": ["float", "float"]}},
                 {**common, "cat": names[1], "name": "cudaLaunchKernel", "ts": start + 20, "dur": 5, "args": {
                     "External id": own, "correlation": 7 + i}},
                 {**common, "cat": names[2], "name": "sgemm", "tid": "stream 7", "ts": start + 500, "dur": 100 + i,
                  "args": {"External id": own, "correlation": 7 + i, "device": 0}}]
    return json.dumps({"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": made})


def test_traces_of_old_releases(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    for old, names in ((False, ("cpu_op", "cuda_runtime", "kernel")), (True, ("cpu_op", "cuda_runtime", "kernel")),
                       (True, ("Operator", "Runtime", "Kernel"))):  # PyTorch 1.8
        trace.write_text(events((1, 0), (1, 100), (2, 50), (1, 200), old=old, names=names))
        rows, rest = imported(trace)
        assert sorted((int(row["M"]), row["time_us"]) for row in rows) == [(64, "100"), (128, "101"), (256, "102"),
                                                                          (512, "103")]
        assert "4 kernels make rows (100.0 %" in rest
    trace.write_text(events((1, 0), old=True).replace('"ts": 20', '"ts": 999'))
    assert "none of its 1 kernels finds the operator that launched it" in refused(trace)


def refused(path: Path, *options: str) -> str:
    """The message with which a file is refused, of one line."""
    with pytest.raises(subprocess.CalledProcessError) as raised:
        imported(path, *options)
    message: str = raised.value.stderr
    assert raised.value.returncode in (2, 3) and message.count("\n") == 1, message
    return message


def collective_log(ranks: int, per_host: int, factor: float, *, test: str = "",
                   gpu: str = "NVIDIA H100 80GB HBM3") -> str:
    """A run of nccl-tests on hosts of so many ranks, whose bus bandwidth is a factor of the other."""
    devices = [f"#  Rank {i:2d} Group  0 Pid {1000 + i} on node{i // per_host} device  {i % per_host} [0x01] {gpu}"
               for i in range(ranks)]
    rows = [f"{size:12d} {size // 4:12d} float sum -1 {us:.1f} {size / us / 1e3:.2f} {factor * size / us / 1e3:.2f} 0 "
            f"{us:.1f} 1.00 1.00 0" for size, us in ((1 << 20, 30), (1 << 24, 100), (1 << 28, 1100))]
    head = ["#       size         count      type   redop    root     time   algbw   busbw #wrong"
            "     time   algbw   busbw #wrong",
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)"]
    return "\n".join([f"$ ./build/{test}_perf -g 1" if test else "#", "# nThread 1 nGpus 1 minBytes 8", *devices, *head,
                      *rows, "# Avg bus bandwidth    : 1.0", ""])


def test_a_rack_of_several_hosts_is_one_node(tmp_path: Path) -> None:
    log = tmp_path / "all_reduce.txt"
    for ranks, per_host, nodes in ((72, 4, 1), (144, 4, 2), (8, 4, 1), (36, 1, 2)):
        log.write_text(collective_log(ranks, per_host, 2 * (ranks - 1) / ranks, gpu="NVIDIA Graphics Device"))
        rows, _ = imported(log, "--system", "gb200-nvl72")
        assert {(row["gpus"], row["nodes"]) for row in rows} == {(str(ranks), str(nodes))}
    log.write_text(collective_log(8, 4, 1.75))
    assert {row["nodes"] for row in imported(log, "--system", "hgx-h100")[0]} == {"2"}  # a host is a node here
    log.write_text(collective_log(1000, 8, 2 * 999 / 1000))  # more hosts than a list of a fixed length would hold
    assert {row["nodes"] for row in imported(log, "--system", "hgx-h100")[0]} == {"125"}


def test_several_runs_in_one_log(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(collective_log(2, 2, 1, test="all_reduce") + collective_log(2, 2, 0.5, test="all_gather"))
    rows, _ = imported(log, "--system", "hgx-h100")
    assert {(row["collective"], row["gpus"], row["calls"]) for row in rows} == {("all_reduce", "2", "1"),
                                                                               ("all_gather", "2", "1")}
    log.write_text(2 * collective_log(2, 2, 1, test="all_reduce"))
    assert {(row["gpus"], row["calls"]) for row in imported(log, "--system", "hgx-h100")[0]} == {("2", "2")}
    log = tmp_path / "all_reduce.txt"  # the second run names no test, and its bandwidths are of another
    log.write_text(collective_log(2, 2, 1) + collective_log(2, 2, 0.5))
    assert "busbw over algbw is 0.5 here, but 1 of all_reduce" in refused(log, "--system", "hgx-h100")
    log = tmp_path / "run.txt"
    log.write_text(collective_log(2, 2, 1))
    assert "which collective" in refused(log, "--system", "hgx-h100")
    assert "not of all_gather" in refused(TRACES / "all_reduce.txt", "--system", "dgx-h100", "--collective",
                                          "all_gather")
    log.write_text(collective_log(2, 2, 1, test="scatter"))
    assert "scatter is none of the collectives that are predicted" in refused(log, "--system", "hgx-h100")


@pytest.mark.parametrize("label", [" 0: ", "2026-03-01T10:00:00.123Z ", "[1,0]<stdout>:", "[2026-03-01 10:00:00] "])
def test_labels_before_lines(tmp_path: Path, label: str) -> None:
    log = tmp_path / "all_reduce.txt"
    plain = collective_log(2, 2, 1, test="all_reduce")
    log.write_text("".join(label + line + "\n" for line in plain.splitlines()))
    assert [row["time_us"] for row in imported(log, "--system", "hgx-h100")[0]] == ["30", "100", "1100"]
    log.write_text(plain.replace("#", ""))  # pages that quote a log eat it
    assert len(imported(log, "--system", "hgx-h100")[0]) == 3


def test_what_no_collective_takes_is_refused(tmp_path: Path) -> None:
    """GPUs of two kinds, a row that was cut within a number, a time in another unit, results that are wrong."""
    log = tmp_path / "all_reduce.txt"
    plain = collective_log(2, 2, 1)
    lines = plain.splitlines()
    name = next(line for line in lines if "Rank  0" in line).rpartition("] ")[2]
    for text, message in ((plain.replace(name, "NVIDIA A100-SXM4-80GB", 1), "a system has GPUs of one kind"),
                          ("\n".join([*lines[:-2], lines[-2][:45]]), "this row is cut off"),
                          (plain.replace(" 1100.0 ", " 1.1 ", 1), "a number is cut, or of another unit")):
        assert text != plain
        log.write_text(text)
        assert message in refused(log, "--system", "hgx-h100")


def test_a_table_alone(tmp_path: Path) -> None:
    log = tmp_path / "pasted.txt"
    log.write_text("\n".join(line for line in collective_log(16, 8, 1.875).splitlines() if "Rank" not in line))
    assert "does not say which collective" in refused(log, "--system", "hgx-h100")
    assert "--gpus 8 --nodes 2" in refused(log, "--system", "hgx-h100", "--collective", "all_reduce")
    rows, _ = imported(log, "--system", "hgx-h100", "--collective", "all_reduce", "--gpus", "8", "--nodes", "2")
    assert {(row["collective"], row["gpus"], row["nodes"]) for row in rows} == {("all_reduce", "16", "2")}
    wrong = refused(log, "--system", "hgx-h100", "--collective", "all_reduce", "--gpus", "8")
    assert "but 1.75 of all_reduce on 8 ranks" in wrong
    assert "32 ranks on 2 nodes, but hgx-h100 has 8 GPUs" in refused(log, "--system", "hgx-h100", "--collective",
                                                                    "all_reduce", "--gpus", "16", "--nodes", "2")


def test_rccl_tests() -> None:
    for name in ("rccl.json", "rccl.csv"):
        rows, _ = imported(TRACES / name, "--system", "mi300x-node")
        assert [(row["collective"], row["gpus"], row["message_bytes"], row["time_us"]) for row in rows] == [
            ("all_reduce", "4", "1048576", "30"), ("all_reduce", "4", "16777216", "100"),
            ("all_gather", "8", "16777216", "120")]


@pytest.mark.parametrize(("head", "foot", "taken"), [
    ("", "", True), ("[", "]", True), (" [\n", "\n] \n", True), ("[[[", "", False), ("[", "", False), ("", "]", False),
    ("[", "]]", False), ("[", "] 1", False), ("[[", "]]", False)])
def test_records_of_rccl_stand_in_one_list_or_none(tmp_path: Path, head: str, foot: str, taken: bool) -> None:
    record = next(line for line in (TRACES / "rccl.json").read_text().splitlines() if '"inPlace": 0' in line)
    (tmp_path / "rccl.json").write_text(head + record + foot)
    if taken:
        assert len(imported(tmp_path / "rccl.json", "--system", "mi300x-node")[0]) == 1
    else:
        assert "rccl.json:" in refused(tmp_path / "rccl.json", "--system", "mi300x-node")


@pytest.mark.parametrize("text", ["{}", "a,b\n1,2\n", "<graphs/>", "Machine (1008GB total)\n",
                                  "[Rank 0] step=10, skipped=0\n"])
def test_what_is_not_read_gets_a_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    message = refused(tmp_path / "file")
    assert "nvidia-smi topo -m" in message and "text of nccl-tests" in message and "--gpu" not in message


RUN = ("--network", "llama3-8b seq=4096", "--system", "dgx-h100")


@pytest.mark.parametrize(("name", "options", "seconds"), [
    ("megatron.log", (), 3.005), ("nemo.log", ("--gpus", "8"), 10.105), ("deepspeed.log", ("--gpus", "8"), 2),
    ("torchtitan.log", ("--gpus", "8", "--batch", "1"), 4096 / 5762),
    ("lightning.log", ("--gpus", "8", "--batch", "4"), 2), ("trainer.log", ("--gpus", "8", "--batch", "8"), 2)])
def test_logs_of_training(tmp_path: Path, name: str, options: tuple[str, ...], seconds: float) -> None:
    rows, note = imported(TRACES / name, *RUN, *options)
    assert rows[0]["quantity"] == "step_time" and abs(float(rows[0]["value"]) / seconds - 1) < 1e-5
    assert rows[0]["use"] == "fit"
    data = tmp_path / "rows.csv"
    command("import", str(TRACES / name), *RUN, *options, "-o", str(data))
    compared, _ = command("validate", "--set", "large-models", "--data", str(data), "--rows", "--format", "csv")
    assert len(compared) == len(rows) and all(float(row["predicted"]) > 0 for row in compared)
    assert name in note


def test_settings_of_a_log_come_from_the_file_of_the_run(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("".join(f"iteration {i}/ 9 | elapsed time per iteration (ms): 900 |\n" for i in range(1, 5)))
    script = tmp_path / "run.sh"
    script.write_text("torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --tensor-model-parallel-size 4 "
                      "--micro-batch-size 2 --global-batch-size 64 --seq-length 4096 --bf16\n")
    (row,), said = imported(log, "--network", "llama3-8b", "--system", "dgx-h100", "--run", str(script),
                             "--micro-batch", "1")
    assert (row["gpus"], row["nodes"], row["tensor_parallel"], row["batch"]) == ("8", "2", "4", "16")
    assert row["micro_batch"] == "1" and row["network"] == "llama3-8b seq=4096" and row["precision"] == "bf16"
    assert "read: tensor_parallel = 4" in said
    assert "is only for measurements" in refused(TRACES.parent / "import" / "topo_dgx1.txt", "--gpu", "v100-sxm2-16gb",
                                           "--network", "gpt2")


def test_benchmarks_of_serving() -> None:
    rows, _ = imported(TRACES / "served.json", "--system", "hgx-h100")
    assert [(row["network"], row["framework"], row["arrivals"], row["gpus"], row["quantity"], row["value"]) for row in
            rows] == [("llama3-70b", "vllm-0.21", "closed", "4", "tpot", "0.021"),
                      ("llama3-70b", "vllm-0.21", "closed", "4", "ttft", "0.35"),
                      ("llama3-70b", "vllm-0.21", "closed", "4", "request_rate", "2.6"),
                      ("llama3-8b", "sglang-0.5", "open", "1", "tpot", "0.009"),
                      ("llama3-8b", "sglang-0.5", "open", "1", "ttft", "0.055"),
                      ("llama3-8b", "sglang-0.5", "offline", "1", "output_rate", "7000")]
    assert (rows[0]["isl"], rows[0]["osl"], rows[0]["concurrency"], rows[0]["precision"]) == ("2048", "256", "16",
                                                                                              "fp8")
    assert rows[3]["rate"] == "4/s" and rows[3]["duration"] == "60s"


def served(concurrency: int, slower: float) -> str:
    """What vLLM's benchmark would write of a server whose passes take `slower` times what is predicted."""
    (row,), _ = command("serve", "llama3-8b", "h100-sxm5", "--concurrency", str(concurrency), "--format", "csv",
                        "--columns", "tpot,ttft")
    return json.dumps({"backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B-Instruct", "request_rate": "inf",
                       "max_concurrency": concurrency, "completed": 100, "total_input_tokens": 102400,
                       "total_output_tokens": 25600, "mean_ttft_ms": 1e3 * float(row["ttft [s]"]),
                       "mean_tpot_ms": 1e3 * slower * float(row["tpot [s]"])})


def test_a_layout_that_is_not_said_is_assumed_with_a_word(tmp_path: Path) -> None:
    served = (TRACES / "served.json").read_text().splitlines()[0]
    (tmp_path / "told.json").write_text(served)
    assert "assumed: one GPU" not in imported(tmp_path / "told.json", "--system", "hgx-h100")[1]
    (tmp_path / "untold.json").write_text(re.sub(r'"(tp|ep|dp|pp)": *"?\d+"?,', "", served))
    assert "assumed: one GPU" in imported(tmp_path / "untold.json", "--system", "hgx-h100")[1]


def test_an_engine_is_fitted_to_a_benchmark(tmp_path: Path) -> None:
    data, own = tmp_path / "served.json", tmp_path / "own.xml"
    data.write_text("\n".join(served(n, 1.25) for n in (1, 4, 16, 64, 128)))
    machine = ("--set", "serving", "--data", str(data), "--system", "h100-sxm5")
    command("calibrate", *machine, "--xml", "-o", str(own))

    def tpot(*more: str) -> float:
        rows, _ = command("validate", *machine, *more, "--format", "csv")
        return max(abs(float(row["mape [%]"])) for row in rows if row["group"].startswith("tpot"))

    assert abs(tpot() - 20) < 0.1
    assert tpot("--catalog", str(own)) < 4


def median(errors: pm.Table, use: str) -> float:
    rows = [i for i, of in enumerate(errors["use"]) if str(of) == use and str(errors["group"][i]).startswith(("all",
        "a100"))]
    return float(max(errors["median"][i] for i in rows))


def test_a_calibration_finds_what_the_times_hold(tmp_path: Path) -> None:
    before = pm.validate("kernels", data=TRACES / "trace.json")
    products = list(before["group"]).index("a100-sxm4-40gb gemm fp16 own")
    assert before["mape"][products] > 14
    fit = pm.calibrate(TRACES / "trace.json")
    assert any("63 kernels make rows" in note for note in fit.notes)
    path = tmp_path / "own.xml"
    text = fit.xml(path)
    assert re.search(r'<tensor_efficiency fitted_to="trace\.json" rows="22" date="\d{4}-\d\d"', text)
    assert '<kernel_calibration id="ampere"' in text and 'id="default"' not in text
    catalog = pm.Catalog(path)
    assert any("fitted to 22 rows of trace.json, 20" in note for note in catalog.notes)
    after = pm.validate("kernels", data=TRACES / "trace.json", catalog=catalog)
    assert after["mape"][products] < 3
    states = dict(zip(fit.constants["constant"], map(str, fit.constants["state"]), strict=True))
    assert states["tensor_flop_energy"] == "not identifiable"  # no product of the sample is limited by power
    shipped = list(pm.Catalog().list("kernel_calibrations")["id"]).index("ampere")
    assert (
        catalog.list("kernel_calibrations")["tensor_flop_energy"][shipped]
        == pm.Catalog().list("kernel_calibrations")["tensor_flop_energy"][shipped]
    )


def test_collectives_of_ones_own(tmp_path: Path) -> None:
    fit = pm.calibrate(TRACES / "all_reduce.txt", set="collectives", system="dgx-h100")
    assert median(fit.errors, "left-out-machine") > 20 > 6 > median(fit.errors, "fitted")
    text = fit.xml(tmp_path / "own.xml")
    assert '<fit id="hopper"' in text and 'id="volta"' not in text and 'fitted_to="all_reduce.txt" rows="28"' in text
    own = pm.validate("collectives", data=TRACES / "all_reduce.txt", system="dgx-h100",
                      catalog=pm.Catalog(tmp_path / "own.xml"))
    assert max(own["median"]) < 6


BAD = {
    "kernel.json": ('{"traceEvents": [\n{"cat": "kernel", "name": "x"}]}',
                    r'kernel\.json:2: column \d+: this kernel has no duration'),
    "comma.json": ('{"traceEvents": [\n\n{"cat": "kernel" "name": "x"}]}',
                   r"comma\.json:3: column 18: a comma is missing"),
    "cut.json": ('{"traceEvents": [{"cat": "ker', r"cut\.json:1: column 30: a text is not closed"),
    "none.json": ('{"traceEvents": []}', r"none\.json: no kernel of a GPU is in the trace"),
    "shapes.json": ('{"traceEvents": [{"cat": "kernel", "name": "x", "dur": 1}]}',
                    r"shapes\.json: .*record_shapes=True"),
    "time.csv": ("Processing\nStart (ns),Duration (ns),Device,Name\n1,x,T4 (0),mm\n",
                 r'time\.csv:3: Duration \(ns\) "x" is no number'),
    "ranges.csv": ("Start (ns),Duration (ns),Device,Name\n1,5,T4 (0),mm\n",
                   r"ranges\.csv: no kernel has sizes: .*emit_nvtx"),
    "unit.csv": ("Start (h),Duration (h),Device,Name\n1,5,T4 (0),mm\n", r"unit\.csv:1: there is no time with a unit"),
}
BAD_RUNS = {
    "reduce.txt": ("# out-of-place\n# size count type time algbw busbw\n# Rank 0 Pid 3 on h device 0 [0x3] T4\n8 2 "
                   "float xx 1 2\n",
                   r'reduce\.txt:4: time "xx" is no number above 0'),
    "gpus.txt": ("# all_reduce_perf out-of-place\n# size count type time algbw busbw\n8 2 float 4 1 2\n",
                 r"gpus\.txt: does not list the GPUs"),
    "what.txt": ("# out-of-place\n# size count type time algbw busbw\n8 2 float 4 1 2\n",
                 r"what\.txt: does not say which collective"),
    "all_reduce.json": ('{"config":{"devices":[{"hostname":"h"}]},"results":[{"size":8,"out_of_place":{"bus_bw":1}}]}',
                        r"all_reduce\.json:1: column \d+: this result has no time"),
}


@pytest.mark.parametrize("name", [*BAD, *BAD_RUNS])
def test_a_bad_file_is_one_line_with_its_place(name: str, tmp_path: Path) -> None:
    text, message = {**BAD, **BAD_RUNS}[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(pm.Error, match=message) as caught:
        pm.validate("kernels" if name in BAD else "collectives", data=tmp_path / name,
                    system="t4" if name in BAD else "dgx-h100")
    assert "\n" not in str(caught.value)


def test_a_run_of_nccl_tests_needs_its_machine() -> None:
    with pytest.raises(pm.Error, match=r'all_reduce\.txt: 8 x "NVIDIA H100 80GB HBM3" on 1 node: give the system'):
        pm.validate("collectives", data=TRACES / "all_reduce.txt")
    with pytest.raises(pm.Error, match="this is text of nccl-tests or rccl-tests, for the set coll"):
        pm.calibrate(TRACES / "all_reduce.txt")


@pytest.mark.parametrize("path", sorted(TRACES.iterdir()), ids=lambda path: path.name)
def test_no_damage_ends_in_more_than_an_error(path: Path, tmp_path: Path) -> None:
    whole, chance = path.read_bytes()[:20000], random.Random(7)
    target = tmp_path / path.name
    for _ in range(150):
        text = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 3)] = chance.choice([b"", b'"', b"]", b"{", b",", b"-", b"9" * 30, b"\\",
                b"\n"])
        target.write_bytes(bytes(text[: chance.randint(1, len(text))]))
        for set in ("kernels", "collectives"):
            try:
                pm.validate(set, data=target, system="dgx-h100")
            except pm.Error as error:
                assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["calibration.md", "import-measurements.md", "import-power.md"])
def test_the_walk_of_the_page(tmp_path: Path, name: str) -> None:
    """The commands of a page, on the files that they name."""
    page = (TRACES.parents[1] / "docs" / name).read_text(encoding="utf-8")
    page = page.split("## All shipped constants")[0]  # which takes half an hour in a source tree
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert blocks and COMMAND
    for path in TRACES.iterdir():
        shutil.copy(path, tmp_path)
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "perfmodel").symlink_to(Path(str(COMMAND)).resolve())
    said = ""
    for block in blocks:
        done = subprocess.run(["sh", "-eu", "-c", block], cwd=tmp_path, env={"PATH": f"{bin}{os.pathsep}{os.defpath}"},
                              capture_output=True, text=True, timeout=3600)
        assert done.returncode == 0, f"{block}{done.stderr}"
        said += done.stdout + done.stderr
    for words in ("22 rows of trace.json", "28 rows of all_reduce.txt") if name == "calibration.md" else ():
        assert f"fitted to {words}" in said


POWER_LOGS = ["nvidia_smi.csv", "nvidia_smi_nounits.csv", "dmon.txt", "dcgmi_dmon.txt", "rocm_smi.csv"]


@pytest.mark.parametrize("name", POWER_LOGS)
def test_a_power_log(name: str) -> None:
    """Two GPUs that wait, work, wait, work and wait: only the wait between has its clocks up."""
    rows, _ = imported(TRACES / name, "--system", "h100-sxm5")
    assert [row["id"].split()[-1] for row in rows] == ["running", "waiting"] * 2
    for row, power, tolerance in zip(rows, (615.5, 118.4, 607, 121.6), (0.2,) * 4):
        assert float(row["value"]) == pytest.approx(power, abs=tolerance) and row["quantity"] == "gpu_power"
        seconds = float(row["duration"])
        assert float(row["energy"]) == pytest.approx(float(row["value"]) * seconds, rel=1e-6)
        assert seconds == pytest.approx(20 if "running" in row["id"] else 4, abs=1.1)
        assert float(row["busy"]) == pytest.approx(0.98 if "running" in row["id"] else 0, abs=0.01)
        assert row["system"] == "gpu:h100-sxm5" and row["gpus"] == "1"


def test_a_power_log_names_its_gpu_and_limit() -> None:
    rows, _ = imported(TRACES / "nvidia_smi.csv")
    assert {row["system"] for row in rows} == {"gpu:h100-sxm5"} and {row["power_limit"] for row in rows} == {"700 W"}
    assert [row["words"] for row in rows[::2]] == ["0 lines without a power", "1 line without a power"]


def test_power_of_zeus() -> None:
    rows, _ = imported(TRACES / "zeus_power.csv", "--system", "h100-sxm5")
    assert len(rows) == 1 and rows[0]["busy"] == "" and float(rows[0]["duration"]) == 9
    rows, _ = imported(TRACES / "zeus_windows.csv", "--system", "h100-sxm5")
    assert [float(row["value"]) for row in rows] == pytest.approx([612.5, 118.2, 604, 121.4], abs=0.01)
    assert [float(row["duration"]) for row in rows[:2]] == [240, 10.25]


HEADER = "timestamp, index, power.draw [W], utilization.gpu [%]\n"
BAD_POWER = {
    "no GPU is named": (HEADER + "2026/11/20 10:00:00, 0, 300.00 W, 99 %\n", "give it with --system"),
    "no number": (HEADER + "2026/11/20 10:00:00, 0, three W, 99 %\n", "log.csv:2: power \"three W\" is no number"),
    "below zero": (HEADER + "2026/11/20 10:00:00, 0, -3 W, 99 %\n", "log.csv:2: power \"-3 W\" is no number from 0"),
    "utilization": (HEADER + "2026/11/20 10:00:00, 0, 300 W, much\n", "log.csv:2: utilization \"much\""),
    "nobody works": (HEADER + "2026/11/20 10:00:00, 0, 70 W, 0 %\n", "no GPU works in this log"),
    "only unknown": (HEADER + "2026/11/20 10:00:00, 0, [N/A], 0 %\n", "no GPU works in this log"),
    "many GPUs": (HEADER + "".join(f"2026/11/20 10:00:00, {i}, 300 W, 99 %\n" for i in range(300)),
                  "log.csv:258: has more than 256 GPUs"),
    "a window of no time": ("start_time,window_name,elapsed_time,gpu0_energy\n0,a,0,100\n", "log.csv:2: elapsed_time"),
}


@pytest.mark.parametrize("case", BAD_POWER)
def test_a_bad_power_log(case: str, tmp_path: Path) -> None:
    text, message = BAD_POWER[case]
    path = tmp_path / "log.csv"
    path.write_text(text)
    options = [] if case == "no GPU is named" else ["--system", "h100-sxm5"]
    done = subprocess.run([str(COMMAND), "import", str(path), *options], capture_output=True, text=True)
    assert done.returncode == 3 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_a_power_log_calibrates_its_gpu(tmp_path: Path) -> None:
    """The draw of the log is found again; what it does not decide stays as it was."""
    log = str(TRACES / "nvidia_smi.csv")
    found = pm.calibrate(log, set="energy")
    table = found.constants
    value = {name: table["value"][i] for i, name in enumerate(table["constant"])}
    state = dict(zip(table["constant"], table["state"]))
    assert set(table["entry"]) == {"hopper"}
    assert value["idle_power"] == pytest.approx(120 / 700, rel=0.02)
    assert value["tensor_power"] == pytest.approx((611.2 - 0.02 * 120) / 0.98 / 700, rel=0.01)
    assert state["tensor_flop_energy"] == "not identifiable"
    path = tmp_path / "own.xml"
    found.xml(path)
    before, after = pm.validate("energy", data=log), pm.validate("energy", data=log, catalog=pm.Catalog(str(path)))
    assert max(after["mape"]) < 2 < 20 < min(before["mape"])


def test_a_power_log_is_of_the_set_of_energy() -> None:
    with pytest.raises(pm.Error, match="this is a log of power, for the set energy, not kernels"):
        pm.calibrate(str(TRACES / "nvidia_smi.csv"))


def test_own_rows_of_energy(tmp_path: Path) -> None:
    """A board of 700 W at 100 TFLOP/s, and half of the time idle."""
    path = tmp_path / "rows.csv"
    path.write_text("system,kind,precision,flop,rate,busy,quantity,value\n"
                    "h100-sxm5,mine,bf16,1e12,100,,gpu_power,560\n"
                    "h100-sxm5,mine,bf16,,,0,gpu_power,80\n"
                    "h100-sxm5,mine,bf16,1e12,100,,energy_per_token,5.6\n"
                    "nobody,mine,bf16,,,,gpu_power,80\n")
    table = pm.validate("energy", data=str(path), rows=True)
    assert len(table["error"]) == 3 and all(abs(error) < 10 for error in table["error"])
    assert table["limit"][0] == pytest.approx(100 * (700 / 560 - 1))
    assert table["predicted"][2] == pytest.approx(table["predicted"][0] / 100)


@pytest.mark.parametrize("row, message", [
    ("h100-sxm5,,1e999,,gpu_power,1", "flop"), ("h100-sxm5,bf17,,,gpu_power,1", "unknown precision"),
    ("h100-sxm5,,,,wattage,1", "is none of gpu_power"), ("h100-sxm5,,,,gpu_power,-1", "no number above 0"),
    ("h100-sxm5,,,2,gpu_power,1", "busy 2 of a board is not from 0 to 1"), ("h100-sxm5,,,x,gpu_power,1", "busy \"x\""),
])
def test_a_bad_row_of_energy(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("system,precision,flop,busy,quantity,value\n" + row + "\n")
    notes = pm.validate("energy", data=str(path)).notes
    assert any(message in str(note) for note in ([notes] if isinstance(notes, str) else notes)), notes


def test_what_contradicts_the_machine_is_refused(tmp_path: Path) -> None:
    """A file that names its GPU, its nodes or its collective, beside options that say another."""
    log = tmp_path / "all_reduce.txt"
    log.write_text(collective_log(16, 8, 2 * 15 / 16, gpu="NVIDIA A100-SXM4-80GB"))
    assert 'is of "NVIDIA A100-SXM4-80GB", but hgx-h100 has h100-sxm5' in refused(log, "--system", "hgx-h100")
    assert "the file is of 2 nodes, not of 1" in refused(log, "--system", "dgx-a100", "--gpus", "16", "--nodes", "1")
    assert imported(log, "--system", "dgx-a100")[0]  # 40 and 80 GB have the same links
    for name in ("trace.json", "gpu_trace.csv", "nvidia_smi.csv"):
        assert ", but " in refused(TRACES / name, "--system", "t4")
    lines = collective_log(8, 8, 1.75, test="all_reduce").split("\n")
    log.write_text("\n".join(line for line in lines if "Rank  7" not in line))  # a line that the paste lost
    assert "busbw over algbw is 1.75 here, but 1.71 of all_reduce on 7 ranks" in refused(log, "--system", "hgx-h100")


def test_tables_and_colours_around_a_log(tmp_path: Path) -> None:
    log = tmp_path / "all_reduce.txt"
    text = collective_log(2, 2, 1)
    log.write_text(text)
    plain = imported(log, "--system", "hgx-h100")[0]
    for around in (lambda line: f"\x1b[32m{line}\x1b[0m", lambda line: "| " + line.replace("  ", " | ") + " |",
                   lambda line: "> " + line, lambda line: "[pod/launcher-0/main] " + line):
        log.write_text("\n".join(around(line) for line in text.split("\n")))
        assert imported(log, "--system", "hgx-h100")[0] == plain
    row = next(line for line in text.split("\n") if " float " in line)
    log.write_text(text.replace(row, row.replace(row.split()[0], "512M", 1)))
    assert 'size "512M" is no whole number of bytes' in refused(log, "--system", "hgx-h100")


def test_a_mark_before_the_text_changes_nothing(tmp_path: Path) -> None:
    for name in ("nvidia_smi.csv", "all_reduce.txt", "served.json", "rccl.csv"):
        bare, marked = tmp_path / "a" / name, tmp_path / "b" / name  # of one length, since names are cut
        for file, mark in (bare, b""), (marked, b"\xef\xbb\xbf"):
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(mark + (TRACES / name).read_bytes())
        machine = "mi300x-node" if name == "rccl.csv" else "h100-sxm5" if "smi" in name else "dgx-h100"
        plain, other = (imported(file, "--system", machine)[0] for file in (bare, marked))
        assert str(plain).replace(str(bare.parent), str(marked.parent)) == str(other)


def test_what_a_log_does_not_say_or_cannot_mean(tmp_path: Path) -> None:
    log = tmp_path / "power.csv"
    log.write_text((TRACES / "nvidia_smi.csv").read_text().replace("2026/", "20.11.2026 "))
    assert "is no time that is read" in imported(log, "--system", "h100-sxm5")[1]
    served = tmp_path / "served.json"
    served.write_text((TRACES / "served.json").read_text().replace('"mean_tpot_ms": ', '"mean_tpot_ms": -'))
    assert "is none from 0" in refused(served, "--system", "dgx-h100")
