/*
** Tokens on the way to the GPUs of their experts and back, once each way forward and backward.
**
**     all-to-all   each of a token's k experts gets a copy, in one exchange of all GPUs with different experts
**     deepep       each node with one of its experts gets a copy, from the GPU at the same place; that GPU sends a copy
**                  to each GPU of the node with one of them. Kernels do both at once, piece by piece: the slower counts
**
** Of E experts in n equal parts, a token's k, drawn without a preference, lie in
**
**     n (1 - C(E - E/n, k) / C(E, k))
**
** of them. On the way back results are added up where copies were made.
**
** Where software runs the forward pass of a micro-batch beside the backward pass of another (Megatron's combined 1F1B,
** DeepSeek's DualPipe), exchanges of one hide behind kernels of the other, which they take multiprocessors from. The
** first forward and the last backward pass have no other beside them.
*/
#include "kernel/models.h"
#include "step/step.h"

/* Parts of the experts that a token goes to. */
static double parts_reached(const pm__sharding_exchange *e, double parts)
{
  double missed = 1;
  for (int i = 0; i < e->picks; i++) missed *= pm__most(0, 1 - e->experts / parts / (e->experts - i));
  return parts * (1 - missed);
}

/* Bytes in copies for each of so many parts, from those for each expert. */
static double copied(const pm__sharding_exchange *e, double bytes, double parts)
{
  return bytes * parts_reached(e, parts) / e->picks;
}

static double exchange_on(const pm__step *p, const pm__collective_group *group, double bytes)
{
  if (group->members == 1 && group->nodes == 1) return 0;
  return pm__schedule_exchange_on(&p->s, group, PM_COLLECTIVE_ALL_TO_ALL, bytes);
}

double pm__step_dispatch(const pm__step *p, const pm__sharding_exchange *e, double bytes)
{
  const pm__collective_group *all = p->group[PM__GROUP_EXPERT], *node = p->group[PM__GROUP_EXPERT_NODE];
  const pm__collective_group *across = p->group[PM__GROUP_EXPERT_ACROSS];
  if (p->s.run->expert_dispatch == PM_EXPERT_DISPATCH_ALL_TO_ALL) return exchange_on(p, all, bytes);
  double each = copied(e, bytes, p->at.expert);
  if (all->nodes == 1) return exchange_on(p, all, each);
  return pm__most(exchange_on(p, node, each), exchange_on(p, across, copied(e, bytes, across->nodes)));
}

void pm__step_hide_dispatch(const pm__step *p, pm__step_work *w)
{
  double exchanged = w->axis[PM__AXIS_EXPERT], m = p->s.accumulation;
  if (p->at.expert == 1 || !(exchanged > 0)) return;
  double kernels = w->gpu[PM__FORWARD] + w->gpu[PM__DGRAD] + w->gpu[PM__WGRAD] + w->recompute;
  double beside = pm__least(exchanged, kernels) * (m - 1) / m;
  double hidden = beside * (1 - pm__exchange_share(p->s.cache, p->group[PM__GROUP_EXPERT], PM_COLLECTIVE_ALL_TO_ALL));
  w->axis[PM__AXIS_EXPERT] -= hidden;
  w->exchange[PM__FORWARD] -= hidden / 2;
  w->exchange[PM__DGRAD] -= hidden / 2;
}
