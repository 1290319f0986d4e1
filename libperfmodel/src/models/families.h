/* Decoder-only families, a table: how the settings of each model type describe a decoder. */
#ifndef PM_MODELS_FAMILIES_H
#define PM_MODELS_FAMILIES_H

#include "models/decoder.h"

/* Which layers see a window, where the configuration has no list of layers' types. */
typedef enum pm__decoder_family_windows {
  PM__WINDOWS_LISTED,  /* only those that a list names */
  PM__WINDOWS_ALWAYS,  /* all */
  PM__WINDOWS_EVEN,    /* the first, the third, ... */
  PM__WINDOWS_PATTERN, /* all but every nth */
  PM__WINDOWS_QWEN     /* from a layer on, if it is switched on */
} pm__decoder_family_windows;

/* Which layers have experts, where no list says so. */
typedef enum pm__decoder_family_experts {
  PM__EXPERTS_NONE,
  PM__EXPERTS_ALL,    /* of the width of the feed-forward network */
  PM__EXPERTS_BEHIND, /* all behind the first dense ones */
  PM__EXPERTS_QWEN    /* every so many, but for those that are named */
} pm__decoder_family_experts;

/* Norms of a family. */
typedef enum pm__decoder_family_norm { PM__NORM_RMS, PM__NORM_RMS_PLAIN, PM__NORM_LAYER, PM__NORM_LAYER_PLAIN,
  PM__NORM_LAYER_NO_BIAS } pm__decoder_family_norm;

typedef struct pm__decoder_family {
  const char *types;     /* model types, separated by spaces */
  double kv_heads, head; /* where the configuration states none; 0: as many as heads, hidden / heads */
  /* Switches, by the setting that has them: "attention_bias"; "attention_bias=yes" if it is on without it; "=yes" */
  const char *qkv_bias, *output_bias, *ffn_bias, *qk;
  pm__decoder_qk qk_norm; /* if `qk` is on, or NULL */
  pm__decoder_norms norms;
  pm__decoder_family_norm norm;
  int side;
  bool tied;                         /* the head to the words' embedding, where the configuration does not say */
  bool attention_free;               /* it has neither heads nor a feed-forward network */
  bool ungated, head_bias, unturned; /* unturned: no part of a head is turned by positions */
  const char *activation;            /* where the configuration states none; NULL: silu */
  double rotary;                     /* part of a head that positions turn, where none is stated; 0: all */
  pm__decoder_family_windows windows;
  int every; /* of a pattern */
  pm__decoder_family_experts experts;
  double dense;  /* the first layers, without experts, where the configuration does not say how many */
  double number, chosen, expert_ffn, shared; /* experts, where it does not say; shared: times the width of one */
  const char *embedding_rate, *residual_rate; /* settings of what is dropped */
  double rate;                                /* where they are not stated */
  const char *kinds; /* words of layer_types that `more` reads; NULL: only those of all families */
  double sizes[5]; /* hidden, layers, heads, ffn, vocabulary of a part of a configuration that leaves them out */
  void (*more)(const pm__config *config, pm__decoder *decoder); /* what only this family has */
} pm__decoder_family;

/* NULL: no decoder-only family. */
const pm__decoder_family *pm__decoder_family_find(const char *type);

/* The families in their order; NULL past the last. */
const pm__decoder_family *pm__decoder_family_at(size_t index);

/* The description of a decoder; layers are in the arena. Check config->error. `part`: a configuration within another,
** of which sizes that are those of its type are left out. */
pm__decoder pm__decoder_family_describe(const pm__decoder_family *family, const pm__config *config, pm__arena *arena,
                                        bool part);

/* What only some families have: families_more.c. */
void pm__more_unturned(const pm__config *config, pm__decoder *decoder);
void pm__more_llama4(const pm__config *config, pm__decoder *decoder);
void pm__more_minimax(const pm__config *config, pm__decoder *decoder);
void pm__more_latent(const pm__config *config, pm__decoder *decoder);
void pm__more_sparse(const pm__config *config, pm__decoder *decoder);
void pm__more_gemma4(const pm__config *config, pm__decoder *decoder);
void pm__more_mimo(const pm__config *config, pm__decoder *decoder);
void pm__more_step(const pm__config *config, pm__decoder *decoder);
void pm__more_ernie(const pm__config *config, pm__decoder *decoder);
void pm__more_hunyuan(const pm__config *config, pm__decoder *decoder);
void pm__more_granite(const pm__config *config, pm__decoder *decoder);
void pm__more_gpt_oss(const pm__config *config, pm__decoder *decoder);
void pm__more_exaone4(const pm__config *config, pm__decoder *decoder);
void pm__more_aria(const pm__config *config, pm__decoder *decoder);
void pm__more_cohere_experts(const pm__config *config, pm__decoder *decoder);
void pm__more_afmoe(const pm__config *config, pm__decoder *decoder);
void pm__more_blocks(const pm__config *config, pm__decoder *decoder);
void pm__more_falcon(const pm__config *config, pm__decoder *decoder);
void pm__more_positions(const pm__config *config, pm__decoder *decoder);
void pm__more_gptj(const pm__config *config, pm__decoder *decoder);
void pm__more_mpt(const pm__config *config, pm__decoder *decoder);
void pm__more_opt(const pm__config *config, pm__decoder *decoder);
void pm__more_gpt_neo(const pm__config *config, pm__decoder *decoder);
void pm__more_bigcode(const pm__config *config, pm__decoder *decoder);
void pm__more_bloom(const pm__config *config, pm__decoder *decoder);
void pm__more_hyperclovax(const pm__config *config, pm__decoder *decoder);
void pm__more_bitnet(const pm__config *config, pm__decoder *decoder);
void pm__more_sinks(const pm__config *config, pm__decoder *decoder);
void pm__more_laguna(const pm__config *config, pm__decoder *decoder);
void pm__more_minicpm3(const pm__config *config, pm__decoder *decoder);
void pm__more_minimax_m3(const pm__config *config, pm__decoder *decoder);
void pm__more_compressed(const pm__config *config, pm__decoder *decoder);
void pm__more_beside(const pm__config *config, pm__decoder *decoder);

/* And with layers that carry a state: families_scan.c. */
void pm__more_mamba(const pm__config *config, pm__decoder *decoder);
void pm__more_mamba2(const pm__config *config, pm__decoder *decoder);
void pm__more_falcon_h1(const pm__config *config, pm__decoder *decoder);
void pm__more_granite_hybrid(const pm__config *config, pm__decoder *decoder);
void pm__more_bamba(const pm__config *config, pm__decoder *decoder);
void pm__more_nemotron_h(const pm__config *config, pm__decoder *decoder);
void pm__more_jamba(const pm__config *config, pm__decoder *decoder);
void pm__more_qwen_next(const pm__config *config, pm__decoder *decoder);
void pm__more_kimi_linear(const pm__config *config, pm__decoder *decoder);
void pm__more_lfm2(const pm__config *config, pm__decoder *decoder);

#endif
