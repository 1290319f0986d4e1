/*
** Implementations of attention: how software computes scores, their softmax, and what they weight.
**
** A network may ask for one (attribute `flash` of its layers: yes is "fused", no "unfused") or leave it open (auto).
** Then it is the `attention` of the framework or inference profile that runs it. Each is one descriptor, a record whose
** fields are all stated: predictions, memory, recomputation and single kernels read it.
*/
#ifndef PERFMODEL_ATTENTION_H
#define PERFMODEL_ATTENTION_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One line for each: add an implementation here and its descriptor in src/network/attention, and it is everywhere. New
** ones go last, so that numbers stay. */
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

/* What an implementation does. One that stores no scores is one kernel, which computes them again backward. */
#define PM_ATTENTION_FIELDS(X)                                                                                       \
  X(YES_NO, scores, "", "whether scores are stored, and kept for the backward pass")                                 \
  X(YES_NO, masked, "", "whether it computes what a causal mask hides")                                              \
  X(REAL, rate, "1", "rate of its kernel over that of FlashAttention; without effect where scores are stored")       \
  X(TEXT, source, "", "source of the algorithm")

typedef struct pm_attention { PM_ATTENTION_FIELDS(PM_DECLARE) } pm_attention;

/* The descriptor of a pm_attention_choice, a constant of the library; NULL for any other number. */
PM_API const pm_attention *pm_attention_get(int32_t attention);

#ifdef __cplusplus
}
#endif
#endif
