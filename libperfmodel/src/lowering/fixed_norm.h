/* Norms whose statistics are fixed, where software launches operations one by one. */
#ifndef PM_LOWERING_FIXED_NORM_H
#define PM_LOWERING_FIXED_NORM_H

#include "lowering/launch.h"

/* A norm whose scale, shift and statistics are fixed, which needs no input to go backward. */
bool pm__is_fixed_norm(const pm__layer *layer);

/* The launches of a fixed norm without fusion, and of what follows it; others stay as they are. */
void pm__lower_fixed_norm(const pm_network *network, const pm__layer *layer, bool mixed, pm__launch *list, int count);

#endif
