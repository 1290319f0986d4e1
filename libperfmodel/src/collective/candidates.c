/* Prices the algorithms that can do a collective, each with each protocol, and selects the fastest. Allocates
** nothing. */
#include "collective/candidates.h"
#include <math.h>
#include <string.h>

/* ---- Which there are ---- */

static double group_launch(const pm__collective_parameters *group)
{
  const pm_collective_fit *fit = group->fit;
  double each = group->nccl == PM_NCCL_2016 && fit->old_launch > 0 ? fit->old_launch : fit->launch;
  return each * group->thread_gpus;
}

static bool selected(const pm__collective_parameters *group, const pm__collective_algorithm *algorithm)
{
  return algorithm->selection == PM__SELECTED_ALWAYS ||
         (algorithm->selection == PM__SELECTED_IN_NETWORK && group->in_network);
}

static void add_protocols(pm__collective_candidates *candidates, const pm__collective_parameters *group, int id,
                          pm_collective collective, int protocol_choice)
{
  const pm__collective_algorithm *algorithm = pm__collective_algorithm_of(id);
  int first = PM__LL, last = PM__SIMPLE;
  if (!pm__collective_algorithm_serves(algorithm, group, collective)) return;
  if (protocol_choice != PM_PROTOCOL_ANY) first = last = protocol_choice - PM_PROTOCOL_LL;
  if (!group->protocols && first < PM__SIMPLE) first = PM__SIMPLE; /* latencies of the others are not known */
  for (int p = first; p <= last && candidates->count < PM__CANDIDATES_MAX; p++) {
    if (!pm__collective_algorithm_speaks(algorithm, group, p)) continue;
    pm__collective_candidate *candidate = &candidates->candidate[candidates->count++];
    *candidate = (pm__collective_candidate){.algorithm = (pm_algorithm)id, .protocol = p, .cost = {.launches = 1}};
    algorithm->cost(group, collective, p, &candidate->cost);
  }
}

void pm__collective_candidates_init(pm__collective_candidates *candidates, const pm__collective_parameters *group,
                                    pm_collective collective, pm_algorithm algorithm, int protocol_choice)
{
  candidates->count = 0;
  candidates->ranks = group->ranks;
  candidates->alone = group->ranks <= 1;
  candidates->bus_factor = pm__collective_bus_factor(collective, group->ranks);
  candidates->launch = group_launch(group);
  candidates->channel_launch = group->fit->channel_launch * group->thread_gpus;
  candidates->channels = group->channels;
  candidates->channel_bytes = pm__collective_channel_bytes(collective, group->ranks);
  candidates->queued = !group->nvlink && group->per_node > 1;
  candidates->sm_share = fmin(group->channels / group->multiprocessors, 1);
  if (candidates->alone) return;
  for (int id = PM_ALGORITHM_AUTO + 1; id < PM_ALGORITHM_COUNT; id++)
    if (algorithm == PM_ALGORITHM_AUTO ? selected(group, pm__collective_algorithm_of(id)) : id == (int)algorithm)
      add_protocols(candidates, group, id, collective, protocol_choice);
}

bool pm__collective_candidates_find(pm__collective_candidates *candidates, const pm__collective_group *group,
                                    pm_collective collective)
{
  pm__collective_parameters parameters;
  bool connected = pm__collective_parameters_init(&parameters, group, NULL) == PM_OK;
  if (connected)
    pm__collective_candidates_init(candidates, &parameters, collective, PM_ALGORITHM_AUTO, PM_PROTOCOL_ANY);
  else *candidates = (pm__collective_candidates){.count = 0, .alone = false};
  return connected;
}

/* ---- Times ---- */

/* Whether each rank's part is an odd number of floats. */
static bool odd_parts(double ranks, double bytes)
{
  return fmod(floor(bytes / 4 / ranks), 2) == 1;
}

/* A correction in proportion between its entries. */
static double corrected(const double *correction, double bytes)
{
  double place = log2(bytes / 64);
  if (place <= 0) return correction[0];
  if (place >= PM__CORRECTIONS) return 1;
  int below = (int)place;
  double here = correction[below], next = below + 1 < PM__CORRECTIONS ? correction[below + 1] : 1;
  return here + (place - below) * (next - here);
}

/* The transfer of one candidate. */
static double transfer_of(const pm__collective_candidates *candidates, const pm__collective_cost *cost, double bytes)
{
  double transfer = cost->per_byte * bytes;
  if (cost->correction != NULL) transfer /= corrected(cost->correction, bytes);
  if (cost->odd_share > 0 && odd_parts(candidates->ranks, bytes)) transfer /= cost->odd_share;
  if (cost->fill_most > 0) transfer += fmin(cost->fill_per_byte * bytes, cost->fill_most);
  return transfer;
}

static double joined(const pm__collective_cost *cost, double latency, double transfer)
{
  double time = latency + transfer;
  return cost->knee > 0 ? time + 2 * cost->knee * sqrt(latency * transfer) : time;
}

/* Less than a candidate can take: all that bends its time makes it longer, but an odd share above 1. */
static double least_time(const pm__collective_cost *cost, double bytes)
{
  return cost->odd_share > 1 ? 0 : cost->latency + cost->per_byte * bytes;
}

/* The fastest, of equals the first, and what it takes. Looks at `guess` first, which saves the others if it is right,
** and never changes the answer. */
static int fastest(const pm__collective_candidates *candidates, double bytes, int guess, double *time, double *transfer)
{
  const pm__collective_candidate *list = candidates->candidate;
  int best = guess;
  *transfer = transfer_of(candidates, &list[best].cost, bytes);
  *time = joined(&list[best].cost, list[best].cost.latency, *transfer);
  for (int i = 0; i < candidates->count; i++) {
    if (i == guess || least_time(&list[i].cost, bytes) > *time) continue;
    double moving = transfer_of(candidates, &list[i].cost, bytes);
    double all = joined(&list[i].cost, list[i].cost.latency, moving);
    if (!(all < *time || (all == *time && i < best))) continue;
    best = i;
    *time = all;
    *transfer = moving;
  }
  return best;
}

/* The host prepares every channel that the library uses, and it uses more for more bytes. */
static double launch_of(const pm__collective_candidates *candidates, const pm__collective_cost *cost, double bytes)
{
  double channels = fmax(fmin(bytes / candidates->channel_bytes, candidates->channels), 1);
  return cost->launches * candidates->launch + (channels - 1) * candidates->channel_launch;
}

/* One host thread launches on its GPUs one after the other; these launches overlap with the latency of the
** steps. Over PCIe they overlap with all of the collective before: calls queue up. The library does not know this and
** chooses without it. Returns whether the launches limit. */
static bool add_launch(const pm__collective_candidates *candidates, const pm__collective_cost *cost, double bytes,
                       double transfer, double *latency, double *time)
{
  double launch = launch_of(candidates, cost, bytes);
  if (launch <= (candidates->queued ? *time : *latency)) return false;
  if (candidates->queued) {
    *time = launch;
    return true;
  }
  *latency = launch;
  *time = joined(cost, launch, transfer);
  return launch > transfer;
}

pm__collective_candidate_time pm__collective_candidates_time(const pm__collective_candidates *candidates, double bytes)
{
  double time, transfer;
  if (candidates->alone) return (pm__collective_candidate_time){.bus_bandwidth = NAN, .candidate = NULL};
  if (candidates->count == 0)
    return (pm__collective_candidate_time){.time = NAN, .latency = NAN, .transfer = NAN, .bus_bandwidth = NAN};
  const pm__collective_candidate *best = &candidates->candidate[fastest(candidates, bytes, 0, &time, &transfer)];
  double latency = best->cost.latency;
  bool launch_bound = add_launch(candidates, &best->cost, bytes, transfer, &latency, &time);
  return (pm__collective_candidate_time){.time = time, .latency = latency, .transfer = transfer, .candidate = best,
                                         .bus_bandwidth = bytes / time * candidates->bus_factor,
                                         .launch_bound = launch_bound};
}

/* The place among the first `count` of a size that was asked before, or -1; buckets of equal layers follow each other
** at small distances. */
static int seen_before(const double *bytes, int count)
{
  enum { BACK = 4 };
  for (int back = 1; back <= BACK && back <= count; back++)
    if (bytes[count - back] == bytes[count]) return count - back;
  return -1;
}

void pm__collective_candidates_times(const pm__collective_candidates *candidates, const double *bytes, int count,
                                     double *times)
{
  int guess = 0;
  for (int i = 0; i < count; i++) {
    int same = seen_before(bytes, i);
    if (same >= 0) times[i] = times[same];
    else if (candidates->alone || !(bytes[i] > 0)) times[i] = 0;
    else if (candidates->count == 0) times[i] = NAN;
    else {
      double transfer;
      guess = fastest(candidates, bytes[i], guess, &times[i], &transfer);
      const pm__collective_cost *cost = &candidates->candidate[guess].cost;
      double latency = cost->latency;
      add_launch(candidates, cost, bytes[i], transfer, &latency, &times[i]);
    }
  }
}
