"""Configurations of Hugging Face: published parameter counts, and the networks of the catalogue."""

from __future__ import annotations

import json
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
]  # fmt: skip


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


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(pm.NotModelledError, match='unknown model_type "whale"; known are bert, .*convnext, .*vit'):
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
