/* A layer of transformers that look in both directions, or at what another side has made: BERT, ViT, BART. */
#ifndef PM_MODELS_ENCODER_H
#define PM_MODELS_ENCODER_H

#include "models/body.h"

/* What is left out is usual: norms of rows before each part, biases everywhere, a plain feed-forward network. */
typedef struct pm__encoder {
  double hidden, heads, head, ffn; /* head: features of one */
  double kv_heads;                 /* of keys and values; 0: as many */
  const char *activation;
  double rate, inner_rate, attention_rate; /* behind each part, behind the activation, of the scores */
  double bias_rows; /* of a table that is added to the scores; 0: none */
  bool after;       /* norms stand behind the sums */
  bool bare;        /* no norm before the first part */
  bool rms, gated, rotary;
  bool scaled;      /* a learned factor of each feature behind each part */
  bool row_norms;   /* RMS norms of all queries, and of all keys, of a token */
  bool head_norms;  /* of each head by one scale, of values without; and a norm behind each part too */
  bool causal;
  bool no_norm_bias, no_qkv_bias, no_key_bias, no_output_bias, no_feed_bias;
  bool shared, bias_shared; /* weights, or that table, are those of an earlier layer */
} pm__encoder;

/* The next layer on the last one. */
#define PM__NEXT(body, kind, name, ...) pm__body_add(body, kind, name, PM__ON_LAST(body), __VA_ARGS__)

/* Hidden size, heads, layers' sizes and activation under their usual names. */
pm__encoder pm__encoder_describe(const pm__config *config);

int pm__encoder_norm(pm__body *body, const pm__encoder *encoder, const char *name, int on);

/* The two parts of a layer on the last one. `to`: what keys and values are made of; -1: the same rows. */
void pm__encoder_attend(pm__body *body, const pm__encoder *encoder, int to);
void pm__encoder_feed(pm__body *body, const pm__encoder *encoder);

/* Attention alone, without projections. */
int pm__encoder_score(pm__body *body, const pm__encoder *encoder, int q, int k, int v);

/* Dropout, sum with `x`, norm: the end of a part. */
void pm__encoder_join(pm__body *body, const pm__encoder *encoder, int x);

/* Layer `number` of a side: "encoder.3.attention", "encoder.3.feed". */
void pm__encoder_layer(pm__body *body, const pm__encoder *encoder, const char *side, int number);

#endif
