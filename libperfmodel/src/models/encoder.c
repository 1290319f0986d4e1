/* Layers of encoders. */
#include <math.h>
#include <stdio.h>
#include "models/encoder.h"

pm__encoder pm__encoder_describe(const pm__config *c)
{
  pm__encoder e = {.hidden = pm__config_count(c, "hidden_size|dim|d_model", (double)NAN),
                   .heads = pm__config_count(c, "num_attention_heads|n_heads", (double)NAN)};
  e.head = pm__config_head(c, e.hidden, e.heads, NULL);
  e.activation = pm__config_word(c, "hidden_act|activation", "gelu");
  e.attention_rate = pm__config_rate(c, "attention_dropout|attention_probs_dropout_prob", 0);
  return e;
}

int pm__encoder_norm(pm__body *b, const pm__encoder *e, const char *name, int on)
{
  return pm__body_add(b, e->rms ? "rms_norm" : "layer_norm", name, PM__ON(on), "%s%s",
                      e->no_norm_bias && !e->rms ? "bias=no " : "", e->shared ? "shared=yes" : "");
}

static int product(pm__body *b, const pm__encoder *e, const char *name, int on, double features, bool bias)
{
  return pm__body_linear_shared(b, name, on, features, bias, e->shared);
}

int pm__encoder_score(pm__body *b, const pm__encoder *e, int q, int k, int v)
{
  if (e->bias_rows > 0)
    return pm__body_add(b, "attention", "scores", PM__ON(q, k, v),
                        "heads=%.0f causal=%s dropout=%.17g bias_rows=%.0f shared=%s", e->heads, pm__yes(e->causal),
                        e->attention_rate, e->bias_rows, pm__yes(e->bias_shared));
  return pm__body_add(b, "attention", "scores", PM__ON(q, k, v),
                      "heads=%.0f kv_heads=%.0f causal=%s dropout=%.17g flash=%s", e->heads,
                      e->kv_heads > 0 ? e->kv_heads : e->heads, pm__yes(e->causal), e->attention_rate,
                      pm__yes(b->flash));
}

void pm__encoder_join(pm__body *b, const pm__encoder *e, int x)
{
  pm__body_dropout(b, "dropout", e->rate);
  if (e->scaled) PM__NEXT(b, "scale", "layer_scale", "axis=-1");
  if (e->head_norms) pm__encoder_norm(b, e, "post_norm", b->last);
  pm__body_sum(b, "sum", x, b->last);
  if (e->after) pm__encoder_norm(b, e, "norm", b->last);
}

/* Of queries, keys or values. */
static int inner_norm(pm__body *b, const pm__encoder *e, const char *name, int on, double heads, bool affine)
{
  if (e->row_norms && affine) return PM__NEXT(b, "rms_norm", name, " ");
  if (!e->head_norms) return on;
  return pm__body_add(b, "rms_norm", name, PM__ON(on), "heads=%.0f affine=%s", heads, pm__yes(affine));
}

void pm__encoder_attend(pm__body *b, const pm__encoder *e, int to)
{
  double wide = e->heads * e->head, kv_heads = e->kv_heads > 0 ? e->kv_heads : e->heads, narrow = kv_heads * e->head;
  int x = b->last, y = e->after || e->bare ? x : pm__encoder_norm(b, e, "norm", x), from = to >= 0 ? to : y;
  int q = product(b, e, "q_proj", y, wide, !e->no_qkv_bias);
  q = inner_norm(b, e, "q_norm", q, e->heads, true);
  if (e->rotary) q = pm__body_rotate(b, "q_rotary", 1, q);
  int k = product(b, e, "k_proj", from, narrow, !e->no_qkv_bias && !e->no_key_bias);
  k = inner_norm(b, e, "k_norm", k, kv_heads, true);
  if (e->rotary) k = pm__body_rotate(b, "k_rotary", 1, k);
  int v = product(b, e, "v_proj", from, narrow, !e->no_qkv_bias);
  pm__encoder_score(b, e, q, k, inner_norm(b, e, "v_norm", v, kv_heads, false));
  product(b, e, "o_proj", -1, e->hidden, !e->no_output_bias);
  pm__encoder_join(b, e, x);
}

void pm__encoder_feed(pm__body *b, const pm__encoder *e)
{
  int x = b->last, y = e->after ? x : pm__encoder_norm(b, e, "norm", x);
  product(b, e, e->gated ? "gate_proj" : "up_proj", y, e->ffn, !e->no_feed_bias);
  int open = pm__body_activation(b, "act", e->activation);
  if (e->gated) {
    int up = product(b, e, "up_proj", y, e->ffn, !e->no_feed_bias);
    pm__body_add(b, "multiply", "gated", PM__ON(open, up), " ");
  }
  pm__body_dropout(b, "inner_dropout", e->inner_rate);
  product(b, e, "down_proj", -1, e->hidden, !e->no_feed_bias);
  pm__encoder_join(b, e, x);
}

void pm__encoder_layer(pm__body *b, const pm__encoder *e, const char *side, int number)
{
  pm__body_part(b, "%s.%d.attention", side, number);
  pm__encoder_attend(b, e, -1);
  pm__body_part(b, "%s.%d.feed", side, number);
  pm__encoder_feed(b, e);
  pm__body_part(b, "%s", "");
}
