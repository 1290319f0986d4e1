/* Makes groups of GPUs, and subgroups of them, by arithmetic. */
#include "collective/group.h"
#include <math.h>
#include "perfmodel/collective.h"

pm__collective_group pm__collective_group_on(const pm__wiring *wiring, int nodes)
{
  return (pm__collective_group){.wiring = wiring, .members = wiring->kept.count, .nodes = nodes, .groups_at_once = 1,
                                .thread_gpus = 1, .servers = 1, .nccl = PM_NCCL_CURRENT, .in_network = false};
}

int pm__collective_group_init(pm__collective_group *group, const pm_system *system, int first, int stride, int members,
                              int nodes)
{
  const pm__wiring *wiring;
  int status = pm__wiring_regular(system, first, stride, members, &wiring);
  if (status != PM_OK) return status;
  *group = pm__collective_group_on(wiring, nodes);
  return nodes > 1 && system->network.count == 0 ? PM_STATUS_NO_ROUTE : PM_OK;
}

bool pm__collective_group_same(const pm__collective_group *a, const pm__collective_group *b)
{
  return a->wiring == b->wiring && a->members == b->members && a->nodes == b->nodes &&
         a->groups_at_once == b->groups_at_once && a->thread_gpus == b->thread_gpus && a->servers == b->servers &&
         a->nccl == b->nccl && a->in_network == b->in_network;
}

/* What the node's GPUs get out of all its adapters together is shared evenly by the groups that use them at once; a
** group that reaches fewer has no more than it would have by itself. */
double pm__collective_group_network(const pm__collective_group *group)
{
  const pm__wiring *wiring = group->wiring;
  if (group->groups_at_once == 1) return wiring->network.payload;
  return fmin(wiring->network.payload, wiring->all_adapters / group->groups_at_once);
}
