"""Runs as other programs have them."""

from pathlib import Path

import pytest

import perfmodel as pm

FILES = Path(__file__).parents[3] / "tests" / "settings"


def test_a_script_is_the_run_that_it_starts() -> None:
    run = pm.run_from(FILES / "train.sh")
    asked = dict(gpus=8, nodes=128, global_batch=1536, micro_batch=1, precision="bf16", optimizer="adam", zero=1,
                 tensor_parallel=8, pipeline_parallel=16, virtual_pipeline=2, sequence_parallel=True,
                 recompute="selective")
    assert run.options == asked
    assert run.network == {"layers": 96, "hidden": 12288, "heads": 96, "seq": 2048}
    assert run.not_understood == ["tp-comm-overlap"]
    first, second = (pm.predict("gpt3-175b", "dgx-a100-80gb", **options) for options in (run.options, asked))
    assert first.step_time == second.step_time


@pytest.mark.parametrize("name", sorted(path.name for path in FILES.iterdir()))
def test_every_line_is_accounted_for(name: str) -> None:
    run = pm.run_from(FILES / name)
    assert set(run["state"]) <= {"read", "assumed", "network", "no effect", "not modelled", "not understood"}
    assert run.options and all(option or state != "assumed" for option, state in zip(run["option"], run["state"]))


def test_what_the_model_leaves_out_is_said() -> None:
    run = pm.run_from(FILES / "zero.json")
    assert run.not_modelled == ["zero_optimization.offload_optimizer.ratio"]
    assert not pm.run_from(FILES / "train.sh").not_modelled


def test_what_is_no_run_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(pm.Error, match="unknown format: neither flags of Megatron-LM"):
        pm.run_from(path)
    with pytest.raises(pm.NotFoundError, match="slurm"):
        pm.run_from(FILES / "train.sh", format="slurm")
