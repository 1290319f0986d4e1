/* The serving engines of a plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "plan/rows.h"

static int check_number(const pm_engine *e, const char *name, double value, double least, double most,
                        pm_error *error)
{
  if (isnan(value) || (value >= least && value <= most)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "engine \"%.60s\": %s %g is out of range", e->id, name, value);
}

static int check_engine(const pm_engine *e, pm_error *error)
{
  const struct {
    const char *name;
    double value, least, most;
  } all[] = {{"token_budget", e->token_budget, 1, 1e9}, {"small_token_budget", e->small_token_budget, 1, 1e9},
             {"sequences", e->sequences, 1, 1e9}, {"small_sequences", e->small_sequences, 1, 1e9},
             {"block", e->block, 1, 1e6}, {"memory_fraction", e->memory_fraction, 0.01, 1},
             {"reserve", e->reserve, 0, 1e13}, {"group_reserve", e->group_reserve, 0, 1e13},
             {"sampler_bytes", e->sampler_bytes, 0, 1e6}, {"graph_sequences", e->graph_sequences, 0, 1e9},
             {"prefill_factor", e->prefill_factor, 1e-3, 1e3}, {"decode_factor", e->decode_factor, 1e-3, 1e3},
             {"start_factor", e->start_factor, 0, 1e3},
             {"step_time", e->step_time, 0, 1e3}, {"sequence_time", e->sequence_time, 0, 1e3},
             {"layer_time", e->layer_time, 0, 1e3}, {"latent_time", e->latent_time, 0, 1e3},
             {"stage_factor", e->stage_factor, 1e-3, 1e3},
             {"client_time", e->client_time, 0, 1e6}, {"bunching", e->bunching, 0, 1},
             {"cache_reserved", e->cache_reserved, 0, 1}, {"recomputed", e->recomputed, 0, 1e3}};
  int status = PM_OK;
  for (size_t i = 0; i < sizeof all / sizeof all[0] && status == PM_OK; i++)
    status = check_number(e, all[i].name, all[i].value, all[i].least, all[i].most, error);
  if (status != PM_OK || (e->scheduler >= 0 && e->scheduler < PM_SCHEDULER_COUNT)) return status;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "engine \"%.60s\": there is no scheduler %d", e->id, e->scheduler);
}

static int make(pm_plan *plan, const pm_engine_profile *profile, pm__plan_engine *entry, pm_error *error)
{
  int status = check_engine(&profile->engine, error);
  if (status != PM_OK) return status;
  *entry = (pm__plan_engine){.profile = *profile};
  const pm_engine *e = &entry->profile.engine;
  entry->rows = pm__plan_rows_of(plan, (pm__plan_lists){e->calibrated_on, e->calibrated_on, "", e->architectures},
                                 error);
  return entry->rows != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

void pm__plan_engine_free(const pm_plan *plan, pm__plan_engine *entry)
{
  for (size_t i = 0; entry->by_system != NULL && i < plan->system_count; i++) free(entry->by_system[i].rows);
  free(entry->by_system);
  free(entry->rows);
}

static int make_all(pm_plan *plan, const pm_engine_profile *profiles, size_t count, pm__plan_engine *entry,
                    pm_error *error)
{
  int status = make(plan, &profiles[0], entry, error);
  if (status != PM_OK || count == 1) return status;
  entry->by_system = (pm__plan_engine *)calloc(count, sizeof *entry->by_system);
  if (entry->by_system == NULL) status = pm__no_memory(error);
  for (size_t i = 0; i < count && status == PM_OK; i++) status = make(plan, &profiles[i], &entry->by_system[i], error);
  if (status != PM_OK) pm__plan_engine_free(plan, entry);
  return status;
}

int pm_plan_add_engine_by_system(pm_plan *plan, const pm_engine_profile *engines, size_t count, pm_error *error)
{
  pm__plan_engine entry;
  if (plan == NULL || engines == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an engine needs a plan and a record"), -1;
  if (count != 1 && count != plan->system_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%zu engines are given for the %zu systems of the plan",
                    count, plan->system_count), -1;
  void *all = pm__grow(plan->engines, plan->engine_count, &plan->engine_capacity, sizeof *plan->engines);
  if (all == NULL) return pm__no_memory(error), -1;
  plan->engines = (pm__plan_engine *)all;
  if (make_all(plan, engines, count, &entry, error) != PM_OK) return -1;
  plan->engines[plan->engine_count] = entry;
  return (int)plan->engine_count++;
}

int pm_plan_set_engine(pm_plan *plan, int index, const pm_engine_profile *engine, pm_error *error)
{
  if (plan == NULL || engine == NULL || index < 0 || index >= (int)plan->engine_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the plan has no engine %d", index);
  pm__plan_engine *entry = &plan->engines[index];
  int status = check_engine(&engine->engine, error);
  for (size_t i = 0; entry->by_system != NULL && i < plan->system_count && status == PM_OK; i++)
    entry->by_system[i].profile = *engine;
  if (status == PM_OK) entry->profile = *engine;
  return status;
}
