/* Plans: the scans of a network for every class of precision and way to recompute. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory/plan.h"
#include "network/blocks.h"

const int pm__class_precision[PM__CLASSES] = {PM_PRECISION_FP64, PM_PRECISION_FP32, PM_PRECISION_FP16, PM_PRECISION_FP8,
                                                    PM_PRECISION_FP4};

static void count_network(pm_memory_plan *plan, const pm_network *network)
{
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind == NULL) {
      if (!layer->wants_gradient) plan->input_elements += layer->elements_out;
      continue;
    }
    plan->parameters += layer->parameters;
    if (layer->kind->parameters == PM__TABLE) plan->embedding_parameters += layer->parameters;
    if (layer->kind->role == PM__ROLE_ATTENTION) plan->attention = true;
  }
}

/* As where segments are computed again, and what is kept besides; where that is more than everything, everything. */
static pm__alive by_operation(const pm__alive *full, const pm__alive *none, double operations)
{
  bool less = full->peak + operations < none->peak;
  return less ? (pm__alive){full->saved + operations, full->peak + operations} : *none;
}

/* Without recomputation comes first; segments are scanned once for all that computes layers again. */
static int scan_class(const pm__tensors *tensors, pm__sizes sizes, double operations, pm__alive *alive, pm_error *error)
{
  pm__alive segments;
  int status = pm__scan_segments(tensors, sizes, &segments, error);
  for (int how = 0; how < PM_RECOMPUTE_COUNT && status == PM_OK; how++) {
    const pm_recomputation *r = pm_recomputation_get(how);
    if (!r->layers) status = pm__scan_backward(tensors, sizes, r->scores != 0, &alive[how], NULL, error);
    else if (r->operations) alive[how] = by_operation(&segments, &alive[PM_RECOMPUTE_NONE], operations);
    else alive[how] = segments;
  }
  return status;
}

static int scan(pm_memory_plan *plan, const pm__tensors *tensors, int classes, pm_error *error)
{
  int status = pm__scan_forward(tensors, &plan->forward_elements, &plan->written_elements, error);
  for (int i = 0; i < classes && status == PM_OK; i++) {
    pm__sizes sizes = pm__sizes_of(&plan->profile, pm__class_precision[i]);
    plan->operations[i] = pm__scan_operations(tensors, sizes);
    status = scan_class(tensors, sizes, plan->operations[i], plan->alive[i], error);
  }
  return status;
}

static pm_memory_plan *make(const pm_network *network, const pm_memory_profile *profile, const pm_optimizer *optimizer,
                            int classes, pm_error *error)
{
  pm__tensors tensors;
  pm_memory_plan *plan = (pm_memory_plan *)calloc(1, sizeof *plan);
  if (plan == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  plan->profile = *profile;
  plan->optimizer = *optimizer;
  plan->largest_block = pm__network_largest_block(network, error);
  count_network(plan, network);
  int status = plan->largest_block >= 0 ? pm__tensors_find(&tensors, network, profile, error) : PM_STATUS_NO_MEMORY;
  if (status == PM_OK) {
    status = scan(plan, &tensors, classes, error);
    pm__tensors_free(&tensors);
  }
  if (status == PM_OK) return plan;
  free(plan);
  return NULL;
}

pm_memory_plan *pm__memory_plan_new(const pm_network *network, const pm_memory_profile *profile,
                                    const pm_optimizer *optimizer, int classes, pm_error *error)
{
  if (network == NULL || profile == NULL || optimizer == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a memory plan needs a network, a memory profile and an optimizer");
    return NULL;
  }
  if (pm_network_count_layers(network) == 0) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" has no layers", network->id);
    return NULL;
  }
  return make(network, profile, optimizer, classes, error);
}

pm_memory_plan *pm_memory_plan_new(const pm_network *network, const pm_memory_profile *profile,
                                   const pm_optimizer *optimizer, pm_error *error)
{
  return pm__memory_plan_new(network, profile, optimizer, PM__WHOLE_CLASSES, error);
}

void pm_memory_plan_free(pm_memory_plan *plan)
{
  free(plan);
}
