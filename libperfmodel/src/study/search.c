/*
** Searches of a study. Where nobody named a framework, a run to search from is one for each class of software: plans of
** a class have its framework, and its attention.
*/
#include <stdlib.h>
#include "base/base.h"
#include "record/sized.h"
#include "search/parallel_search.h"
#include "study/study.h"

typedef struct bases {
  pm__search_base *list;
  size_t count;
} bases;

/* One run in one slot: precision, optimizer, network and framework. */
static int add_base(pm_study *study, const pm_given *given, const pm_run *run, int which, bases *all, pm_error *error)
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

static int add_classes(pm_study *study, const pm_given *given, const pm_run *run, bases *all, pm_error *error)
{
  bool named = study->slots[0].named;
  int status = PM_OK, first = named ? run->framework_index : 0, end = named ? first + 1 : PM__SOFTWARE_CLASSES;
  bool places = run->network_index >= 0 && (size_t)run->network_index < study->network_count &&
                run->system_index >= 0 && (size_t)run->system_index < study->system_count &&
                first >= 0 && (size_t)end <= study->slot_count;
  if (!places)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "the network, system or framework of a run to search from is not in the study");
  for (int i = first; i < end && status == PM_OK; i++) status = add_base(study, given, run, i, all, error);
  return status;
}

static int check(const pm_study *study, const pm_given *given, const void *runs, size_t count, size_t run_size,
                 pm_error *error)
{
  if (study == NULL || study->task != &pm__task_training || given == NULL || runs == NULL || count == 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a search needs a study of training, what was given, and a run");
  return pm__record_size_check("run", run_size, error);
}

pm_search *pm_study_new_search_sized(pm_study *study, const pm_given *given, const pm_run *runs, size_t count,
                                     size_t run_size, double global_batch, pm_error *error)
{
  pm_search *search = NULL;
  const pm__record_array theirs = {"run", runs, run_size};
  int status = check(study, given, runs, count, run_size, error);
  if (status != PM_OK) return NULL;
  bases all = {(pm__search_base *)calloc(count, PM__SOFTWARE_CLASSES * sizeof *all.list), 0};
  if (all.list == NULL) return pm__no_memory(error), search;
  for (size_t i = 0; i < count && status == PM_OK; i++) {
    pm_run own = *(const pm_run *)pm__record_read(&theirs, i, &own);
    bool known = own.system_index >= 0 && (size_t)own.system_index < study->system_count;
    if (known) status = pm__complete_counts(study->systems[own.system_index], given, &own, error);
    if (status == PM_OK) status = add_classes(study, given, &own, &all, error);
  }
  const pm_plan *plan = status == PM_OK ? pm_study_get_plan(study, error) : NULL;
  if (plan != NULL) search = pm__search_new(plan, all.list, all.count, global_batch, error);
  free(all.list);
  return search;
}

pm_table *pm_study_tabulate_training_sized(pm_study *study, const pm_given *given, const pm_run *base, size_t run_size,
                                           double global_batch, const pm_training_goal *goal, pm_error *error)
{
  pm__search_base list[PM__SOFTWARE_CLASSES];
  bases all = {list, 0};
  pm_run own;
  if (check(study, given, base, 1, run_size, error) != PM_OK) return NULL;
  if (goal == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a deadline needs a goal"), (pm_table *)NULL;
  own = *(const pm_run *)pm__record_read(&(pm__record_array){"run", base, run_size}, 0, &own);
  if (add_classes(study, given, &own, &all, error) != PM_OK) return NULL;
  const pm_plan *plan = pm_study_get_plan(study, error);
  return plan != NULL ? pm__search_tabulate_training(plan, list, all.count, global_batch, goal, error) : NULL;
}
