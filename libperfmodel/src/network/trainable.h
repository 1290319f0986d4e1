/* Which layers of a network are trained, as a parameter that every network has: trainable="*.norm,lm_head". */
#ifndef PM_NETWORK_TRAINABLE_H
#define PM_NETWORK_TRAINABLE_H

#include <string.h>
#include "network/layer.h"

static inline bool pm__is_trainable(const pm_attribute *set)
{
  return set->name != NULL && set->value != NULL && strcmp(set->name, "trainable") == 0;
}

/* The network itself if no parameter says so and `usual`, what its file trains, is NULL; else a copy in which other
** layers are frozen; the network is released. NULL with an error; NULL in, NULL out. */
pm_network *pm__network_take_trainable(pm_network *network, const char *usual, const pm_attribute *sets, size_t count,
                                       pm_error *error);

#endif
