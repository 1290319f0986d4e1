"""Adapters in one argument, as the command, Python and Lua take them: one answer."""

import pytest
from test_options import output

import perfmodel as pm

PLACE = ("llama3-8b", "a100-sxm4-80gb")


@pytest.mark.parametrize(
    ("lora", "fields"),
    [
        (16, {"lora_rank": 16}),
        ("rank=16,targets=v_proj+q_proj", {"lora_rank": 16, "lora_targets": "qv"}),
        ({"rank": 8, "targets": ["q_proj", "v_proj"]}, {"lora_rank": 8, "lora_targets": "q+v"}),
        ({"rank": 8, "layers": range(24, 32)}, {"lora_rank": 8, "lora_first_layer": 24, "lora_layers": 8}),
        ({"rank": 8, "dora": True, "alpha": 16}, {"lora_rank": 8, "lora_dora": True}),
        ("8,weights=nf4,dropout=0.05", {"lora_rank": 8, "base_weights": "nf4", "lora_dropout": 0.05}),
    ],
)
def test_one_argument_stands_for_fields(lora: object, fields: dict[str, object]) -> None:
    one, other = pm.predict(*PLACE, gpus=1, lora=lora), pm.predict(*PLACE, gpus=1, **fields)
    assert (one.step_time, one.memory, one.run) == (other.step_time, other.memory, other.run)


def test_the_command_takes_the_same_text() -> None:
    text = "rank=16,targets=q_proj+v_proj,layers=24-31,dora"
    ours = pm.sweep(*PLACE, gpus=1, lora=text, batch=[1, 2]).to_csv()
    assert output("sweep", *PLACE, "--gpus=1", f"--lora={text}", "--batch=1,2", "--format=csv", "--quiet") == ours


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"lora": 8, "lora_rank": 16}, "lora and lora_rank are both given"),
        ({"lora": "rank=8,modules=qv"}, "not an adapter option"),
        ({"lora": {"targets": "qv"}}, "need a rank"),
        ({"lora": 1.5}, "not a whole number"),
        ({"lora": "8,layers=30-40"}, "repeats 32"),
    ],
)
def test_what_is_refused(options: dict[str, object], why: str) -> None:
    with pytest.raises(pm.Error, match=why):
        pm.predict(*PLACE, gpus=1, **options)


def test_names_of_trainable_layers_are_a_parameter_of_a_network() -> None:
    some = pm.network("llama3-8b", trainable="*.norm,norm,lm_head")
    p = pm.predict(some, PLACE[1], gpus=1, ignore_memory=True)
    assert p.gradient_size < 0.2 * pm.predict(*PLACE, gpus=1, ignore_memory=True).gradient_size
    options = ("--gpus=1", "--ignore-memory", "--trainable=*.norm,norm,lm_head", "--format=csv", "-q")
    assert repr(p.step_time) in output("predict", *PLACE, *options)
    with pytest.raises(pm.Error, match="no layer of"):
        pm.network("llama3-8b", trainable="lm_heads")
    with pytest.raises(pm.Error, match="leave out trainable"):
        pm.infer(some, PLACE[1])
