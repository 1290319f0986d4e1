/*
** The description of a decoder-only model: the token mixer of every layer, and its feed-forward part. Families fill a
** description from a configuration (families.h), and pm__decoder_build makes the network of it.
*/
#ifndef PM_MODELS_DECODER_H
#define PM_MODELS_DECODER_H

#include "models/body.h"

/* What a layer mixes its tokens with. */
typedef enum pm__decoder_mixer {
  PM__MIXER_NONE,
  PM__MIXER_ATTENTION,
  PM__MIXER_LATENT,   /* keys and values of all heads from one narrow row */
  PM__MIXER_LIGHTNING, /* linear attention, block by block */
  PM__MIXER_LINEAR,    /* one product in the place of attention */
  PM__MIXER_COMPRESSED, /* one key of a window, and of some neighbours each: compressed.c */
  PM__MIXER_SPACE,     /* Mamba-2; from here on they carry a state: scans.h */
  PM__MIXER_SELECTIVE, /* Mamba */
  PM__MIXER_DELTA,     /* gated delta rule */
  PM__MIXER_KIMI,      /* the same with a decay of each feature */
  PM__MIXER_CONVOLUTION
} pm__decoder_mixer;

/* What follows it. */
typedef enum pm__decoder_feed {
  PM__FEED_NONE,
  PM__FEED_DENSE,
  PM__FEED_EXPERTS,
  PM__FEED_BOTH,  /* experts beside a dense one, each with norms of its own */
  PM__FEED_LINEAR /* one product */
} pm__decoder_feed;

typedef struct pm__decoder_layer {
  pm__decoder_mixer mixer, beside; /* beside: a second one of the same rows, added to the first */
  pm__decoder_feed feed;
  double heads, kv_heads, head, value; /* of queries; of keys and values; features of a head of keys, and of values */
  double window;                       /* keys that a query sees at most; 0: all */
  double rotary;                       /* the part of a head that positions turn */
  double ffn;
  bool sinks;
  bool reuses; /* keys that the layer before has chosen */
  bool all_keys; /* none are chosen, where other layers choose */
  double compress; /* tokens of a compressed key; 0: there are none */
  bool keys_are_values; /* one product for both */
  int keys_of;          /* the layer whose keys and values it takes, from 1; 0: its own */
} pm__decoder_layer;

/* Where norms are: before a part, on its way to the sum, both, or behind the sum. */
typedef enum pm__decoder_norms {
  PM__NORMS_BEFORE,
  PM__NORMS_INSIDE,
  PM__NORMS_AROUND,
  PM__NORMS_SUM
} pm__decoder_norms;

/* Norms of queries and keys: one scale for all heads, one of each, of a whole row, or none learned. */
typedef enum pm__decoder_qk { PM__QK_NONE, PM__QK_HEADS, PM__QK_EACH, PM__QK_ROW, PM__QK_PLAIN } pm__decoder_qk;

/* What attention's result is multiplied with: a number for each head, or for each feature. */
typedef enum pm__decoder_gate { PM__GATE_NONE, PM__GATE_HEADS, PM__GATE_FEATURES } pm__decoder_gate;

typedef struct pm__decoder {
  double hidden, vocabulary;
  int count;
  pm__decoder_layer *layers; /* so many, in the arena */
  bool layer_norm, norm_bias, norm_affine; /* else RMS norms */
  pm__decoder_norms norms;
  int side; /* attention and feed-forward network side by side, on so many norms; 0: one after the other */
  pm__decoder_qk qk_norm;
  bool inner_norms; /* before the products that end attention and the feed-forward network */
  bool value_norm; /* values are normalised, without a scale */
  pm__decoder_gate gate;
  bool qkv_bias, output_bias, ffn_bias, head_bias, gated, tied, embedding_norm, final_norm;
  const char *activation;
  double positions, embedding_features;
  double embedding_rate, attention_rate, residual_rate; /* that is dropped */
  struct {
    double number, chosen, ffn, shared, narrow; /* narrow: features that experts see, 0: all */
    bool shared_gate, bias, router_bias, plain; /* plain: experts are not gated */
  } experts;
  struct {
    double q_rank, kv_rank, own, turned, value;
    bool bias;
  } latent;
  struct {
    double heads, head, chosen; /* narrow queries that choose keys; 0: none do */
  } index;
  struct {
    double q_rank, groups, rank; /* of queries; parts of the result, and features that each is narrowed to */
  } compressed;
  double streams; /* residual rows beside each other, which every part mixes; 0: one */
  double lightning_block;
  struct {
    /* Heads with values of `head` features, and a state of `state` numbers for each; groups of heads that share what
    ** goes in and out (of keys); tokens of the convolution before it and of a chunk; rank of the steps. */
    double heads, head, state, groups, kernel, chunk, rank;
    bool bias, conv_bias, norm, plain_norm;
  } scan;
  struct {
    double vocabulary, features; /* of a table that every layer has rows of; 0: none */
  } per_layer;
  int *keys, *values; /* of each layer, as they are built; as many as layers, in the arena */
} pm__decoder;

/* The part of a head that positions turn, as a configuration states it. */
double pm__decoder_rotary(const pm__config *config, double otherwise);

void pm__decoder_build(pm__body *body, const pm__config *config, const pm__decoder *decoder);

#endif
