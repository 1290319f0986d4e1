/* Times of collectives for the step. */
#include "schedule/exchange.h"
#include <math.h>
#include "collective/candidates.h"

const struct pm__wiring *pm__exchange_wiring(const pm_system *system, int gpus, pm_error *error)
{
  pm__collective_group shape;
  pm_group_choice choice = pm_group_choice_default();
  const pm__wiring *wiring = pm__wiring_of(system, NULL, gpus, error);
  if (wiring == NULL || pm__collective_group_init(&shape, wiring, &choice, error) == PM_OK) return wiring;
  pm__wiring_release(wiring);
  return NULL;
}

void pm__exchange_release(const struct pm__wiring *wiring)
{
  if (wiring != NULL) pm__wiring_release(wiring);
}

static bool candidates_of(const pm__exchange *exchange, int collective, pm__candidates *ways)
{
  pm__collective_group shape;
  pm_group_choice choice = pm_group_choice_default();
  choice.nodes = exchange->nodes;
  choice.thread_gpus = exchange->thread_gpus;
  choice.era = exchange->era;
  if (pm__collective_group_init(&shape, exchange->wiring, &choice, NULL) != PM_OK) return false;
  pm__candidates_init(ways, &shape, (pm_collective)collective);
  return true;
}

double pm__exchange_times(const pm__exchange *exchange, int collective, const double *bytes, int count, double *times)
{
  pm__candidates ways;
  bool known = candidates_of(exchange, collective, &ways);
  for (int i = 0; i < count; i++) {
    if (i > 0 && bytes[i] == bytes[i - 1]) times[i] = times[i - 1];
    else if (!(bytes[i] > 0)) times[i] = 0;
    else times[i] = known ? pm__candidates_time(&ways, bytes[i]).time : (double)NAN;
  }
  return known ? ways.sm_share : 0;
}

double pm__exchange_time(const pm__exchange *exchange, int collective, double bytes)
{
  double time;
  pm__exchange_times(exchange, collective, &bytes, 1, &time);
  return time;
}

static double known(const pm__port *port)
{
  return port->payload > 0 ? port->payload : (double)INFINITY;
}

bool pm__exchange_calibrated(const struct pm__wiring *wiring)
{
  return wiring->packed.calibrated;
}

double pm__exchange_host(const struct pm__wiring *wiring)
{
  return known(&wiring->host[1]);
}

double pm__exchange_server(const struct pm__wiring *wiring)
{
  return known(&wiring->host[0]);
}

double pm__exchange_network(const struct pm__wiring *wiring)
{
  return wiring->network.payload;
}
