/* A network from the inside: its layers in the order they run (inputs among them), and their kernels. */
#ifndef PM_NETWORK_NETWORK_H
#define PM_NETWORK_NETWORK_H

#include "network/kind.h"

struct pm_network {
  char id[PM_TEXT_MAX], name[PM_TEXT_MAX];
  pm__layer *layers;
  size_t count, capacity;
  pm__layer_kernel *kernels; /* of all layers, in their order */
  size_t kernel_count, kernel_capacity;
  int *inputs; /* numbers of the layers that each layer takes */
  size_t input_count, input_capacity;
};

/* Parameters of the whole network. */
double pm__network_parameters(const pm_network *network);

#endif
