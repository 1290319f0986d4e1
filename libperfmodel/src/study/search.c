/*
** Searches of a study. Where nobody named a framework, a run to search from is one for each class of software: plans of
** a class have its framework, and its attention.
*/
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "record/sized.h"
#include "search/parallel_search.h"
#include "study/study.h"

/* One run in one slot: precision, optimizer, network and framework. */
static int add_base(pm_study *study, const pm_given *given, const pm_run *run, int which, pm__study_bases *all,
                    pm_error *error)
{
  pm__search_base *base = &all->list[all->count];
  *base = (pm__search_base){*run, study->slots[0].named ? -1 : which};
  pm__study_slot *slot = &study->slots[which];
  if (!slot->none && pm__study_find(study, slot, run->system_index, error) == NULL) return PM_STATUS_NOT_FOUND;
  const pm__complete_question q = pm__study_question(study, given, &study->networks[run->network_index],
                                                     run->system_index, slot);
  pm__complete_numbers(&q, &base->run);
  base->run.network_index = pm__study_use_network(study, &q, run->network_index, error);
  base->run.framework_index = pm__study_use_slot(study, slot);
  all->count++;
  return base->run.network_index >= 0 ? PM_OK : PM_STATUS_NO_MEMORY;
}

int pm__study_add_bases(pm_study *study, const pm_given *given, const pm_run *run, pm__study_bases *all,
                        pm_error *error)
{
  bool named = study->slots[0].named;
  int status = PM_OK, first = named ? run->framework_index : 0, end = named ? first + 1 : PM__SOFTWARE_CLASSES;
  bool places = run->network_index >= 0 && (size_t)run->network_index < study->network_count &&
                run->system_index >= 0 && (size_t)run->system_index < study->system_count &&
                first >= 0 && (size_t)end <= study->slot_count;
  if (!places)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "the network, system or framework of a base run is not in the study");
  for (int i = first; i < end && status == PM_OK; i++) status = add_base(study, given, run, i, all, error);
  return status;
}

double pm__study_global_batch(const pm_study *study, const pm_run *run, double global_batch, pm_error *error)
{
  pm_network_totals totals;
  if (!isnan(global_batch)) return global_batch;
  if (run->network_index < 0 || (size_t)run->network_index >= study->network_count) return 0; /* refused as a base */
  const pm__study_network *network = &study->networks[run->network_index];
  if (pm_network_get_totals(network->own, &totals, error) != PM_OK) return NAN;
  double samples = pm__complete_global_batch(&network->traits, totals.tokens);
  if (isnan(samples))
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "global_batch is not given; only language models have a default");
  return samples;
}

int pm__study_check_bases(const pm_study *study, const pm_given *given, const void *runs, size_t count,
                          size_t run_size, pm_error *error)
{
  if (study == NULL || study->task != &pm__task_training || given == NULL || runs == NULL || count == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a search needs a study of training, the given fields and a run");
  return pm__record_size_check("run", run_size, error);
}

pm_search *pm_study_new_search_sized(pm_study *study, const pm_given *given, const pm_run *runs, size_t count,
                                     size_t run_size, double global_batch, pm_error *error)
{
  pm_search *search = NULL;
  const pm__record_array theirs = {"run", runs, run_size};
  int status = pm__study_check_bases(study, given, runs, count, run_size, error);
  if (status != PM_OK) return NULL;
  pm__study_bases all = {(pm__search_base *)calloc(count, PM__SOFTWARE_CLASSES * sizeof *all.list), 0};
  if (all.list == NULL) return pm__no_memory(error), search;
  for (size_t i = 0; i < count && status == PM_OK; i++) {
    pm_run own = *(const pm_run *)pm__record_read(&theirs, i, &own);
    bool known = own.system_index >= 0 && (size_t)own.system_index < study->system_count;
    if (known) status = pm__complete_counts(study->systems[own.system_index], given, &own, error);
    if (status == PM_OK) status = pm__study_add_bases(study, given, &own, &all, error);
  }
  const pm_plan *plan = status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  if (plan != NULL) global_batch = pm__study_global_batch(study, (const pm_run *)runs, global_batch, error);
  if (plan != NULL && !isnan(global_batch)) search = pm__search_new(plan, all.list, all.count, global_batch, error);
  free(all.list);
  return search;
}
