/*
** The launches of a forward pass: as a framework runs the layers, or as an engine that fuses does.
*/
#ifndef PM_LOWERING_FORWARD_H
#define PM_LOWERING_FORWARD_H

#include "lowering/execution.h"

typedef struct pm__forward {
  pm__launch *launch;
  size_t count, capacity;
} pm__forward;

/* Whether inference runs a kernel that training does. */
bool pm__forward_runs(const pm__kernel *kernel);

/* Adds a launch; its number, or -1 without memory. */
int pm__forward_add(pm__forward *list, const pm__launch *launch);

/* The launches of one forward pass. PM_OK or PM_NO_MEMORY. */
int pm__forward_layers(pm__forward *list, const pm_network *network, pm__execution mode);
int pm__forward_fused(pm__forward *list, const pm_network *network, int fusion);

#endif
