/*
** Sizing for inference. Replicas share nothing, so the GPUs are the rate over that of one, rounded up to whole machines.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "record/sized.h"
#include "search/size.h"

static const pm_system *system_of(const pm_size_service *service, size_t choice)
{
  return service->plan->systems[service->choices[choice].system_index].system;
}

static int check_choice(const pm_size_service *service, size_t i, pm_error *error)
{
  int32_t system = service->choices[i].system_index, profile = service->choices[i].profile_index;
  if (system < 0 || (size_t)system >= service->plan->system_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "system %d is not in the plan", system);
  if (profile < 0 || (size_t)profile >= service->plan->profile_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "profile %d is not in the plan", profile);
  return pm__size_check_price(service->prices, i, &system_of(service, i)->machine, error);
}

static int check(const pm_size_service *service, const pm_size_goal *goal, pm_error *error)
{
  if (service == NULL || goal == NULL || service->plan == NULL || service->choices == NULL || service->count == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a plan, a goal and something to choose from");
  if (isnan(goal->rate)) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing for inference needs a rate");
  if (!isnan(service->latency) && !(service->latency > 0 && isfinite(service->latency)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "latency %g is not positive and finite", service->latency);
  int status = pm__size_check_goal(goal, error);
  for (size_t i = 0; i < service->count && status == PM_OK; i++) status = check_choice(service, i, error);
  return status;
}

/* One GPU: the largest batch within the latency, or the batch that is asked for. */
static int predict(const pm_size_service *service, pm_inference_run *run, pm_inference *p)
{
  run->gpus = run->nodes = 1;
  if (!isnan(service->latency)) return pm_inference_find_batch(service->plan, run, service->latency, p, NULL);
  pm_infer(service->plan, run, p, 1);
  return p->status;
}

/* As pm_infer computes it, so that the last bit is the same. */
static double rate_of(const pm_inference_run *run, int32_t each, double nodes, const pm_inference *p)
{
  return run->batch * each * nodes / p->latency;
}

/* Nodes as doubles: a rate may want more than a number of nodes can be. */
static void fill(const pm_size_service *service, const pm_size_goal *goal, size_t choice, pm_size_choice *row)
{
  pm_inference p;
  pm_inference_run run = service->choices[choice];
  const pm_system *system = system_of(service, choice);
  int32_t each = run.gpus;
  pm_record_clear(pm_record_type_find("size_choice"), row);
  pm__text_set(row->system, sizeof row->system, system->machine.id);
  pm__text_set(row->framework, sizeof row->framework, pm__plan_profile_at(service->plan, run.profile_index, run.system_index)->profile.id);
  row->choice = (int32_t)choice;
  row->precision = run.precision;
  row->status = each < 1 || (size_t)each > system->gpu_count ? PM_STATUS_TOO_MANY_GPUS : predict(service, &run, &p);
  if (row->status != PM_OK) return;
  double nodes = ceil(goal->rate / (p.throughput * each));
  if (rate_of(&run, each, nodes, &p) < goal->rate) nodes++; /* rounded */
  if (nodes > goal->max_nodes) row->status = PM_STATUS_UNREACHABLE;
  row->nodes = nodes > goal->max_nodes ? goal->max_nodes : (int32_t)nodes;
  row->gpus = row->nodes * each;
  row->batch = run.batch;
  row->latency = p.latency;
  row->throughput = rate_of(&run, each, row->nodes, &p);
  row->reached = row->throughput / goal->rate;
  row->efficiency = 1;
  row->storage_rate = row->throughput * goal->sample_size;
  row->memory = p.memory;
  row->verdict = p.verdict;
  row->calibration = p.calibration;
  pm__size_machine(system, goal, service->prices != NULL ? service->prices[choice] : (double)NAN, row);
}

static int size(const pm_size_service *service, const pm_size_goal *goal, pm_size_choice *choices, pm_error *error)
{
  if (choices == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "sizing needs a place for its choices");
  int status = check(service, goal, error);
  if (status != PM_OK) return status;
  for (size_t i = 0; i < service->count; i++) {
    fill(service, goal, i, &choices[i]);
    if (choices[i].status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  }
  pm__size_rank(choices, service->count, goal->minimize);
  return PM_OK;
}

int pm_size_evaluate_inference_sized(const pm_size_service *service, const pm_run_sizes *sizes,
                                     const pm_size_goal *goal,
                            pm_size_choice *choices, pm_error *error)
{
  void *allocated;
  if (service == NULL || sizes == NULL) return check(NULL, NULL, error);
  int status = pm__record_size_check("inference_run", sizes->inference_run, error);
  if (status != PM_OK) return status;
  pm_size_service own = *service;
  pm__record_array runs = {"inference_run", service->choices, sizes->inference_run};
  own.choices = (const pm_inference_run *)pm__record_read_all(&runs, service->count, &allocated, error);
  status = own.choices == NULL && service->choices != NULL ? PM_STATUS_NO_MEMORY : size(&own, goal, choices, error);
  free(allocated);
  return status;
}
