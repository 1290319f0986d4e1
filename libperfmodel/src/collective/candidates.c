/* The ways to do a collective, and the fastest of them. Allocates nothing. */
#include "collective/candidates.h"
#include <math.h>
#include <string.h>

static double launch_time(const pm__collective_group *shape)
{
  const pm_collective_fit *fit = shape->fit;
  double each = shape->era == PM_ERA_2016 && fit->old_launch > 0 ? fit->old_launch : fit->launch;
  return each * shape->thread_gpus;
}

static bool wanted(const pm__collective_group *shape, const pm__algorithm *a, pm_algorithm algorithm)
{
  if (algorithm != PM_ALGORITHM_AUTO) return a->id == algorithm;
  return a->automatic || (shape->in_network && a->id == PM_ALGORITHM_COLLNET);
}

static void add_ways(pm__candidates *ways, const pm__collective_group *shape, const pm__algorithm *a, pm_collective collective,
                     int protocol_choice)
{
  int first = PM__LL, last = PM__SIMPLE;
  if (protocol_choice != PM_PROTOCOL_ANY) first = last = protocol_choice - PM_PROTOCOL_LL;
  if (!shape->protocols && first < PM__SIMPLE) first = PM__SIMPLE; /* latencies of the others are not known */
  for (int p = first; p <= last && ways->count < PM__CANDIDATES_MAX; p++) {
    pm__candidate *way = &ways->way[ways->count];
    memset(way, 0, sizeof *way);
    way->algorithm = a->id;
    way->protocol = p;
    way->cost.launches = 1;
    if (a->cost(shape, collective, p, &way->cost)) ways->count++;
  }
}

void pm__candidates_init_as(pm__candidates *ways, const pm__collective_group *shape, pm_collective collective, pm_algorithm algorithm,
                      int protocol_choice)
{
  const pm__algorithm *a;
  ways->count = 0;
  ways->ranks = shape->ranks;
  ways->alone = shape->ranks <= 1;
  ways->bus_factor = pm__bus_factor(collective, shape->ranks);
  ways->launch = launch_time(shape);
  ways->queued = !shape->nvlink && shape->per_node > 1;
  ways->sm_share = fmin(shape->channels / shape->multiprocessors, 1);
  if (ways->alone) return;
  for (size_t i = 0; (a = pm__algorithm_at(i)) != NULL; i++)
    if (wanted(shape, a, algorithm)) add_ways(ways, shape, a, collective, protocol_choice);
}

void pm__candidates_init(pm__candidates *ways, const pm__collective_group *shape, pm_collective collective)
{
  pm__candidates_init_as(ways, shape, collective, PM_ALGORITHM_AUTO, PM_PROTOCOL_ANY);
}

/* ---- Times ---- */

/* Whether each rank's part is an odd number of floats. */
static bool odd_parts(double ranks, double bytes)
{
  return fmod(floor(bytes / 4 / ranks), 2) == 1;
}

/* Of one way, with a latency of at least `least`; `place` is log2(bytes / 64). */
static pm__candidate_time time_of(const pm__candidates *ways, const pm__candidate *way, double bytes, double place, double least)
{
  const pm__collective_cost *cost = &way->cost;
  pm__candidate_time t = {0, cost->latency > least ? cost->latency : least, cost->per_byte * bytes, 0, way, false};
  if (cost->tree_table) t.transfer /= pm__tree_factor(way->protocol, place);
  if (cost->odd_share > 0 && odd_parts(ways->ranks, bytes)) t.transfer /= cost->odd_share;
  if (cost->fill_most > 0) t.transfer += fmin(cost->fill_per_byte * bytes, cost->fill_most);
  t.time = t.latency + t.transfer;
  if (cost->knee > 0) t.time += 2 * cost->knee * sqrt(t.latency * t.transfer);
  return t;
}

/* One host thread launches on its GPUs one after the other; the latency of the steps hides behind that, or that behind
** it. Over PCIe all of the collective before does: calls queue up. The library does not know and chooses without. */
static void add_launch(const pm__candidates *ways, double bytes, double place, pm__candidate_time *t)
{
  double launch = t->way->cost.launches * ways->launch;
  if (launch <= (ways->queued ? t->time : t->latency)) return;
  if (ways->queued) {
    t->time = launch;
    t->launch_bound = true;
    return;
  }
  *t = time_of(ways, t->way, bytes, place, launch);
  t->launch_bound = launch > t->transfer;
}

pm__candidate_time pm__candidates_time(const pm__candidates *ways, double bytes)
{
  pm__candidate_time best = {NAN, NAN, NAN, NAN, NULL, false};
  double place = log2(bytes / 64);
  if (ways->alone) return (pm__candidate_time){0, 0, 0, NAN, NULL, false};
  for (int i = 0; i < ways->count; i++) {
    pm__candidate_time t = time_of(ways, &ways->way[i], bytes, place, 0);
    if (best.way == NULL || t.time < best.time) best = t;
  }
  if (best.way == NULL) return best;
  add_launch(ways, bytes, place, &best);
  best.bus_bandwidth = bytes / best.time * ways->bus_factor;
  return best;
}
