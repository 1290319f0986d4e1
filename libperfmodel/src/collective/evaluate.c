/* Evaluates calls of collectives: the fastest of the algorithms and protocols that each allows. Allocates nothing. */
#include <math.h>
#include <string.h>
#include "record/sized.h"
#include "collective/handle.h"

static const char launch_limit[PM_TEXT_MAX] = "launch";

static void fill_unknown(pm_collective_time *out, int status)
{
  memset(out, 0, sizeof *out);
  out->status = status;
  out->time = out->algorithm_bandwidth = out->bus_bandwidth = out->latency = out->transfer = NAN;
  out->time_p10 = out->time_p90 = NAN;
}

static int check_call(const pm_call *call)
{
  if (call->collective < 0 || call->collective >= PM_COLLECTIVE_COUNT) return PM_STATUS_BAD_ARGUMENT;
  if (call->algorithm < 0 || call->algorithm >= PM_ALGORITHM_COUNT) return PM_STATUS_BAD_ARGUMENT;
  if (call->protocol < 0 || call->protocol >= PM_PROTOCOL_COUNT) return PM_STATUS_BAD_ARGUMENT;
  return isfinite(call->bytes) && call->bytes >= 0 ? PM_OK : PM_STATUS_BAD_ARGUMENT;
}

static void fill_alone(const pm_call *call, pm_collective_time *out)
{
  memset(out, 0, sizeof *out);
  out->algorithm = call->algorithm;
  out->protocol = call->protocol;
  out->calibration = PM_CALIBRATION_STATUS_CALIBRATED;
  out->algorithm_bandwidth = out->bus_bandwidth = NAN;
}

static void fill_known(const pm__collective_candidate_time *t, double bytes, double factor, bool calibrated,
                       pm_collective_time *out)
{
  memset(out, 0, sizeof *out);
  out->status = PM_OK;
  out->calibration = calibrated ? PM_CALIBRATION_STATUS_CALIBRATED : PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  out->time = t->time;
  out->time_p10 = t->time / factor;
  out->time_p90 = t->time * factor;
  out->latency = t->latency;
  out->transfer = t->transfer;
  out->algorithm = (int32_t)t->candidate->algorithm;
  out->protocol = t->candidate->protocol + PM_PROTOCOL_LL;
  out->algorithm_bandwidth = bytes / t->time;
  out->bus_bandwidth = t->bus_bandwidth;
  const char *limit = t->launch_bound ? launch_limit : t->candidate->cost.limit; /* all of one size */
  memcpy(out->bottleneck, limit, sizeof out->bottleneck);
}

/* The candidates of a call that names its algorithm or protocol, or of a group with other constants; those of the call
** before if it names the same. */
typedef struct named {
  pm__collective_candidates candidates;
  pm_call call;
  bool filled;
} named;

static const pm__collective_candidates *candidates_of(const pm_group *group, const pm_call *call, named *last)
{
  bool ready = group->changed == NULL && call->algorithm == PM_ALGORITHM_AUTO && call->protocol == PM_PROTOCOL_ANY;
  if (ready) return &group->candidates[call->collective];
  bool same = last->filled && last->call.collective == call->collective && last->call.algorithm == call->algorithm &&
              last->call.protocol == call->protocol;
  if (!same)
    pm__collective_candidates_init(&last->candidates, &group->parameters, (pm_collective)call->collective,
                                   (pm_algorithm)call->algorithm, call->protocol);
  last->call = *call;
  last->filled = true;
  return &last->candidates;
}

static void evaluate(const pm_group *group, const pm_call *call, named *last, pm_collective_time *out)
{
  int status = check_call(call);
  if (status != PM_OK) {
    fill_unknown(out, status);
    return;
  }
  if (group->parameters.ranks <= 1) {
    fill_alone(call, out);
    return;
  }
  pm__collective_candidate_time t = pm__collective_candidates_time(candidates_of(group, call, last), call->bytes);
  if (t.candidate == NULL) fill_unknown(out, PM_STATUS_NOT_MODELLED);
  else if (!isfinite(t.time)) fill_unknown(out, PM_STATUS_BAD_VALUE); /* more seconds than a double can hold */
  else fill_known(&t, call->bytes, pm__collective_interval_at(group->interval, call->bytes),
                  group->parameters.calibrated, out);
}

static int evaluate_all(const void *group, const void *calls, void *results, size_t count)
{
  named last;
  last.filled = false;
  for (size_t i = 0; i < count; i++)
    evaluate((const pm_group *)group, (const pm_call *)calls + i, &last, (pm_collective_time *)results + i);
  return PM_OK;
}

int pm_group_evaluate_sized(const pm_group *group, const pm_call *calls, size_t call_size, pm_collective_time *results,
                         size_t result_size, size_t count)
{
  if (group == NULL || (count > 0 && (calls == NULL || results == NULL))) return PM_STATUS_BAD_ARGUMENT;
  if (call_size == sizeof *calls && result_size == sizeof *results) return evaluate_all(group, calls, results, count);
  if (pm__record_size_check("call", call_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("collective", result_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  return pm__record_each(evaluate_all, group, (pm__record_array){"call", calls, call_size},
                        (pm__record_array){"collective", results, result_size}, count);
}

int pm_collective_find(const char *name)
{
  static const struct {
    const char *name;
    pm_collective collective;
  } names[] = {
#define NAME(name, text, doc) {text, PM_COLLECTIVE_##name},
    PM_COLLECTIVE_LIST(NAME)
#undef NAME
    {"allreduce", PM_COLLECTIVE_ALL_REDUCE},         {"reducescatter", PM_COLLECTIVE_REDUCE_SCATTER},
    {"allgather", PM_COLLECTIVE_ALL_GATHER},         {"alltoall", PM_COLLECTIVE_ALL_TO_ALL},
    {"sendrecv", PM_COLLECTIVE_SEND_RECEIVE},        {"send_recv", PM_COLLECTIVE_SEND_RECEIVE}};
  for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++)
    if (pm__same_name(name, names[i].name)) return (int)names[i].collective;
  return -1;
}
