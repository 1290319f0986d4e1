/*
** The work of one GPU of a replica for a token: the layers of a language model as a list of operations, from a walk
** through the shards of its pieces. Equal operations are stored once with a count; products of the same input are
** merged, as engines run them. Operations that differ between decoding and prompts (attention, and the last product,
** which only the last token of a prompt needs) are marked.
*/
#ifndef PM_SERVING_MODEL_H
#define PM_SERVING_MODEL_H

#include "hardware/kept.h"
#include "plan/sharded.h"

typedef enum pm__serving_kind {
  PM__SERVE_PRODUCT,   /* rows x n x k for each token */
  PM__SERVE_LATENT_UP, /* keys and values of all heads from latents: prompts do it, decoding has it in its queries */
  PM__SERVE_HEAD,      /* for each sequence: the words that may follow */
  PM__SERVE_ATTENTION,
  PM__SERVE_INDEX,     /* narrow keys of n numbers, of which queries of so many heads choose */
  PM__SERVE_EXPERTS,
  PM__SERVE_NORM,      /* rows of n numbers, with the sum before it */
  PM__SERVE_ROTARY,    /* arithmetic of n numbers in place */
  PM__SERVE_GATED,     /* activations of n numbers */
  PM__SERVE_GATHER,    /* rows of n numbers from a table */
  PM__SERVE_STATE,     /* k MAC of a token, n numbers of a sequence that are carried from token to token */
  PM__SERVE_EXCHANGE,  /* n numbers of the whole group for each token */
  PM__SERVE_KINDS
} pm__serving_kind;

typedef struct pm__serving_operation {
  pm__serving_kind kind;
  double count;                          /* how often in the network */
  double rows, n, k;                     /* rows for each token; outputs and inputs of a product */
  double heads, kv_heads, size, value;   /* attention on this GPU: of a head of keys, and of values */
  double window;                         /* keys that a query sees at most; 0: all */
  bool chosen;                           /* of all that are cached, not the last */
  double keys;                           /* of attention and its index, for each token */
  double latent, turned;                 /* numbers of a latent, and of what all heads share beside it; 0: none */
  double experts, top_k, up;             /* all experts; matrices before the activation. n: features, k: hidden ones */
  int collective;                        /* a pm__sharding_collective */
} pm__serving_operation;

enum { PM__SERVE_OPERATIONS = 96, PM__SERVE_STATE_BYTES = 4 /* of a number of a state */ };

typedef struct pm__serving_model {
  pm__kept kept;
  int key[2]; /* network, tensor */
  pm__serving_operation operation[PM__SERVE_OPERATIONS];
  int count;
  double experts;           /* of the layer with the fewest; 0: none has any */
  double layers;            /* layers of attention: what a pipeline divides */
  double latent_layers;     /* those of latent attention */
  double vocabulary, hidden;
  double longest;           /* tokens of a sample of the network */
  /* parameters on a GPU: of products, of experts with all of them, of the head, and all others */
  double product_parameters, expert_parameters, head_parameters, other_parameters;
  double tied_parameters;   /* of the head, which are those of another layer: read, and stored there */
  /* of one token: numbers of the cache on a GPU in layers that see all keys, and in those with a window */
  double cache_full, cache_window, window;
  double carried;           /* numbers of a sequence that are carried from token to token, however many those are */
  double cache_whole;       /* of a replica that is not split: no head is there twice */
  double products;          /* kernels of a pass, about: what an engine without graphs launches */
} pm__serving_model;

/* Found once for each network and degree, and kept with the plan. NULL with an error: no language model, a layer that
** serving does not model, a network that cannot be split so. */
const pm__serving_model *pm__serving_model_find(const pm_plan *plan, int network, int tensor, pm_error *error);

#endif
