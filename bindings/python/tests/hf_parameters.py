#!/usr/bin/env python3
"""Writes hf_parameters.json: parameters of Transformers' own models, counted on the meta device, and MAC of small ones.

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
TOKENS, SMALL_MODEL = 32, 40_000_000  # of a model that runs; the most parameters that such a one has

# Settings that say nothing about the architecture.
LEFT_OUT = {
    "transformers_version", "bos_token_id", "eos_token_id", "pad_token_id", "use_cache", "initializer_range", "dtype",
    "decoder_start_token_id", "forced_eos_token_id", "label2id", "init_std", "output_router_logits",
    "begin_suppress_tokens", "initializer_factor", "_name_or_path", "sep_token_id",
}  # fmt: skip

# Llama 4's own experts each see all tokens, most of them times 0; linear attention is near only (and says so).
# Without its kernels the package scans states element by element, solves triangles of the delta rule without products,
# and convolves rows that it has padded.
OTHER_PRODUCTS = {"llama4_text", "minimax", "mamba", "mamba2", "falcon_mamba", "nemotron_h", "falcon_h1",
                  "granitemoehybrid", "bamba", "jamba", "qwen3_next", "qwen3_5_text", "kimi_linear",
                  "lfm2", "lfm2_moe"}  # fmt: skip

SOUND = {"wav2vec2", "hubert"}  # whose input is sound: frames of 400 samples, 320 apart
PICTURES = {"vit", "deit", "dinov2", "resnet", "convnext", "swin"}  # whose input is an image

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
    # Decoders of 2025 and 2026.
    ("smollm3", "SmolLM3ForCausalLM", {}, "SmolLM3 3B"),
    ("smollm3", "SmolLM3ForCausalLM", {**GROUPED, "num_hidden_layers": 5, "attention_bias": True, "mlp_bias": True,
     "tie_word_embeddings": False}, ""),
    ("seed_oss", "SeedOssForCausalLM", {"hidden_size": 5120, "attention_dropout": 0.0, "residual_dropout": 0.0},
     "Seed-OSS 36B"),
    ("seed_oss", "SeedOssForCausalLM", {**GROUPED, "head_dim": 32, "attention_out_bias": True, "mlp_bias": True,
     "attention_dropout": 0.0, "residual_dropout": 0.0}, ""),
    ("helium", "HeliumForCausalLM", {}, "Helium 1 2B"),
    ("helium", "HeliumForCausalLM", {**GROUPED, "head_dim": 32, "attention_bias": True, "mlp_bias": True}, ""),
    ("cwm", "CwmForCausalLM", {}, "CWM 32B"),
    ("cwm", "CwmForCausalLM", {**GROUPED, "head_dim": 64, "num_hidden_layers": 5, "sliding_window": 16}, ""),
    ("arcee", "ArceeForCausalLM", {**GROUPED, "attention_bias": True, "mlp_bias": True}, ""),
    ("jais2", "Jais2ForCausalLM", {}, "Jais 2 8B"),
    ("jais2", "Jais2ForCausalLM", {**GROUPED, "head_dim": 32}, ""),
    ("nanochat", "NanoChatForCausalLM", GROUPED, ""),
    ("ministral", "MinistralForCausalLM", {**GROUPED, "head_dim": 48,
     "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "sliding_window": 16}, ""),
    ("ministral3", "Ministral3ForCausalLM", {}, "Ministral 3 8B"),
    ("ministral3", "Ministral3ForCausalLM", {**GROUPED, "head_dim": 48}, ""),
    ("phi3", "Phi3ForCausalLM", {"hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40,
     "num_key_value_heads": 10, "intermediate_size": 17920, "vocab_size": 100352}, "Phi-4 14B"),
    ("phimoe", "PhimoeForCausalLM", {"attention_bias": True}, "Phi-3.5 MoE"),
    ("phimoe", "PhimoeForCausalLM", {**GROUPED, "num_local_experts": 4}, ""),
    ("ernie4_5", "Ernie4_5ForCausalLM", {}, "ERNIE 4.5 0.3B"),
    ("ernie4_5", "Ernie4_5ForCausalLM", {**GROUPED, "head_dim": 32, "use_bias": True,
     "tie_word_embeddings": False}, ""),
    ("ernie4_5_moe", "Ernie4_5_MoeForCausalLM", {}, "ERNIE 4.5 21B-A3B"),
    ("ernie4_5_moe", "Ernie4_5_MoeForCausalLM", {**GROUPED, "num_hidden_layers": 5, "moe_num_experts": 8, "moe_k": 2,
     "moe_intermediate_size": 64, "moe_layer_start_index": 1, "moe_layer_end_index": 3}, ""),
    ("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM", {**GROUPED, "head_dim": 64}, ""),
    ("hunyuan_v1_moe", "HunYuanMoEV1ForCausalLM", {**GROUPED, "head_dim": 32, "num_experts": 8, "moe_topk": 2}, ""),
    ("granitemoe", "GraniteMoeForCausalLM", {**GROUPED, "num_local_experts": 6}, ""),
    ("granitemoeshared", "GraniteMoeSharedForCausalLM", {**GROUPED, "num_local_experts": 6,
     "shared_intermediate_size": 320}, ""),
    ("qwen3_vl_text", "Qwen3VLTextModel", {**GROUPED, "head_dim": 64}, ""),
    ("qwen3_vl_moe_text", "Qwen3VLMoeTextModel", {**GROUPED, "head_dim": 64, "num_experts": 8, "num_experts_per_tok": 2,
     "moe_intermediate_size": 96}, ""),
    ("qwen2_vl_text", "Qwen2VLTextModel", {**GROUPED, "hidden_size": 512, "num_attention_heads": 4}, ""),
    ("qwen2_5_vl_text", "Qwen2_5_VLTextModel", {**GROUPED, "hidden_size": 512,
     "num_attention_heads": 4}, ""),
    ("minimax_m2", "MiniMaxM2ForCausalLM", {}, "MiniMax M2"),
    ("minimax_m2", "MiniMaxM2ForCausalLM", {**GROUPED, "head_dim": 64, "num_local_experts": 8,
     "num_experts_per_tok": 2}, ""),
    ("mellum", "MellumForCausalLM", {**GROUPED, "head_dim": 64, "num_local_experts": 8, "num_experts_per_tok": 2,
     "moe_intermediate_size": 96}, ""),
    ("llama4_text", "Llama4ForCausalLM", {"interleave_moe_layer_step": 2, "num_local_experts": 128,
     "use_qk_norm": False}, "Llama 4 Maverick"),
    ("glm4_moe", "Glm4MoeForCausalLM", {"hidden_size": 5120, "num_hidden_layers": 92, "num_attention_heads": 96,
     "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160, "first_k_dense_replace": 3,
     "head_dim": 128, "attention_bias": True, "use_qk_norm": True}, "GLM-4.6"),
    ("glm4_moe", "Glm4MoeForCausalLM", {"attention_bias": True, "head_dim": 128}, "GLM-4.5 Air"),
    ("glm4_moe", "Glm4MoeForCausalLM", {**GROUPED, "moe_intermediate_size": 96, "n_routed_experts": 8,
     "num_experts_per_tok": 2, "n_shared_experts": 2}, ""),
    ("glm4_moe_lite", "Glm4MoeLiteForCausalLM", {}, "GLM-4.7 Flash"),
    ("glm4_moe_lite", "Glm4MoeLiteForCausalLM", {**SMALL, "num_key_value_heads": 8, "moe_intermediate_size": 96,
     "n_routed_experts": 8, "num_experts_per_tok": 2, "q_lora_rank": 96, "kv_lora_rank": 64, "qk_nope_head_dim": 32,
     "qk_rope_head_dim": 16, "v_head_dim": 32}, ""),
    ("solar_open", "SolarOpenForCausalLM", {}, "Solar Open 100B"),
    ("solar_open", "SolarOpenForCausalLM", {**GROUPED, "head_dim": 64, "moe_intermediate_size": 96,
     "n_routed_experts": 8, "num_experts_per_tok": 2}, ""),
    ("dots1", "Dots1ForCausalLM", {**GROUPED, "moe_intermediate_size": 96, "n_routed_experts": 8,
     "num_experts_per_tok": 2, "n_shared_experts": 2, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1}, ""),
    ("exaone_moe", "ExaoneMoeForCausalLM", {**GROUPED, "num_hidden_layers": 5, "moe_intermediate_size": 96,
     "num_experts": 8, "num_experts_per_tok": 2, "sliding_window": 16}, ""),
    ("exaone4", "Exaone4ForCausalLM", {"hidden_size": 5120, "intermediate_size": 27392, "num_hidden_layers": 64,
     "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128}, "EXAONE 4.0 32B"),
    ("exaone4", "Exaone4ForCausalLM", {**GROUPED, "num_hidden_layers": 5, "sliding_window": 16,
     "tie_word_embeddings": True}, ""),
    ("afmoe", "AfmoeForCausalLM", {**GROUPED, "head_dim": 64, "num_hidden_layers": 5, "moe_intermediate_size": 96,
     "num_experts": 8, "num_experts_per_tok": 2, "sliding_window": 16}, ""),
    ("mimo_v2_flash", "MiMoV2FlashForCausalLM", {}, "MiMo-V2 Flash"),
    ("mimo_v2_flash", "MiMoV2FlashForCausalLM", {**GROUPED, "head_dim": 48, "v_head_dim": 32, "num_hidden_layers": 7,
     "moe_intermediate_size": 96, "n_routed_experts": 8, "num_experts_per_tok": 2, "sliding_window": 16}, ""),
    ("step3p5", "Step3p7TextModel", {**GROUPED, "num_hidden_layers": 5, "moe_intermediate_size": 96,
     "n_routed_experts": 8, "num_experts_per_tok": 2, "share_expert_dim": 160, "head_dim": 64, "sliding_window": 16,
     "num_sliding_attention_heads": 12, "num_attention_heads": 8,
     "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention",
                     "sliding_attention"]}, ""),
    ("gemma3_text", "Gemma3ForCausalLM", {"hidden_size": 5376, "intermediate_size": 21504, "num_hidden_layers": 62,
     "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128}, "Gemma 3 27B"),
    ("gemma4_text", "Gemma4ForCausalLM", {}, ""),
    ("gemma4_text", "Gemma4ForCausalLM", {**GROUPED, "head_dim": 32, "num_hidden_layers": 7, "sliding_window": 16,
     "hidden_size_per_layer_input": 16, "vocab_size_per_layer_input": 500, "num_kv_shared_layers": 0}, ""),
    ("gemma4_text", "Gemma4ForCausalLM", {**GROUPED, "head_dim": 32, "num_hidden_layers": 12, "sliding_window": 16,
     "hidden_size_per_layer_input": 16, "vocab_size_per_layer_input": 500, "num_kv_shared_layers": 5,
     "use_double_wide_mlp": True}, ""),
    ("gemma4_text", "Gemma4ForCausalLM", {**GROUPED, "head_dim": 32, "num_hidden_layers": 6, "sliding_window": 16,
     "hidden_size_per_layer_input": 0, "attention_k_eq_v": True, "enable_moe_block": True, "num_experts": 8,
     "top_k_experts": 2, "moe_intermediate_size": 96, "num_global_key_value_heads": 2}, ""),
    ("vaultgemma", "VaultGemmaForCausalLM", {}, "VaultGemma 1B shape"),
    ("vaultgemma", "VaultGemmaForCausalLM", {**GROUPED, "head_dim": 32}, ""),
    ("glm", "GlmForCausalLM", {}, "GLM-4 9B Chat"),
    ("glm", "GlmForCausalLM", {**GROUPED, "head_dim": 32, "attention_bias": False}, ""),
    ("olmo3", "Olmo3ForCausalLM", {"vocab_size": 100278}, "OLMo 3 7B"),
    ("olmo3", "Olmo3ForCausalLM", {**GROUPED, "num_hidden_layers": 5, "attention_bias": True,
     "sliding_window": 16}, ""),
    ("olmoe", "OlmoeForCausalLM", {}, ""),
    ("olmoe", "OlmoeForCausalLM", {**SMALL, "intermediate_size": 96, "num_experts": 8, "num_experts_per_tok": 2}, ""),
    ("flex_olmo", "FlexOlmoForCausalLM", {**GROUPED, "num_experts": 4, "num_experts_per_tok": 2}, ""),
    ("cohere2", "Cohere2ForCausalLM", {"hidden_size": 12288, "intermediate_size": 36864, "num_attention_heads": 96,
     "num_hidden_layers": 64, "num_key_value_heads": 8}, "Command A 111B"),
    ("cohere2", "Cohere2ForCausalLM", {**GROUPED, "num_hidden_layers": 5, "sliding_window": 16}, ""),
    ("persimmon", "PersimmonForCausalLM", {}, "Persimmon 8B"),
    ("persimmon", "PersimmonForCausalLM", SMALL, ""),
    ("youtu", "YoutuForCausalLM", {}, ""),
    ("youtu", "YoutuForCausalLM", {**SMALL, "num_key_value_heads": 8, "q_lora_rank": 96, "kv_lora_rank": 64,
     "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32}, ""),
    ("gpt_bigcode", "GPTBigCodeForCausalLM", {"n_embd": 6144, "n_layer": 40, "n_head": 48, "n_positions": 8192,
     "n_inner": 24576, "vocab_size": 49152}, "StarCoder 15B"),
    ("gpt_bigcode", "GPTBigCodeForCausalLM", {**NANO, "n_positions": 64, "multi_query": False}, ""),
    ("gpt_neo", "GPTNeoForCausalLM", {}, "GPT-Neo 1.3B"),
    ("gpt_neo", "GPTNeoForCausalLM", {"hidden_size": 256, "num_layers": 4, "num_heads": 8, "vocab_size": 1000,
     "attention_types": [[["global", "local"], 2]], "window_size": 16, "max_position_embeddings": 64}, ""),
    ("codegen", "CodeGenForCausalLM", {}, "CodeGen 6B"),
    ("codegen", "CodeGenForCausalLM", {**NANO, "rotary_dim": 16, "n_positions": 64}, ""),
    ("biogpt", "BioGptForCausalLM", {}, "BioGPT"),
    ("biogpt", "BioGptForCausalLM", ENCODER, ""),
    # Layers that carry a state, and chosen keys.
    ("mamba", "MambaForCausalLM", {"hidden_size": 2560, "num_hidden_layers": 64, "intermediate_size": 5120,
     "time_step_rank": 160}, "Mamba 2.8B"),
    ("mamba", "MambaForCausalLM", {"hidden_size": 256, "num_hidden_layers": 2, "vocab_size": 1000, "use_bias": True,
     "expand": 3, "state_size": 8}, ""),
    ("falcon_mamba", "FalconMambaForCausalLM", {"hidden_size": 4096, "num_hidden_layers": 64, "vocab_size": 65024,
     "tie_word_embeddings": False, "time_step_rank": 256}, "Falcon Mamba 7B"),
    ("mamba2", "Mamba2ForCausalLM", {}, "Mamba-Codestral 7B"),
    ("mamba2", "Mamba2ForCausalLM", {"hidden_size": 256, "num_heads": 8, "head_dim": 64, "num_hidden_layers": 2,
     "n_groups": 2, "state_size": 32, "vocab_size": 1000}, ""),
    ("nemotron_h", "NemotronHForCausalLM", {"num_attention_heads": 40, "hidden_size": 2688, "head_dim": 128,
     "num_key_value_heads": 2, "intermediate_size": 1856, "moe_intermediate_size": 1856, "n_routed_experts": 128,
     "moe_shared_expert_intermediate_size": 3712, "num_experts_per_tok": 6, "mamba_num_heads": 64,
     "layers_block_type": ["mamba", "moe", "mamba", "full_attention", "moe"]}, ""),
    ("nemotron_h", "NemotronHForCausalLM", {**GROUPED, "hidden_size": 512, "mamba_num_heads": 16, "n_groups": 4,
     "ssm_state_size": 32, "n_routed_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 192,
     "moe_shared_expert_intermediate_size": 320, "moe_latent_size": 128, "mlp_bias": True,
     "layers_block_type": ["linear_attention", "moe", "full_attention", "moe"], "num_hidden_layers": 4}, ""),
    ("nemotron_h", "NemotronHForCausalLM", {**GROUPED, "mamba_num_heads": 8, "mamba_head_dim": 64, "n_groups": 2,
     "ssm_state_size": 32, "layers_block_type": ["mamba", "mlp", "full_attention"]}, ""),
    ("falcon_h1", "FalconH1ForCausalLM", {}, ""),
    ("falcon_h1", "FalconH1ForCausalLM", {**GROUPED, "mamba_d_ssm": 512, "mamba_n_heads": 8, "mamba_d_head": 64,
     "mamba_d_state": 32, "mamba_rms_norm": True, "attention_bias": True, "mlp_bias": True}, ""),
    ("granitemoehybrid", "GraniteMoeHybridForCausalLM", {"hidden_size": 1536, "num_hidden_layers": 40,
     "num_attention_heads": 12, "num_key_value_heads": 4, "intermediate_size": 512, "num_local_experts": 64,
     "num_experts_per_tok": 6, "mamba_n_heads": 48, "mamba_d_state": 128, "vocab_size": 100352,
     "tie_word_embeddings": True, "layer_types": [
         "full_attention" if i in (5, 15, 25, 35) else "linear_attention" for i in range(40)]}, "Granite 4.0 H Tiny"),
    ("granitemoehybrid", "GraniteMoeHybridForCausalLM", {**GROUPED, "num_local_experts": 0, "num_experts_per_tok": 0,
     "shared_intermediate_size": 320, "mamba_n_heads": 8, "mamba_d_state": 32,
     "layer_types": ["linear_attention", "full_attention", "linear_attention"]}, ""),
    ("bamba", "BambaForCausalLM", {"attn_layer_indices": [9, 18, 27]}, "Bamba 9B"),
    ("jamba", "JambaForCausalLM", {}, "Jamba v0.1"),
    ("jamba", "JambaForCausalLM", {**GROUPED, "num_hidden_layers": 8, "num_experts": 4, "mamba_dt_rank": 16,
     "use_mamba_kernels": False}, ""),
    ("qwen3_next", "Qwen3NextForCausalLM", {}, "Qwen3-Next 80B-A3B"),
    ("qwen3_next", "Qwen3NextForCausalLM", {**GROUPED, "head_dim": 64, "num_hidden_layers": 4, "num_experts": 8,
     "num_experts_per_tok": 2, "moe_intermediate_size": 96, "shared_expert_intermediate_size": 160,
     "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 32,
     "linear_value_head_dim": 48}, ""),
    ("qwen3_5_text", "Qwen3_5ForCausalLM", {}, "Qwen3.5 9B"),
    ("qwen3_5_text", "Qwen3_5ForCausalLM", {**GROUPED, "head_dim": 64, "num_hidden_layers": 4,
     "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 32,
     "linear_value_head_dim": 48}, ""),
    ("qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", {}, "Qwen3.5 35B-A3B"),
    ("kimi_linear", "KimiLinearForCausalLM", {}, "Kimi Linear 48B-A3B"),
    ("kimi_linear", "KimiLinearForCausalLM", {**SMALL, "num_key_value_heads": 8, "num_hidden_layers": 5,
     "num_experts": 8, "num_experts_per_token": 2, "moe_intermediate_size": 96, "kv_lora_rank": 64,
     "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32, "linear_num_heads": 4,
     "linear_head_dim": 32}, ""),
    ("lfm2", "Lfm2ForCausalLM", {"layer_types": ["conv" if i % 3 else "full_attention" for i in range(32)]}, ""),
    ("lfm2", "Lfm2ForCausalLM", {**GROUPED, "num_hidden_layers": 3,
     "layer_types": ["conv", "full_attention", "conv"], "conv_bias": True}, ""),
    ("deepseek_v32", "DeepseekV32ForCausalLM", {}, "DeepSeek-V3.2"),
    ("deepseek_v32", "DeepseekV32ForCausalLM", {**SMALL, "num_key_value_heads": 8, "first_k_dense_replace": 1,
     "moe_intermediate_size": 96, "n_routed_experts": 16, "n_group": 2, "topk_group": 1, "q_lora_rank": 96,
     "kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32, "index_n_heads": 4,
     "index_head_dim": 32, "index_topk": 8}, ""),
    ("glm_moe_dsa", "GlmMoeDsaForCausalLM", {}, "GLM-5"),
    ("bert", "BertModel", {}, "BERT base"),
    # And some more of them, with compressed keys, chosen blocks, norms and gates within.
    ("exaone", "LlamaForCausalLM", {}, "EXAONE 3.0 7.8B"),
    ("internlm3", "LlamaForCausalLM", {}, "InternLM3 8B"),
    ("iquestcoder", "LlamaForCausalLM", {}, "IQuest-Coder 40B"),
    ("exaone", "LlamaForCausalLM", {**GROUPED, "attention_bias": True, "mlp_bias": True}, ""),
    ("hyperclovax", "HyperCLOVAXForCausalLM", GROUPED, ""),
    ("hyperclovax", "HyperCLOVAXForCausalLM", {**GROUPED, "use_post_norm": False}, ""),
    ("apertus", "ApertusForCausalLM", {"num_key_value_heads": 8, "intermediate_size": 21504}, "Apertus 8B"),
    ("apertus", "ApertusForCausalLM", GROUPED, ""),
    ("bitnet", "BitNetForCausalLM", {**GROUPED, "tie_word_embeddings": True}, ""),
    ("granite_swa", "GraniteSWAForCausalLM", {**GROUPED, "sliding_window": 16}, ""),
    ("granitemoe_swa", "GraniteMoeSWAForCausalLM", {**GROUPED, "num_local_experts": 6, "shared_intermediate_size": 96,
     "sliding_window": 16}, ""),
    ("sarvam_moe", "Glm4MoeForCausalLM", {}, "Sarvam 30B"),
    ("sarvam_moe", "Glm4MoeForCausalLM", {**GROUPED, "moe_intermediate_size": 96, "n_routed_experts": 8,
     "num_experts_per_tok": 2}, ""),
    ("sarvam_mla", "DeepseekV3ForCausalLM", {}, "Sarvam 105B"),
    ("hy_v3", "HYV3ForCausalLM", {}, "Hy3"),
    ("hy_v3", "HYV3ForCausalLM", {**GROUPED, "head_dim": 32, "num_experts": 8, "num_experts_per_tok": 2,
     "moe_intermediate_size": 96}, ""),
    ("laguna", "LagunaForCausalLM", {}, "Laguna XS.2"),
    ("laguna", "LagunaForCausalLM", {**GROUPED, "head_dim": 32, "num_experts": 8, "num_experts_per_tok": 2,
     "moe_intermediate_size": 96, "shared_expert_intermediate_size": 64, "gating": "per-element",
     "num_attention_heads_per_layer": [8, 16, 8], "sliding_window": 16,
     "layer_types": ["full_attention", "sliding_attention", "full_attention"]}, ""),
    ("mistral4", "Mistral4ForCausalLM", {}, "Mistral Small 4 119B"),
    ("mistral4", "Mistral4ForCausalLM", {**SMALL, "num_key_value_heads": 8, "moe_intermediate_size": 96,
     "n_routed_experts": 8, "num_experts_per_tok": 2, "q_lora_rank": 96, "kv_lora_rank": 64}, ""),
    ("minicpm3", "MiniCPM3ForCausalLM", {}, "MiniCPM3 4B"),
    ("minicpm3", "MiniCPM3ForCausalLM", {**SMALL, "num_key_value_heads": 8, "q_lora_rank": 96, "kv_lora_rank": 64}, ""),
    ("lfm2_moe", "Lfm2MoeForCausalLM", {**GROUPED, "num_hidden_layers": 4, "num_experts": 8, "num_experts_per_tok": 2,
     "moe_intermediate_size": 96, "layer_types": ["conv", "conv", "full_attention", "conv"]}, ""),
    ("gemma4_unified_text", "Gemma4UnifiedForCausalLM", {}, ""),
    ("qwen2_5_omni_text", "Qwen2_5OmniThinkerTextModel", {}, ""),
    ("qwen3_omni_moe_text", "Qwen3OmniMoeThinkerTextModel", {**GROUPED, "head_dim": 64, "num_experts": 8,
     "num_experts_per_tok": 2, "moe_intermediate_size": 96}, ""),
    ("glm4v_text", "Glm4vTextModel", {}, ""),
    ("glm_ocr_text", "GlmOcrTextModel", {}, ""),
    ("paddleocr_vl_text", "PaddleOCRTextModel", {**GROUPED, "hidden_size": 1024}, ""),
    ("deepseek_v4", "DeepseekV4ForCausalLM", {}, "DeepSeek-V4 Flash"),
    ("deepseek_v4", "DeepseekV4ForCausalLM", {**SMALL, "intermediate_size": 96, "num_hidden_layers": 4,
     "head_dim": 64, "q_lora_rank": 96, "n_routed_experts": 8, "num_experts_per_tok": 2, "o_groups": 2,
     "o_lora_rank": 48, "index_n_heads": 4, "index_head_dim": 32, "index_topk": 4, "sliding_window": 16,
     "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 16},
     "layer_types": ["heavily_compressed_attention", "sliding_attention", "compressed_sparse_attention",
                     "heavily_compressed_attention"]}, ""),
    ("minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", {}, "MiniMax M3"),
    ("minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", {**GROUPED, "head_dim": 32, "rotary_dim": 16,
     "dense_intermediate_size": 700, "shared_intermediate_size": 96, "num_local_experts": 8, "num_experts_per_tok": 2,
     "index_n_heads": 2, "index_head_dim": 16, "index_block_size": 8, "index_topk_blocks": 2,
     "mlp_layer_types": ["dense", "sparse", "sparse"],
     "layer_types": ["full_attention", "minimax_m3_sparse", "minimax_m3_sparse"]}, ""),
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
    ("mt5", "MT5ForConditionalGeneration", {}, "mT5 small"),
    ("mbart", "MBartForConditionalGeneration", {}, "mBART large"),
    ("mbart", "MBartModel", {"d_model": 256, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 512,
     "decoder_ffn_dim": 768, "encoder_attention_heads": 4, "decoder_attention_heads": 8}, ""),
    ("modernbert", "ModernBertForMaskedLM", {}, "ModernBERT base"),
    ("modernbert", "ModernBertModel", {**ENCODER, "norm_bias": True, "attention_bias": True, "mlp_bias": True,
     "cls_token_id": 0, "sep_token_id": 0, "bos_token_id": 0, "eos_token_id": 0}, ""),
    ("bart", "BartForConditionalGeneration", {}, "BART large"),
    ("bart", "BartModel", {"d_model": 256, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 512,
     "decoder_ffn_dim": 768, "encoder_attention_heads": 4, "decoder_attention_heads": 8}, ""),
    ("whisper", "WhisperForConditionalGeneration", {}, "Whisper tiny"),
    ("whisper", "WhisperForConditionalGeneration", {"d_model": 1280, "encoder_layers": 32, "decoder_layers": 32,
     "encoder_attention_heads": 20, "decoder_attention_heads": 20, "encoder_ffn_dim": 5120, "decoder_ffn_dim": 5120,
     "num_mel_bins": 128, "vocab_size": 51866}, "Whisper large v3"),
    ("wav2vec2", "Wav2Vec2ForCTC", {}, "wav2vec 2.0 base"),
    ("wav2vec2", "Wav2Vec2Model", {"do_stable_layer_norm": True, "feat_extract_norm": "layer", "conv_bias": True,
     "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
     "wav2vec 2.0 large"),
    ("wav2vec2", "Wav2Vec2ForSequenceClassification", {"num_hidden_layers": 2, "mask_time_prob": 0.0}, ""),
    ("hubert", "HubertForCTC", {}, "HuBERT base"),
    ("vit", "ViTForImageClassification", {"num_labels": 1000}, "ViT-B/16"),
    ("vit", "ViTModel", {"hidden_size": 192, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 768,
     "qkv_bias": False}, ""),
    ("deit", "DeiTForImageClassification", {"num_labels": 1000}, "DeiT base"),
    ("deit", "DeiTModel", {}, ""),
    ("dinov2", "Dinov2Model", {}, "DINOv2 base"),
    ("dinov2", "Dinov2ForImageClassification", {"num_labels": 1000}, ""),
    ("siglip_vision_model", "SiglipVisionModel", {}, "SigLIP base"),
    ("siglip_vision_model", "SiglipVisionModel", {"hidden_size": 192, "num_attention_heads": 3,
     "num_hidden_layers": 2, "intermediate_size": 512, "vision_use_head": False}, ""),
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


SIDES = {"d_model": 128, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 256, "decoder_ffn_dim": 384,
         "encoder_attention_heads": 4, "decoder_attention_heads": 8, "vocab_size": 1000, "max_position_embeddings": 64,
         "pad_token_id": 0}  # fmt: skip
T5 = {"d_model": 128, "d_kv": 32, "d_ff": 256, "num_layers": 2, "num_heads": 4, "vocab_size": 1000}
PICTURE = {"hidden_size": 192, "num_hidden_layers": 3, "num_attention_heads": 3, "image_size": 64}

NO_ENDS = {"bos_token_id": 0, "eos_token_id": 0}

# Small models of types whose published sizes are too large to run.
RUN: list[tuple[str, str, dict[str, Any], str]] = [(kind, name, settings, "") for kind, name, settings in [
    ("mistral", "MistralForCausalLM", {**GROUPED, "sliding_window": None}),
    ("mixtral", "MixtralForCausalLM", {**GROUPED, "num_local_experts": 4}),
    ("gemma", "GemmaForCausalLM", {**GROUPED, "head_dim": 32}),
    ("gemma2", "Gemma2ForCausalLM", {**GROUPED, "head_dim": 32}),
    ("falcon", "FalconForCausalLM", {key: SMALL[key] for key in SMALL if key != "intermediate_size"}),
    ("olmo", "OlmoForCausalLM", GROUPED),
    ("opt", "OPTForCausalLM", {**ENCODER, "ffn_dim": 512, "word_embed_proj_dim": 256}),
    ("gpt2", "GPT2LMHeadModel", {**NANO, "n_positions": 64}),
    ("gpt_oss", "GptOssForCausalLM", {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}),
    ("mpt", "MptForCausalLM", {"d_model": 256, "n_layers": 3, "n_heads": 8, "vocab_size": 1000, "max_seq_len": 64}),
    ("cohere2_moe", "Cohere2MoeForCausalLM", {**GROUPED, **NO_ENDS, "head_dim": 32, "num_experts": 4,
     "num_experts_per_tok": 2, "num_shared_experts": 2, "first_k_dense_replace": 1, "sliding_window": 64,
     "prefix_dense_intermediate_size": 384}),
    ("cohere2_moe", "Cohere2MoeForCausalLM", {**GROUPED, **NO_ENDS, "head_dim": 32, "num_experts": 4,
     "rms_norm_eps": 1e-5}),
    ("emu3_text_model", "Emu3ForCausalLM", {**GROUPED, **NO_ENDS}),
    ("aria_text", "AriaTextForCausalLM", {**GROUPED, "moe_num_experts": 4, "moe_num_shared_experts": 1}),
    ("bert", "BertModel", ENCODER), ("bert", "BertForMaskedLM", ENCODER), ("roberta", "RobertaModel", ENCODER),
    ("camembert", "CamembertModel", ENCODER), ("xlm-roberta", "XLMRobertaModel", ENCODER),
    ("distilbert", "DistilBertModel", {"dim": 256, "n_layers": 3, "n_heads": 8, "hidden_dim": 512, "vocab_size": 1000}),
    ("electra", "ElectraModel", {**ENCODER, "embedding_size": 128}),
    ("albert", "AlbertModel", {**ENCODER, "embedding_size": 64}),
    ("clip_text_model", "CLIPTextModel", ENCODER),
    ("vit", "ViTModel", {**PICTURE, "intermediate_size": 768}),
    ("deit", "DeiTModel", {**PICTURE, "intermediate_size": 768}), ("dinov2", "Dinov2Model", PICTURE),
    ("resnet", "ResNetForImageClassification", {"layer_type": "basic", "depths": [1, 1, 1, 1], "num_labels": 10,
                                                "hidden_sizes": [64, 128, 256, 512]}),
    ("convnext", "ConvNextForImageClassification", {"depths": [1, 1, 1, 1], "hidden_sizes": [32, 64, 128, 256]}),
    ("swin", "SwinForImageClassification", {"embed_dim": 48, "depths": [1, 1, 2, 1], "num_heads": [3, 6, 12, 24]}),
    ("t5", "T5ForConditionalGeneration", T5), ("t5", "T5EncoderModel", T5),
    ("mt5", "MT5ForConditionalGeneration", T5), ("umt5", "UMT5ForConditionalGeneration", T5),
    ("bart", "BartForConditionalGeneration", SIDES), ("mbart", "MBartForConditionalGeneration", SIDES),
    ("plbart", "PLBartForConditionalGeneration", SIDES), ("marian", "MarianMTModel", SIDES),
    ("pegasus", "PegasusForConditionalGeneration", SIDES), ("m2m_100", "M2M100ForConditionalGeneration", SIDES),
    ("blenderbot", "BlenderbotForConditionalGeneration", SIDES),
    ("blenderbot-small", "BlenderbotSmallForConditionalGeneration", SIDES),
]]  # fmt: skip


def counted(kind: str, name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The configuration as the package saves it, the parameters of its model, and the MAC of a small one."""
    import torch
    import torchvision_on_cpu  # noqa: F401
    import transformers

    config = transformers.AutoConfig.for_model(kind, **settings)
    config.architectures = [name]
    found = getattr(transformers, name, None) or inner_class(kind, name)
    with torch.device("meta"):
        parameters = found(config).num_parameters()
    saved = json.loads(config.to_json_string(use_diff=True))
    row = {"config": {key: saved[key] for key in saved if key not in LEFT_OUT}, "parameters": parameters}
    counted_too = name.endswith(("CausalLM", "TextModel")) or kind in SOUND or (kind, name, settings, "") in RUN
    if parameters < SMALL_MODEL and kind not in OTHER_PRODUCTS and counted_too:
        row["mac"] = products(found, config, kind)
    return row


def inner_class(kind: str, name: str) -> Any:
    """A class that the package has, but not at its top."""
    import importlib

    folder = {"step3p5": "step3p7"}.get(kind, kind.removesuffix("_text"))
    return getattr(importlib.import_module(f"transformers.models.{folder}.modeling_{folder}"), name)


def products(found: Any, config: Any, kind: str) -> int:
    """MAC of one sample of `TOKENS` tokens, or frames of sound: the model runs, and every product is counted, but those
    of rotary tables.

    Attention is not fused, so that all pairs of tokens count, and each expert runs for its own tokens.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    config._attn_implementation = "eager"
    config._experts_implementation = "eager"
    model = found(config).eval()
    counter = FlopCounterMode(display=False, depth=None)
    tokens = torch.zeros(1, TOKENS, dtype=torch.long)
    with torch.no_grad(), counter:
        if kind in SOUND:
            model(torch.zeros(1, 400 + 320 * (TOKENS - 1)))
        elif kind in PICTURES:
            model(torch.zeros(1, 3, *2 * [getattr(config, "image_size", 224)]))
        elif config.is_encoder_decoder and "Encoder" not in found.__name__:
            model(input_ids=tokens, decoder_input_ids=tokens, use_cache=False)
        elif not hasattr(config, "use_cache"):
            model(tokens)
        else:
            model(tokens, use_cache=False)
    tables = [flop for place, flop in counter.get_flop_counts().items() if place.endswith("rotary_emb")]
    return (counter.get_total_flops() - sum(sum(flops.values()) for flops in tables)) // 2


def rows() -> list[dict[str, Any]]:
    found = []
    for kind, name, settings, published in [*CASES, *RUN]:
        try:
            row = counted(kind, name, dict(settings))
        except Exception as error:
            raise RuntimeError(f"{kind} {name} {settings}") from error
        found.append({**row, **({"name": published} if published else {})})
    return found


def text() -> str:
    import torch
    import transformers

    lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows())
    head = json.dumps({"transformers": transformers.__version__, "torch": torch.__version__.split("+")[0]})
    return f'{head[:-1]}, "rows": [\n{lines}\n]}}\n'


def counts(row: dict[str, Any]) -> tuple[int, int | None]:
    return row["parameters"], row.get("mac")


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
    before = [counts(row) for row in json.loads(TABLE.read_text(encoding="utf-8"))["rows"]]
    now = [counts(row) for row in json.loads(made)["rows"]]
    for case, old, new in zip([*CASES, *RUN], before, now):
        if old != new:
            print(f"{case[0]} {case[1]} {case[2]}: {old} in the table, {new} counted")
    print(f"{sum(old == new for old, new in zip(before, now))} models as Transformers {package_version()} counts them")
    return int(before != now)


if __name__ == "__main__":
    sys.exit(main())
