/*
** Bytes per parameter: weight and gradient in the storage precision (mixed precision: as the profile says, with a
** master copy or a cached cast), and the optimiser's state, which is FP32 unless all is FP64.
*/
#include "memory/plan.h"

static double state_bytes(const pm_memory_plan *plan, double factor)
{
  const pm_optimizer *o = &plan->optimizer;
  double state = pm__given(o->state, 0), embedding = pm__given(o->embedding_state, state);
  double others = plan->parameters - plan->embedding_parameters;
  return factor * (others * state + plan->embedding_parameters * embedding +
                   plan->parameters * pm__given(o->scratch, 0));
}

static pm__parameter_bytes mixed(const pm_memory_plan *plan)
{
  const pm_memory_profile *p = &plan->profile;
  double weight = pm__given(p->mixed_weight, 4) + pm__given(p->mixed_copy, 0);
  return (pm__parameter_bytes){plan->parameters * weight, plan->parameters * pm__given(p->mixed_gradient, 4),
                               plan->parameters * pm__given(p->mixed_master, 0) + state_bytes(plan, 1)};
}

static pm__parameter_bytes plain(const pm_memory_plan *plan, double size)
{
  double weights = plan->parameters * size;
  return (pm__parameter_bytes){weights, weights, state_bytes(plan, size / 4)};
}

pm__parameter_bytes pm__parameters_take(const pm_memory_plan *plan, const pm_memory_run *run)
{
  double size = pm_precision_bytes(run->precision), ranks = run->ranks;
  if (run->inference) return (pm__parameter_bytes){plan->parameters * size, 0, 0};
  pm__parameter_bytes bytes = size < 4 ? mixed(plan) : plain(plan, size);
  if (run->zero_stage >= 1) bytes.optimizer /= ranks;
  if (run->zero_stage >= 2) bytes.gradients /= ranks;
  if (run->zero_stage >= 3) bytes.weights /= ranks;
  return bytes;
}
