/*
** The table of decoder-only families, and how a line of it and a configuration describe a decoder.
**
** Sources: the classes of each model type in Transformers 5.24, which tests count on the meta device
** (bindings/python/tests/hf_parameters.py); nemotron-nas by the code that is published with its weights.
*/
#include <stdio.h>
#include <string.h>
#include "models/families.h"

#define ATTENTION_BIAS .qkv_bias = "attention_bias", .output_bias = "attention_bias"

static const pm__decoder_family families[] = {
  /* Llama and its kin: RMS norms, rotated positions, grouped heads, a gated feed-forward network or experts. */
  {.types = "llama granite", ATTENTION_BIAS, .ffn_bias = "mlp_bias",
   .sizes = {4096, 32, 32, 11008, 32000}},
  {.types = "exaone", .kv_heads = 8, ATTENTION_BIAS, .ffn_bias = "mlp_bias", .sizes = {4096, 32, 32, 14336, 102400}},
  {.types = "internlm3", .kv_heads = 2, .head = 128, ATTENTION_BIAS, .ffn_bias = "mlp_bias"},
  {.types = "iquestcoder", .kv_heads = 8, .head = 128, ATTENTION_BIAS, .ffn_bias = "mlp_bias"},
  {.types = "hyperclovax", ATTENTION_BIAS, .ffn_bias = "mlp_bias", .more = pm__more_hyperclovax,
   .sizes = {4096, 32, 32, 11008, 32000}},
  {.types = "apertus", ATTENTION_BIAS, .ungated = true, .activation = "xielu", .qk_norm = PM__QK_HEADS},
  {.types = "bitnet", .kv_heads = 5, ATTENTION_BIAS, .activation = "relu2", .more = pm__more_bitnet},
  {.types = "granite_swa", ATTENTION_BIAS, .ffn_bias = "mlp_bias", .tied = true,
   .more = pm__more_sinks},
  {.types = "smollm3", .kv_heads = 4, ATTENTION_BIAS, .ffn_bias = "mlp_bias", .tied = true,
   .more = pm__more_unturned},
  {.types = "seed_oss", .kv_heads = 8, .head = 128, .qkv_bias = "attention_bias=yes",
   .output_bias = "attention_out_bias", .ffn_bias = "mlp_bias", .residual_rate = "residual_dropout", .rate = 0.1},
  {.types = "emu3_text_model", .kv_heads = 8, ATTENTION_BIAS, .ffn_bias = "mlp_bias", .rate = 0.1,
   .sizes = {4096, 32, 32, 14336, 184622}},
  {.types = "aria_text", ATTENTION_BIAS, .ffn_bias = "mlp_bias", .experts = PM__EXPERTS_ALL, .number = 8, .chosen = 2,
   .more = pm__more_aria, .sizes = {4096, 32, 32, 4096, 32000}},
  {.types = "helium", .head = 128, .qkv_bias = "attention_bias", .ffn_bias = "mlp_bias"},
  {.types = "cwm", .kv_heads = 8, .head = 128, .windows = PM__WINDOWS_LISTED},
  {.types = "arcee", ATTENTION_BIAS, .ffn_bias = "mlp_bias", .ungated = true, .activation = "relu2"},
  {.types = "jais2", .norm = PM__NORM_LAYER, .qkv_bias = "attention_bias=yes", .output_bias = "attention_bias=yes",
   .ffn_bias = "mlp_bias=yes", .ungated = true, .activation = "relu2"},
  {.types = "nanochat", ATTENTION_BIAS, .ungated = true, .activation = "relu2", .norm = PM__NORM_RMS_PLAIN,
   .qk_norm = PM__QK_PLAIN},
  {.types = "mistral", .kv_heads = 8, .windows = PM__WINDOWS_ALWAYS, .sizes = {4096, 32, 32, 14336, 32000}},
  {.types = "ministral", .kv_heads = 8, .sizes = {4096, 32, 32, 14336, 32000}},
  {.types = "ministral3", .kv_heads = 8, .head = 128, .windows = PM__WINDOWS_ALWAYS,
   .sizes = {4096, 34, 32, 14336, 131072}},
  {.types = "mixtral", .kv_heads = 8, .windows = PM__WINDOWS_ALWAYS, .experts = PM__EXPERTS_ALL, .number = 8,
   .chosen = 2},
  {.types = "phi3", .rotary = 1, .windows = PM__WINDOWS_ALWAYS, .embedding_rate = "embd_pdrop",
   .residual_rate = "resid_pdrop"},
  {.types = "phimoe", .kv_heads = 8, ATTENTION_BIAS, .norm = PM__NORM_LAYER, .windows = PM__WINDOWS_ALWAYS,
   .experts = PM__EXPERTS_ALL, .number = 16, .chosen = 2},
  {.types = "ernie4_5 paddleocr_vl_text", .kv_heads = 2, .head = 128, .qkv_bias = "use_bias", .output_bias = "use_bias",
   .ffn_bias = "use_bias", .tied = true, .sizes = {1024, 18, 16, 3072, 103424}},
  {.types = "ernie4_5_moe", .kv_heads = 4, .qkv_bias = "use_bias", .output_bias = "use_bias", .ffn_bias = "use_bias",
   .tied = true, .more = pm__more_ernie},
  {.types = "hunyuan_vl_text", ATTENTION_BIAS, .qk_norm = PM__QK_HEADS, .tied = true,
   .sizes = {4096, 32, 32, 11008, 290943}},
  {.types = "hunyuan_v1_dense", ATTENTION_BIAS, .qk_norm = PM__QK_HEADS},
  {.types = "hunyuan_v1_moe", ATTENTION_BIAS, .qk_norm = PM__QK_HEADS, .more = pm__more_hunyuan},
  {.types = "granitemoe", ATTENTION_BIAS, .experts = PM__EXPERTS_ALL, .number = 8, .chosen = 2},
  {.types = "granitemoe_swa", ATTENTION_BIAS, .experts = PM__EXPERTS_ALL, .number = 8, .chosen = 2,
   .more = pm__more_granite},
  {.types = "granitemoeshared", ATTENTION_BIAS, .experts = PM__EXPERTS_ALL, .number = 8, .chosen = 2,
   .more = pm__more_granite},
  {.types = "nemotron-nas", .kv_heads = 8, ATTENTION_BIAS, .ffn_bias = "mlp_bias", .more = pm__more_blocks},
  {.types = "qwen2 mimo", .qkv_bias = "=yes", .windows = PM__WINDOWS_QWEN, .sizes = {4096, 32, 32, 22016, 151936}},
  {.types = "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text", .qkv_bias = "=yes", .windows = PM__WINDOWS_QWEN,
   .sizes = {8192, 80, 64, 29568, 152064}},
  {.types = "qwen2_5_omni_text", .kv_heads = 4, .qkv_bias = "=yes", .windows = PM__WINDOWS_QWEN,
   .sizes = {3584, 28, 28, 18944, 152064}},
  {.types = "qwen3", .head = 128, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS, .windows = PM__WINDOWS_QWEN,
   .sizes = {4096, 32, 32, 22016, 151936}},
  {.types = "qwen3_vl_text", .kv_heads = 32, .head = 128, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS,
   .sizes = {4096, 32, 32, 22016, 151936}},
  {.types = "qwen2_moe", .kv_heads = 16, .qkv_bias = "qkv_bias=yes", .windows = PM__WINDOWS_QWEN,
   .experts = PM__EXPERTS_QWEN, .number = 60, .chosen = 4, .expert_ffn = 1408},
  {.types = "qwen3_moe qwen3_omni_moe_text", .kv_heads = 4, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS,
   .windows = PM__WINDOWS_QWEN, .experts = PM__EXPERTS_QWEN, .number = 128, .chosen = 8, .expert_ffn = 768},
  {.types = "qwen3_vl_moe_text", .kv_heads = 16, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS,
   .experts = PM__EXPERTS_QWEN, .number = 60, .chosen = 4, .expert_ffn = 1408, .sizes = {2048, 24, 16, 5632, 151936}},
  {.types = "gpt_oss", .kv_heads = 8, .head = 64, .qkv_bias = "attention_bias=yes",
   .output_bias = "attention_bias=yes", .windows = PM__WINDOWS_EVEN, .experts = PM__EXPERTS_ALL, .number = 128,
   .chosen = 4, .more = pm__more_gpt_oss},
  {.types = "minimax", .kinds = "linear_attention", .kv_heads = 8, .experts = PM__EXPERTS_ALL, .number = 8,
   .chosen = 2, .more = pm__more_minimax},
  {.types = "minimax_m2", .kv_heads = 8, .head = 128, .qk_norm = PM__QK_ROW, .rotary = 0.5,
   .experts = PM__EXPERTS_ALL, .number = 256, .chosen = 8},
  {.types = "minimax_m3_vl_text", .kinds = "minimax_m3_sparse", .kv_heads = 4, .head = 128, .qk_norm = PM__QK_HEADS,
   .rotary = 0.5,
   .experts = PM__EXPERTS_BEHIND, .number = 128, .chosen = 4, .expert_ffn = 3072, .more = pm__more_minimax_m3,
   .sizes = {6144, 60, 64, 3072, 200064}},
  {.types = "mellum", .kv_heads = 4, .head = 128, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS,
   .experts = PM__EXPERTS_QWEN, .number = 64, .chosen = 8, .expert_ffn = 896},
  {.types = "llama4_text", .kv_heads = 8, .head = 128, ATTENTION_BIAS, .qk = "use_qk_norm=yes",
   .qk_norm = PM__QK_PLAIN, .more = pm__more_llama4, .sizes = {5120, 48, 40, 8192, 202048}},

  /* Experts behind some dense layers, beside a feed-forward network for all tokens. */
  {.types = "glm4_moe glm4v_moe_text", .kv_heads = 8, .qkv_bias = "attention_bias", .qk = "use_qk_norm",
   .qk_norm = PM__QK_HEADS, .rotary = 0.5, .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 128, .chosen = 8,
   .expert_ffn = 1408, .shared = 1},
  {.types = "sarvam_moe", .kv_heads = 4, .head = 64, .qkv_bias = "attention_bias", .qk = "use_qk_norm=yes",
   .qk_norm = PM__QK_HEADS, .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 128, .chosen = 6, .expert_ffn = 1024,
   .shared = 1},
  {.types = "hy_v3", .kv_heads = 8, .head = 128, ATTENTION_BIAS, .ffn_bias = "mlp_bias", .qk_norm = PM__QK_HEADS,
   .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 192, .chosen = 8, .expert_ffn = 1536, .shared = 1},
  {.types = "laguna", .kv_heads = 8, .head = 128, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS,
   .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 256, .chosen = 8, .expert_ffn = 512, .more = pm__more_laguna},
  {.types = "solar_open", .kv_heads = 8, .head = 128, .experts = PM__EXPERTS_BEHIND, .dense = 0,
   .number = 128, .chosen = 8, .expert_ffn = 1280, .shared = 1},
  {.types = "dots1", ATTENTION_BIAS, .qk_norm = PM__QK_HEADS, .experts = PM__EXPERTS_BEHIND, .expert_ffn = 1408},
  {.types = "exaone_moe", .qk_norm = PM__QK_HEADS, .windows = PM__WINDOWS_PATTERN, .every = 4,
   .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 64, .chosen = 8, .expert_ffn = 1024, .shared = 1,
   .more = pm__more_exaone4},
  {.types = "afmoe", .head = 128, ATTENTION_BIAS, .qk_norm = PM__QK_HEADS, .norms = PM__NORMS_AROUND,
   .windows = PM__WINDOWS_PATTERN, .every = 4, .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 64, .chosen = 6,
   .expert_ffn = 1408, .shared = 2, .more = pm__more_afmoe},
  {.types = "mimo_v2_flash", .kv_heads = 4, .head = 192, .qkv_bias = "attention_bias", .experts = PM__EXPERTS_BEHIND,
   .dense = 1, .number = 256, .chosen = 8, .expert_ffn = 2048, .more = pm__more_mimo},
  {.types = "step3p5 step3p7", .kv_heads = 8, .head = 128, ATTENTION_BIAS, .ffn_bias = "mlp_bias",
   .qk_norm = PM__QK_HEADS, .experts = PM__EXPERTS_BEHIND, .dense = 3, .number = 288, .chosen = 8, .expert_ffn = 1280,
   .more = pm__more_step},
  {.types = "deepseek_v2", .head = 1, .experts = PM__EXPERTS_BEHIND, .number = 64, .chosen = 6, .expert_ffn = 1407,
   .shared = 2, .ffn_bias = "mlp_bias", .more = pm__more_latent},
  {.types = "deepseek_v3 kimi_k2", .head = 1, .experts = PM__EXPERTS_BEHIND, .dense = 3, .number = 256, .chosen = 8,
   .expert_ffn = 2048, .shared = 1, .more = pm__more_latent, .sizes = {7168, 61, 128, 18432, 129280}},
  {.types = "deepseek_v32", .kinds = "indexed_attention", .head = 1, .experts = PM__EXPERTS_BEHIND, .dense = 3,
   .number = 256, .chosen = 8,
   .expert_ffn = 2048, .shared = 1, .more = pm__more_sparse, .sizes = {7168, 61, 128, 18432, 129280}},
  {.types = "glm_moe_dsa", .kinds = "indexed_attention", .head = 1, .experts = PM__EXPERTS_BEHIND, .dense = 3,
   .number = 256, .chosen = 8,
   .expert_ffn = 2048, .shared = 1, .more = pm__more_sparse},
  {.types = "glm4_moe_lite", .head = 1, .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 64, .chosen = 4,
   .expert_ffn = 1536, .shared = 1, .more = pm__more_latent},
  {.types = "mistral4", .head = 1, .experts = PM__EXPERTS_BEHIND, .number = 128, .chosen = 4, .expert_ffn = 2048,
   .shared = 1, .more = pm__more_latent, .sizes = {4096, 36, 32, 12288, 131072}},
  {.types = "sarvam_mla", .head = 1, .experts = PM__EXPERTS_BEHIND, .dense = 1, .number = 128, .chosen = 8,
   .expert_ffn = 2048, .shared = 1, .more = pm__more_latent},
  {.types = "minicpm3", .head = 1, .ffn_bias = "mlp_bias", .tied = true,
   .more = pm__more_minicpm3},
  {.types = "deepseek_v4", .kinds = "heavily_compressed_attention compressed_sparse_attention", .kv_heads = 1,
   .head = 512, .ffn_bias = "mlp_bias", .rotary = 0.125,
   .experts = PM__EXPERTS_BEHIND, .number = 256, .chosen = 6, .expert_ffn = 2048, .shared = 1,
   .more = pm__more_compressed, .sizes = {4096, 43, 64, 2048, 129280}},
  {.types = "youtu", .head = 1, .tied = true, .more = pm__more_latent},

  /* Gemma, GLM, OLMo, EXAONE: norms in other places. */
  {.types = "gemma", .kv_heads = 16, .head = 256, ATTENTION_BIAS, .activation = "gelu_pytorch_tanh",
   .tied = true, .sizes = {3072, 28, 16, 24576, 256000}},
  {.types = "vaultgemma", .kv_heads = 4, .head = 256, ATTENTION_BIAS, .activation = "gelu_pytorch_tanh",
   .tied = true, .windows = PM__WINDOWS_EVEN},
  {.types = "gemma2", .kv_heads = 4, .head = 256, ATTENTION_BIAS, .activation = "gelu_pytorch_tanh",
   .norms = PM__NORMS_AROUND, .tied = true, .windows = PM__WINDOWS_EVEN,
   .sizes = {2304, 26, 8, 9216, 256000}},
  {.types = "gemma3_text", .kv_heads = 4, .head = 256, ATTENTION_BIAS, .activation = "gelu_pytorch_tanh",
   .norms = PM__NORMS_AROUND, .qk_norm = PM__QK_HEADS, .tied = true,
   .windows = PM__WINDOWS_PATTERN, .every = 6, .sizes = {2304, 26, 8, 9216, 262208}},
  {.types = "gemma4_text gemma4_unified_text", .kv_heads = 4, .head = 256, ATTENTION_BIAS,
   .activation = "gelu_pytorch_tanh", .norms = PM__NORMS_AROUND, .qk_norm = PM__QK_HEADS, .tied = true,
   .windows = PM__WINDOWS_PATTERN, .every = 6, .more = pm__more_gemma4, .sizes = {2304, 30, 8, 9216, 262144}},
  {.types = "glm glm_edge", .kv_heads = 2, .head = 128, .qkv_bias = "attention_bias=yes", .rotary = 0.5},
  {.types = "glm4v_text", .kv_heads = 2, .head = 128, .qkv_bias = "=yes", .norms = PM__NORMS_AROUND, .rotary = 0.5,
   .sizes = {4096, 40, 32, 13696, 151552}},
  {.types = "glm_ocr_text", .kv_heads = 8, .norms = PM__NORMS_AROUND, .rotary = 0.5,
   .sizes = {1024, 16, 16, 4096, 59392}},
  {.types = "glm4", .kv_heads = 2, .head = 128, .qkv_bias = "attention_bias", .norms = PM__NORMS_AROUND,
   .rotary = 0.5},
  {.types = "olmo", ATTENTION_BIAS, .norm = PM__NORM_LAYER_PLAIN},
  {.types = "olmo2", ATTENTION_BIAS, .norms = PM__NORMS_INSIDE, .qk_norm = PM__QK_ROW},
  {.types = "olmo3", ATTENTION_BIAS, .norms = PM__NORMS_INSIDE, .qk_norm = PM__QK_ROW,
   .windows = PM__WINDOWS_PATTERN, .every = 4},
  {.types = "olmoe", ATTENTION_BIAS, .qk_norm = PM__QK_ROW, .experts = PM__EXPERTS_ALL, .number = 64, .chosen = 8},
  {.types = "flex_olmo", ATTENTION_BIAS, .norms = PM__NORMS_INSIDE, .qk_norm = PM__QK_ROW, .experts = PM__EXPERTS_ALL,
   .number = 7, .chosen = 5},
  {.types = "exaone4", .norms = PM__NORMS_INSIDE, .qk_norm = PM__QK_HEADS, .windows = PM__WINDOWS_PATTERN, .every = 4,
   .more = pm__more_exaone4},

  /* Layer norms and rotated positions. */
  {.types = "cohere", ATTENTION_BIAS, .norm = PM__NORM_LAYER_NO_BIAS, .side = 1, .qk = "use_qk_norm",
   .qk_norm = PM__QK_EACH, .tied = true},
  {.types = "cohere2", .head = 128, ATTENTION_BIAS, .norm = PM__NORM_LAYER_NO_BIAS, .side = 1,
   .tied = true, .windows = PM__WINDOWS_PATTERN, .every = 4, .more = pm__more_exaone4},
  {.types = "cohere2_moe", .head = 128, ATTENTION_BIAS, .norm = PM__NORM_LAYER_NO_BIAS, .side = 1,
   .tied = true, .windows = PM__WINDOWS_PATTERN, .every = 4, .experts = PM__EXPERTS_BEHIND, .number = 8, .chosen = 2,
   .expert_ffn = 1, .more = pm__more_cohere_experts},
  {.types = "stablelm", .norm = PM__NORM_LAYER, .qkv_bias = "use_qkv_bias", .rotary = 0.25, .qk = "qk_layernorm",
   .qk_norm = PM__QK_EACH, .residual_rate = "hidden_dropout", .more = pm__more_beside},
  {.types = "starcoder2", .kv_heads = 2, .norm = PM__NORM_LAYER, .qkv_bias = "use_bias=yes",
   .output_bias = "use_bias=yes", .ffn_bias = "use_bias=yes", .ungated = true, .activation = "gelu_pytorch_tanh",
   .tied = true, .windows = PM__WINDOWS_ALWAYS, .embedding_rate = "embedding_dropout",
   .residual_rate = "residual_dropout"},
  {.types = "nemotron", ATTENTION_BIAS, .norm = PM__NORM_LAYER, .ffn_bias = "mlp_bias", .ungated = true,
   .activation = "relu2", .rotary = 0.5},
  {.types = "phi", .norm = PM__NORM_LAYER, .side = 1, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .head_bias = true, .ungated = true, .activation = "gelu_new", .rotary = 0.5, .qk = "qk_layernorm",
   .qk_norm = PM__QK_HEADS, .embedding_rate = "embd_pdrop", .residual_rate = "resid_pdrop"},
  {.types = "persimmon", .norm = PM__NORM_LAYER, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .ungated = true, .activation = "relu2", .rotary = 0.5, .qk = "qk_layernorm=yes", .qk_norm = PM__QK_HEADS,
   .residual_rate = "hidden_dropout"},
  {.types = "gpt_neox", .norm = PM__NORM_LAYER, .qkv_bias = "attention_bias=yes", .output_bias = "attention_bias=yes",
   .ffn_bias = "=yes", .ungated = true, .activation = "gelu", .rotary = 0.25, .embedding_rate = "hidden_dropout",
   .residual_rate = "hidden_dropout", .more = pm__more_beside},
  {.types = "falcon", .norm = PM__NORM_LAYER, .qkv_bias = "bias", .output_bias = "bias", .ffn_bias = "bias",
   .ungated = true, .activation = "gelu", .tied = true, .residual_rate = "hidden_dropout",
   .more = pm__more_falcon},

  /* Layers that carry a state, alone or beside attention. */
  {.types = "mamba falcon_mamba", .attention_free = true, .tied = true, .more = pm__more_mamba},
  {.types = "mamba2", .attention_free = true, .more = pm__more_mamba2},
  {.types = "nemotron_h", .kinds = "linear_attention mamba attention moe mlp", .kv_heads = 8, .head = 128,
   ATTENTION_BIAS, .ffn_bias = "mlp_bias", .ungated = true,
   .unturned = true, .more = pm__more_nemotron_h},
  {.types = "falcon_h1", .kv_heads = 8, ATTENTION_BIAS, .ffn_bias = "mlp_bias", .more = pm__more_falcon_h1},
  {.types = "granitemoehybrid", .kinds = "linear_attention mamba attention", ATTENTION_BIAS,
   .more = pm__more_granite_hybrid},
  {.types = "bamba", .kinds = "linear_attention mamba attention", .kv_heads = 8, ATTENTION_BIAS,
   .ffn_bias = "mlp_bias", .rotary = 0.5, .more = pm__more_bamba},
  {.types = "jamba", .kinds = "linear_attention mamba attention", .kv_heads = 8, .unturned = true,
   .more = pm__more_jamba},
  {.types = "qwen3_next", .kinds = "linear_attention", .kv_heads = 2, .head = 256, ATTENTION_BIAS,
   .qk_norm = PM__QK_HEADS, .rotary = 0.25,
   .experts = PM__EXPERTS_QWEN, .number = 512, .chosen = 10, .expert_ffn = 512, .more = pm__more_qwen_next},
  {.types = "qwen3_5_text", .kinds = "linear_attention", .kv_heads = 4, .head = 256, ATTENTION_BIAS,
   .qk_norm = PM__QK_HEADS, .rotary = 0.25,
   .more = pm__more_qwen_next, .sizes = {4096, 32, 16, 12288, 248320}},
  {.types = "qwen3_5_moe_text", .kinds = "linear_attention", .kv_heads = 2, .head = 256, ATTENTION_BIAS,
   .qk_norm = PM__QK_HEADS, .rotary = 0.25,
   .experts = PM__EXPERTS_QWEN, .number = 256, .chosen = 8, .expert_ffn = 512, .more = pm__more_qwen_next,
   .sizes = {2048, 40, 16, 512, 248320}},
  {.types = "kimi_linear", .kinds = "linear_attention", .head = 1, .experts = PM__EXPERTS_BEHIND, .dense = 1,
   .number = 256, .chosen = 8,
   .expert_ffn = 1024, .shared = 1, .more = pm__more_kimi_linear},
  {.types = "lfm2_moe", .kinds = "conv", .kv_heads = 8, .qk_norm = PM__QK_HEADS, .tied = true,
   .experts = PM__EXPERTS_BEHIND, .dense = 2, .number = 32, .chosen = 4, .expert_ffn = 1792, .more = pm__more_lfm2},
  {.types = "lfm2", .kinds = "conv", .kv_heads = 8, .qk_norm = PM__QK_HEADS, .tied = true, .more = pm__more_lfm2},

  /* GPT and its kin: an ungated feed-forward network of four times the width. */
  {.types = "gpt2", .norm = PM__NORM_LAYER, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .ungated = true, .activation = "gelu_new", .unturned = true, .tied = true,
   .embedding_rate = "embd_pdrop", .residual_rate = "resid_pdrop", .rate = 0.1, .more = pm__more_positions},
  {.types = "gpt_bigcode", .norm = PM__NORM_LAYER, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .ungated = true, .activation = "gelu_pytorch_tanh", .unturned = true, .tied = true,
   .embedding_rate = "embd_pdrop", .residual_rate = "resid_pdrop", .rate = 0.1, .more = pm__more_bigcode},
  {.types = "gpt_neo", .norm = PM__NORM_LAYER, .output_bias = "=yes", .ffn_bias = "=yes", .ungated = true,
   .activation = "gelu_new", .unturned = true, .tied = true, .embedding_rate = "embed_dropout",
   .residual_rate = "resid_dropout", .more = pm__more_gpt_neo},
  {.types = "gptj", .norm = PM__NORM_LAYER, .side = 1, .ffn_bias = "=yes", .head_bias = true, .ungated = true,
   .activation = "gelu_new", .embedding_rate = "embd_pdrop", .residual_rate = "resid_pdrop", .more = pm__more_gptj},
  {.types = "codegen", .norm = PM__NORM_LAYER, .side = 1, .ffn_bias = "=yes", .head_bias = true, .ungated = true,
   .activation = "gelu_new", .embedding_rate = "embd_pdrop", .residual_rate = "resid_pdrop", .more = pm__more_gptj},
  {.types = "bloom", .norm = PM__NORM_LAYER, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .ungated = true, .activation = "gelu", .unturned = true, .tied = true,
   .residual_rate = "hidden_dropout", .more = pm__more_bloom},
  {.types = "mpt", .norm = PM__NORM_LAYER_NO_BIAS, .ungated = true, .activation = "gelu", .unturned = true,
   .tied = true, .embedding_rate = "emb_pdrop", .residual_rate = "resid_pdrop",
   .more = pm__more_mpt},
  {.types = "opt", .norm = PM__NORM_LAYER, .qkv_bias = "enable_bias=yes", .output_bias = "enable_bias=yes",
   .ffn_bias = "enable_bias=yes", .ungated = true, .activation = "relu", .unturned = true,
   .tied = true, .residual_rate = "dropout", .rate = 0.1, .more = pm__more_opt},
  {.types = "biogpt", .norm = PM__NORM_LAYER, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .ungated = true, .activation = "gelu", .unturned = true, .tied = true,
   .embedding_rate = "hidden_dropout_prob", .residual_rate = "hidden_dropout_prob", .rate = 0.1,
   .more = pm__more_opt},
  {.types = "xglm", .norm = PM__NORM_LAYER, .qkv_bias = "=yes", .output_bias = "=yes", .ffn_bias = "=yes",
   .ungated = true, .activation = "gelu", .unturned = true, .tied = true,
   .embedding_rate = "dropout", .residual_rate = "dropout", .rate = 0.1},
};

const pm__decoder_family *pm__decoder_family_at(size_t index)
{
  return index < sizeof families / sizeof *families ? &families[index] : NULL;
}

const pm__decoder_family *pm__decoder_family_find(const char *type)
{
  const pm__decoder_family *family;
  for (size_t i = 0; (family = pm__decoder_family_at(i)) != NULL; i++)
    if (pm__list_has(family->types, type)) return family;
  return NULL;
}

/* ---- What most have in common ---- */

static const char layer_names[] = "num_hidden_layers|n_layer|n_layers|num_layers";
static const char head_names[] = "num_attention_heads|n_head|n_heads|num_heads|attention_heads";
static const char hidden_names[] = "hidden_size|n_embd|d_model|n_embed";
static const char ffn_names[] = "intermediate_size|n_inner|ffn_dim|ffn_hidden_size|moe_intermediate_size";
static const char kv_names[] = "num_key_value_heads|num_kv_heads|num_attention_groups";
static const char expert_names[] = "num_local_experts|num_experts|n_routed_experts|moe_num_experts";
static const char chosen_names[] = "num_experts_per_tok|num_experts_per_token|moe_top_k|moe_topk|moe_k|top_k_experts";

/* A switch by "setting", "setting=yes", "=yes"; NULL is off. */
static bool switched(const pm__config *c, const char *text)
{
  char name[PM_TEXT_MAX];
  if (text == NULL) return false;
  size_t length = strcspn(text, "=");
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  return length == 0 ? true : pm__config_flag(c, name, text[length] == '=');
}

/* A size, or what the type has where a part of a configuration leaves it out. */
static double size_of(const pm__decoder_family *f, int which, bool part)
{
  return part && f->sizes[which] > 0 ? f->sizes[which] : (double)NAN;
}

static bool sees_window(const pm__decoder_family *f, const pm__config *c, int i, double every, double first)
{
  (void)c;
  switch (f->windows) {
  case PM__WINDOWS_ALWAYS: return true;
  case PM__WINDOWS_EVEN: return i % 2 == 0;
  case PM__WINDOWS_PATTERN: return every > 0 && (i + 1) % (int)every != 0;
  case PM__WINDOWS_QWEN: return i >= first;
  default: return false;
  }
}

/* Lists that say something of each layer have as many entries or more (those of layers that predict further words). */
static void check_lists(const pm__decoder_family *f, const pm__config *c, const pm__decoder *d)
{
  static const char *const lists[] = {"layer_types", "mlp_layer_types", "layers_block_type", "indexer_types",
                                      "hybrid_layer_pattern", "no_rope_layers", "num_attention_heads_per_layer"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const pm__config_value *list = pm__config_find(c, lists[i]);
    if (list != NULL && list->type == PM__CONFIG_LIST && list->count > 0 && list->count < (size_t)d->count)
      pm__config_fail(c, "has %s of %zu layers, but %d layers", lists[i], list->count, d->count);
  }
  const pm__config_value *kinds = pm__config_words(c, "layer_types|layers_block_type");
  for (const pm__config_value *v = kinds != NULL ? kinds->first : NULL; v != NULL; v = v->next) {
    size_t length = strlen(v->text);
    bool known = pm__list_has_part("full_attention sliding_attention chunked_attention", v->text, length) ||
                 (f->kinds != NULL && pm__list_has_part(f->kinds, v->text, length));
    if (!known) pm__config_fail(c, "has a layer of type \"%.60s\", which is not modelled", v->text);
  }
}

/* Keys that a query of each layer sees at most. */
static void set_windows(const pm__decoder_family *f, const pm__config *c, pm__decoder *d)
{
  const pm__config_value *types = pm__config_words(c, "layer_types"), *type = types != NULL ? types->first : NULL;
  double window = pm__config_count_or_none(c, "sliding_window", 0);
  double chunk = pm__config_count_or_none(c, "attention_chunk_size", 0);
  const char *patterns = "sliding_window_pattern|_sliding_window_pattern|global_attn_every_n_layers";
  const pm__config_value *stated = pm__config_find(c, patterns);
  bool text = stated != NULL && stated->type == PM__CONFIG_TEXT; /* "LLLG": as long as it repeats */
  double every = text ? (double)strlen(stated->text) : pm__config_count_or_none(c, patterns, f->every);
  double first = pm__config_count_or_none(c, "max_window_layers", 28);
  if (f->windows == PM__WINDOWS_QWEN && !pm__config_flag(c, "use_sliding_window", false)) first = PM__CONFIG_LAYERS;
  for (int i = 0; i < d->count; i++, type = type != NULL ? type->next : NULL) {
    if (types == NULL) d->layers[i].window = sees_window(f, c, i, every, first) ? window : 0;
    else if (type != NULL && strcmp(type->text, "sliding_attention") == 0) d->layers[i].window = window;
    else if (type != NULL && strcmp(type->text, "chunked_attention") == 0) d->layers[i].window = chunk;
  }
}

static bool is_in(const pm__config_value *list, double number)
{
  for (const pm__config_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next)
    if (v->number == number) return true;
  return false;
}

/* Which layers have experts: as a list says, or by the rule of the family. */
static void place_experts(const pm__decoder_family *f, const pm__config *c, pm__decoder *d)
{
  const pm__config_value *types = pm__config_words(c, "mlp_layer_types"), *type = types != NULL ? types->first : NULL;
  const pm__config_value *dense = pm__config_some_layers(c, "mlp_only_layers", d->count);
  double step = pm__config_count(c, "decoder_sparse_step", 1);
  double first = pm__config_count_or_none(c, "first_k_dense_replace|num_dense_layers", f->dense);
  for (int i = 0; i < d->count; i++, type = type != NULL ? type->next : NULL) {
    bool sparse = f->experts == PM__EXPERTS_ALL || i >= first;
    if (f->experts == PM__EXPERTS_QWEN) sparse = (i + 1) % (int)step == 0 && !is_in(dense, i);
    if (type != NULL) sparse = strcmp(type->text, "sparse") == 0;
    if (sparse) d->layers[i].feed = PM__FEED_EXPERTS;
  }
}

static void set_experts(const pm__decoder_family *f, const pm__config *c, pm__decoder *d)
{
  if (f->experts == PM__EXPERTS_NONE) return;
  double none = (double)NAN, ffn = d->count > 0 ? d->layers[0].ffn : 1;
  bool all = f->experts == PM__EXPERTS_ALL;
  d->experts.number = pm__config_count(c, expert_names, f->number > 0 ? f->number : none);
  d->experts.chosen = pm__config_count(c, chosen_names, f->chosen > 0 ? f->chosen : none);
  d->experts.ffn = all ? ffn : pm__config_count(c, "moe_intermediate_size|expert_ffn_hidden_size", f->expert_ffn);
  double shared = pm__config_count_or_none(c, "n_shared_experts|num_shared_experts", f->shared);
  d->experts.shared = all ? 0 : shared * d->experts.ffn;
  if (f->experts == PM__EXPERTS_QWEN) {
    d->experts.shared = pm__config_count_or_none(c, "shared_expert_intermediate_size", 0);
    d->experts.shared_gate = d->experts.shared > 0;
  }
  place_experts(f, c, d);
}

static void set_layers(const pm__decoder_family *f, const pm__config *c, pm__decoder *d, bool part)
{
  double heads = f->attention_free ? 1 : pm__config_count(c, head_names, size_of(f, 2, part));
  bool stated = pm__config_find(c, "head_dim") != NULL || f->head == 0;
  bool wide = pm__config_find(c, ffn_names) == NULL && (f->ungated || f->attention_free);
  double ffn = wide ? 4 * d->hidden
    : pm__config_count(c, ffn_names, size_of(f, 3, part));
  double kv = pm__config_count(c, kv_names, f->kv_heads > 0 && (f->kv_heads <= heads) ? f->kv_heads : heads);
  double head = stated ? pm__config_head(c, d->hidden, heads, "head_dim") : f->head;
  double turned = f->unturned ? 0 : pm__decoder_rotary(c, f->rotary > 0 ? f->rotary : 1);
  for (int i = 0; i < d->count; i++)
    d->layers[i] = (pm__decoder_layer){.mixer = PM__MIXER_ATTENTION, .feed = PM__FEED_DENSE, .heads = heads,
                                       .kv_heads = kv, .head = head, .value = head, .rotary = turned, .ffn = ffn};
}

static void set_switches(const pm__decoder_family *f, const pm__config *c, pm__decoder *d)
{
  d->layer_norm = f->norm >= PM__NORM_LAYER;
  d->norm_affine = f->norm != PM__NORM_LAYER_PLAIN && f->norm != PM__NORM_RMS_PLAIN;
  d->norm_bias = f->norm == PM__NORM_LAYER;
  d->norms = f->norms;
  d->side = f->side;
  d->qk_norm = f->qk == NULL || switched(c, f->qk) ? f->qk_norm : PM__QK_NONE;
  d->qkv_bias = switched(c, f->qkv_bias);
  d->output_bias = switched(c, f->output_bias);
  d->ffn_bias = switched(c, f->ffn_bias);
  d->tied = pm__config_flag(c, "tie_word_embeddings", f->tied);
  d->head_bias = f->head_bias;
  d->gated = !f->ungated;
  d->final_norm = true;
}

static void set_rates(const pm__decoder_family *f, const pm__config *c, pm__decoder *d)
{
  const char *names = "attention_dropout|attn_pdrop|attention_probs_dropout_prob";
  d->attention_rate = pm__config_rate(c, names, f->embedding_rate != NULL ? f->rate : 0);
  d->embedding_rate = f->embedding_rate != NULL ? pm__config_rate(c, f->embedding_rate, f->rate) : 0;
  d->residual_rate = f->residual_rate != NULL ? pm__config_rate(c, f->residual_rate, f->rate) : 0;
}

/* Layers: as stated, else as many as a list describes one by one. */
static int count_layers(const pm__decoder_family *f, const pm__config *c, bool part)
{
  const pm__config_value *list = pm__config_find(c, "layers_block_type|hybrid_override_pattern");
  bool text = list != NULL && list->type == PM__CONFIG_TEXT;
  double listed = list == NULL ? 0 : text ? (double)strlen(list->text) : (double)list->count;
  bool few = listed >= 1 && listed <= PM__CONFIG_LAYERS;
  return pm__config_layers(c, layer_names, few ? listed : size_of(f, 1, part));
}

pm__decoder pm__decoder_family_describe(const pm__decoder_family *f, const pm__config *c, pm__arena *arena, bool part)
{
  pm__decoder d;
  memset(&d, 0, sizeof d);
  d.hidden = pm__config_count(c, hidden_names, size_of(f, 0, part));
  d.count = count_layers(f, c, part);
  d.vocabulary = pm__config_count(c, "vocab_size", size_of(f, 4, part));
  d.layers = (pm__decoder_layer *)pm__arena_alloc(arena, (size_t)d.count * sizeof *d.layers);
  d.keys = (int *)pm__arena_alloc(arena, 2 * (size_t)d.count * sizeof *d.keys);
  if (d.layers == NULL || d.keys == NULL) {
    pm__no_memory(c->error);
    d.count = 0;
    return d;
  }
  d.values = d.keys + d.count;
  d.activation = pm__config_word(c, "hidden_activation|hidden_act|activation_function|activation",
                                 f->activation != NULL ? f->activation : "silu");
  set_layers(f, c, &d, part);
  set_switches(f, c, &d);
  set_rates(f, c, &d);
  check_lists(f, c, &d);
  set_windows(f, c, &d);
  set_experts(f, c, &d);
  if (f->more != NULL && c->error->status == PM_OK) f->more(c, &d);
  return d;
}
