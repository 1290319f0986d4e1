/*
** Bytes per parameter: weight and gradient in the storage precision (mixed precision: as the profile says, with a
** master copy or a cached cast), and the optimizer's state, which is FP32 unless all is FP64.
*/
#include "memory/plan.h"

static double state_bytes(const pm__memory_question *q, double factor)
{
  const pm_optimizer *o = q->optimizer;
  const pm_memory_plan *plan = q->plan;
  double state = pm__given(o->state, 0), embedding = pm__given(o->embedding_state, state);
  double others = plan->parameters - plan->embedding_parameters;
  return factor * (others * state + plan->embedding_parameters * embedding +
                   plan->parameters * pm__given(o->scratch, 0));
}

static double size_of(const pm__memory_question *q)
{
  return pm_precision_get_bytes(q->run->precision);
}

double pm__weight_bytes(const pm__memory_question *q)
{
  const pm_memory_profile *p = &q->plan->profile;
  double size = size_of(q);
  return size < 4 && !q->run->inference ? pm__given(p->mixed_weight, 4) + pm__given(p->mixed_copy, 0) : size;
}

double pm__gradient_bytes(const pm__memory_question *q)
{
  double size = size_of(q);
  return size < 4 ? pm__given(q->plan->profile.mixed_gradient, 4) : size;
}

static double master_bytes(const pm__memory_question *q)
{
  return size_of(q) < 4 ? pm__given(q->plan->profile.mixed_master, 0) : 0;
}

/* State in FP32, unless all is FP64, or the profile keeps it narrower: not that of 8 bits, which is as it is. */
static double state_factor(const pm__memory_question *q)
{
  double size = size_of(q);
  double state = pm__given(q->optimizer->state, 0);
  bool fp32 = pm__given(q->optimizer->embedding_state, state) == state;
  if (size < 4) return fp32 ? pm__given(q->plan->profile.mixed_state, 4) / 4 : 1;
  return size / 4;
}

double pm__embedding_bytes(const pm__memory_question *q)
{
  double state = pm__given(q->optimizer->state, 0);
  return state_factor(q) * (pm__given(q->optimizer->embedding_state, state) - state);
}

pm__parameter_bytes pm__parameter_bytes_each(const pm__memory_question *q)
{
  double master = master_bytes(q);
  double state = state_factor(q) * (pm__given(q->optimizer->state, 0) + pm__given(q->optimizer->scratch, 0));
  bool apart = q->optimizer->replicated;
  return (pm__parameter_bytes){pm__weight_bytes(q), pm__gradient_bytes(q), apart ? master : master + state,
                               apart ? state : 0};
}

pm__parameter_bytes pm__parameters_take(const pm__memory_question *q)
{
  double ranks = q->run->ranks, parameters = q->plan->parameters;
  if (q->run->inference) return (pm__parameter_bytes){parameters * pm__weight_bytes(q), 0, 0, 0};
  double master = parameters * master_bytes(q), state = state_bytes(q, state_factor(q));
  bool apart = q->optimizer->replicated;
  pm__parameter_bytes bytes = {parameters * pm__weight_bytes(q), parameters * pm__gradient_bytes(q),
                               apart ? master : master + state, apart ? state : 0};
  if (q->run->zero_stage >= 1) bytes.optimizer /= ranks;
  if (q->run->zero_stage >= 2) bytes.gradients /= ranks;
  if (q->run->zero_stage >= 3) bytes.weights /= ranks;
  return bytes;
}
