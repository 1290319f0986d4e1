/* The launches of a network's forward pass: as a framework runs the layers, or as an engine fuses them. */
#ifndef PM_LOWERING_FORWARD_H
#define PM_LOWERING_FORWARD_H

#include "lowering/execution.h"
#include "perfmodel/framework.h"

/* PM_OK, or PM_STATUS_NO_MEMORY; the list stays the caller's. */
int pm__forward_layers(pm__launch_list *list, const pm_network *network, pm__execution execution);
int pm__forward_fused(pm__launch_list *list, const pm_network *network, int fusion);

/* Whether inference runs a kernel that training does. */
bool pm__runs_in_inference(const pm__layer_kernel *kernel);

#endif
