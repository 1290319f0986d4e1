"""Bad input: one clear line with the value, as an exception of the right class; never a crash."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from conftest import bits
from perfmodel import _core, _fields, _framework


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: pm.network("resnet5"), pm.NotFoundError, 'resnet5"; did you mean'),
        (lambda: pm.system("nowhere"), pm.NotFoundError, "nowhere"),
        (lambda: pm.gpu("nowhere"), pm.NotFoundError, "nowhere"),
        (lambda: pm.list("cats"), pm.NotFoundError, "cats"),
        (lambda: pm.show("gpu", "nope"), pm.NotFoundError, "nope"),
        (lambda: pm.predict("resnet50", "dgx1-v100", gpus=9), pm.TooManyGpusError, "9"),
        (lambda: pm.predict("resnet50", "dgx1-v100", gpus=0), pm.ArgumentError, "0"),
        (lambda: pm.predict("resnet50", "dgx1-v100", gpus=2.5), pm.ArgumentError, "2.5"),
        (lambda: pm.predict("resnet50", "dgx1-v100", gpus=-1), pm.ArgumentError, "-1"),
        (lambda: pm.predict("resnet50", "dgx1-v100", gpus=2**40), pm.ArgumentError, str(2**40)),
        (lambda: pm.predict("resnet50", "dgx1-v100", batch=0), pm.ArgumentError, "batch 0"),
        (lambda: pm.predict("resnet50", "dgx1-v100", batch=-3), pm.ArgumentError, "-3"),
        (lambda: pm.predict("resnet50", "dgx1-v100", batch=float("nan")), pm.ArgumentError, "nan"),
        (lambda: pm.predict("resnet50", "dgx1-v100", batch=float("inf")), pm.ArgumentError, "inf"),
        (lambda: pm.predict("resnet50", "dgx1-v100", precision="fp17"), pm.NotFoundError, "fp17"),
        (lambda: pm.predict("resnet50", "dgx1-v100", precision="bf16"), pm.PrecisionError, "bf16"),
        (lambda: pm.predict("resnet50", "dgx1-v100", overlap="all"), pm.NotFoundError, "all"),
        (lambda: pm.predict("resnet50", "dgx1-v100", nodes=0), pm.ArgumentError, "0"),
        (lambda: pm.sweep("resnet50", "dgx1-v100", gpus=[]), pm.ArgumentError, "empty"),
        (lambda: pm.sweep("resnet50", "dgx1-v100", gpus=[1, 1.5]), pm.ArgumentError, "1.5"),
        (lambda: pm.sweep("resnet50", "dgx1-v100", precision="fp17"), pm.NotFoundError, "fp17"),
        (lambda: pm.quantity("900", "B/s"), pm.UnitError, "900"),
        (lambda: pm.quantity("fast", "B/s"), pm.Error, "fast"),
        (lambda: pm.network("resnet50").layers(batch=0), pm.ArgumentError, "0"),
        (lambda: pm.network("resnet50").times("v100-sxm2-16gb", precision="bf16"), pm.PrecisionError, "bf16"),
        (lambda: pm.system("dgx1-v100").ring(99), pm.TooManyGpusError, "99"),
        (lambda: pm.system("dgx1-v100").ring(8).all_reduce_time([1, -1]), pm.ArgumentError, "-1 bytes"),
        (lambda: pm.system("dgx1-v100").ring(8).all_reduce_time(float("nan")), pm.ArgumentError, "nan bytes"),
        (lambda: pm.system("dgx1-v100").ring(8).all_reduce_time("100"), pm.UnitError, "100"),
        (lambda: pm.predict("resnet50", "dgx1-v100", dataset=-5), pm.ArgumentError, "-5"),
        (lambda: pm.Catalog("no-such-file.xml"), pm.FileError, "no-such-file.xml"),
        (lambda: pm.Network("n").add("conv2d", out_channels=1, kernel=1), pm.Error, "conv2d"),
        (lambda: pm.Network("n").add("convolution"), pm.Error, "convolution"),
        (lambda: pm.Network("n").input(0, 3), pm.Error, "0"),
        (lambda: pm.Network("n").input(1, 2, 3, 4, 5, 6, 7), pm.ArgumentError, "1 to 6"),
        (lambda: pm.Network("n").input(*[1] * 99), pm.Error, "dimensions"),
        (lambda: pm.Network("n").input(), pm.Error, "dimensions"),
    ],
)
def test_errors_have_class_and_value(call: Callable[[], object], error: type[pm.Error], words: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, pm.Error) and isinstance(caught.value, ValueError)


def test_a_switch_is_no_number() -> None:
    for name in ("gpus", "nodes", "batch"):
        with pytest.raises(TypeError, match=name):
            pm.predict("resnet50", "dgx1-v100", **{name: True})


def test_statuses_and_classes_agree() -> None:
    known = set(_fields.field("prediction", "status").choices) - {"ok"}
    classes = {getattr(pm, name).status for name in dir(pm) if name.endswith("Error") and name != "Error"}
    assert classes == known


def test_not_found_is_a_lookup_error() -> None:
    with pytest.raises(LookupError) as caught:
        pm.network("nope")
    assert caught.value.status == "not_found"
    assert caught.value.file is None and caught.value.line is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: pm.network(None),
        lambda: pm.system(None),
        lambda: pm.gpu(None),
        lambda: pm.list(None),
        lambda: pm.show(None, None),
        lambda: pm.predict(None, None),
        lambda: pm.predict("resnet50", None),
        lambda: pm.predict("resnet50", "dgx1-v100", batch="64"),
        lambda: pm.predict("resnet50", "dgx1-v100", batch=True),
        lambda: pm.sweep(None, None),
        lambda: pm.sweep("resnet50", "dgx1-v100", gpus=[None]),
        lambda: pm.Plan([None], ["dgx1-v100"]),
        lambda: pm.Plan("resnet50", "dgx1-v100").predict(None),
        lambda: pm.Plan("resnet50", "dgx1-v100").check(None),
        lambda: pm.Catalog(None),
        lambda: pm.Network(None),
        lambda: pm.Network("n").input(None),
        lambda: pm.Network("n").add(None),
        lambda: pm.Network("n").add("relu", inputs=[None]),
        lambda: pm.network("resnet50", classes=None),
        lambda: pm.network("resnet50").layers(batch=None),
        lambda: pm.network("resnet50").times(None),
        lambda: pm.system("dgx1-v100").ring(8).all_reduce_time(None),
        lambda: pm.quantity(None, None),
        lambda: pm.format_quantity(None, "s"),
    ],
)
def test_none_raises_type_error(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        call()


# The least that a config.json of a decoder says.
MODEL = """{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 100}"""


def core_arguments() -> dict[str, list[object]]:
    """Good arguments of every function of the core."""
    catalog = _core.catalog_new()
    net, node = _core.catalog_new_network(catalog, "alexnet", {}), _core.catalog_new_system(catalog, "ac922")
    sizes, none = np.array([1e6]), np.array([], dtype=float)
    parts = ("framework", "cudnn_generation", "prediction_interval", "memory_profile")
    framework = [_core.catalog_framework(catalog, "generic", "", part) for part in parts]
    served_by = _core.catalog_inference(catalog, "tensorrt", "")
    study = _core.study_new("training", catalog, [net], [node], [""], *framework, served_by[:0])
    given = [["gpus", "batch"], 0.0]
    space_of_one = [["gpus", "batch"], np.ones(2), np.array([2.0, 8])]
    run = _core.study_complete(study, _core.asked_runs("training", *space_of_one), *given, 1)
    plan, gpu, ring = _core.study_plan(study), _core.system_gpu(node), _core.system_ring(node, 2, 1)
    done = _core.predict(plan, "training", run, -1)
    table = _core.study_table(study, run, done, *given, [])
    two = [bytes(run) * 2, bytes(done) * 2]
    new, one = _core.network_new("n", "n"), np.ones(1)
    calibration, kernel = _core.catalog_kernels(catalog, gpu), np.zeros(1, dtype=pm.dtype("kernel"))
    kernel["precision"], kernel["count"], kernel["m"], kernel["n"], kernel["k"] = 1, 1, 8, 8, 8
    _core.network_add_input(new, "first", np.array([3.0, 8, 8]))
    profile = _core.catalog_record(catalog, "memory_profile", "pytorch")
    stored = {"dataset": "ilsvrc2012", "storage": "nvme", "storage_access": "nvme", "decoder": "zen4"}
    path = {**stored, "loader": "dali", "system": "dgx1-v100", "prediction_interval": "input"}
    input_path = [_core.catalog_record(catalog, kind, name) for kind, name in path.items()]
    input_one = [*input_path, _core.input_run_default()]
    goal = np.frombuffer(bytes(_core.size_goal_default()), dtype=pm.dtype("size_goal")).copy()
    goal["rate"] = 1
    no_records = [part[:0] for part in framework]
    serving = _core.study_new("inference", catalog, [net], [node], [""], *no_records, served_by)
    asked = _core.study_complete(serving, _core.asked_runs("inference", [], none, none), [], 0.0, 1)
    served = _core.study_plan(serving)
    model = _core.catalog_new_network(catalog, "llama3-8b", {})
    hosted = _core.catalog_new_system(catalog, "hgx-h100")
    host = _core.study_new("serving", catalog, [model], [hosted], [], *no_records, served_by[:0])
    load = _core.study_complete(host, _core.asked_runs("serving", [], none, none), [], 0.0, 1)
    limits = np.zeros(1, dtype=pm.dtype("serving_goal"))
    limits["ttft"] = limits["tpot"] = limits["max_gpus"] = limits["max_workers"] = 1
    sizing = [plan, "training", goal, run, one, *input_one]
    times = "".join(f"elementwise,add,fwd,65536x{i},fp32,v100-pcie,{i}\n" for i in range(1024, 1048))
    searched = [["gpus", "precision"], np.ones(2), np.array([2.0, 1])]
    space = _core.search_new(study, *searched, 8)
    found = _core.search_result_new(space, 3, "nodes")
    _core.search_evaluate(space, 0, 1, found)
    goal_of_training = np.frombuffer(bytes(_core.training_goal_default()), dtype=pm.dtype("training_goal")).copy()
    goal_of_training["samples"], goal_of_training["within"] = 1e6, 3600
    measured = "kernel,op,pass,shape,precision,gpu,time_us\n" + times
    calibrated = _core.calibrate(catalog, "kernels", measured, "", "volta", "", 0, "")
    return {
        "quantity_parse": ["1 s", "s"],
        "quantity_format": [1.0, "s"],
        "alias_of": ["precision", "half"],
        "name_meant": ["bacth", ["batch", "gpus"]],
        "record_doc": ["gpu"],
        "record_size": ["gpu"],
        "record_fields": ["gpu"],
        "catalog_load": [catalog, "/dev/null"],
        "catalog_load_text": [catalog, '<perfmodel version="1"/>', "text"],
        "catalog_notes": [catalog],
        "catalog_ids": [catalog, "gpus"],
        "catalog_resolve": [catalog, "gpus", "m40"],
        "catalog_record": [catalog, "gpu", "m40"],
        "catalog_list": [catalog, "gpus"],
        "catalog_export": [catalog, "gpu", "m40", ""],
        "catalog_show": [catalog, "gpu", "m40"],
        "catalog_new_network": [catalog, "alexnet", {}],
        "catalog_new_system": [catalog, "ac922"],
        "network_new": ["n", "n"],
        "network_add_input": [new, "image", np.array([3.0, 8, 8])],
        "network_add": [new, "relu", "", np.zeros(1), {}],
        "network_shape": [net, 0],
        "network_format_xml": [net],
        "network_totals": [net],
        "network_table": [net, "tree", 2, profile, 1, "fp32", 1],
        "network_times": [net, gpu, calibration, 1, "fp32"],
        "catalog_kernels": [catalog, gpu],
        "catalog_usable_memory": [catalog, gpu],
        "kernel_times": [gpu, calibration, kernel],
        "system_machine": [node],
        "system_gpu": [node],
        "system_edges": [node],
        "system_ring": [node, 2, 1],
        "system_rings": [node, none, 2],
        "system_drawing": [node, "matrix"],
        "catalog_explain_calibration": [catalog, gpu, "fp32"],
        "catalog_usable_memory": [catalog, gpu],
        "collective_times": [node, "all_reduce", sizes, none, 2, 1, 1, "auto", "auto"],
        "collective_loads": [node, "all_reduce", sizes, none, 2, 1, 1, "auto", "auto"],
        "all_reduce_times": [ring, one],
        "task_facts": ["inference"],
        "study_new": ["training", catalog, [net], [node], ["", "pytorch"], *framework, served_by[:0]],
        "study_plan": [study],
        "study_notes": [study],
        "study_network_id": [study, 0],
        "study_software": [study, 0, 0, "framework"],
        "asked_runs": ["training", *space_of_one],
        "asked_part": ["training", *space_of_one, 0, 1],
        "study_complete": [study, _core.asked_runs("training", *space_of_one), *given, 1],
        "study_predict": [serving, _core.asked_runs("inference", [], none, none), {"gpus": 2.0}, 0.0, 1.0],
        "study_assumed": [study, run, *given],
        "study_report": [study, run, *given, "", float("nan"), "", ""],
        "study_memory_report": [serving, asked, *given],
        "report_format": [_core.study_report(study, run, *given, "", float("nan"), "", ""), "text", 80],
        "report_table": [_core.comparison_report(study, *two, *given), "waterfall"],
        "comparison_report": [study, *two, *given],
        "report_lines": [_core.study_report(study, run, *given, "", float("nan"), "", "")],
        "study_table": [study, run, done, *given, []],
        "complete_counts": [node, _core.asked_runs("training", *space_of_one), *given],
        "run_check": [plan, "training", run],
        "run_find_batch": [served, "inference", asked, 1],
        "prediction_trace": [plan, run],
        "prediction_stages": [plan, run],
        "run_memory": [plan, "training", run],
        "predict": [plan, "training", run, -1],
        "predict_into": [plan, "training", run, bytearray(len(done)), -1],
        "extra_column": ["strong_scaling_efficiency"],
        "record_value": ["run", "gpus", "8"],
        "catalog_framework": [catalog, "generic", "", "prediction_interval"],
        "framework_basis": [framework[0]],
        "catalog_inference": [catalog, "tensorrt", ""],
        "catalog_engine": [catalog, "vllm", ""],
        "size_choices": [*sizing, "least"],
        "serving_goal_table": [host, limits, load, one, [], 0.0],
        "serving_goal_report": [host, limits, load, one, [], 0.0, ""],
        "size_report": [study, *sizing, *given, _core.size_choices(*sizing, "least"), ""],
        "size_table": [_core.size_choices(*sizing, "least"), ["fp32"]],
        "sensitivity_rows": [study, node, run, *input_one, 0.1],
        "upgrade_rows": [[study] * 2, [node] * 2, bytes(run) * 2, *input_one, ["the same"], one],
        "rows_table": ["sensitivity", _core.sensitivity_rows(study, node, run, *input_one, 0.1)],
        "rows_report": [study, run, *given, "sensitivity", _core.sensitivity_rows(study, node, run, *input_one, 0.1)],
        "input_report": [*input_one, [study], run, *given],
        "system_with_gpu": [node, gpu, calibration],
        "hardware_unit": ["gpu.memory"],
        "system_with_number": [node, "gpu.memory", "x2"],
        "system_with_link": [catalog, node, "", "infiniband-hdr"],
        "training_table": [study, *searched, 8, goal_of_training],
        "settings_of_text": ["lora", "rank=16,targets=q+v"],
        "settings_write": ["megatron", {"tensor_parallel": "8"}],
        "search_new": [study, *searched, 8],
        "search_count": [space],
        "search_result_new": [space, 3, "nodes"],
        "search_evaluate": [space, 0, 1, found],
        "search_result_add": [found, _core.search_result_new(space, 3, "nodes")],
        "search_result_count": [found, 1],
        "search_runs": [space, found, "plans"],
        "search_table": [study, found, "why", *given],
        "search_report": [study, found, *given, 8],
        "search_global_batch": [space],
        "training_report": [study, *searched, 8, goal_of_training,
                            _core.training_table(study, *searched, 8, goal_of_training), ""],
        "settings_table": ["", str(Path(__file__).parents[3] / "tests/settings/train.sh")],
        "validate_table": [catalog, "seeds", "", "", 0, "", ""],
        "calibrate": [catalog, "kernels", measured, "", "volta", "", 0, ""],
        "calibration_constants": [calibrated],
        "calibration_errors": [calibrated],
        "calibration_get_xml": [calibrated],
        "table_notes": [table],
        "input_rates": input_one,
        "run_layers": [study, run],
        "prediction_advice": [plan, run],
        "table_rows": [table],
        "table_has_total": [table],
        "table_keep": [_core.study_table(study, run, done, *given, []), ["batch"]],
        "table_meet": [_core.study_table(study, run, done, *given, []), ["batch>=1"]],
        "table_columns": [table],
        "table_numbers": [table, 10],
        "table_texts": [table, 0],
        "table_words": [table, 0],
        "table_word_places": [table, 0],
        "table_arrow": [[table]],
        "table_new": [1],
        "table_add_numbers": [_core.table_new(1), "training", "batch", one],
        "table_add_words": [_core.table_new(1), "network", ["n"], one],
        "study_columns": [study, *space_of_one, 0, 1, 0, *given, ["throughput"], 0, np.empty(1).view(np.uint8)],
        "model_read": [MODEL, "config.json", {}],
        "network_get_notes": [net],
        "table_select": [table, ["batch>=1"], "-batch", "-throughput,memory", 1],
        "table_pack": [table],
        "table_unpack": [_core.table_pack(table)],
        "table_format": [table, "csv", 0],
        "table_format_rows": [table, "text", 80, 10, 0],
    }


def core_functions() -> dict[str, int]:
    """Functions of the core and their number of arguments."""
    found = {name: item for name, item in vars(_core).items() if inspect.isfunction(item) and name[0] != "_"}
    return {name: len(inspect.signature(item).parameters) for name, item in found.items()}


def test_every_core_function_is_tried() -> None:
    with_arguments = {name for name, count in core_functions().items() if count > 0}
    assert with_arguments == set(core_arguments())


@pytest.mark.parametrize("name", sorted(core_arguments()))
def test_core_refuses_none_anywhere(name: str) -> None:
    good = core_arguments()[name]
    if name != "catalog_load":  # /dev/null is no catalogue
        getattr(_core, name)(*good)
    for i in range(len(good)):
        for wrong in (None, object(), b"\0", -1j):
            bad = [*good[:i], wrong, *good[i + 1 :]]
            with pytest.raises((TypeError, pm.Error)):
                getattr(_core, name)(*bad)


def test_text_with_a_zero_byte_is_refused() -> None:
    with pytest.raises(ValueError, match="zero byte"):
        pm.network("resnet50\0x")
    with pytest.raises((pm.Error, UnicodeError)):
        pm.network("\ud800")


def test_arrays_of_another_layout_are_refused(sweep: pm.Sweep) -> None:
    with pytest.raises(TypeError, match="dtype"):
        sweep.plan.predict(np.zeros(3))
    with pytest.raises(TypeError, match="dtype"):
        sweep.plan.predict(sweep.runs, out=np.zeros(len(sweep)))
    for wrong in (np.zeros(3, dtype="f4"), bytearray(7), sweep.predictions):
        with pytest.raises(pm.ArgumentError, match="expected an array of run records"):
            _core.predict(sweep.plan._handle, "training", wrong, -1)
    with pytest.raises(TypeError):
        _core.predict_into(sweep.plan._handle, "training", sweep.runs, bytes(sweep.predictions.nbytes), -1)
    with pytest.raises(pm.ArgumentError, match="bytes of predictions"):
        _core.predict_into(sweep.plan._handle, "training", sweep.runs, bytearray(sweep.predictions[:1].nbytes), -1)


def test_strided_runs_are_copied(sweep: pm.Sweep) -> None:
    assert bits(sweep.plan.predict(sweep.runs[::2])) == bits(sweep.predictions[::2])


def test_runs_that_point_nowhere_say_so(sweep: pm.Sweep) -> None:
    runs = sweep.runs[:4].copy()
    runs["network_index"] = [-1, 2, 2**31 - 1, 0]
    runs["system_index"] = [0, 0, 0, 7]
    result = sweep.plan.predict(runs)
    assert (result["status"] != 0).all() and np.isnan(result["step_time"]).all()
    runs["network_index"], runs["system_index"] = 0, 0
    runs["precision"], runs["overlap"] = [99, -1, 1, 1], [0, 0, 99, -1]
    assert (sweep.plan.predict(runs)["status"] != 0).all()


def test_file_errors_have_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(
        '<?xml version="1.0"?>\n<perfmodel version="1">\n<gpu id="x" name="X">\n<sms>many</sms>\n</gpu>\n</perfmodel>\n'
    )
    with pytest.raises(pm.Error) as caught:
        pm.Catalog(path)
    assert caught.value.line == 4
    assert str(caught.value.file).endswith("mine.xml")
    assert "many" in str(caught.value)
    with pytest.raises(pm.Error):
        pm.Catalog(tmp_path / "missing.xml")


def test_a_plan_of_the_core_outlives_its_parts() -> None:
    def plan() -> _core.plan:
        catalog = _core.catalog_new()
        parts = [_core.catalog_new_network(catalog, "alexnet", {})], [_core.catalog_new_system(catalog, "ac922")]
        none = [*_framework.frameworks_records([]), np.zeros(0, dtype=pm.dtype("inference_profile"))]
        study = _core.study_new("training", catalog, *parts, ["none"], *none)
        parts[0].clear()
        _core.study_complete(study, _core.asked_runs("training", [], np.zeros(0), np.zeros(0)), [], 0.0, 1.0)
        return _core.study_plan(study)

    own = pm.Plan("alexnet", "ac922", "none")
    runs = own.runs()
    assert _core.predict(plan(), "training", runs, -1) == own.predict(runs).tobytes()


def test_objects_of_the_core_cannot_be_made_by_hand() -> None:
    with pytest.raises(AttributeError):
        _core.catalog()
    with pytest.raises(TypeError):
        _core.catalog_ids(_core.catalog.__new__(_core.catalog), "gpus")


def test_what_does_not_fit_says_by_how_much() -> None:
    message = r"needs .* TB on each .*, .* TB more than its .* GB; the largest batch that fits is \d+"
    with pytest.raises(pm.DoesNotFitError, match=message) as caught:
        pm.predict("resnet50", "dgx1-v100", batch=100000)
    largest = int(str(caught.value).rsplit(" ", 1)[1])
    p = pm.predict("resnet50", "dgx1-v100", batch=100000, ignore_memory=True)
    assert (p.verdict, p.largest_batch, p.status) == ("does-not-fit", largest, "ok")
    assert ": does not fit\n" in p.explain() and f"largest batch    {largest}\n" in p.explain()
    assert "does not fit" in p._repr_html_()
    assert pm.predict("resnet50", "dgx1-v100", batch=largest).verdict in ("fits", "tight")
    row = pm.sweep("resnet50", "dgx1-v100", batch=100000)[0]
    assert row.status == "does_not_fit" and np.isnan(row.throughput) and row.largest_batch == largest
    with pytest.raises(pm.DoesNotFitError):
        pm.infer("gpt3-175b", "t4")


def test_deep_json_is_an_error_of_its_format(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[" * 200_000 + "]" * 200_000)
    with pytest.raises(pm.FormatError, match="not JSON"):
        pm.from_hf(tmp_path)


@pytest.mark.parametrize("call", [
    lambda long: pm.predict(long, "dgx1-v100"), lambda long: pm.predict("alexnet", long),
    lambda long: pm.predict("alexnet", "dgx1-v100", precision=long),
    lambda long: pm.predict("alexnet", "dgx1-v100", framework=long), lambda long: pm.gpu(long),
    lambda long: pm.network(long),
    lambda long: pm.predict("alexnet", "dgx1-v100", **{long: 1}),
])  # fmt: skip
def test_long_texts_come_back_cut(call: Callable[[str], object]) -> None:
    with pytest.raises((pm.Error, TypeError)) as raised:
        call("\u202ex" * 5_000_000)
    assert len(str(raised.value)) < 3000
