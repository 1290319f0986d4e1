/*
** Implementations of attention: how software computes scores, their softmax and the weighted sum.
**
** A network may select one (attribute `flash` of its layers: yes is "fused", no "unfused") or leave it open (auto);
** then the `attention` of its framework or inference profile is used. Each is one descriptor, a record with every field
** stated: predictions, memory, recomputation and single kernels read it.
*/
#ifndef PERFMODEL_ATTENTION_H
#define PERFMODEL_ATTENTION_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One line for each: add an implementation here and its descriptor in src/network/attention; everything else is
** generated. New ones go last, so that numbers do not change. */
#define PM_ATTENTION_LIST(X)                                                                                         \
  X(UNFUSED, "unfused", "matrix multiplications, mask and softmax are separate kernels", .aliases = "no eager")        \
  X(FUSED, "fused", "one kernel without stored scores (FlashAttention)", .aliases = "yes flash")                     \
  /* the next implementation goes above this line */

/* The implementations; the record pm_attention describes one. */
typedef enum pm_attention_choice {
#define PM_ATTENTION_ENUM(name, ...) PM_ATTENTION_##name,
  PM_ATTENTION_LIST(PM_ATTENTION_ENUM)
#undef PM_ATTENTION_ENUM
  PM_ATTENTION_COUNT
} pm_attention_choice;

/* The traits of an implementation. One without stored scores is a single kernel, which recomputes them in the backward
** pass. */
#define PM_ATTENTION_FIELDS(X)                                                                                       \
  X(YES_NO, scores, "", "whether scores are stored, and kept for the backward pass")                                 \
  X(YES_NO, masked, "", "whether it also computes the scores hidden by a causal mask")                                 \
  X(REAL, rate, "1", "rate of its kernel over that of FlashAttention; without effect if scores are stored")            \
  X(TEXT, source, "", "source of the algorithm")

typedef struct pm_attention { PM_ATTENTION_FIELDS(PM_DECLARE) } pm_attention;

/* The descriptor of a pm_attention_choice, a constant of the library; NULL for any other number. */
PM_API const pm_attention *pm_attention_get(int32_t attention);

#ifdef __cplusplus
}
#endif
#endif
