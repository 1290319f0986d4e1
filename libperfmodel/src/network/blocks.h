/*
** Blocks: stretches of a network between two places where a single tensor goes on. Pipelines, recomputation and the
** gathering of sharded parameters cut a network there.
*/
#ifndef PM_NETWORK_BLOCKS_H
#define PM_NETWORK_BLOCKS_H

#include "network/network.h"

/* Sets ends[i] for every layer behind which a block ends; the last layer is one. Returns their number, or -1
** without memory. Views go on as what they look at. */
int pm__network_blocks(const pm_network *network, bool *ends, pm_error *error);

/* Parameters of the block that has most of them, or -1 without memory. */
double pm__network_largest_block(const pm_network *network, pm_error *error);

#endif
