/* State-space layers, delta rules and short convolutions, as the models of each have them around their state. */
#include "models/scans.h"

/* A product, and the short convolution behind it where there is one. */
static int side(pm__body *b, const pm__decoder *d, const char *name, const char *conv, int x, double features)
{
  int made = pm__body_linear(b, name, x, features, d->scan.bias);
  if (conv == NULL) return made;
  return pm__body_add(b, "short_convolution", conv, PM__ON(made), "kernel=%.0f bias=%s silu=yes", d->scan.kernel,
                      pm__yes(d->scan.conv_bias));
}

static int rms_norm(pm__body *b, const char *name, int on, double heads, bool affine)
{
  return pm__body_add(b, "rms_norm", name, PM__ON(on), "heads=%.0f affine=%s", heads, pm__yes(affine));
}

static int leave(pm__body *b, const pm__decoder *d)
{
  return pm__body_linear(b, "out_proj", -1, d->hidden, d->scan.bias);
}

/* Mamba-2: one product in the models, which is one for each of what it gives here, so that heads can be split. */
static int space(pm__body *b, const pm__decoder *d)
{
  double inner = d->scan.heads * d->scan.head, shared = d->scan.groups * d->scan.state;
  int x = b->last;
  int z = side(b, d, "z_proj", NULL, x, inner);
  int values = side(b, d, "x_proj", "x_conv", x, inner);
  int in = side(b, d, "b_proj", "b_conv", x, shared);
  int out = side(b, d, "c_proj", "c_conv", x, shared);
  int steps = side(b, d, "dt_proj", NULL, x, d->scan.heads);
  int y = pm__body_add(b, "state_space", "ssm", PM__ON(values, in, out, steps), "heads=%.0f groups=%.0f chunk=%.0f",
                       d->scan.heads, d->scan.groups, d->scan.chunk);
  int gated = pm__body_add(b, "swiglu", "gated", PM__ON(z, y), " ");
  if (d->scan.norm) { /* of each group of heads, so that groups can be split; a scale of each feature */
    rms_norm(b, "ssm_norm", gated, d->scan.groups, false);
    pm__body_add(b, "scale", "ssm_norm.scale", PM__ON_LAST(b), "axis=-1");
  }
  return leave(b, d);
}

/* Mamba: steps, inputs and outputs of the state are made of the convolved channels; Jamba normalises them. */
static int selective(pm__body *b, const pm__decoder *d)
{
  double inner = d->scan.heads * d->scan.head;
  int x = b->last;
  int z = side(b, d, "z_proj", NULL, x, inner);
  int values = side(b, d, "x_proj", "conv", x, inner);
  int rank = pm__body_linear(b, "dt_down", values, d->scan.rank, false);
  int in = pm__body_linear(b, "b_proj", values, d->scan.state, false);
  int out = pm__body_linear(b, "c_proj", values, d->scan.state, false);
  if (d->scan.norm || d->scan.plain_norm) {
    rank = rms_norm(b, "dt_norm", rank, 1, d->scan.norm);
    in = rms_norm(b, "b_norm", in, 1, d->scan.norm);
    out = rms_norm(b, "c_norm", out, 1, d->scan.norm);
  }
  int steps = pm__body_linear(b, "dt_up", rank, inner, true);
  int y = pm__body_add(b, "selective_scan", "ssm", PM__ON(values, steps, in, out), " ");
  pm__body_add(b, "swiglu", "gated", PM__ON(z, y), " ");
  return leave(b, d);
}

/* Queries and keys of length 1: 3 FLOP for each number. */
static int unit(pm__body *b, const char *name, int on)
{
  return pm__body_add(b, "pointwise", name, PM__ON(on), "flop=3 keeps=inputs");
}

/* The gated delta rule, of Qwen3-Next; of Kimi Linear with decays of each feature, and narrow products before them and
** the gate. */
static int delta(pm__body *b, const pm__decoder *d, bool by_feature)
{
  double keys = d->scan.groups * d->scan.state, values = d->scan.heads * d->scan.head;
  int x = b->last;
  int q = unit(b, "q_unit", side(b, d, "q_proj", "q_conv", x, keys));
  int k = unit(b, "k_unit", side(b, d, "k_proj", "k_conv", x, keys));
  int v = side(b, d, "v_proj", "v_conv", x, values);
  int rates = pm__body_linear(b, "b_proj", x, d->scan.heads, false);
  int narrow = by_feature ? pm__body_linear(b, "f_a_proj", x, d->scan.state, false) : x;
  int decays = pm__body_linear(b, "a_proj", narrow, by_feature ? keys : d->scan.heads, false);
  int y = pm__body_add(b, "delta_rule", "delta", PM__ON(q, k, v, rates, decays),
                       "heads=%.0f key_heads=%.0f chunk=%.0f by_feature=%s", d->scan.heads, d->scan.groups,
                       d->scan.chunk, pm__yes(by_feature));
  int normed = rms_norm(b, "delta_norm", y, d->scan.heads, true);
  narrow = by_feature ? pm__body_linear(b, "g_a_proj", x, d->scan.head, false) : x;
  int z = pm__body_linear(b, "z_proj", narrow, values, false);
  if (by_feature) z = pm__body_activation(b, "gate", "sigmoid");
  pm__body_add(b, by_feature ? "multiply" : "swiglu", "gated", PM__ON(z, normed), " ");
  return leave(b, d);
}

/* A convolution between two gates (LFM2). */
static int convolution(pm__body *b, const pm__decoder *d)
{
  int x = b->last;
  int in = pm__body_linear(b, "b_proj", x, d->hidden, d->scan.bias);
  int out = pm__body_linear(b, "c_proj", x, d->hidden, d->scan.bias);
  int values = pm__body_linear(b, "x_proj", x, d->hidden, d->scan.bias);
  int gated = pm__body_add(b, "multiply", "gated", PM__ON(in, values), " ");
  int made = pm__body_add(b, "short_convolution", "conv", PM__ON(gated), "kernel=%.0f bias=%s", d->scan.kernel,
                          pm__yes(d->scan.conv_bias));
  pm__body_add(b, "multiply", "opened", PM__ON(out, made), " ");
  return leave(b, d);
}

int pm__decoder_scan(pm__body *b, const pm__decoder *d, const pm__decoder_layer *l)
{
  switch (l->mixer) {
  case PM__MIXER_SELECTIVE: return selective(b, d);
  case PM__MIXER_DELTA: return delta(b, d, false);
  case PM__MIXER_KIMI: return delta(b, d, true);
  case PM__MIXER_CONVOLUTION: return convolution(b, d);
  default: return space(b, d);
  }
}
