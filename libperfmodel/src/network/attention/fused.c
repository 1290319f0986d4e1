/* FlashAttention: blocks of scores stay on chip; the pairs that a causal mask hides are left out. */
#include "network/attention/attention.h"

#define FUSED(TRAIT) \
  TRAIT(scores, 0) TRAIT(masked, 0) TRAIT(rate, 1) TRAIT(source, "dao2023")
PM__ATTENTION_DEFINE(FUSED)
