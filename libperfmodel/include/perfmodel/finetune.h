/*
** Words for fine-tuning: adapters of low rank beside frozen layers (LoRA, Hu et al., arXiv:2106.09685), and how frozen
** weights are stored (QLoRA, Dettmers et al., arXiv:2305.14314).
**
** An adapter of rank r of a linear layer with k inputs and n outputs adds B A x to its output: A has r k, B has n r
** parameters, and only these are trained.
*/
#ifndef PERFMODEL_FINETUNE_H
#define PERFMODEL_FINETUNE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which linear layers have an adapter. */
#define PM_LORA_TARGETS_LIST(X)                                                                                       \
  X(ATTENTION, "attention", "queries, keys, values and output of attention")                                          \
  X(QV, "qv", "queries and values")                                                                                   \
  X(QKV, "qkv", "queries, keys and values")                                                                           \
  X(MLP, "mlp", "the feed-forward network")                                                                           \
  X(QVO_MLP, "qvo-mlp", "queries, values and output of attention, and the feed-forward network")                      \
  X(ALL_LINEAR, "all-linear", "all linear layers but the output of the network")                                      \
  X(ALL_AND_HEAD, "all-and-head", "all linear layers, the output of the network too")                                 \
  /* the next choice of layers goes above this line */

typedef enum pm_lora_targets {
#define PM_LORA_TARGETS_ENUM(name, text, doc) PM_LORA_TARGETS_##name,
  PM_LORA_TARGETS_LIST(PM_LORA_TARGETS_ENUM)
#undef PM_LORA_TARGETS_ENUM
  PM_LORA_TARGETS_COUNT
} pm_lora_targets;

/* How frozen matrices of the repeated layers are stored; all else that is frozen is as wide as the precision. */
#define PM_BASE_WEIGHTS_LIST(X)                                                                                       \
  X(PRECISION, "precision", "as the precision: 2 bytes in 16 bits; in FP8 and FP4 as in training")                    \
  X(FP8, "fp8", "in FP8 alone")                                                                                       \
  X(INT8, "int8", "in 8 bits, with a scale for each row")                                                             \
  X(INT4, "int4", "in 4 bits, with a 16-bit scale and a 4-bit zero for groups of 128 (GPTQ)")                         \
  X(NF4, "nf4", "in 4 bits, with an FP32 scale for groups of 64 (QLoRA)")                                             \
  X(NF4_DOUBLE, "nf4-double", "as nf4, the scales in 8 bits: double quantization")                                    \
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
