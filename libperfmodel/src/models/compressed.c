/*
** DeepSeek-V4: attention to a window of keys, and to keys that stand for some neighbours each; residual streams.
**
** Sources: its classes in Transformers 5.24 (models/deepseek_v4), whose counts tests hold
** (bindings/python/tests/hf_parameters.py). One key serves all heads and is its own value. The softmax over both kinds
** of keys is two here, of a window and of the others, so that decoding stores what each needs.
*/
#include <math.h>
#include <stdio.h>
#include "models/compressed.h"

/* ---- Compressed keys ---- */

/* Rows again and again, where they are fewer than one compressed key is of. */
static int enough(pm__body *b, const char *name, const char *cut, int x, double least)
{
  int same[128], times = 0;
  double rows = pm__body_size(b, x, 0);
  if (rows >= least || b->error->status != PM_OK) return x;
  while (times < 128 && times * rows < least) same[times++] = x;
  int made = pm__body_add(b, "concat", name, same, times, "axis=0");
  return times * rows > least ? pm__body_add(b, "slice", cut, PM__ON(made), "axis=0 end=%.0f", least) : made;
}

/* Neighbours weighted by a gate and added up; with overlap, of two windows, each with features of its own. */
static int compress(pm__body *b, const char *part, int x, double features, double every, bool overlap)
{
  char before[PM_TEXT_MAX];
  double wide = features * (overlap ? 2 : 1), side = every * (overlap ? 2 : 1);
  double count = fmax(1, floor(pm__body_size(b, x, 0) / every));
  snprintf(before, sizeof before, "%s", b->part);
  snprintf(b->part, sizeof b->part, "%.40s%s.", before, part);
  int keys = pm__body_linear(b, "kv_proj", x, wide, false), gate = pm__body_linear(b, "gate_proj", x, wide, false);
  keys = enough(b, "kv_more", "kv_enough", keys, every);
  gate = enough(b, "gate_more", "gate_enough", gate, every);
  if (count * every < pm__body_size(b, x, 0)) {
    keys = pm__body_add(b, "slice", "kv_whole", PM__ON(keys), "axis=0 end=%.0f", count * every);
    gate = pm__body_add(b, "slice", "gate_whole", PM__ON(gate), "axis=0 end=%.0f", count * every);
  }
  pm__body_add(b, "reshape", "windows", PM__ON(gate), "shape=%.0f,%.0f", count, every * wide);
  pm__body_add(b, "bias", "position_bias", PM__ON_LAST(b), "axis=-1");
  pm__body_add(b, "pointwise", "softmax", PM__ON_LAST(b), "flop=5 keeps=output");
  int weights = pm__body_add(b, "reshape", "weights", PM__ON_LAST(b), "shape=%.0f,%.0f", count * every, wide);
  pm__body_add(b, "multiply", "weighted", PM__ON(keys, weights), " ");
  pm__body_add(b, "reshape", "sides", PM__ON_LAST(b), "shape=%.0f,%.0f", count, side * features);
  pm__body_add(b, "pointwise", "sums", PM__ON_LAST(b), "flop=1 keeps=nothing");
  pm__body_add(b, "slice", "entries", PM__ON_LAST(b), "axis=-1 end=%.0f", features);
  int made = pm__body_add(b, "rms_norm", "kv_norm", PM__ON_LAST(b), " ");
  snprintf(b->part, sizeof b->part, "%s", before);
  return made;
}

/* Narrow queries of the latent choose among narrow keys, compressed in the same way. */
static void choose(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, int x, int from)
{
  int keys = pm__body_rotate(b, "indexer.k_rotary", 0.5, compress(b, "indexer", x, d->index.head, l->compress, true));
  int made = pm__body_linear(b, "indexer.q_proj", from, d->index.heads * d->index.head, false);
  int queries = pm__body_rotate(b, "indexer.q_rotary", 0.5, made);
  pm__body_linear(b, "indexer.weights_proj", x, d->index.heads, false);
  pm__body_add(b, "key_index", "indexer", PM__ON(queries, keys), "heads=%.0f chosen=%.0f", d->index.heads,
               d->index.chosen);
}

static int attend(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l, const char *name, int q, int k,
                  double window, double chosen, bool sinks)
{
  return pm__body_add(b, "attention", name, PM__ON(q, k, k),
                      "heads=%.0f kv_heads=1 causal=yes window=%.0f most_keys=%.0f sinks=%s dropout=%.17g flash=%s",
                      l->heads, window, chosen, pm__yes(sinks), d->attention_rate, pm__yes(b->flash));
}

int pm__decoder_compressed(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  int x = b->last;
  bool choosing = d->index.heads > 0 && !l->all_keys;
  pm__body_linear(b, "q_down", x, d->compressed.q_rank, false);
  int from = pm__body_add(b, "rms_norm", "q_down.norm", PM__ON_LAST(b), " ");
  pm__body_linear(b, "q_up", from, l->heads * l->head, false);
  pm__body_add(b, "rms_norm", "q_norm", PM__ON_LAST(b), "heads=%.0f affine=no", l->heads);
  int q = pm__body_rotate(b, "q_rotary", l->rotary, b->last);
  pm__body_linear(b, "kv_proj", x, l->head, false);
  pm__body_add(b, "rms_norm", "kv_norm", PM__ON_LAST(b), " ");
  int k = pm__body_rotate(b, "k_rotary", l->rotary, b->last);
  int attended = attend(b, d, l, "attention", q, k, l->window, 0, true);
  if (l->compress > 0) {
    int keys = compress(b, "compressor", x, l->head, l->compress, choosing);
    keys = pm__body_rotate(b, "compressor.rotary", l->rotary, keys);
    if (choosing) choose(b, d, l, x, from);
    int more = attend(b, d, l, "attention.compressed", q, keys, 0, choosing ? d->index.chosen : 0, false);
    attended = pm__body_sum(b, "attended", attended, more);
  }
  pm__body_rotate(b, "o_rotary", l->rotary, attended);
  pm__body_add(b, "grouped_linear", "o_down", PM__ON_LAST(b), "out_features=%.0f groups=%.0f",
               d->compressed.groups * d->compressed.rank, d->compressed.groups);
  return pm__body_linear(b, "o_proj", -1, d->hidden, false);
}

/* ---- Streams: manifold-constrained hyper-connections ---- */

static int beside(pm__body *b, const pm__decoder *d, const char *name, int row)
{
  int same[16], count = (int)d->streams;
  for (int i = 0; i < count; i++) same[i] = row;
  return pm__body_add(b, "concat", name, same, count, "axis=-1");
}

/* Weights of all streams: a product of their normalised rows, biases, and a scale of each kind of weights. */
static int weigh(pm__body *b, const pm__decoder *d, int streams, const char *const *names, double weights, double kinds)
{
  pm__body_add(b, "rms_norm", names[0], PM__ON(streams), "affine=no");
  pm__body_add(b, "grouped_linear", names[1], PM__ON_LAST(b), "out_features=%.0f groups=1", weights); /* never split */
  int made = pm__body_add(b, "bias", names[6], PM__ON_LAST(b), "axis=-1");
  pm__body_add(b, "slice", names[2], PM__ON(made), "axis=-1 end=%.0f", kinds);
  pm__body_add(b, "scale", names[3], PM__ON_LAST(b), "axis=-1");
  pm__body_add(b, "pointwise", names[4], PM__ON(streams), "flop=2 keeps=inputs");
  pm__body_add(b, "slice", names[5], PM__ON_LAST(b), "axis=-1 end=%.0f", d->hidden);
  return made;
}

void pm__decoder_begin_streams(pm__body *b, const pm__decoder *d)
{
  if (d->streams > 0) beside(b, d, "streams", b->last);
}

void pm__decoder_end_streams(pm__body *b, const pm__decoder *d)
{
  static const char *const names[] = {"hc.norm", "hc.fn", "hc.kinds", "hc.scale", "hc.weighted", "hc.row",
                                      "hc.base"};
  if (d->streams > 0) weigh(b, d, b->last, names, d->streams, 1);
}

int pm__decoder_collapse(pm__body *b, const pm__decoder *d)
{
  static const char *const names[] = {"hc.norm", "hc.fn", "hc.kinds", "hc.scale", "hc.weighted", "hc.row",
                                      "hc.base"};
  return d->streams > 0 ? weigh(b, d, b->last, names, (2 + d->streams) * d->streams, 3) : -1;
}

int pm__decoder_expand(pm__body *b, const pm__decoder *d, int streams, int weights)
{
  double n = d->streams, tokens = pm__body_size(b, streams, 0);
  int made = b->last;
  pm__body_add(b, "slice", "hc.comb", PM__ON(weights), "axis=-1 start=%.0f", 2 * n);
  int comb = pm__body_add(b, "reshape", "hc.matrix", PM__ON_LAST(b), "shape=%.0f,%.0f,%.0f", tokens, n, n);
  int rows = pm__body_add(b, "reshape", "hc.rows", PM__ON(streams), "shape=%.0f,%.0f,%.0f", tokens, n, d->hidden);
  pm__body_add(b, "matmul", "hc.mixed", PM__ON(comb, rows), "transpose_a=yes");
  int mixed = pm__body_add(b, "reshape", "hc.flat", PM__ON_LAST(b), "shape=%.0f,%.0f", tokens, n * d->hidden);
  return pm__body_sum(b, "sum", mixed, beside(b, d, "hc.expanded", made));
}
