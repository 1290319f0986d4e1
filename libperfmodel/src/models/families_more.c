/* What only some families of decoders have, and no column of their table says. */
#include <math.h>
#include <string.h>
#include "models/families.h"

static const double needed = (double)NAN;

/* ---- Positions that turn only some layers ---- */

/* A list of whether each layer is turned, or every so many that is not. */
void pm__more_unturned(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *list = pm__config_counts(c, "no_rope_layers"), *v = list != NULL ? list->first : NULL;
  int every = pm__config_interval(c, "no_rope_layer_interval", 4);
  for (int i = 0; i < d->count; i++, v = v != NULL ? v->next : NULL)
    if (v != NULL ? v->number == 0 : list == NULL && (i + 1) % every == 0) d->layers[i].rotary = 0;
}

/* Layers that see all keys are not turned, where others have windows. */
void pm__more_exaone4(const pm__config *c, pm__decoder *d)
{
  (void)c;
  bool windows = false;
  for (int i = 0; i < d->count; i++) windows |= d->layers[i].window > 0;
  for (int i = 0; i < d->count && windows; i++)
    if (d->layers[i].window == 0) d->layers[i].rotary = 0;
}

void pm__more_afmoe(const pm__config *c, pm__decoder *d)
{
  pm__more_exaone4(c, d);
  d->gate = PM__GATE_FEATURES;
  d->experts.router_bias = true;
}

/* ---- Experts ---- */

void pm__more_aria(const pm__config *c, pm__decoder *d)
{
  d->experts.shared = pm__config_count_or_none(c, "moe_num_shared_experts", 2) * d->experts.ffn;
}

/* Dense layers first, of a width of their own, with windows of another pattern; all of them are turned. */
void pm__more_cohere_experts(const pm__config *c, pm__decoder *d)
{
  bool listed = pm__config_find(c, "layer_types") != NULL, rms = pm__config_find(c, "rms_norm_eps") != NULL;
  int first = (int)fmin(pm__config_count_or_none(c, "first_k_dense_replace", 0), d->count);
  int every = pm__config_interval(c, "sliding_window_pattern", 4);
  int prefix = pm__config_interval(c, "prefix_dense_sliding_window_pattern", 1);
  double window = pm__config_count_or_none(c, "sliding_window", 4096), ffn = d->layers[0].ffn;
  double dense = pm__config_count(c, "prefix_dense_intermediate_size", ffn);
  d->experts.ffn = ffn;
  d->experts.shared = pm__config_count_or_none(c, "num_shared_experts", 0) * ffn;
  d->layer_norm = !rms;
  for (int i = 0; i < d->count; i++) {
    pm__decoder_layer *l = &d->layers[i];
    bool whole = i < first ? (i + 1) % prefix == 0 : (i - first + 1) % every == 0;
    if (!listed) l->window = whole ? 0 : window;
    if (l->feed == PM__FEED_DENSE) l->ffn = dense;
    if (l->window == 0 && !(l->feed == PM__FEED_DENSE && prefix == 1)) l->rotary = 0;
  }
}

void pm__more_gpt_oss(const pm__config *c, pm__decoder *d)
{
  (void)c;
  d->experts.bias = d->experts.router_bias = true;
  for (int i = 0; i < d->count; i++) d->layers[i].sinks = true;
}

void pm__more_granite(const pm__config *c, pm__decoder *d)
{
  d->experts.shared = pm__config_count_or_none(c, "shared_intermediate_size", 0);
  if (strcmp(c->kind, "granitemoe_swa") == 0) pm__more_sinks(c, d);
}

void pm__more_sinks(const pm__config *c, pm__decoder *d)
{
  (void)c;
  for (int i = 0; i < d->count; i++) d->layers[i].sinks = true;
}

void pm__more_hyperclovax(const pm__config *c, pm__decoder *d)
{
  if (pm__config_flag(c, "use_post_norm", true)) d->norms = PM__NORMS_AROUND;
}

void pm__more_bitnet(const pm__config *c, pm__decoder *d)
{
  (void)c;
  d->inner_norms = true;
}

/* Heads of each layer, and a gate of each head or feature. */
void pm__more_laguna(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *heads = pm__config_counts(c, "num_attention_heads_per_layer");
  const pm__config_value *v = heads != NULL ? heads->first : NULL, *gating = pm__config_find(c, "gating");
  bool features = gating != NULL && gating->type == PM__CONFIG_TEXT && strcmp(gating->text, "per-head") != 0;
  d->gate = features ? PM__GATE_FEATURES : PM__GATE_HEADS;
  d->experts.shared = pm__config_count_or_none(c, "shared_expert_intermediate_size", 512);
  d->experts.router_bias = true;
  for (int i = 0; i < d->count && v != NULL; i++, v = v->next) d->layers[i].heads = fmax(v->number, 1);
}

/* A number that a list has for each layer: the first stands for all. */
static double first_of(const pm__config *c, const char *name, double otherwise)
{
  const pm__config_value *value = pm__config_find(c, name);
  bool list = value != NULL && value->type == PM__CONFIG_LIST && value->count > 0;
  return list ? pm__config_counts(c, name) != NULL ? fmax(value->first->number, 1) : 1
              : pm__config_count(c, name, otherwise);
}

void pm__more_hunyuan(const pm__config *c, pm__decoder *d)
{
  d->experts.number = first_of(c, "num_experts", 1);
  d->experts.chosen = first_of(c, "moe_topk", 1);
  d->experts.ffn = first_of(c, "moe_intermediate_size", d->layers[0].ffn);
  d->experts.shared = d->layers[0].ffn;
  for (int i = 0; i < d->count; i++) d->layers[i].feed = PM__FEED_EXPERTS;
}

void pm__more_ernie(const pm__config *c, pm__decoder *d)
{
  double first = pm__config_count_or_none(c, "moe_layer_start_index", 1);
  const pm__config_value *end = pm__config_find(c, "moe_layer_end_index"); /* -1: the last */
  double last = end == NULL || end->number == -1 ? d->count - 1
    : pm__config_count_or_none(c, "moe_layer_end_index", needed);
  int step = pm__config_interval(c, "moe_layer_interval", 1);
  d->experts.number = pm__config_count(c, "moe_num_experts", 64);
  d->experts.chosen = pm__config_count(c, "moe_k", 6);
  d->experts.ffn = pm__config_count(c, "moe_intermediate_size", 1536);
  d->experts.shared = pm__config_count_or_none(c, "moe_num_shared_experts", 2) * d->experts.ffn;
  d->experts.router_bias = true;
  for (int i = 0; i < d->count; i++)
    if (i >= first && i <= last && (i + 1) % step == 0) d->layers[i].feed = PM__FEED_EXPERTS;
}

void pm__more_llama4(const pm__config *c, pm__decoder *d)
{
  int step = pm__config_interval(c, "interleave_moe_layer_step", 1);
  const pm__config_value *sparse = pm__config_counts(c, "moe_layers");
  double ffn = d->layers[0].ffn, dense = pm__config_count(c, "intermediate_size_mlp", 16384);
  d->experts.number = pm__config_count(c, "num_local_experts", 16);
  d->experts.chosen = pm__config_count(c, "num_experts_per_tok", 1);
  d->experts.ffn = d->experts.shared = ffn;
  for (int i = 0; i < d->count; i++) {
    d->layers[i].ffn = dense;
    if (sparse == NULL && (i + 1) % step == 0) d->layers[i].feed = PM__FEED_EXPERTS;
  }
  for (const pm__config_value *v = sparse != NULL ? sparse->first : NULL; v != NULL; v = v->next)
    if (v->number < d->count) d->layers[(int)v->number].feed = PM__FEED_EXPERTS;
  pm__more_unturned(c, d);
}

/* ---- Other mixers ---- */

/* Every second layer has linear attention. */
void pm__more_minimax(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *kinds = pm__config_words(c, "layer_types"), *v = kinds != NULL ? kinds->first : NULL;
  d->lightning_block = pm__config_count(c, "block_size", 256);
  for (int i = 0; i < d->count; i++, v = v != NULL ? v->next : NULL)
    if (v != NULL ? strcmp(v->text, "linear_attention") == 0 : kinds == NULL && i % 2 == 0)
      d->layers[i].mixer = PM__MIXER_LIGHTNING;
}

void pm__more_latent(const pm__config *c, pm__decoder *d)
{
  bool stated = pm__config_find(c, "q_lora_rank") != NULL;
  d->latent.q_rank = stated ? pm__config_count_or_none(c, "q_lora_rank", needed) : 0;
  d->latent.kv_rank = pm__config_count(c, "kv_lora_rank", 512);
  d->latent.own = pm__config_count(c, "qk_nope_head_dim", 128);
  d->latent.turned = pm__config_count_or_none(c, "qk_rope_head_dim", 64);
  d->latent.value = pm__config_count(c, "v_head_dim", 128);
  d->latent.bias = pm__config_flag(c, "attention_bias", false);
  for (int i = 0; i < d->count; i++) d->layers[i].mixer = PM__MIXER_LATENT;
}

void pm__more_minicpm3(const pm__config *c, pm__decoder *d)
{
  pm__more_latent(c, d);
  d->latent.q_rank = pm__config_count_or_none(c, "q_lora_rank", 768);
  d->latent.kv_rank = pm__config_count(c, "kv_lora_rank", 256);
  d->latent.own = pm__config_count(c, "qk_nope_head_dim", 64);
  d->latent.turned = pm__config_count_or_none(c, "qk_rope_head_dim", 32);
  d->latent.value = pm__config_count(c, "v_head_dim", floor(d->hidden / d->layers[0].heads));
}

/* A list that says of each layer whether it is so; the older name of it is a list of 0 and 1. `v` goes through it. */
static bool is_so(const pm__config_value **v, const char *word, bool otherwise)
{
  const pm__config_value *now = *v;
  if (now == NULL) return otherwise;
  *v = now->next;
  return now->type == PM__CONFIG_TEXT ? strcmp(now->text, word) == 0 : now->number != 0;
}

static const pm__config_value *either(const pm__config_value *list, const pm__config_value *old)
{
  return list != NULL ? list->first : old != NULL ? old->first : NULL;
}

/* Blocks of keys that narrow heads choose, in some layers; experts in most. */
void pm__more_minimax_m3(const pm__config *c, pm__decoder *d)
{
  pm__config old = pm__config_child(c, "sparse_attention_config");
  const pm__config_value *types = pm__config_words(c, "layer_types"), *feeds = pm__config_words(c, "mlp_layer_types");
  const pm__config_value *sparse = pm__config_counts(&old, "sparse_attention_freq");
  const pm__config_value *experts = pm__config_counts(c, "moe_layer_freq");
  double blocks = pm__config_count(&old, "sparse_topk_blocks", pm__config_count(c, "index_topk_blocks", 16));
  double dense = pm__config_count(c, "dense_intermediate_size", 12288);
  d->activation = "silu";
  d->index.heads = pm__config_count(&old, "sparse_num_index_heads", pm__config_count(c, "index_n_heads", 4));
  d->index.head = pm__config_count(&old, "sparse_index_dim", pm__config_count(c, "index_head_dim", 128));
  d->index.chosen = blocks * pm__config_count(&old, "sparse_block_size", pm__config_count(c, "index_block_size", 128));
  d->experts.ffn = d->layers[0].ffn;
  d->experts.shared = pm__config_count_or_none(c, "shared_intermediate_size", 3072);
  double turned = pm__config_count_or_none(c, "rotary_dim", 64) / d->layers[0].head;
  const pm__config_value *feed = either(feeds, experts), *type = either(types, sparse);
  for (int i = 0; i < d->count; i++) {
    bool sparse_feed = is_so(&feed, "sparse", true);
    d->layers[i].feed = sparse_feed ? PM__FEED_EXPERTS : PM__FEED_DENSE;
    d->layers[i].ffn = dense;
    d->layers[i].all_keys = !is_so(&type, "minimax_m3_sparse", false);
    d->layers[i].rotary = fmin(turned, 1);
  }
}

/* Tokens of a compressed key in a layer: as a list of types says, an older one of numbers, or the usual order. */
static double compressed_of(const pm__config_value *v, int layer, double few, double many)
{
  if (v == NULL) return layer >= 2 && (layer - 2) % 2 == 1 ? few : many;
  if (v->type != PM__CONFIG_TEXT) return v->number == 0 ? 0 : v->number < 64 ? few : many;
  if (strcmp(v->text, "sliding_attention") == 0) return 0;
  return strcmp(v->text, "compressed_sparse_attention") == 0 ? few : many;
}

/* DeepSeek-V4: a window, and compressed keys, of which some are chosen where each is of few tokens. */
void pm__more_compressed(const pm__config *c, pm__decoder *d)
{
  pm__config rates = pm__config_child(c, "compress_rates");
  double few = pm__config_count(&rates, "compressed_sparse_attention", pm__config_count(c, "compress_rate_csa", 4));
  double many = pm__config_count(&rates, "heavily_compressed_attention", pm__config_count(c, "compress_rate_hca", 128));
  double turned = pm__config_count_or_none(c, "qk_rope_head_dim", d->layers[0].rotary * d->layers[0].head);
  d->compressed.q_rank = pm__config_count(c, "q_lora_rank", 1024);
  d->compressed.groups = pm__config_count(c, "o_groups", 8);
  d->compressed.rank = pm__config_count(c, "o_lora_rank", 1024);
  d->index.heads = pm__config_count(c, "index_n_heads", 64);
  d->index.head = pm__config_count(c, "index_head_dim", 128);
  d->index.chosen = pm__config_count(c, "index_topk", 512);
  d->streams = pm__config_whole(c, "hc_mult", 4, 2, 16);
  const pm__config_value *v = either(pm__config_words(c, "layer_types"), pm__config_counts(c, "compress_ratios"));
  for (int i = 0; i < d->count; i++, v = v != NULL ? v->next : NULL) {
    double every = compressed_of(v, i, few, many);
    d->layers[i].mixer = PM__MIXER_COMPRESSED;
    d->layers[i].feed = PM__FEED_EXPERTS;
    d->layers[i].window = pm__config_count(c, "sliding_window", 128);
    d->layers[i].rotary = fmin(turned / d->layers[i].head, 1);
    d->layers[i].compress = every;
    d->layers[i].all_keys = every != few;
  }
}

/* Sparse attention: a few narrow heads choose the keys; some layers take the choice of the one before. */
void pm__more_sparse(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *types = pm__config_words(c, "indexer_types"), *v = types != NULL ? types->first : NULL;
  pm__more_latent(c, d);
  d->index.heads = pm__config_count(c, "index_n_heads", strcmp(c->kind, "deepseek_v32") == 0 ? 64 : 32);
  d->index.head = pm__config_count(c, "index_head_dim", 128);
  d->index.chosen = pm__config_count(c, "index_topk", 2048);
  for (int i = 0; i < d->count; i++, v = v != NULL ? v->next : NULL)
    d->layers[i].reuses = v != NULL && strcmp(v->text, "full") != 0;
}

/* ---- Layers that differ in their heads ---- */

/* Windows in all layers but the first and every sixth, with twice as many heads of keys, and sinks. */
void pm__more_mimo(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *types = pm__config_words(c, "layer_types"), *type = types != NULL ? types->first : NULL;
  const pm__config_value *old = pm__config_counts(c, "hybrid_layer_pattern"), *v = old != NULL ? old->first : NULL;
  const pm__config_value *sparse = pm__config_counts(c, "moe_layer_freq"), *s = sparse != NULL ? sparse->first : NULL;
  double kv = pm__config_count(c, "swa_num_key_value_heads", 2 * d->layers[0].kv_heads);
  double window = pm__config_count(c, "sliding_window_size|sliding_window", 129), value =
    pm__config_count(c, "v_head_dim", 128), turned = pm__decoder_rotary(c, 0.334);
  for (int i = 0; i < d->count; i++) {
    bool narrow = type != NULL ? strcmp(type->text, "sliding_attention") == 0
                : v != NULL ? v->number != 0 : i > 0 && (i + 1) % 6 != 0;
    d->layers[i].value = value;
    d->layers[i].rotary = turned;
    d->layers[i].window = narrow ? window : 0;
    d->layers[i].sinks = narrow;
    if (narrow) d->layers[i].kv_heads = kv;
    if (s != NULL) d->layers[i].feed = s->number != 0 ? PM__FEED_EXPERTS : PM__FEED_DENSE;
    type = type != NULL ? type->next : NULL;
    v = v != NULL ? v->next : NULL;
    s = s != NULL ? s->next : NULL;
  }
}

/* "3,4,5,...,44": the layers that have experts. */
static void sparse_by_text(const char *text, pm__decoder *d)
{
  for (int i = 0; i < d->count; i++) d->layers[i].feed = PM__FEED_DENSE;
  for (const char *p = text; *p != '\0'; p += *p != '\0') {
    int layer = pm__whole_at(p, d->count - 1, &p);
    if (layer >= 0) d->layers[layer].feed = PM__FEED_EXPERTS;
  }
}

/* Other numbers of heads in layers with windows, and a gate of each head. */
void pm__more_step(const pm__config *c, pm__decoder *d)
{
  pm__config other = pm__config_child(c, "attention_other_setting");
  double heads = pm__config_count(&other, "num_attention_heads", d->layers[0].heads);
  double kv = pm__config_count(&other, "num_attention_groups", d->layers[0].kv_heads);
  heads = pm__config_count(c, "num_sliding_attention_heads", heads);
  const pm__config_value *sparse = pm__config_find(c, "moe_layers_enum");
  d->gate = PM__GATE_HEADS;
  d->experts.shared = pm__config_count_or_none(c, "share_expert_dim|share_expert_dims", 1280);
  for (int i = 0; i < d->count; i++)
    if (d->layers[i].window > 0) d->layers[i].heads = heads, d->layers[i].kv_heads = kv;
  if (sparse != NULL && sparse->type == PM__CONFIG_TEXT && pm__config_find(c, "mlp_layer_types") == NULL)
    sparse_by_text(sparse->text, d);
}

/* The last layers take keys and values of the last layer before them that is of their kind. */
static void share_keys(const pm__config *c, pm__decoder *d)
{
  int first = d->count - (int)pm__config_whole(c, "num_kv_shared_layers", 0, 0, d->count);
  bool wide = pm__config_flag(c, "use_double_wide_mlp", false);
  for (int i = first; i < d->count; i++) {
    int from = first - 1;
    while (from >= 0 && (d->layers[from].window > 0) != (d->layers[i].window > 0)) from--;
    d->layers[i].keys_of = from + 1;
    if (wide) d->layers[i].ffn *= 2;
  }
}

/* Wider heads in layers that see all keys; rows for each layer; experts beside the feed-forward network. */
void pm__more_gemma4(const pm__config *c, pm__decoder *d)
{
  bool same = pm__config_flag(c, "attention_k_eq_v", false), sparse = pm__config_flag(c, "enable_moe_block", false);
  bool unified = strcmp(c->kind, "gemma4_unified_text") == 0; /* without rows for each layer */
  double window = pm__config_count(c, "sliding_window", unified ? 1024 : 512);
  double head = pm__config_count(c, "global_head_dim", 512);
  double kv = same ? pm__config_count(c, "num_global_key_value_heads", d->layers[0].kv_heads) : d->layers[0].kv_heads;
  bool listed = pm__config_find(c, "layer_types") != NULL;
  for (int i = 0; i < d->count; i++) {
    pm__decoder_layer *l = &d->layers[i];
    bool whole = i == d->count - 1 || (listed ? l->window == 0 : (i + 1) % 6 == 0);
    l->window = whole ? 0 : window;
    if (sparse) l->feed = PM__FEED_BOTH;
    if (!whole) continue;
    l->head = l->value = head;
    l->kv_heads = kv;
    l->keys_are_values = same;
    l->rotary = 0.25;
  }
  share_keys(c, d);
  d->value_norm = true;
  d->per_layer.features = pm__config_count_or_none(c, "hidden_size_per_layer_input", unified ? 0 : 256);
  d->per_layer.vocabulary = pm__config_count(c, "vocab_size_per_layer_input", 262144);
  if (!sparse) return;
  d->experts.number = pm__config_count(c, "num_experts", needed);
  d->experts.chosen = pm__config_count(c, "top_k_experts", needed);
  d->experts.router_bias = true; /* a learned factor of each expert */
  d->experts.ffn = pm__config_count(c, "moe_intermediate_size", needed);
}

/* ---- Networks that were searched: every layer is described by itself ---- */

static double rounded_up(double number, double to)
{
  return ceil(number / to) * to;
}

static void read_attention_block(const pm__config *block, pm__decoder_layer *l)
{
  if (pm__config_flag(block, "no_op", false)) l->mixer = PM__MIXER_NONE;
  else if (pm__config_flag(block, "replace_with_linear", false)) l->mixer = PM__MIXER_LINEAR;
  else {
    double group = pm__config_count(block, "n_heads_in_group", 1);
    l->kv_heads = fmax(1, floor(l->heads / group));
    l->window = pm__config_count_or_none(block, "window_length", 0);
  }
}

static void read_ffn_block(const pm__config *block, double hidden, pm__decoder_layer *l)
{
  if (pm__config_flag(block, "no_op", false)) l->feed = PM__FEED_NONE;
  else if (pm__config_flag(block, "replace_with_linear", false)) l->feed = PM__FEED_LINEAR;
  else if (pm__config_find(block, "intermediate_size") != NULL)
    l->ffn = pm__config_count(block, "intermediate_size", needed);
  else l->ffn = rounded_up(floor(2 * pm__config_number(block, "ffn_mult", needed, 0.001, 1000) * hidden / 3), 256);
}

void pm__more_blocks(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *blocks = pm__config_find(c, "block_configs");
  if (blocks == NULL || blocks->type != PM__CONFIG_LIST || blocks->count != (size_t)d->count) {
    pm__config_fail(c, "has no block_configs of its %d layers", d->count);
    return;
  }
  const pm__config_value *v = blocks->first;
  for (int i = 0; i < d->count; i++, v = v->next) {
    if (v->type != PM__CONFIG_OBJECT) {
      pm__config_fail(c, "has block_configs with %s, which is not a configuration", v->text);
      return;
    }
    pm__config block = {c->kind, v, c->error};
    pm__config attention = pm__config_child(&block, "attention"), ffn = pm__config_child(&block, "ffn");
    read_attention_block(&attention, &d->layers[i]);
    read_ffn_block(&ffn, d->hidden, &d->layers[i]);
  }
}

/* ---- GPT and its kin ---- */

void pm__more_beside(const pm__config *c, pm__decoder *d)
{
  bool neox = strcmp(c->kind, "gpt_neox") == 0;
  if (pm__config_flag(c, "use_parallel_residual", neox)) d->side = neox ? 2 : 1;
}

/* Heads grouped in the new architecture, one key and value for all in the old, unless each head has its own. */
void pm__more_falcon(const pm__config *c, pm__decoder *d)
{
  bool grouped = pm__config_flag(c, "new_decoder_architecture", false);
  bool beside = pm__config_flag(c, "parallel_attn", true);
  double heads = d->layers[0].heads, norms = pm__config_count(c, "num_ln_in_parallel_attn", grouped ? 2 : 1);
  double own = !grouped && !pm__config_flag(c, "multi_query", true) ? heads : 1;
  double kv = grouped ? pm__config_count(c, "num_kv_heads", heads) : own;
  d->side = !beside && !grouped ? 0 : norms == 2 ? 2 : 1;
  for (int i = 0; i < d->count; i++) {
    d->layers[i].kv_heads = kv;
    if (pm__config_flag(c, "alibi", false)) d->layers[i].rotary = 0;
  }
}

void pm__more_positions(const pm__config *c, pm__decoder *d)
{
  d->positions = pm__config_count(c, "n_positions|n_ctx", needed);
}

void pm__more_bigcode(const pm__config *c, pm__decoder *d)
{
  pm__more_positions(c, d);
  for (int i = 0; i < d->count; i++)
    if (pm__config_flag(c, "multi_query", true)) d->layers[i].kv_heads = 1;
}

void pm__more_gpt_neo(const pm__config *c, pm__decoder *d)
{
  const pm__config_value *types = pm__config_words(c, "attention_layers"), *type = types != NULL ? types->first : NULL;
  double window = pm__config_count(c, "window_size", 256);
  d->positions = pm__config_count(c, "max_position_embeddings", needed);
  for (int i = 0; i < d->count; i++, type = type != NULL ? type->next : NULL)
    if (type != NULL ? strcmp(type->text, "local") == 0 : i % 2 == 1) d->layers[i].window = window;
}

void pm__more_gptj(const pm__config *c, pm__decoder *d)
{
  double turned = pm__config_count(c, "rotary_dim", 64) / d->layers[0].head;
  for (int i = 0; i < d->count; i++) d->layers[i].rotary = fmin(turned, 1);
}

void pm__more_bloom(const pm__config *c, pm__decoder *d)
{
  (void)c;
  d->embedding_norm = true;
}

void pm__more_mpt(const pm__config *c, pm__decoder *d)
{
  pm__config attention = pm__config_child(c, "attn_config");
  double ffn = pm__config_count(c, "expansion_ratio", 4) * d->hidden;
  d->attention_rate = pm__config_rate(&attention, "attn_pdrop", 0);
  for (int i = 0; i < d->count; i++) d->layers[i].ffn = ffn;
}

void pm__more_opt(const pm__config *c, pm__decoder *d)
{
  bool before = pm__config_flag(c, "do_layer_norm_before", true);
  d->norm_affine = pm__config_flag(c, "layer_norm_elementwise_affine", true);
  d->norms = before ? PM__NORMS_BEFORE : PM__NORMS_SUM;
  d->positions = pm__config_count(c, "max_position_embeddings", needed) + 2;
  d->embedding_features = pm__config_count_or_none(c, "word_embed_proj_dim", 0);
  d->final_norm = before && !pm__config_flag(c, "_remove_final_layer_norm", false);
}
