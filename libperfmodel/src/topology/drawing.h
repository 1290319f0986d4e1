/* Tables of a system as text. */
#ifndef PM_TOPOLOGY_DRAWING_H
#define PM_TOPOLOGY_DRAWING_H

#include "perfmodel/collective.h"

/* The link matrix in the layout of `nvidia-smi topo -m`; released with pm_string_free. */
char *pm__system_format_matrix(const pm_system *system, pm_error *error);

/* All matrices in the layout of CUDA's p2pBandwidthLatencyTest; released with pm_string_free. */
char *pm__system_format_pairs(const pm_system *system, pm_error *error);

#endif
