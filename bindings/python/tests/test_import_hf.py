"""Configurations of Hugging Face: published parameter counts, and the networks of the catalogue."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import perfmodel as pm
import pytest

ZOO = pm.Catalog().ids("networks")

BERT: dict[str, Any] = {
    "model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 30522,
    "intermediate_size": 3072, "max_position_embeddings": 512, "type_vocab_size": 2,
}  # fmt: skip
GPT2: dict[str, Any] = {
    "model_type": "gpt2",
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_positions": 1024,
    "vocab_size": 50257,
}
LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000,
    "intermediate_size": 11008, "max_position_embeddings": 4096,
}  # fmt: skip
LLAMA3 = {**LLAMA, "vocab_size": 128256, "num_key_value_heads": 8, "intermediate_size": 14336}
MIXTRAL = {
    **LLAMA,
    "model_type": "mixtral",
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "num_local_experts": 8,
}
VIT: dict[str, Any] = {
    "model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
    "intermediate_size": 3072, "image_size": 224, "patch_size": 16, "num_labels": 1000,
}  # fmt: skip
T5: dict[str, Any] = {
    "model_type": "t5",
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 6,
    "num_heads": 8,
    "vocab_size": 32128,
}

ROWS: dict[str, Any] = json.loads((Path(__file__).parent / "hf_parameters.json").read_text(encoding="utf-8"))
PUBLISHED = {row["name"]: row["config"] for row in ROWS["rows"] if "name" in row}

IN_ZOO: list[tuple[str, dict[str, Any], int | None]] = [
    ("bert-base", BERT, 128),
    ("gpt2", GPT2, 1024),
    ("llama2-7b", LLAMA, 4096),
    ("llama3-8b", LLAMA3, 8192),
    ("mixtral-8x7b", MIXTRAL, 4096),
    ("vit-b-16", VIT, None),
    ("convnext-tiny", {"model_type": "convnext", "num_labels": 1000}, None),
    ("resnet50", {"model_type": "resnet", "num_labels": 1000}, None),
    ("resnet18", {"model_type": "resnet", "num_labels": 1000, "layer_type": "basic", "depths": [2, 2, 2, 2],
                  "hidden_sizes": [64, 128, 256, 512]}, None),
    ("qwen3-32b", PUBLISHED["Qwen3 32B"], 4096),
    ("qwen3-30b-a3b", PUBLISHED["Qwen3 30B-A3B"], 4096),
    ("qwen3-235b-a22b", PUBLISHED["Qwen3 235B-A22B"], 4096),
    ("gpt-oss-20b", PUBLISHED["GPT-OSS 20B"], 4096),
    ("gpt-oss-120b", PUBLISHED["GPT-OSS 120B"], 4096),
    ("nemotron4-15b", PUBLISHED["Nemotron-4 15B"], 4096),
    ("bloom-176b", PUBLISHED["BLOOM 176B"], 2048),
    ("t5-small", T5, 512),
    ("bart-large", PUBLISHED["BART large"], 128),
    ("swin-t", PUBLISHED["Swin-T"], None),
]  # fmt: skip


@pytest.mark.parametrize(
    "row", ROWS["rows"], ids=[f"{row['config']['architectures'][0]}-{row['parameters']}" for row in ROWS["rows"]]
)
def test_parameters_are_those_of_the_package(row: dict[str, Any]) -> None:
    """As Transformers counts them: hf_parameters.py wrote the table."""
    assert pm.from_hf(row["config"], seq=32).parameters == row["parameters"]


@pytest.mark.parametrize("row", [row for row in ROWS["rows"] if "mac" in row],
                         ids=lambda row: f"{row['config']['architectures'][0]}-{row['mac']}")  # fmt: skip
def test_products_are_those_of_the_package(row: dict[str, Any]) -> None:
    """As a run of its small models multiplies, attention unfused, with 32 tokens: hf_parameters.py wrote the table."""
    assert pm.from_hf(row["config"], seq=32, flash=False).macs == row["mac"]


# Types that have the code of another one, or none in the package.
OF_OTHERS = {"kimi_k2": "deepseek_v3", "mimo": "qwen2", "qwen2_vl": "qwen2_vl_text", "qwen2_5_vl": "qwen2_5_vl_text",
             "glm4v_moe_text": "glm4_moe", "glm_edge": "glm", "hunyuan_vl_text": "hunyuan_v1_dense",
             "step3p7": "step3p5", "xglm": "", "nemotron-nas": ""}  # fmt: skip


def families() -> set[str]:
    """The model types in the library's two tables."""
    folder = Path(__file__).parents[3] / "libperfmodel" / "src" / "models"
    decoders = re.findall(r'\.types = "([^"]+)"', (folder / "families.c").read_text(encoding="utf-8"))
    others = re.findall(r'{"([^"]+)", pm__build', (folder / "list.c").read_text(encoding="utf-8"))
    return {name for line in [*decoders, *others] for name in line.split()}


def test_the_table_has_every_model_type() -> None:
    found = {row["config"]["model_type"] for row in ROWS["rows"]}
    assert families() - found == set(OF_OTHERS)
    both = {row["config"]["model_type"] for row in ROWS["rows"] if "mac" in row}
    assert len(found) >= 140 and len(both) >= 110 and ROWS["transformers"] and ROWS["torch"]


@pytest.mark.parametrize("kind, like", [pair for pair in OF_OTHERS.items() if pair[1]])
def test_types_of_others_are_those(kind: str, like: str) -> None:
    config = next(row["config"] for row in ROWS["rows"] if row["config"]["model_type"] == like)
    nets = [pm.from_hf({**config, "model_type": name}, seq=32) for name in (kind, like)]
    assert nets[0].parameters == nets[1].parameters and nets[0].macs == nets[1].macs


# ---- Composites, and files that are no models.


def published(name: str) -> dict[str, Any]:
    return dict(PUBLISHED[name])


@pytest.mark.parametrize(
    "composite, text, parameters",
    [("llama4", "Llama 4 Scout", 107_769_861_120), ("kimi_k25", "DeepSeek-V3", None), ("mistral3", "Mistral 7B", None),
     ("gemma3", "Gemma 3 27B", None), ("qwen3_vl", "Qwen3 32B", None), ("whale_omni", "Qwen3 32B", None)],
)  # fmt: skip
def test_of_a_composite_the_text_model_is_read(composite: str, text: str, parameters: int | None) -> None:
    inner = published(text)
    net = pm.from_hf({"model_type": composite, "text_config": inner, "vision_config": {"hidden_size": 7}}, seq=64)
    assert net.parameters == (parameters or pm.from_hf(inner, seq=64).parameters)
    assert net.report is not None and "vision_config is left out" in net.report.notes
    assert any(note.startswith(f"only the text model ({inner['model_type']})") for note in net.report.notes)


def test_a_part_may_leave_out_the_sizes_of_its_type() -> None:
    """Gemma 3 4B as it is published: heads, words and their features are those of the package's defaults."""
    text = {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
            "sliding_window": 1024}  # fmt: skip
    assert pm.from_hf({"model_type": "gemma3", "text_config": text}, seq=64).parameters == 3_880_263_168
    with pytest.raises(pm.FormatError, match="the configuration of a gemma3_text has no 'vocab_size'"):
        pm.from_hf(text, seq=64)


def test_towers_of_a_known_type_are_counted() -> None:
    """What the note says of a tower is what it has alone; the text model is as without it."""
    tower = next(row["config"] for row in ROWS["rows"] if row["config"]["model_type"] == "siglip_vision_model")
    text = published("Gemma 3 27B")
    config = {"model_type": "gemma3", "text_config": text, "vision_config": {**tower, "image_size": 448}}
    whole, alone = pm.from_hf(config, seq=32), pm.from_hf(config, part="vision_config")
    assert whole.parameters == pm.from_hf({"model_type": "gemma3", "text_config": text}, seq=32).parameters
    assert whole.report is not None
    said = next(note for note in whole.report.notes if note.startswith("vision_config (siglip_vision_model)"))
    assert f"{alone.parameters} parameters, {alone.macs / 1e9:.4g} GMAC" in said
    assert alone.macs > pm.from_hf({**config, "vision_config": tower}, part="vision_config").macs
    with pytest.raises(pm.NotFoundError, match='the configuration of a gemma3 has no part "tower"'):
        pm.from_hf(config, part="tower")
    odd = pm.from_hf({**config, "vision_config": {"model_type": "siglip_vision_model", "hidden_size": "wide"}}, seq=32)
    assert odd.report is not None and "vision_config is left out" in odd.report.notes


TOWERS = json.loads((Path(__file__).parent / "hf_towers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", TOWERS, ids=lambda row: row["config"]["model_type"])
def test_towers_are_counted_as_the_package_does(row: dict[str, Any]) -> None:
    net = pm.from_hf(row["config"], image=row["image"])
    assert net.parameters == row["parameters"]
    assert net.macs == row.get("mac", net.macs)


# Towers that have the class of another one, but for their sizes.
TOWERS_OF_OTHERS = {"smolvlm_vision": "idefics3_vision", "qwen2_5_omni_vision_encoder": "qwen2_5_vl_vision",
                    "qwen3_omni_moe_vision_encoder": "qwen3_vl_vision", "qwen3_vl_moe_vision": "qwen3_vl_vision",
                    "qwen3_5_moe_vision": "qwen3_5_vision", "glm4v_moe_vision": "glm4v_vision"}  # fmt: skip


def test_the_table_of_towers_has_every_tower() -> None:
    """Types of models/towers.c and of list.c; a new one needs a row that the package has counted."""
    folder = Path(__file__).parents[3] / "libperfmodel" / "src" / "models"
    source, lists = (
        (folder / name).read_text(encoding="utf-8").replace('"\n   "', "") for name in ("towers.c", "list.c")
    )
    table = source[source.index("towers[] = {"):source.index("static const tower *find")]
    own = {kind for types in re.findall(r'^  {"([^"]+)"', table, re.M) for kind in types.split()}
    built = {kind for types in re.findall(r'{"([^"]+)", pm__build_tower}', lists) for kind in types.split()}
    counted = {row["config"]["model_type"] for row in TOWERS} | {"siglip_vision_model"}
    assert own == built and built - counted == set(TOWERS_OF_OTHERS)


@pytest.mark.parametrize("kind, like", TOWERS_OF_OTHERS.items())
def test_towers_of_others_are_those(kind: str, like: str) -> None:
    row = next(row for row in TOWERS if row["config"]["model_type"] == like)
    net = pm.from_hf({**row["config"], "model_type": kind}, image=row["image"])
    assert (net.parameters, net.macs) == (row["parameters"], row.get("mac", net.macs))


@pytest.mark.parametrize("stated", ["qwen3_vl_vision", "qwen3_vl", None])
def test_a_tower_has_the_type_of_its_composite(stated: str | None) -> None:
    """Configurations on a hub say "qwen3_vl" of the part too, or nothing."""
    tower = next(row["config"] for row in TOWERS if row["config"]["model_type"] == "qwen3_vl_vision")
    config = {"model_type": "qwen3_vl", "text_config": {**published("Qwen3 32B"), "model_type": "qwen3_vl_text"},
              "vision_config": {**tower, "model_type": stated}}  # fmt: skip
    assert pm.from_hf(config, part="vision_config", image=64).parameters == 314_976
    report = pm.from_hf(config, seq=32).report
    assert report is not None and any("vision_config (qwen3_vl_vision)" in note for note in report.notes)


def test_what_a_composite_says_of_its_head_overrules_its_text_model() -> None:
    text = {**published("Qwen3 32B"), "tie_word_embeddings": True}
    one, two = (pm.from_hf({"model_type": "internvl", "text_config": text, **more}, seq=16).parameters
                for more in ({}, {"tie_word_embeddings": False}))  # fmt: skip
    assert two - one == 151936 * 5120


def test_compressed_keys_are_stored_as_such() -> None:
    """A window of 128 keys, and one of 4 or 128 tokens each, its own value; every GPU has them for all heads."""
    net = pm.from_hf(published("DeepSeek-V4 Flash"), seq=8192)
    asked = {"gpus": 8, "isl": 65536, "osl": 64}
    one, two = (pm.serve(net, "hgx-b200", concurrency=8 * c, **asked).memory for c in (1, 2))
    compressed = 20 * (512 + 128) / 4 + 23 * 512 / 128
    assert two - one == pytest.approx(8 * 2 * (65536 * compressed + 43 * 128 * 512), rel=0.02)


def test_an_architecture_alone_names_its_type() -> None:
    config = {key: value for key, value in published("Qwen3 32B").items() if key != "model_type"}
    net = pm.from_hf(config, seq=64)
    assert net.parameters == 32_762_123_264 and net.report is not None
    assert "no model_type is stated; qwen3 follows from the architecture" in net.report.notes


@pytest.mark.parametrize(
    "config, words",
    [({"peft_type": "LORA", "r": 8, "base_model_name_or_path": "meta-llama/Llama-3.1-8B"},
      "a LORA adapter, no model; import the config.json of its base model .meta-llama/Llama-3.1-8B. and predict with "
      "--lora-rank 8"),
     ({"_class_name": "UNet2DConditionModel", "sample_size": 64}, "configuration of a diffusers UNet2DConditionModel")],
)  # fmt: skip
def test_files_that_are_no_models_get_one_line(config: dict[str, Any], words: str) -> None:
    with pytest.raises(pm.NotModelledError, match=words) as caught:
        pm.from_hf(config)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change, words", [
    ({"layer_types": ["linear_attention"] * 32}, 'has a layer of type "linear_attention", which is not modelled'),
    ({"layer_types": ["full_attention"] * 3}, "has layer_types of 3 layers, but 32 layers"),
    ({"num_hidden_layers": "32"}, 'num_hidden_layers "32", which is not a whole number'),
    ({"quantization_config": "fp8"}, "has quantization_config fp8, which is not a configuration"),
    ({"architectures": ["LlamaForCausalLMEagle3"]}, "a draft for speculative decoding"),
    ({"add_cross_attention": True}, "a llama with attention to another model's encoder"),
    ({"model_type": "LLaMA"}, 'did you mean "llama"'), ({"model_type": "beit"}, 'unknown model_type "beit"; docs'),
    ({"model_type": "internlm2"}, 'unknown model_type "internlm2"; docs'),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "MX" * 16}, r"hybrid_override_pattern \(M, "),
    ({"model_type": "qwen3_next", "layer_types": ["linear_attention", "odd"] * 16}, 'a layer of type "odd"'),
])  # fmt: skip
def test_what_says_something_else_is_not_read_as_usual(change: dict[str, Any], words: str) -> None:
    with pytest.raises(pm.Error, match=words):
        pm.from_hf({**LLAMA, **change}, seq=16)


def test_an_encoder_alone_is_no_translator() -> None:
    """The text encoder of diffusion networks: T5 v1.1 XXL, of which the encoder has 4,762,310,656 parameters."""
    config = {"model_type": "t5", "d_model": 4096, "d_kv": 64, "d_ff": 10240, "num_layers": 24, "num_heads": 64,
              "vocab_size": 32128, "feed_forward_proj": "gated-gelu"}  # fmt: skip
    alone = pm.from_hf({**config, "architectures": ["T5EncoderModel"]}, seq=512)
    assert alone.parameters == 4_762_310_656 < pm.from_hf(config, seq=512).parameters


def test_every_part_that_is_left_out_is_said() -> None:
    parts = {"vision_config": {"model_type": "odd"}, "qformer_config": {"model_type": "odd"}}
    report = pm.from_hf({"model_type": "blip-2", "text_config": LLAMA, **parts}, seq=8).report
    assert report is not None
    assert [note for note in report.notes if "left out" in note] == ["vision_config is left out",
                                                                     "qformer_config is left out"]  # fmt: skip


def test_searched_networks_have_blocks_of_their_own() -> None:
    """nemotron-nas: attention with 4 heads of keys, none, and a product; feed-forward networks of other widths."""
    blocks = [{"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 2.625}},
              {"attention": {"no_op": True}, "ffn": {"ffn_mult": 1.0}},
              {"attention": {"replace_with_linear": True}, "ffn": {"no_op": True}}]  # fmt: skip
    config = {**LLAMA, "model_type": "nemotron-nas", "num_hidden_layers": 3, "block_configs": blocks}
    wide, narrow = 7168, 2816  # 2 / 3 of 2.625 and 1 times 4096, up to the next multiple of 256
    attention = 4096 * (2 * 4096 + 2 * 4 * 128) + 4096
    expected = 2 * 32000 * 4096 + attention + 3 * 4096 * (wide + narrow) + 2 * 4096 + 4096**2 + 4096 + 4096
    assert pm.from_hf(config, seq=16).parameters == expected
    with pytest.raises(pm.FormatError, match="has no block_configs of its 3 layers"):
        pm.from_hf({**config, "block_configs": blocks[:2]}, seq=16)


# Of these networks the catalogue counts more arithmetic, and says so: dropout, biases of the experts' scores.
def test_deepseek_and_kimi_are_those_of_the_catalogue() -> None:
    v3 = PUBLISHED["DeepSeek-V3"]
    kimi = {**v3, "model_type": "kimi_k2", "num_attention_heads": 64, "n_routed_experts": 384, "vocab_size": 163840,
            "first_k_dense_replace": 1}  # fmt: skip
    for config, id, scores in ((v3, "deepseek-v3", 58 * 256), (kimi, "kimi-k2", 60 * 384)):
        net, zoo = pm.from_hf(config, seq=4096), pm.network(id)
        assert (net.parameters + scores, net.macs) == (zoo.parameters, zoo.macs)


# What a tensor-parallel plan can split: products, attention, experts, and what stands between them.
SPLITTABLE = {
    "embedding", "positional_embedding", "linear", "attention", "mixture_of_experts", "layer_norm", "rms_norm", "scale",
    "add", "multiply", "pointwise", "dropout", "gelu", "silu", "relu", "squared_relu", "swiglu", "sigmoid", "bias",
    "slice", "cross_entropy", "state_space", "selective_scan", "delta_rule", "short_convolution", "key_index",
    "grouped_linear", "mish",
}  # fmt: skip
WHOLE = {"concat", "matmul", "reshape"}  # of residual streams and compressed keys, which every GPU has


@pytest.mark.parametrize("row", [row for row in ROWS["rows"] if row["config"]["architectures"][0].endswith("CausalLM")],
                         ids=lambda row: row["config"]["model_type"])  # fmt: skip
def test_decoders_are_made_of_layers_that_can_be_split(row: dict[str, Any]) -> None:
    kinds = pm.from_hf(row["config"], seq=32).kinds()["kind"].tolist()
    assert set(kinds) <= SPLITTABLE | (WHOLE if row["config"]["model_type"] == "deepseek_v4" else set())


@pytest.mark.parametrize(
    "id, config, seq", [case for case in IN_ZOO if case[0] in ZOO], ids=lambda x: x if isinstance(x, str) else ""
)
def test_counts_are_those_of_the_catalogue(id: str, config: dict[str, Any], seq: int | None) -> None:
    net, zoo = pm.from_hf(config, seq=seq), pm.network(id)
    assert (net.parameters, net.macs) == (zoo.parameters, zoo.macs)


@pytest.mark.parametrize(
    "architecture, parameters",
    [("BertModel", 109_482_240), ("BertForMaskedLM", 109_514_298), ("BertForPreTraining", 110_106_428),
     ("BertForSequenceClassification", 109_483_778), ("BertForQuestionAnswering", 108_893_186)],
)  # fmt: skip
def test_the_architecture_tells_the_head(architecture: str, parameters: int) -> None:
    assert pm.from_hf({**BERT, "architectures": [architecture]}, seq=128).parameters == parameters


@pytest.mark.parametrize(
    "config, parameters",
    [
        ({**BERT, "model_type": "roberta", "vocab_size": 50265, "max_position_embeddings": 514,
          "type_vocab_size": 1}, 124_645_632),
        ({"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072, "vocab_size": 30522,
          "max_position_embeddings": 512}, 66_362_880),
        ({"model_type": "opt", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "ffn_dim": 3072,
          "vocab_size": 50272, "max_position_embeddings": 2048}, 125_239_296),
        ({"model_type": "gpt_neox", "hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64,
          "intermediate_size": 24576, "vocab_size": 50432, "max_position_embeddings": 2048}, 20_554_567_680),
        ({**LLAMA3, "model_type": "mistral", "vocab_size": 32000}, 7_241_732_096),
        (T5, 60_506_624),
        ({**T5, "d_ff": 1024, "num_layers": 8, "num_heads": 6, "feed_forward_proj": "gated-gelu",
          "tie_word_embeddings": False}, 76_961_152),
    ],
)  # fmt: skip
def test_published_parameters(config: dict[str, Any], parameters: int) -> None:
    assert pm.from_hf(config, seq=64).parameters == parameters


def test_files_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "my-bert"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(BERT), encoding="utf-8")
    nets = [pm.from_hf(source, seq=64) for source in (folder, folder / "config.json", str(folder / "config.json"))]
    assert {net.id for net in nets} == {"my-bert"} and len({repr(net) for net in nets}) == 1


def test_without_a_length_all_positions_count() -> None:
    net = pm.from_hf(GPT2)
    assert net.totals.input == "1024" and net.report is not None and "1024 tokens" in net.report.notes[0]
    assert pm.from_hf({**VIT}, image=384).parameters > pm.from_hf(VIT).parameters


BAD_VALUES: list[Any] = [-5, 1.5, True, float("nan"), float("inf"), "many", [], {}, 10**30]


@pytest.mark.parametrize("value", BAD_VALUES, ids=repr)
@pytest.mark.parametrize("name", ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
                                  "vocab_size", "num_key_value_heads", "head_dim"])  # fmt: skip
def test_bad_values_get_one_line(name: str, value: Any) -> None:
    with pytest.raises(pm.Error) as caught:
        pm.from_hf({**LLAMA, name: value}, seq=16)
    assert name in str(caught.value) and "llama" in str(caught.value) and "\n" not in str(caught.value)


KINDS = ["qwen3_moe", "deepseek_v3", "llama4_text", "gemma3_text", "falcon", "deberta-v2", "swin", "deepseek_v4",
         "minimax_m3_vl_text", "nemotron_h", "qwen3_next", "kimi_linear", "granitemoehybrid", "lfm2", "gemma4_text",
         "glm_moe_dsa", "cohere2_moe", "marian", "umt5"]
TOWER_KINDS = ["siglip2_vision_model", "qwen2_5_vl_vision", "qwen3_vl_vision", "llama4_vision_model", "glm4v_vision",
               "gemma4_vision", "kimi_k25_vision", "internvl_vision", "pixtral"]


@pytest.mark.parametrize("kind", [*KINDS, *TOWER_KINDS])
def test_no_value_of_any_setting_is_a_crash(kind: str) -> None:
    found = [row for row in [*ROWS["rows"], *TOWERS] if row["config"]["model_type"] == kind]
    config = min(found, key=lambda row: row["parameters"])["config"]
    for name in set(config) - {"model_type", "architectures", "id2label"}:
        for value in [*BAD_VALUES, None, [1, "x"]]:
            try:
                pm.from_hf({**config, name: value}, seq=8, image=32)
            except pm.Error as error:
                assert "\n" not in str(error) and len(str(error)) < 300


@pytest.mark.parametrize(
    "config, words",
    [
        ({**LLAMA, "num_hidden_layers": 10**6},
         "num_hidden_layers 1000000, which is not a whole number from 1 to 10000"),
        ({**LLAMA, "hidden_size": 4097}, "has 4097 features, which 32 heads do not divide"),
        ({**LLAMA, "num_key_value_heads": 5}, "kv_heads do not divide heads"),
        ({**LLAMA, "attention_bias": "maybe"}, "attention_bias maybe, which is neither true nor false"),
        ({**LLAMA, "attention_dropout": 3}, "attention_dropout 3, which is not a number from 0 to 1"),
        ({**LLAMA, "architectures": [5]}, r"architectures \[5\], which is no list of words"),
        ({**LLAMA, "hidden_act": "cube"}, 'unknown activation "cube"'),
        ({**MIXTRAL, "num_experts_per_tok": 9}, "top_k 9 is more than its 8 experts"),
        ({**VIT, "image_size": [1, 2, 3]}, "not a whole number"),
        ({"model_type": 7}, 'unknown model_type "7"'),
        ({"model_type": "qwen33"}, 'unknown model_type "qwen33"; did you mean "qwen3"'),
        ({}, "the configuration has no model_type and no known architecture"),
    ],
)
def test_what_cannot_be_is_refused(config: dict[str, Any], words: str) -> None:
    with pytest.raises(pm.Error, match=words):
        pm.from_hf(config, seq=16)


# ---- Weights as checkpoints store them.

QUANTIZED: list[tuple[dict[str, Any], str]] = [
    ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "weights are stored as fp8-block"),
    ({"quant_method": "fp8"}, "weights are stored as fp8 "),
    ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "weights are stored as int4"),
    ({"quant_method": "awq", "bits": 4}, "weights are stored as int4"),
    ({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}, "weights are stored as mxfp4"),
    ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "weights are stored as nvfp4"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "weights are stored as int4"),
    ({"quant_method": "compressed-tensors", "format": "float-quantized",
      "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}, "weights are stored as fp8 "),
    ({"quant_method": "compressed-tensors", "format": "pack-quantized",
      "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}}, "weights are stored as int4"),
    ({"quant_method": "aqlm"}, 'quantization_config "aqlm" is not known'),
]  # fmt: skip


@pytest.mark.parametrize("stored, words", QUANTIZED, ids=lambda x: x if isinstance(x, str) else "")
def test_checkpoints_say_how_weights_are_stored(stored: dict[str, Any], words: str) -> None:
    net = pm.from_hf({**LLAMA3, "quantization_config": stored}, seq=64)
    assert net.report is not None and any(words in note for note in net.report.notes)


def test_serving_takes_weights_as_they_are_stored() -> None:
    """As if it had been asked for; what is asked for counts more."""
    block = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    plain, stored = (pm.from_hf(config, seq=64) for config in (LLAMA3, {**LLAMA3, "quantization_config": block}))
    asked = {"gpus": 1, "concurrency": 8, "isl": 256, "osl": 64}
    by_itself = pm.serve(stored, "hgx-h100", **asked)
    told = pm.serve(plain, "hgx-h100", weights="fp8-block", precision="fp8", **asked)
    wide = pm.serve(stored, "hgx-h100", weights="16-bit", precision="bf16", **asked)
    assert by_itself.tpot == told.tpot and by_itself.weight_memory == told.weight_memory
    assert wide.tpot == pm.serve(plain, "hgx-h100", weights="16-bit", precision="bf16", **asked).tpot
    assert by_itself.weight_memory < 0.6 * wide.weight_memory


def test_experts_alone_may_be_stored_so() -> None:
    config = {**MIXTRAL, "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["*.self_attn*"]}}
    net = pm.from_hf(config, seq=64)
    assert net.report is not None and any("weights of experts are stored as mxfp4" in note for note in net.report.notes)
    text = str(net.to_xml())
    assert 'expert_weights="mxfp4"' in text and ' weights=' not in text


def test_files_keep_how_weights_are_stored(tmp_path: Path) -> None:
    block = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    net = pm.from_hf({**LLAMA3, "quantization_config": block}, seq=64)
    net.to_xml(tmp_path / "own.xml")
    again = pm.Catalog(tmp_path / "own.xml").network(net.id)
    asked = {"gpus": 1, "concurrency": 8, "isl": 256, "osl": 64}
    assert pm.serve(again, "hgx-h100", **asked).tpot == pm.serve(net, "hgx-h100", **asked).tpot
    text = (tmp_path / "own.xml").read_text()
    (tmp_path / "own.xml").write_text(text.replace("fp8-block", "fp9"))
    with pytest.raises(pm.Error, match='own.xml:4: "fp9" is not a storage format of weights'):
        pm.Catalog(tmp_path / "own.xml").network(net.id)


# ---- Layers that carry a state.


def test_a_state_is_as_large_however_long_the_context_is() -> None:
    """Mamba-2 keeps one state for each request; of attention the cache grows."""
    net = pm.from_hf(published("Mamba-Codestral 7B"), seq=4096)
    asked = {"gpus": 1, "concurrency": 1, "osl": 64}
    short, long = (pm.serve(net, "hgx-h100", isl=isl, **asked) for isl in (1024, 8192))
    assert short.memory == long.memory and short.tpot == pytest.approx(long.tpot, rel=0.02)
    state = 64 * (128 * 64 * 128 + 3 * (8192 + 2 * 1024)) * 4  # of heads, and of the convolutions before them
    other = pm.serve(net, "hgx-h100", isl=1024, **{**asked, "concurrency": 2})
    assert other.memory - short.memory == pytest.approx(state, rel=0.01)


@pytest.mark.parametrize("name", ["Mamba-Codestral 7B", "Qwen3-Next 80B-A3B", "Jamba v0.1"])
def test_layers_with_a_state_are_split_by_heads(name: str) -> None:
    net = pm.from_hf(published(name), seq=4096)
    one, eight = (pm.serve(net, "hgx-h200", gpus=8, tensor_parallel=tp, concurrency=8, isl=512, osl=64)
                  for tp in (4, 8))  # fmt: skip
    assert eight.weight_memory < 0.55 * one.weight_memory + 1e9


def test_sparse_attention_reads_few_keys_and_keeps_all() -> None:
    sparse = published("DeepSeek-V3.2")
    dense = {key: value for key, value in sparse.items() if not key.startswith(("index", "layer_types"))}
    dense["model_type"] = "deepseek_v3"
    nets = [pm.from_hf(config, seq=16384) for config in (sparse, dense)]
    assert nets[0].totals.flop < nets[1].totals.flop
    assert [net.kinds()["kind"].tolist().count("key_index") for net in nets] == [1, 0]


@pytest.mark.parametrize("kind, words", [("mistral_large4", "keys that layers take"), ("rwkv7", "recurrence"),
                                         ("zamba2", "shared attention")])  # fmt: skip
def test_what_is_missing_is_said(kind: str, words: str) -> None:
    with pytest.raises(pm.NotModelledError, match=f'model_type "{kind}" cannot be read: .*{words}'):
        pm.from_hf({**LLAMA, "model_type": kind})


def test_settings_reach_the_layers() -> None:
    """Windows, dropout and rotated shares of the configuration are those of the layers."""
    config = {**LLAMA, "model_type": "mistral", "num_key_value_heads": 8, "num_hidden_layers": 2}
    whole, part = (pm.from_hf({**config, "sliding_window": window}, seq=512).totals.flop for window in (None, 64))
    assert whole - part == 2 * sum(max(0, i - 64) for i in range(1, 513)) * 32 * (4 * 128 + 6)
    assert pm.from_hf({**config, "attention_dropout": 0.1}, seq=512).totals.flop > whole


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(pm.NotModelledError, match='unknown model_type "whale"; docs/import.md lists'):
        pm.from_hf({"model_type": "whale"})
    with pytest.raises(pm.FormatError, match="the configuration of a bert has no 'hidden_size'"):
        pm.from_hf({"model_type": "bert"})
    with pytest.raises(pm.FileError, match="No such file"):
        pm.from_hf(tmp_path / "config.json")
    (tmp_path / "config.json").write_text("nothing", encoding="utf-8")
    with pytest.raises(pm.FormatError, match="not JSON"):
        pm.from_hf(tmp_path)
    with pytest.raises(pm.ArgumentError, match="seq 0"):
        pm.from_hf(GPT2, seq=0)


# ---- Published models by their names on a hub.

SIZES: dict[str, int] = json.loads((Path(__file__).parent / "published_sizes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SIZES)
def test_names_of_a_hub_are_networks_of_the_catalogue(name: str) -> None:
    """As Transformers counts models of the sizes that packages ship: lab/scripts/published_sizes.py wrote the table."""
    assert pm.network(name).parameters == SIZES[name]
    assert pm.network(name.split("/")[1]).parameters == SIZES[name]


@pytest.mark.parametrize(
    "name, like",
    [("Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b"), ("google/gemma-3-4b-pt", "gemma-3-4b-it"),
     ("ibm-granite/granite-3.1-8b-instruct", "granite-3.1-8b"), ("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"),
     ("QWEN/qwen3-next-80B-a3b-THINKING", "qwen3-next-80b-a3b-instruct"), ("gpt2-chat", "gpt2")],
)  # fmt: skip
def test_weights_that_were_trained_further_have_the_sizes_of_their_kin(name: str, like: str) -> None:
    assert pm.network(name).parameters == pm.network(like).parameters


def test_networks_of_a_model_type_have_its_settings() -> None:
    net = pm.network("EleutherAI/pythia-1.4b", num_hidden_layers=12, seq=512)
    assert net.totals.input == "512" and net.parameters == 1_414_647_808 - 12 * (12 * 2048**2 + 13 * 2048)
    with pytest.raises(pm.NotFoundError, match='"pythia-1.4b" has no parameter "layers"; it has seq, hidden_size'):
        pm.network("pythia-1.4b", layers=3)
    with pytest.raises(pm.Error, match='needs a number for its parameter "num_hidden_layers", not "many"'):
        pm.network("pythia-1.4b", num_hidden_layers="many")
