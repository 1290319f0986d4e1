#!/usr/bin/env python3
"""Writes hf_parameters.json: parameters of Transformers' own models, counted on the meta device.

    hf_parameters.py            writes it; needs the packages transformers and torch
    hf_parameters.py --check    fails if the installed package counts otherwise

No weights are read and nothing is downloaded. Each row is a configuration as the package saves it, the class of the
model and what its `num_parameters` says. Sizes are the package's defaults, but for what `CASES` changes; where those
are of a published model, `name` says of which.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import Any

TABLE = pathlib.Path(__file__).resolve().parent / "hf_parameters.json"

# Settings that say nothing about the architecture.
LEFT_OUT = {
    "transformers_version", "bos_token_id", "eos_token_id", "pad_token_id", "use_cache", "initializer_range", "dtype",
    "decoder_start_token_id", "forced_eos_token_id", "label2id", "init_std", "output_router_logits",
    "begin_suppress_tokens", "initializer_factor", "_name_or_path", "sep_token_id",
}  # fmt: skip

SMALL = {"hidden_size": 256, "num_hidden_layers": 3, "num_attention_heads": 8, "intermediate_size": 512,
         "vocab_size": 1000, "pad_token_id": 0}  # fmt: skip
GROUPED = {**SMALL, "num_key_value_heads": 2}
ENCODER = {**SMALL, "max_position_embeddings": 128}
NANO = {"n_embd": 256, "n_layer": 3, "n_head": 8, "vocab_size": 1000,
         "pad_token_id": 0}  # fmt: skip
QWEN3 = {"head_dim": 128, "num_key_value_heads": 8, "vocab_size": 151936}

# (model type, class, settings, name of the published model)
CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("llama", "LlamaForCausalLM", {}, "Llama 7B"),
    ("llama", "LlamaForCausalLM", {**GROUPED, "attention_bias": True, "mlp_bias": True,
     "tie_word_embeddings": True}, ""),
    ("llama", "LlamaForSequenceClassification", {**GROUPED, "head_dim": 64}, ""),
    ("mistral", "MistralForCausalLM", {}, "Mistral 7B"),
    ("mixtral", "MixtralForCausalLM", {}, "Mixtral 8x7B"),
    ("granite", "GraniteForCausalLM", {}, ""),
    ("granite", "GraniteForCausalLM", {**GROUPED, "attention_bias": True, "tie_word_embeddings": True}, ""),
    ("qwen2", "Qwen2ForCausalLM", {}, ""),
    ("qwen2", "Qwen2ForCausalLM", {**GROUPED, "tie_word_embeddings": True}, ""),
    ("qwen2_moe", "Qwen2MoeForCausalLM", {}, "Qwen1.5 MoE A2.7B"),
    ("qwen2_moe", "Qwen2MoeForCausalLM", {**GROUPED, "decoder_sparse_step": 2, "num_experts": 8,
     "moe_intermediate_size": 96, "shared_expert_intermediate_size": 160}, ""),
    ("qwen3", "Qwen3ForCausalLM", {}, ""),
    ("qwen3", "Qwen3ForCausalLM", {**QWEN3, "hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 64,
     "intermediate_size": 25600}, "Qwen3 32B"),
    ("qwen3", "Qwen3ForCausalLM", {**GROUPED, "attention_bias": True, "tie_word_embeddings": True}, ""),
    ("qwen3_moe", "Qwen3MoeForCausalLM", {"head_dim": 128, "num_hidden_layers": 48}, "Qwen3 30B-A3B"),
    ("qwen3_moe", "Qwen3MoeForCausalLM", {"head_dim": 128, "hidden_size": 4096, "num_hidden_layers": 94,
     "num_attention_heads": 64, "intermediate_size": 12288, "moe_intermediate_size": 1536}, "Qwen3 235B-A22B"),
    ("qwen3_moe", "Qwen3MoeForCausalLM", {**GROUPED, "mlp_only_layers": [0], "moe_intermediate_size": 96}, ""),
    ("deepseek_v2", "DeepseekV2ForCausalLM", {}, ""),
    ("deepseek_v2", "DeepseekV2ForCausalLM", {**SMALL, "q_lora_rank": None, "first_k_dense_replace": 1,
     "moe_intermediate_size": 96, "n_routed_experts": 8, "num_experts_per_tok": 2}, ""),
    ("deepseek_v3", "DeepseekV3ForCausalLM", {}, "DeepSeek-V3"),
    ("deepseek_v3", "DeepseekV3ForCausalLM", {**SMALL, "num_key_value_heads": 8, "first_k_dense_replace": 1,
     "moe_intermediate_size": 96, "n_routed_experts": 16, "n_group": 2, "topk_group": 1, "attention_bias": True}, ""),
    ("gpt_oss", "GptOssForCausalLM", {}, "GPT-OSS 120B"),
    ("gpt_oss", "GptOssForCausalLM", {"num_hidden_layers": 24, "num_local_experts": 32}, "GPT-OSS 20B"),
    ("minimax", "MiniMaxForCausalLM", {}, ""),
    ("minimax", "MiniMaxForCausalLM", {**GROUPED, "num_hidden_layers": 4}, ""),
    ("llama4_text", "Llama4ForCausalLM", {}, "Llama 4 Scout"),
    ("llama4_text", "Llama4ForCausalLM", {**GROUPED, "num_hidden_layers": 4, "interleave_moe_layer_step": 2,
     "intermediate_size_mlp": 768, "num_local_experts": 4, "head_dim": 32}, ""),
    ("gemma", "GemmaForCausalLM", {}, "Gemma 7B"),
    ("gemma", "GemmaForCausalLM", {"hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18,
     "num_attention_heads": 8, "num_key_value_heads": 1}, "Gemma 2B"),
    ("gemma2", "Gemma2ForCausalLM", {}, "Gemma 2 2B"),
    ("gemma3_text", "Gemma3ForCausalLM", {}, ""),
    ("gemma3_text", "Gemma3ForCausalLM", {**GROUPED, "head_dim": 64}, ""),
    ("glm4", "Glm4ForCausalLM", {"attention_bias": True}, "GLM-4 9B"),
    ("glm4", "Glm4ForCausalLM", {**GROUPED, "attention_bias": False}, ""),
    ("olmo", "OlmoForCausalLM", {}, "OLMo 7B"),
    ("olmo2", "Olmo2ForCausalLM", {}, ""),
    ("olmo2", "Olmo2ForCausalLM", {**GROUPED, "attention_bias": True}, ""),
    ("cohere", "CohereForCausalLM", {}, "Command R"),
    ("cohere", "CohereForCausalLM", {**GROUPED, "use_qk_norm": True}, ""),
    ("stablelm", "StableLmForCausalLM", {}, "StableLM 3B"),
    ("stablelm", "StableLmForCausalLM", {**GROUPED, "use_qkv_bias": True, "qk_layernorm": True,
     "use_parallel_residual": True}, ""),
    ("starcoder2", "Starcoder2ForCausalLM", {}, ""),
    ("starcoder2", "Starcoder2ForCausalLM", {**GROUPED, "use_bias": False, "tie_word_embeddings": False}, ""),
    ("nemotron", "NemotronForCausalLM", {"num_key_value_heads": 8}, "Nemotron-4 15B"),
    ("nemotron", "NemotronForCausalLM", {**GROUPED, "attention_bias": True, "mlp_bias": True, "head_dim": 64}, ""),
    ("phi", "PhiForCausalLM", {}, "Phi-1.5"),
    ("phi", "PhiForCausalLM", {**GROUPED, "qk_layernorm": True}, ""),
    ("phi3", "Phi3ForCausalLM", {}, "Phi-3 mini"),
    ("phi3", "Phi3ForCausalLM", {**GROUPED, "tie_word_embeddings": True}, ""),
    ("gpt_neox", "GPTNeoXForCausalLM", {}, "GPT-NeoX 20B"),
    ("gpt_neox", "GPTNeoXForCausalLM", {**SMALL, "use_parallel_residual": False, "attention_bias": False}, ""),
    ("falcon", "FalconForCausalLM", {}, "Falcon 7B"),
    ("falcon", "FalconForCausalLM", {"hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128,
     "num_kv_heads": 8, "new_decoder_architecture": True}, "Falcon 40B"),
    ("falcon", "FalconForCausalLM", {"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32,
     "vocab_size": 50304, "alibi": True, "bias": True, "multi_query": False, "parallel_attn": False}, "Falcon RW 1B"),
    ("gpt2", "GPT2LMHeadModel", {}, "GPT-2"),
    ("gpt2", "GPT2ForSequenceClassification", {**NANO, "n_inner": 700, "n_positions": 64, "num_labels": 5}, ""),
    ("gptj", "GPTJForCausalLM", {}, "GPT-J 6B"),
    ("gptj", "GPTJForCausalLM", {**NANO, "rotary_dim": 16}, ""),
    ("bloom", "BloomForCausalLM", {"hidden_size": 14336, "n_layer": 70, "n_head": 112}, "BLOOM 176B"),
    ("bloom", "BloomForCausalLM", {}, ""),
    ("mpt", "MptForCausalLM", {}, ""),
    ("mpt", "MptForCausalLM", {"d_model": 4096, "n_heads": 32, "n_layers": 32, "vocab_size": 50432}, "MPT-7B"),
    ("opt", "OPTForCausalLM", {}, "OPT 125M"),
    ("opt", "OPTForCausalLM", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096,
     "word_embed_proj_dim": 512, "do_layer_norm_before": False}, "OPT 350M"),
    ("bert", "BertModel", {}, "BERT base"),
    ("bert", "BertForMaskedLM", {}, ""),
    ("bert", "BertForPreTraining", {}, ""),
    ("bert", "BertForSequenceClassification", {**ENCODER, "num_labels": 7}, ""),
    ("bert", "BertForTokenClassification", ENCODER, ""),
    ("roberta", "RobertaModel", {"max_position_embeddings": 514, "type_vocab_size": 1,
     "vocab_size": 50265}, "RoBERTa base"),
    ("roberta", "RobertaForMaskedLM", {}, ""),
    ("roberta", "RobertaForSequenceClassification", ENCODER, ""),
    ("camembert", "CamembertForMaskedLM", {}, ""),
    ("xlm-roberta", "XLMRobertaForMaskedLM", {}, ""),
    ("distilbert", "DistilBertForMaskedLM", {}, "DistilBERT base"),
    ("distilbert", "DistilBertForSequenceClassification", {}, ""),
    ("electra", "ElectraModel", {}, "ELECTRA small"),
    ("electra", "ElectraForMaskedLM", {}, ""),
    ("electra", "ElectraForPreTraining", {}, ""),
    ("electra", "ElectraForSequenceClassification", {}, ""),
    ("albert", "AlbertModel", {}, "ALBERT xxlarge"),
    ("albert", "AlbertForMaskedLM", {"hidden_size": 768, "num_attention_heads": 12,
     "intermediate_size": 3072}, "ALBERT base"),
    ("albert", "AlbertForMaskedLM", {**ENCODER, "num_hidden_layers": 6, "num_hidden_groups": 2,
     "inner_group_num": 2}, ""),
    ("deberta-v2", "DebertaV2Model", {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072,
     "num_hidden_layers": 12, "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm",
     "share_att_key": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False}, "DeBERTa v3 base"),
    ("deberta-v2", "DebertaV2ForMaskedLM", {}, ""),
    ("deberta-v2", "DebertaV2ForMaskedLM", {**ENCODER, "relative_attention": True, "pos_att_type": ["p2c", "c2p"],
     "conv_kernel_size": 3, "type_vocab_size": 2}, ""),
    ("deberta-v2", "DebertaV2ForSequenceClassification", ENCODER, ""),
    ("t5", "T5ForConditionalGeneration", {}, "T5 small"),
    ("t5", "T5ForConditionalGeneration", {"feed_forward_proj": "gated-gelu", "d_ff": 1024, "num_layers": 8,
     "num_heads": 6, "tie_word_embeddings": False}, "T5 v1.1 small"),
    ("bart", "BartForConditionalGeneration", {}, "BART large"),
    ("bart", "BartModel", {"d_model": 256, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 512,
     "decoder_ffn_dim": 768, "encoder_attention_heads": 4, "decoder_attention_heads": 8}, ""),
    ("whisper", "WhisperForConditionalGeneration", {}, "Whisper tiny"),
    ("whisper", "WhisperForConditionalGeneration", {"d_model": 1280, "encoder_layers": 32, "decoder_layers": 32,
     "encoder_attention_heads": 20, "decoder_attention_heads": 20, "encoder_ffn_dim": 5120, "decoder_ffn_dim": 5120,
     "num_mel_bins": 128, "vocab_size": 51866}, "Whisper large v3"),
    ("vit", "ViTForImageClassification", {"num_labels": 1000}, "ViT-B/16"),
    ("vit", "ViTModel", {"hidden_size": 192, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 768,
     "qkv_bias": False}, ""),
    ("deit", "DeiTForImageClassification", {"num_labels": 1000}, "DeiT base"),
    ("deit", "DeiTModel", {}, ""),
    ("swin", "SwinForImageClassification", {"num_labels": 1000}, "Swin-T"),
    ("swin", "SwinForImageClassification", {"embed_dim": 64, "depths": [2, 2], "num_heads": [2, 4], "image_size": 96,
     "use_absolute_embeddings": True, "qkv_bias": False, "mlp_ratio": 3.0}, ""),
    ("clip", "CLIPModel", {}, "CLIP ViT-B/32"),
    ("clip", "CLIPForImageClassification", {}, ""),
    ("clip_vision_model", "CLIPVisionModelWithProjection", {}, ""),
    ("clip_text_model", "CLIPTextModel", {}, ""),
    ("convnext", "ConvNextForImageClassification", {"num_labels": 1000}, "ConvNeXt-T"),
    ("resnet", "ResNetForImageClassification", {"num_labels": 1000}, "ResNet-50"),
    ("resnet", "ResNetForImageClassification", {"layer_type": "basic", "depths": [2, 2, 2, 2],
     "hidden_sizes": [64, 128, 256, 512], "num_labels": 1000}, "ResNet-18"),
]  # fmt: skip


def counted(kind: str, name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The configuration as the package saves it, and the parameters of its model."""
    import torch
    import torchvision_on_cpu  # noqa: F401
    import transformers

    config = transformers.AutoConfig.for_model(kind, **settings)
    config.architectures = [name]
    with torch.device("meta"):
        parameters = getattr(transformers, name)(config).num_parameters()
    saved = json.loads(config.to_json_string(use_diff=True))
    return {"config": {key: saved[key] for key in saved if key not in LEFT_OUT}, "parameters": parameters}


def rows() -> list[dict[str, Any]]:
    found = []
    for kind, name, settings, published in CASES:
        row = counted(kind, name, dict(settings))
        found.append({**row, **({"name": published} if published else {})})
    return found


def text() -> str:
    import torch
    import transformers

    lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows())
    head = json.dumps({"transformers": transformers.__version__, "torch": torch.__version__.split("+")[0]})
    return f'{head[:-1]}, "rows": [\n{lines}\n]}}\n'


def package_version() -> str:
    import transformers

    return str(transformers.__version__)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a count differs")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    made = text()
    if not options.check:
        TABLE.write_text(made, encoding="utf-8")
        return 0
    before = [row["parameters"] for row in json.loads(TABLE.read_text(encoding="utf-8"))["rows"]]
    now = [row["parameters"] for row in json.loads(made)["rows"]]
    for case, old, new in zip(CASES, before, now):
        if old != new:
            print(f"{case[0]} {case[1]} {case[2]}: {old:,} in the table, {new:,} counted")
    print(f"{sum(old == new for old, new in zip(before, now))} models as Transformers {package_version()} counts them")
    return int(before != now)


if __name__ == "__main__":
    sys.exit(main())
