/* Times of collectives for the step. */
#include "schedule/exchange.h"
#include <math.h>
#include "collective/candidates.h"

double pm__exchange_times(const pm__collective_group *group, int collective, const double *bytes, int count,
                          double *times)
{
  pm__collective_candidates candidates;
  bool known = pm__collective_candidates_find(&candidates, group, (pm_collective)collective);
  pm__collective_candidates_times(&candidates, bytes, count, times);
  return known ? candidates.sm_share : 0;
}

double pm__exchange_time(const pm__collective_group *group, int collective, double bytes)
{
  double time;
  pm__exchange_times(group, collective, &bytes, 1, &time);
  return time;
}

double pm__exchange_share(const pm__collective_group *group, int collective)
{
  pm__collective_candidates candidates;
  return pm__collective_candidates_find(&candidates, group, (pm_collective)collective) ? candidates.sm_share : 0;
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
