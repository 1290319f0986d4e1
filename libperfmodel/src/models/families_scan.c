/* Families with layers that carry a state: which layers do, and the sizes of it. */
#include <math.h>
#include <string.h>
#include "models/families.h"

static const double needed = (double)NAN;

static void set_all(pm__decoder *d, pm__decoder_mixer mixer, pm__decoder_feed feed)
{
  for (int i = 0; i < d->count; i++) d->layers[i].mixer = mixer, d->layers[i].feed = feed;
}

static void set_rotary(pm__decoder *d, double share)
{
  for (int i = 0; i < d->count; i++) d->layers[i].rotary = share;
}

/* The layers whose type in the list is one of the words get the mixer. False without a list. */
static bool set_listed(const pm__config *c, pm__decoder *d, const char *name, const char *words,
                       pm__decoder_mixer mixer)
{
  const pm__config_value *types = pm__config_words(c, name), *v = types != NULL ? types->first : NULL;
  for (int i = 0; i < d->count && v != NULL; i++, v = v->next)
    if (pm__list_has(words, v->text)) d->layers[i].mixer = mixer;
  return types != NULL;
}

/* ---- Mamba-2 ---- */

static void set_space(const pm__config *c, pm__decoder *d)
{
  double inner = pm__config_count(c, "mamba_d_ssm", pm__config_number(c, "mamba_expand|expand", 2, 0.01, 100) *
                                  d->hidden);
  d->scan.heads = pm__config_count(c, "mamba_num_heads|mamba_n_heads|num_heads", 128);
  const pm__config_value *head = pm__config_find(c, "mamba_head_dim|mamba_d_head");
  bool stated = head != NULL && head->type == PM__CONFIG_NUMBER; /* else "auto" */
  d->scan.head = stated ? pm__config_count(c, "mamba_head_dim|mamba_d_head", needed) : floor(inner / d->scan.heads);
  d->scan.state = pm__config_count(c, "ssm_state_size|mamba_d_state|state_size", 128);
  d->scan.groups = pm__config_count(c, "mamba_n_groups|n_groups", 1);
  d->scan.kernel = pm__config_count(c, "conv_kernel|mamba_d_conv", 4);
  d->scan.chunk = pm__config_count(c, "mamba_chunk_size|chunk_size", 256);
  d->scan.bias = pm__config_flag(c, "mamba_proj_bias", pm__config_flag(c, "use_bias", false));
  d->scan.conv_bias = pm__config_flag(c, "mamba_conv_bias", pm__config_flag(c, "use_conv_bias", true));
  d->scan.norm = pm__config_flag(c, "mamba_rms_norm", true);
}

void pm__more_mamba2(const pm__config *c, pm__decoder *d)
{
  set_space(c, d);
  d->scan.head = pm__config_count(c, "head_dim", 64);
  set_all(d, PM__MIXER_SPACE, PM__FEED_NONE);
}

void pm__more_falcon_h1(const pm__config *c, pm__decoder *d)
{
  set_space(c, d);
  d->scan.norm = pm__config_flag(c, "mamba_rms_norm", false);
  for (int i = 0; i < d->count; i++) d->layers[i].beside = PM__MIXER_SPACE;
}

void pm__more_granite_hybrid(const pm__config *c, pm__decoder *d)
{
  bool turned = strcmp(pm__config_word(c, "position_embedding_type", "nope"), "rope") == 0;
  set_space(c, d);
  if (!set_listed(c, d, "layer_types|layers_block_type", "mamba linear_attention", PM__MIXER_SPACE))
    set_all(d, PM__MIXER_SPACE, PM__FEED_DENSE);
  if (!turned) set_rotary(d, 0);
  double shared = pm__config_count_or_none(c, "shared_intermediate_size", 1024);
  d->experts.number = pm__config_count_or_none(c, "num_local_experts", 8);
  d->experts.chosen = pm__config_count_or_none(c, "num_experts_per_tok", 2);
  d->experts.ffn = d->layers[0].ffn;
  d->experts.shared = shared;
  for (int i = 0; i < d->count; i++) {
    d->layers[i].feed = d->experts.number > 0 ? PM__FEED_EXPERTS : PM__FEED_DENSE;
    d->layers[i].ffn = shared;
  }
}

void pm__more_bamba(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *list = pm__config_counts(c, "attn_layer_indices");
  set_space(c, d);
  for (int i = 0; i < d->count; i++) d->layers[i].mixer = PM__MIXER_SPACE;
  for (const pm__config_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next)
    if (v->number < d->count) d->layers[(int)v->number].mixer = PM__MIXER_ATTENTION;
  if (list == NULL) set_listed(c, d, "layer_types|layers_block_type", "attention full_attention", PM__MIXER_ATTENTION);
}

/* Every layer is one of: Mamba-2, attention, a feed-forward network, experts. */
static void set_part(pm__decoder_layer *l, char kind)
{
  l->mixer = kind == 'M' ? PM__MIXER_SPACE : kind == '*' ? PM__MIXER_ATTENTION : PM__MIXER_NONE;
  l->feed = kind == '-' ? PM__FEED_DENSE : kind == 'E' ? PM__FEED_EXPERTS : PM__FEED_NONE;
}

static char part_of_word(const char *word)
{
  if (strcmp(word, "mamba") == 0 || strcmp(word, "linear_attention") == 0) return 'M';
  if (strcmp(word, "moe") == 0) return 'E';
  return strcmp(word, "mlp") == 0 ? '-' : '*';
}

void pm__more_nemotron_h(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *types = pm__config_words(c, "layers_block_type|layer_types"),
    *v = types != NULL ? types->first : NULL;
  const char *pattern = pm__config_word(c, "hybrid_override_pattern", "");
  if (types == NULL && (strlen(pattern) != (size_t)d->count || strspn(pattern, "M*-E") != strlen(pattern)))
    pm__config_fail(c, "has no layers_block_type or hybrid_override_pattern (M, *, - and E) of its %d layers",
                    d->count);
  set_space(c, d);
  d->scan.norm = true;
  d->scan.conv_bias = pm__config_flag(c, "use_conv_bias", true);
  d->activation = pm__config_word(c, "mlp_hidden_act", "relu2");
  d->experts.plain = true;
  d->experts.narrow = pm__config_count_or_none(c, "moe_latent_size", 0);
  d->experts.number = pm__config_count(c, "n_routed_experts", 8);
  d->experts.chosen = pm__config_count(c, "num_experts_per_tok", 2);
  d->experts.ffn = pm__config_count(c, "moe_intermediate_size", 7688);
  d->experts.shared = pm__config_count_or_none(c, "moe_shared_expert_intermediate_size", 7688);
  for (int i = 0; i < d->count && c->error->status == PM_OK; i++, v = v != NULL ? v->next : NULL)
    set_part(&d->layers[i], v != NULL ? part_of_word(v->text) : types == NULL ? pattern[i] : '*');
}

/* ---- Mamba ---- */

static void set_selective(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *rank = pm__config_find(c, "mamba_dt_rank|time_step_rank");
  bool stated = rank != NULL && rank->type == PM__CONFIG_NUMBER; /* else "auto" */
  d->scan.heads = 1;
  d->scan.head = floor(pm__config_number(c, "mamba_expand|expand", 2, 0.01, 100) * d->hidden);
  d->scan.state = pm__config_count(c, "mamba_d_state|state_size", 16);
  d->scan.rank = stated ? pm__config_count(c, "mamba_dt_rank|time_step_rank", needed) : ceil(d->hidden / 16);
  d->scan.kernel = pm__config_count(c, "mamba_d_conv|conv_kernel", 4);
  d->scan.bias = pm__config_flag(c, "mamba_proj_bias", pm__config_flag(c, "use_bias", false));
  d->scan.conv_bias = pm__config_flag(c, "mamba_conv_bias", pm__config_flag(c, "use_conv_bias", true));
}

void pm__more_mamba(const pm__config *c, pm__decoder *d)
{
  set_selective(c, d);
  d->scan.plain_norm = strcmp(c->kind, "falcon_mamba") == 0;
  set_all(d, PM__MIXER_SELECTIVE, PM__FEED_NONE);
}

void pm__more_jamba(const pm__config *c, pm__decoder *d)
{
  int period = pm__config_interval(c, "attn_layer_period", 8);
  int experts = pm__config_interval(c, "expert_layer_period", 2);
  double at = pm__config_count_or_none(c, "attn_layer_offset", 4), first =
    pm__config_count_or_none(c, "expert_layer_offset", 1);
  set_selective(c, d);
  d->scan.norm = true;
  d->experts.number = pm__config_count(c, "num_experts", 16);
  d->experts.chosen = pm__config_count(c, "num_experts_per_tok", 2);
  d->experts.ffn = d->layers[0].ffn;
  for (int i = 0; i < d->count; i++) {
    if (i % period != at) d->layers[i].mixer = PM__MIXER_SELECTIVE;
    if (d->experts.number > 1 && i % experts == first) d->layers[i].feed = PM__FEED_EXPERTS;
  }
}

/* ---- Delta rules ---- */

void pm__more_qwen_next(const pm__config *c, pm__decoder *d)
{
  int every = pm__config_interval(c, "full_attention_interval", 4);
  d->gate = PM__GATE_FEATURES;
  d->scan.heads = pm__config_count(c, "linear_num_value_heads", 32);
  d->scan.groups = pm__config_count(c, "linear_num_key_heads", 16);
  d->scan.head = pm__config_count(c, "linear_value_head_dim", 128);
  d->scan.state = pm__config_count(c, "linear_key_head_dim", 128);
  d->scan.kernel = pm__config_count(c, "linear_conv_kernel_dim", 4);
  d->scan.chunk = 64;
  if (!set_listed(c, d, "layer_types", "linear_attention", PM__MIXER_DELTA))
    for (int i = 0; i < d->count; i++)
      if ((i + 1) % every != 0) d->layers[i].mixer = PM__MIXER_DELTA;
}

/* Layers are counted from 1 in the lists of the published configurations. */
void pm__more_kimi_linear(const pm__config *c, pm__decoder *d)
{
  pm__config linear = pm__config_child(c, "linear_attn_config");
  const pm__config_value *list = pm__config_counts(&linear, "kda_layers");
  pm__more_latent(c, d);
  d->scan.heads = d->scan.groups = pm__config_count(&linear, "num_heads", pm__config_count(c, "linear_num_heads", 32));
  d->scan.head = d->scan.state = pm__config_count(&linear, "head_dim", pm__config_count(c, "linear_head_dim", 128));
  d->scan.kernel = pm__config_count(&linear, "short_conv_kernel_size",
                                    pm__config_count(c, "linear_conv_kernel_dim", 4));
  d->scan.chunk = 64;
  for (int i = 0; i < d->count; i++) d->layers[i].rotary = 0;
  for (const pm__config_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next)
    if (v->number >= 1 && v->number <= d->count) d->layers[(int)v->number - 1].mixer = PM__MIXER_KIMI;
  if (list == NULL) set_listed(c, d, "layer_types", "linear_attention", PM__MIXER_KIMI);
}

/* ---- Convolutions ---- */

void pm__more_lfm2(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *list = pm__config_counts(c, "full_attn_idxs");
  double ffn = d->layers[0].ffn, multiple = pm__config_count(c, "block_multiple_of", 256);
  d->scan.kernel = pm__config_count(c, "conv_L_cache", 3);
  d->scan.bias = d->scan.conv_bias = pm__config_flag(c, "conv_bias", false);
  if (d->experts.number == 0 && pm__config_flag(c, "block_auto_adjust_ff_dim", true)) {
    ffn = floor(2 * ffn / 3);
    ffn = floor(pm__config_number(c, "block_ffn_dim_multiplier", 1, 0.01, 100) * ffn);
    ffn = ceil(ffn / multiple) * multiple;
  }
  for (int i = 0; i < d->count; i++) {
    d->layers[i].ffn = ffn;
    if (list != NULL) d->layers[i].mixer = PM__MIXER_CONVOLUTION;
  }
  for (const pm__config_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next)
    if (v->number < d->count) d->layers[(int)v->number].mixer = PM__MIXER_ATTENTION;
  set_listed(c, d, "layer_types", "conv", PM__MIXER_CONVOLUTION);
  set_listed(c, d, "layer_types", "full_attention", PM__MIXER_ATTENTION);
}
