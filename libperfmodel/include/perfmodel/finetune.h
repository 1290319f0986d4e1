/*
** Fine-tuning: low-rank adapters on frozen layers (LoRA, Hu et al., arXiv:2106.09685), and storage formats of frozen
** weights (QLoRA, Dettmers et al., arXiv:2305.14314).
**
** An adapter of rank r on a linear layer with k inputs and n outputs adds B A x to its output. A has r k parameters, B
** has n r, and only these are trained. DoRA (Liu et al., arXiv:2402.09353) scales each of the n outputs by a trained
** magnitude, divided by the norm of its row of W + B A.
*/
#ifndef PERFMODEL_FINETUNE_H
#define PERFMODEL_FINETUNE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a network that have adapters, as a sum of flags; a layer that computes queries, keys and values has one
** adapter. */
typedef enum pm_lora_part {
  PM_LORA_PART_QUERIES = 1,
  PM_LORA_PART_KEYS = 2,
  PM_LORA_PART_VALUES = 4,
  PM_LORA_PART_OUTPUT = 8,        /* of attention */
  PM_LORA_PART_FEED_FORWARD = 16, /* also experts */
  PM_LORA_PART_HEAD = 32,         /* the output of the network */
  PM_LORA_PART_ATTENTION = 15,
  PM_LORA_PART_LINEAR = 31
} pm_lora_part;

/* Which linear layers have an adapter. Parts joined by "+", with the names of other programs, are also accepted: "q+v",
** "q_proj+v_proj", "attention+mlp". */
#define PM_LORA_TARGETS_LIST(X)                                                                                       \
  X(ATTENTION, "attention", PM_LORA_PART_ATTENTION, "queries, keys, values and output of attention")                  \
  X(QV, "qv", PM_LORA_PART_QUERIES | PM_LORA_PART_VALUES, "queries and values")                                       \
  X(QKV, "qkv", PM_LORA_PART_QUERIES | PM_LORA_PART_KEYS | PM_LORA_PART_VALUES, "queries, keys and values")           \
  X(MLP, "mlp", PM_LORA_PART_FEED_FORWARD, "the feed-forward network, also of experts")                                \
  X(QVO_MLP, "qvo-mlp", PM_LORA_PART_LINEAR - PM_LORA_PART_KEYS,                                                      \
    "queries, values and output of attention, and the feed-forward network")                                          \
  X(ALL_LINEAR, "all-linear", PM_LORA_PART_LINEAR, "all linear layers except the output of the network")               \
  X(ALL_AND_HEAD, "all-and-head", PM_LORA_PART_LINEAR | PM_LORA_PART_HEAD,                                            \
    "all linear layers, including the output of the network")                                                          \
  X(Q, "q", PM_LORA_PART_QUERIES, "queries")                                                                          \
  X(K, "k", PM_LORA_PART_KEYS, "keys")                                                                                \
  X(V, "v", PM_LORA_PART_VALUES, "values")                                                                            \
  X(O, "o", PM_LORA_PART_OUTPUT, "output of attention")                                                               \
  X(QK, "qk", PM_LORA_PART_QUERIES | PM_LORA_PART_KEYS, "queries and keys")                                           \
  X(QVO, "qvo", PM_LORA_PART_ATTENTION - PM_LORA_PART_KEYS, "queries, values and output of attention")                \
  X(QV_MLP, "qv-mlp", PM_LORA_PART_QUERIES | PM_LORA_PART_VALUES | PM_LORA_PART_FEED_FORWARD,                         \
    "queries, values and the feed-forward network")                                                                   \
  X(QKV_MLP, "qkv-mlp", PM_LORA_PART_LINEAR - PM_LORA_PART_OUTPUT,                                                    \
    "queries, keys, values and the feed-forward network")                                                             \
  X(O_MLP, "o-mlp", PM_LORA_PART_OUTPUT | PM_LORA_PART_FEED_FORWARD,                                                  \
    "output of attention and the feed-forward network")                                                               \
  /* the next choice of layers goes above this line */

typedef enum pm_lora_targets {
#define PM_LORA_TARGETS_ENUM(name, ...) PM_LORA_TARGETS_##name,
  PM_LORA_TARGETS_LIST(PM_LORA_TARGETS_ENUM)
#undef PM_LORA_TARGETS_ENUM
  PM_LORA_TARGETS_COUNT
} pm_lora_targets;

/* Storage format of frozen matrices of the repeated layers; all other frozen parameters have the run's precision. */
#define PM_BASE_WEIGHTS_LIST(X)                                                                                       \
  X(PRECISION, "precision", "the precision of the run: 2 bytes in 16 bits; in FP8 and FP4 as in training")            \
  X(FP8, "fp8", "in FP8 only")                                                                                         \
  X(INT8, "int8", "in 8 bits, with a scale per row")                                                                   \
  X(INT4, "int4", "in 4 bits, with a 16-bit scale and a 4-bit zero per group of 128 (GPTQ)")                           \
  X(NF4, "nf4", "in 4 bits, with an FP32 scale per group of 64 (QLoRA)")                                               \
  X(NF4_DOUBLE, "nf4-double", "NF4 with 8-bit scales (double quantization)")                                           \
  /* the next format goes above this line */

typedef enum pm_base_weights {
#define PM_BASE_WEIGHTS_ENUM(name, text, doc) PM_BASE_WEIGHTS_##name,
  PM_BASE_WEIGHTS_LIST(PM_BASE_WEIGHTS_ENUM)
#undef PM_BASE_WEIGHTS_ENUM
  PM_BASE_WEIGHTS_COUNT
} pm_base_weights;

#ifdef __cplusplus
}
#endif
#endif
