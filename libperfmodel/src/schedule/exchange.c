/* Times of collectives for the step. */
#include "schedule/exchange.h"
#include <math.h>

static bool is_kept(const pm__exchange_kept *kept, const pm__collective_group *group, int collective)
{
  return kept->group.wiring == group->wiring && kept->collective == collective &&
         pm__collective_group_same(&kept->group, group);
}

static pm__exchange_kept *place_in(pm__exchange_cache *cache)
{
  if (cache->count < PM__EXCHANGES_KEPT) return &cache->kept[cache->count++];
  cache->next = (cache->next + 1) % PM__EXCHANGES_KEPT;
  return &cache->kept[cache->next];
}

/* In the cache, or in `own`. */
static const pm__exchange_kept *find(pm__exchange_cache *cache, const pm__collective_group *group, int collective,
                                     pm__exchange_kept *own)
{
  for (int i = 0; cache != NULL && i < cache->count; i++)
    if (is_kept(&cache->kept[i], group, collective)) return &cache->kept[i];
  pm__exchange_kept *kept = cache != NULL ? place_in(cache) : own;
  kept->group = *group;
  kept->collective = collective;
  kept->connected = pm__collective_candidates_find(&kept->candidates, group, (pm_collective)collective);
  return kept;
}

double pm__exchange_times(pm__exchange_cache *cache, const pm__collective_group *group, int collective,
                          const double *bytes,
                          int count, double *times)
{
  pm__exchange_kept own;
  const pm__exchange_kept *kept = find(cache, group, collective, &own);
  pm__collective_candidates_times(&kept->candidates, bytes, count, times);
  return kept->connected ? kept->candidates.sm_share : 0;
}

double pm__exchange_time(pm__exchange_cache *cache, const pm__collective_group *group, int collective, double bytes)
{
  double time;
  pm__exchange_times(cache, group, collective, &bytes, 1, &time);
  return time;
}

double pm__exchange_share(pm__exchange_cache *cache, const pm__collective_group *group, int collective)
{
  pm__exchange_kept own;
  const pm__exchange_kept *kept = find(cache, group, collective, &own);
  return kept->connected ? kept->candidates.sm_share : 0;
}

static double known(const pm__wiring_port *port)
{
  return port->payload > 0 ? port->payload : (double)INFINITY;
}

bool pm__exchange_calibrated(const pm__collective_group *group)
{
  return group->wiring->packed.calibrated;
}

double pm__exchange_host(const pm__collective_group *group)
{
  return known(&group->wiring->host[1]);
}

double pm__exchange_server(const pm__collective_group *group)
{
  return known(&group->wiring->host[0]);
}

double pm__exchange_network(const pm__collective_group *group)
{
  return pm__collective_group_network(group);
}
