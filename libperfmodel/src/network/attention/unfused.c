/* Scores are computed, masked, normalised, dropped and multiplied by a kernel each, all of them whatever the mask. */
#include "network/attention/attention.h"

#define UNFUSED(TRAIT) \
  TRAIT(scores, 1) TRAIT(masked, 1) TRAIT(rate, 1) TRAIT(source, "general-knowledge")
PM__ATTENTION_DEFINE(UNFUSED)
