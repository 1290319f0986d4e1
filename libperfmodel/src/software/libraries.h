/* What a generation of GPU libraries runs on. */
#ifndef PM_SOFTWARE_LIBRARIES_H
#define PM_SOFTWARE_LIBRARIES_H

#include "base/words.h"

/* Whether an architecture is one of a list separated by spaces; where either is not given, nothing is against it. */
static inline bool pm__libraries_support(const char *architectures, const char *architecture)
{
  return architectures[0] == '\0' || architecture[0] == '\0' || pm__words_hold(architecture, architectures);
}

#endif
