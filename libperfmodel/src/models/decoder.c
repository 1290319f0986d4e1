/* The network of a described decoder, layer by layer. */
#include "models/decoder.h"
#include "models/compressed.h"
#include "models/scans.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char positions[] = "max_position_embeddings|n_positions|n_ctx|max_seq_len|seq_length|model_max_length";

double pm__decoder_rotary(const pm__config *c, double otherwise)
{
  pm__config rope = pm__config_child(c, "rope_parameters");
  double whole = pm__config_number(c, "partial_rotary_factor|rotary_pct", otherwise, 0, 1);
  return pm__config_number(&rope, "partial_rotary_factor", whole, 0, 1);
}

/* ---- Norms ---- */

static int norm(pm__body *b, const pm__decoder *d, const char *name, int on, double heads)
{
  return pm__body_add(b, d->layer_norm ? "layer_norm" : "rms_norm", name, PM__ON(on), "heads=%.0f%s%s", heads,
                      d->norm_affine ? "" : " affine=no",
                      d->layer_norm && d->norm_affine && !d->norm_bias ? " bias=no" : "");
}

static int plain_norm(pm__body *b, const pm__decoder *d, const char *name, int on, double heads)
{
  pm__decoder without = *d;
  without.norm_affine = false;
  return norm(b, &without, name, on, heads);
}

/* Of queries or keys. */
static int head_norm(pm__body *b, const pm__decoder *d, const char *name, const char *scale, int on, double heads)
{
  if (d->qk_norm == PM__QK_NONE) return on;
  if (d->qk_norm == PM__QK_ROW) return norm(b, d, name, on, 1);
  if (d->qk_norm == PM__QK_HEADS) return norm(b, d, name, on, heads);
  int made = plain_norm(b, d, name, on, heads);
  return d->qk_norm == PM__QK_EACH ? pm__body_add(b, "scale", scale, PM__ON(made), "axis=-1") : made;
}

/* ---- Attention ---- */

static int attend(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, const int *inputs, int count,
                  double kv_heads, double window)
{
  return pm__body_add(b, "attention", "attention", inputs, count,
                      "heads=%.0f kv_heads=%.0f causal=yes window=%.0f most_keys=%.0f sinks=%s dropout=%.17g flash=%s",
                      l->heads, kv_heads, window, l->all_keys ? 0 : d->index.chosen, pm__yes(l->sinks),
                      d->attention_rate, pm__yes(b->flash));
}

/* What was attended to, times a number for each head or feature that its input gives. */
static int gate(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int x, int attended)
{
  if (d->gate == PM__GATE_NONE) return attended;
  bool whole = d->gate == PM__GATE_FEATURES;
  pm__body_linear(b, "gate_proj", x, whole ? l->heads * l->value : l->heads, false);
  int open = pm__body_activation(b, "gate_act", "sigmoid");
  if (whole) return pm__body_add(b, "multiply", "gated", PM__ON(attended, open), " ");
  return pm__body_add(b, "pointwise", "gated", PM__ON(attended), "flop=1 keeps=inputs");
}

static int queries(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int x)
{
  int q = pm__body_linear(b, "q_proj", x, l->heads * l->head, d->qkv_bias);
  q = head_norm(b, d, "q_norm", "q_norm.scale", q, l->heads);
  return pm__body_rotate(b, "q_rotary", l->rotary, q);
}

/* Keys and values of a layer, or those that another one has made. */
static void keys_and_values(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int x, int *k, int *v)
{
  if (l->keys_of > 0) {
    *k = d->keys[l->keys_of - 1];
    *v = d->values[l->keys_of - 1];
    return;
  }
  int made = pm__body_linear(b, "k_proj", x, l->kv_heads * l->head, d->qkv_bias);
  *k = head_norm(b, d, "k_norm", "k_norm.scale", made, l->kv_heads);
  *k = pm__body_rotate(b, "k_rotary", l->rotary, *k);
  *v = l->keys_are_values ? made : pm__body_linear(b, "v_proj", x, l->kv_heads * l->value, d->qkv_bias);
  if (d->value_norm) *v = plain_norm(b, d, "v_norm", *v, l->kv_heads);
}

/* Narrow queries and one narrow key of the same rows, each with a norm, choose blocks of keys (MiniMax M3). */
static void choose_blocks(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int x)
{
  if (d->index.heads == 0 || l->all_keys) return;
  int made = pm__body_linear(b, "indexer.q_proj", x, d->index.heads * d->index.head, false);
  int queries = pm__body_rotate(b, "indexer.q_rotary", l->rotary,
                                norm(b, d, "indexer.q_norm", made, d->index.heads));
  made = norm(b, d, "indexer.k_norm", pm__body_linear(b, "indexer.k_proj", x, d->index.head, false), 1);
  int keys = pm__body_rotate(b, "indexer.k_rotary", l->rotary, made);
  pm__body_add(b, "key_index", "indexer", PM__ON(queries, keys), "heads=%.0f chosen=%.0f", d->index.heads,
               d->index.chosen);
}

static int attention(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  ptrdiff_t i = l - d->layers;
  int x = b->last;
  choose_blocks(b, d, l, x);
  int q = queries(b, d, l, x);
  keys_and_values(b, d, l, x, &d->keys[i], &d->values[i]);
  int attended = attend(b, d, l, PM__ON(q, d->keys[i], d->values[i]), l->kv_heads, l->window);
  gate(b, d, l, x, attended);
  if (d->inner_norms) norm(b, d, "inner_norm", b->last, 1);
  return pm__body_linear(b, "o_proj", -1, d->hidden, d->output_bias);
}

/* Narrow queries of the same latent, one narrow key, and a weight of each head. */
static void choose_keys(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int x, int from)
{
  if (d->index.heads == 0 || l->reuses) return;
  int queries = pm__body_linear(b, "indexer.wq", from, d->index.heads * d->index.head, false);
  pm__body_linear(b, "indexer.wk", x, d->index.head, false);
  int keys = pm__body_add(b, "layer_norm", "indexer.k_norm", PM__ON_LAST(b), " ");
  int weights = pm__body_linear(b, "indexer.weights_proj", x, d->index.heads, false);
  pm__body_add(b, "key_index", "indexer", PM__ON(queries, keys, weights), "heads=%.0f chosen=%.0f", d->index.heads,
               d->index.chosen);
}

static int latent(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  double own = d->latent.own, turned = d->latent.turned, features = own + turned, rank = d->latent.kv_rank;
  int x = b->last, from = x;
  bool bias = d->latent.bias;
  if (d->latent.q_rank > 0) {
    pm__body_linear(b, "q_down", x, d->latent.q_rank, bias);
    from = norm(b, d, "q_down.norm", b->last, 1);
  }
  choose_keys(b, d, l, x, from);
  pm__body_linear(b, "q_up", from, l->heads * features, false);
  int q = pm__body_rotate(b, "q_rotary", turned / features, b->last);
  int down = pm__body_linear(b, "kv_down", x, rank + turned, bias);
  pm__body_add(b, "slice", "kv_latent", PM__ON(down), "axis=-1 end=%.0f", rank);
  int narrow = norm(b, d, "kv_norm", b->last, 1);
  int k = pm__body_linear(b, "k_up", narrow, l->heads * own, false);
  int v = pm__body_linear(b, "v_up", narrow, l->heads * d->latent.value, false);
  if (turned > 0) {
    pm__body_add(b, "slice", "k_turned", PM__ON(down), "axis=-1 start=%.0f", rank);
    int shared = pm__body_rotate(b, "k_rotary", 1, b->last);
    attend(b, d, l, PM__ON(q, k, v, shared), l->heads, 0);
  } else {
    attend(b, d, l, PM__ON(q, k, v), l->heads, 0);
  }
  return pm__body_linear(b, "o_proj", -1, d->hidden, bias);
}

/* Lightning attention: keys of the same block one by one, those before it summed up in a matrix of a head. */
static int lightning(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  static const char *const names[3][2] = {{"q_proj", "q_act"}, {"k_proj", "k_act"}, {"v_proj", "v_act"}};
  double wide = l->heads * l->head, window = d->lightning_block + l->head;
  int x = b->last, side[3];
  for (int i = 0; i < 3; i++) {
    pm__body_linear(b, names[i][0], x, wide, false);
    side[i] = pm__body_activation(b, names[i][1], d->activation);
  }
  attend(b, d, l, side, 3, l->heads, window);
  pm__body_near_last(b, "attention");
  pm__body_note(b, "note: linear attention counts as attention to %.0f keys: a block and the matrix of a head",
                window);
  int core = norm(b, d, "norm_out", b->last, 1);
  pm__body_linear(b, "output_gate", x, wide, false);
  int open = pm__body_activation(b, "output_gate.act", "sigmoid");
  pm__body_add(b, "multiply", "gated", PM__ON(open, core), " ");
  return pm__body_linear(b, "o_proj", -1, d->hidden, false);
}

static int mix(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  switch (l->mixer) {
  case PM__MIXER_LATENT: return latent(b, d, l);
  case PM__MIXER_LIGHTNING: return lightning(b, d, l);
  case PM__MIXER_COMPRESSED: return pm__decoder_compressed(b, d, l);
  case PM__MIXER_LINEAR: return pm__body_linear(b, "linear", -1, d->hidden, false);
  case PM__MIXER_ATTENTION:
  case PM__MIXER_NONE: return attention(b, d, l);
  default: return pm__decoder_scan(b, d, l);
  }
}

/* And a second one of the same rows. */
static int mix_beside(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  const pm__decoder_layer other = {.mixer = l->beside};
  int x = b->last, one = mix(b, d, l);
  if (l->beside == PM__MIXER_NONE) return one;
  b->last = x;
  return pm__body_sum(b, "joined", one, pm__decoder_scan(b, d, &other));
}

/* ---- Feed-forward networks ---- */

/* Two learned numbers of each activation (xIELU). */
static void add_alphas(pm__body *b, const pm__decoder *d)
{
  int made = b->last;
  if (strcmp(d->activation, "xielu") != 0) return;
  pm__body_add(b, "slice", "act.two", PM__ON(made), "axis=-1 end=2");
  pm__body_add(b, "scale", "act.alphas", PM__ON_LAST(b), "axis=-1");
  b->last = made;
}

static int dense(pm__body *b, const pm__decoder *d, int x, double ffn, const char *before, bool bias)
{
  char name[5][PM_TEXT_MAX];
  static const char *const parts[5] = {"up_proj", "gate_proj", "act", "down_proj", "gated"};
  for (int i = 0; i < 5; i++) snprintf(name[i], PM_TEXT_MAX, "%s%s", before, parts[i]);
  if (!d->gated) {
    pm__body_linear(b, name[0], x, ffn, bias);
    pm__body_activation(b, name[2], d->activation);
    add_alphas(b, d);
    return pm__body_linear(b, name[3], -1, d->hidden, bias);
  }
  int open = pm__body_linear(b, name[1], x, ffn, bias);
  bool silu = strcmp(d->activation, "silu") == 0 || strcmp(d->activation, "swish") == 0;
  if (!silu) open = pm__body_activation(b, name[2], d->activation);
  int up = pm__body_linear(b, name[0], x, ffn, bias);
  pm__body_add(b, silu ? "swiglu" : "multiply", silu ? name[2] : name[4], PM__ON(open, up), " ");
  if (d->inner_norms) norm(b, d, "inner_norm", b->last, 1);
  return pm__body_linear(b, name[3], -1, d->hidden, bias);
}

static int experts(pm__body *b, const pm__decoder *d, int x)
{
  bool narrow = d->experts.narrow > 0;
  int rows = narrow ? pm__body_linear(b, "latent_down", x, d->experts.narrow, d->ffn_bias) : x;
  int made = pm__body_add(b, "mixture_of_experts", "moe", PM__ON(rows),
                          "experts=%.0f top_k=%.0f hidden=%.0f gated=%s bias=%s router_bias=%s router_features=%.0f",
                          d->experts.number, d->experts.chosen, d->experts.ffn, pm__yes(!d->experts.plain),
                          pm__yes(d->experts.bias), pm__yes(d->experts.router_bias), narrow ? d->hidden : 0);
  if (narrow) made = pm__body_linear(b, "latent_up", made, d->hidden, d->ffn_bias);
  if (d->experts.shared == 0) return made;
  int shared = dense(b, d, x, d->experts.shared, "shared.", d->ffn_bias);
  if (d->experts.shared_gate) {
    pm__body_linear(b, "shared_gate", x, 1, false);
    int open = pm__body_activation(b, "shared_gate.act", "sigmoid");
    shared = pm__body_add(b, "multiply", "shared.opened", PM__ON(shared, open), " ");
  }
  return pm__body_sum(b, "joined", made, shared);
}

/* Gemma 4: experts see the sum before the norm, by a router of its own scale; both results have norms. */
static int both(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int before)
{
  int one = norm(b, d, "post_norm_1", dense(b, d, b->last, l->ffn, "", d->ffn_bias), 1);
  plain_norm(b, d, "router.norm", before, 1);
  pm__body_add(b, "scale", "router.scale", PM__ON_LAST(b), "axis=-1");
  int x = norm(b, d, "pre_norm_2", before, 1);
  experts(b, d, x);
  int other = norm(b, d, "post_norm_2", b->last, 1);
  return pm__body_sum(b, "joined", one, other);
}

static int feed(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  switch (l->feed) {
  case PM__FEED_EXPERTS: return experts(b, d, b->last);
  case PM__FEED_LINEAR: return pm__body_linear(b, "linear", -1, d->hidden, false);
  default: return dense(b, d, b->last, l->ffn, "", d->ffn_bias);
  }
}

/* ---- Layers ---- */

/* One part of a layer, added to what it was made of. */
static void add_part(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l,
                     int (*build)(pm__body *, const pm__decoder *, const pm__decoder_layer *))
{
  int streams = b->last, mixed = pm__decoder_collapse(b, d), x = b->last;
  if (d->norms == PM__NORMS_BEFORE || d->norms == PM__NORMS_AROUND) norm(b, d, "norm", x, 1);
  if (build == feed && l->feed == PM__FEED_BOTH) both(b, d, l, x);
  else build(b, d, l);
  pm__body_dropout(b, "dropout", d->residual_rate);
  if (d->norms == PM__NORMS_INSIDE || d->norms == PM__NORMS_AROUND) norm(b, d, "post_norm", b->last, 1);
  if (d->streams > 0) pm__decoder_expand(b, d, streams, mixed);
  else pm__body_sum(b, "sum", x, b->last);
  if (d->norms == PM__NORMS_SUM) norm(b, d, "norm", b->last, 1);
}

/* What a layer adds of its own rows of a table, as much as what it has made says. */
static void add_rows(pm__body *b, const pm__decoder *d, int i, int table)
{
  double features = d->per_layer.features;
  int x = b->last;
  pm__body_part(b, "layers.%d.per_layer", i);
  pm__body_linear(b, "input_gate", x, features, false);
  int open = pm__body_activation(b, "act", d->activation);
  int rows = pm__body_add(b, "slice", "rows", PM__ON(table), "axis=-1 start=%.0f end=%.0f", i * features,
                          (i + 1) * features);
  pm__body_add(b, "multiply", "gated", PM__ON(open, rows), " ");
  pm__body_linear(b, "projection", -1, d->hidden, false);
  norm(b, d, "post_norm", b->last, 1);
  pm__body_sum(b, "sum", x, b->last);
}

/* Rows of all layers: of a table, and of the words. */
static int embed_per_layer(pm__body *b, const pm__decoder *d, int ids, int words)
{
  double features = d->per_layer.features, wide = d->count * features;
  if (features == 0 || b->error->status != PM_OK) return -1;
  int table = pm__body_add(b, "embedding", "embed_tokens_per_layer", PM__ON(ids), "entries=%.0f features=%.0f",
                           d->per_layer.vocabulary, wide);
  pm__body_linear(b, "per_layer_model_projection", words, wide, false);
  int made = pm__body_add(b, "rms_norm", "per_layer_projection_norm", PM__ON_LAST(b), "heads=%d", d->count);
  return pm__body_sum(b, "per_layer_inputs", made, table);
}

static void add_after(pm__body *b, const pm__decoder *d, int i)
{
  const pm__decoder_layer *l = &d->layers[i];
  pm__body_part(b, "layers.%d.self_attn", i);
  if (l->mixer != PM__MIXER_NONE) add_part(b, d, l, mix_beside);
  pm__body_part(b, "layers.%d.mlp", i);
  if (l->feed != PM__FEED_NONE) add_part(b, d, l, feed);
}

static void add_beside(pm__body *b, const pm__decoder *d, int i)
{
  const pm__decoder_layer *l = &d->layers[i];
  int x = b->last;
  pm__body_part(b, "layers.%d.self_attn", i);
  int y = norm(b, d, "norm", x, 1);
  int attended = mix(b, d, l);
  pm__body_part(b, "layers.%d.mlp", i);
  b->last = d->side == 1 ? y : norm(b, d, "norm", x, 1);
  int made = feed(b, d, l);
  pm__body_add(b, "add", "sum", PM__ON(x, attended, made), " ");
}

static void embed(pm__body *b, const pm__config *c, const pm__decoder *d)
{
  double wide = d->embedding_features > 0 ? d->embedding_features : d->hidden;
  const int64_t shape[1] = {(int64_t)pm__body_tokens(b, c, positions)};
  pm__body_input(b, "input_ids", shape, 1);
  pm__body_add(b, "embedding", "embed_tokens", PM__ON_LAST(b), "entries=%.0f features=%.0f", d->vocabulary, wide);
  if (wide != d->hidden) pm__body_linear(b, "project_in", -1, d->hidden, false);
  if (d->positions > 0)
    pm__body_add(b, "positional_embedding", "embed_positions", PM__ON_LAST(b), "positions=%.0f", d->positions);
  if (d->embedding_norm) norm(b, d, "embed_norm", b->last, 1);
  pm__body_dropout(b, "embed_dropout", d->embedding_rate);
}

void pm__decoder_build(pm__body *b, const pm__config *c, const pm__decoder *d)
{
  if (b->error->status != PM_OK) return;
  embed(b, c, d);
  int words = b->last, table = embed_per_layer(b, d, 0, words);
  b->last = words;
  pm__decoder_begin_streams(b, d);
  for (int i = 0; i < d->count && b->error->status == PM_OK; i++) {
    if (d->side > 0) add_beside(b, d, i);
    else add_after(b, d, i);
    if (table >= 0) add_rows(b, d, i, table);
  }
  pm__body_part(b, "%s", "");
  pm__decoder_end_streams(b, d);
  if (d->final_norm) norm(b, d, "norm", b->last, 1);
  if (d->embedding_features > 0 && d->embedding_features != d->hidden)
    pm__body_linear(b, "project_out", -1, d->embedding_features, false);
  pm__body_language_head(b, c, d->vocabulary, d->tied, d->head_bias);
}
