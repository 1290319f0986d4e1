/*
** The network of a model during construction. `last` is the layer added last; after an error nothing more is added, and
** the number of every further layer is -1.
*/
#ifndef PM_MODELS_BODY_H
#define PM_MODELS_BODY_H

#include "models/config.h"
#include "perfmodel/network.h"

enum { PM__BODY_NEAR = 8 };

/* A kind of layer that stands for something near in some places. */
typedef struct pm__body_near {
  const char *kind;
  int count;
} pm__body_near;

typedef struct pm__body {
  pm_network *network;
  pm_error *error;   /* that of the configuration */
  pm__string notes;  /* a line each: what was assumed or left out */
  pm__body_near near[PM__BODY_NEAR];
  char part[PM_TEXT_MAX]; /* which begins the names of layers: "layers.3.mlp." */
  bool flash;        /* attention is one fused kernel */
  double seq, image; /* as asked for; 0: as the configuration says */
  int last;
} pm__body;

/* The inputs of a layer: these layers, or the last one. */
#define PM__ON(...) (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
#define PM__ON_LAST(body) &(body)->last, 1

/* A layer; the attributes are a text: "out_features=4096 bias=no". Returns its number, which is then the last. */
int pm__body_add(pm__body *body, const char *kind, const char *name, const int *inputs, int count,
                 const char *attributes, ...) PM__PRINTF(6, 7);
int pm__body_input(pm__body *body, const char *name, const int64_t *shape, int rank);

/* What the names of layers begin with from now on: "layers.3.mlp", or "". */
void pm__body_part(pm__body *body, const char *format, ...) PM__PRINTF(2, 3);

/* A product with a matrix; `on` is -1 for the last layer. */
int pm__body_linear(pm__body *body, const char *name, int on, double features, bool bias);
int pm__body_linear_shared(pm__body *body, const char *name, int on, double features, bool bias, bool shared);

/* Nothing without a rate. */
int pm__body_dropout(pm__body *body, const char *name, double rate);

/* The part of the features that positions turn: 3 FLOP for each. */
int pm__body_rotate(pm__body *body, const char *name, double share, int on);

/* An activation by its name in configurations. */
int pm__body_activation(pm__body *body, const char *name, const char *function);

/* Residual sum of two layers. */
int pm__body_sum(pm__body *body, const char *name, int a, int b);

/* The size of a dimension of the last layer's output; negative ones count from the end. */
double pm__body_size(const pm__body *body, int layer, int dimension);

/* A line for whoever reads the configuration; and that the last layer only comes near. */
void pm__body_note(pm__body *body, const char *format, ...) PM__PRINTF(2, 3);
void pm__body_near_last(pm__body *body, const char *kind);

/* Tokens of a sample: as asked for, else all positions that the configuration states under one of the names. */
double pm__body_tokens(pm__body *body, const pm__config *config, const char *names);

/* What follows a decoder; the words' embedding again, if it is tied to it. */
void pm__body_language_head(pm__body *body, const pm__config *config, double vocabulary, bool tied, bool bias);

static inline const char *pm__yes(bool yes)
{
  return yes ? "yes" : "no";
}

#endif
