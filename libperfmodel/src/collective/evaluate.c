/* Calls evaluated: the least over the ways that are allowed. Allocates nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "collective/group.h"

static const char launch_limit[PM_TEXT_MAX] = "launch";

/* The parts of one way's time. */
typedef struct parts {
  double latency, transfer, time;
} parts;

/* Whether each rank's part is an odd number of floats. */
static bool odd_parts(const pm_group *group, double bytes)
{
  return fmod(floor(bytes / 4 / group->shape.ranks), 2) == 1;
}

static parts parts_of(const pm_group *group, const pm__candidate *way, double bytes, double place, double least)
{
  const pm__cost *cost = &way->cost;
  parts p = {cost->latency > least ? cost->latency : least, cost->per_byte * bytes, 0};
  if (cost->tree_table) p.transfer /= pm__tree_factor(way->protocol, place);
  if (cost->odd_share > 0 && odd_parts(group, bytes)) p.transfer /= cost->odd_share;
  if (cost->fill_most > 0) p.transfer += fmin(cost->fill_per_byte * bytes, cost->fill_most);
  p.time = p.latency + p.transfer;
  if (cost->knee > 0) p.time += 2 * cost->knee * sqrt(p.latency * p.transfer);
  return p;
}

static bool allowed(const pm_group *group, const pm__candidate *way, const pm_call *call)
{
  if (call->protocol != PM_PROTOCOL_ANY && way->protocol != call->protocol - PM_PROTOCOL_LL) return false;
  bool network = group->choice.in_network && way->algorithm == PM_ALGORITHM_COLLNET;
  return call->algorithm == PM_ALGORITHM_AUTO ? way->automatic || network : way->algorithm == (pm_algorithm)call->algorithm;
}

static const pm__candidate *fastest(const pm_group *group, const pm_call *call, parts *best)
{
  const pm__candidates *list = &group->candidates[call->collective];
  const pm__candidate *found = NULL;
  double place = log2(call->bytes / 64);
  for (int i = 0; i < list->count; i++) {
    if (!allowed(group, &list->item[i], call)) continue;
    parts p = parts_of(group, &list->item[i], call->bytes, place, 0);
    if (found != NULL && p.time >= best->time) continue;
    found = &list->item[i];
    *best = p;
  }
  return found;
}

static void fill_unknown(pm_collective_time *out, int status)
{
  memset(out, 0, sizeof *out);
  out->status = status;
  out->time = out->algorithm_bandwidth = out->bus_bandwidth = out->latency = out->transfer = NAN;
}

static int check_call(const pm_call *call)
{
  if (call->collective < 0 || call->collective >= PM_COLLECTIVE_COUNT) return PM_BAD_ARGUMENT;
  if (call->algorithm < 0 || call->algorithm >= PM_ALGORITHM_COUNT) return PM_BAD_ARGUMENT;
  if (call->protocol < 0 || call->protocol >= PM_PROTOCOL_COUNT) return PM_BAD_ARGUMENT;
  return isfinite(call->bytes) && call->bytes >= 0 ? PM_OK : PM_BAD_ARGUMENT;
}

static void fill_alone(const pm_call *call, pm_collective_time *out)
{
  memset(out, 0, sizeof *out);
  out->algorithm = call->algorithm;
  out->protocol = call->protocol;
  out->algorithm_bandwidth = out->bus_bandwidth = NAN;
}

static double launch_time(const pm_group *group)
{
  const pm_collective_fit *fit = &group->shape.fit;
  return group->shape.era == PM_ERA_2016 && fit->old_launch > 0 ? fit->old_launch : fit->launch;
}

/* One host thread launches on its GPUs one after the other; the latency of the steps hides behind that, or that behind
** it. The library does not know and chooses without. */
static void add_launch(const pm_group *group, const pm__candidate *way, double bytes, parts *p, const char **limit)
{
  double launch = way->cost.launches * group->choice.thread_gpus * launch_time(group);
  *limit = way->cost.limit;
  if (launch <= p->latency) return;
  *p = parts_of(group, way, bytes, log2(bytes / 64), launch);
  if (launch > p->transfer) *limit = launch_limit;
}

static void evaluate(const pm_group *group, const pm_call *call, pm_collective_time *out)
{
  parts p = {0, 0, 0};
  const char *limit;
  int status = check_call(call);
  if (status != PM_OK) {
    fill_unknown(out, status);
    return;
  }
  if (group->shape.ranks <= 1) {
    fill_alone(call, out);
    return;
  }
  const pm__candidate *way = fastest(group, call, &p);
  if (way == NULL) {
    fill_unknown(out, PM_NOT_MODELLED);
    return;
  }
  add_launch(group, way, call->bytes, &p, &limit);
  memset(out, 0, sizeof *out);
  out->status = PM_OK;
  out->time = p.time;
  out->latency = p.latency;
  out->transfer = p.transfer;
  out->algorithm = way->algorithm;
  out->protocol = way->protocol + PM_PROTOCOL_LL;
  out->algorithm_bandwidth = call->bytes / p.time;
  out->bus_bandwidth = out->algorithm_bandwidth * pm__bus_factor((pm_collective)call->collective, group->shape.ranks);
  memcpy(out->limit, limit, sizeof out->limit); /* ids of links have the same size */
}

pm_call pm_call_default(void)
{
  return (pm_call){PM_ALL_REDUCE, 1, PM_ALGORITHM_AUTO, PM_PROTOCOL_ANY};
}

int pm_group_times(const pm_group *group, const pm_call *calls, pm_collective_time *results, size_t count)
{
  if (group == NULL || (count > 0 && (calls == NULL || results == NULL))) return PM_BAD_ARGUMENT;
  for (size_t i = 0; i < count; i++) evaluate(group, &calls[i], &results[i]);
  return PM_OK;
}

int pm_collective_find(const char *name)
{
  static const struct {
    const char *name;
    pm_collective collective;
  } names[] = {
#define NAME(name, text, doc) {text, PM_##name},
    PM_COLLECTIVE_LIST(NAME)
#undef NAME
    {"allreduce", PM_ALL_REDUCE},   {"reducescatter", PM_REDUCE_SCATTER}, {"allgather", PM_ALL_GATHER},
    {"alltoall", PM_ALL_TO_ALL},    {"sendrecv", PM_SEND_RECEIVE},        {"send_recv", PM_SEND_RECEIVE}};
  for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++)
    if (pm__same_name(name, names[i].name)) return (int)names[i].collective;
  return -1;
}
