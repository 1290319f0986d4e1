/* What is computed once, before inference runs are predicted. */
#ifndef PM_INFERENCE_INFERENCE_H
#define PM_INFERENCE_INFERENCE_H

#include "hardware/system.h"
#include "kernel/kernel.h"
#include "kernel/models.h"
#include "network/network.h"
#include "perfmodel/inference.h"

/* A kernel of the forward pass, with what was folded into it. */
typedef struct pm__inference_kernel {
  pm__kernel kernel;   /* `repeats`: of all equal ones */
  double extra;        /* further numbers read per sample: other operands of what was folded in */
  double conversion;   /* numbers moved per sample if layouts are converted at both ends */
} pm__inference_kernel;

typedef struct pm__inference_list {
  pm__inference_kernel *kernel;
  size_t count, capacity;
} pm__inference_list;

/* The kernels of one forward pass, as this fusion leaves them, equal ones merged. PM_OK or PM_NO_MEMORY. */
int pm__inference_list_fill(pm__inference_list *list, const pm_network *network, int fusion, pm_error *error);

typedef struct pm__inference_network {
  const pm_network *network;
  double flop; /* of one sample */
  pm__inference_list lists[PM_FUSION_COUNT];
  pm_memory_plan *memory; /* NULL: unknown */
} pm__inference_network;

typedef struct pm__inference_system {
  const pm_system *system;
  pm__device devices[PM_KERNEL_MODEL_COUNT][PM_PRECISION_COUNT];
} pm__inference_system;

struct pm_inference_plan {
  pm__inference_network *networks;
  size_t network_count;
  pm__inference_system *systems;
  size_t system_count;
  pm_inference_profile *profiles;
  size_t profile_count;
};

#endif
