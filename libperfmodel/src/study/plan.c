/* The plan of a study: the networks and the software that its runs have used so far. */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/inference.h"
#include "study/study.h"

/* ---- What runs use ---- */

/* Unfused is what a network is without a choice. */
int32_t pm__study_use_network(pm_study *study, const pm__complete_question *q, int32_t network, pm_error *error)
{
  pm__study_network *n = &study->networks[network];
  int32_t attention = q->traits->chooses_kernels ? q->attention : PM_ATTENTION_UNFUSED;
  pm_network **with = &n->with[attention];
  if (n->place[attention] > 0) return n->place[attention] - 1;
  if (attention != PM_ATTENTION_UNFUSED && *with == NULL)
    *with = pm__network_new_with_attention(n->own, attention, error);
  if (attention != PM_ATTENTION_UNFUSED && *with == NULL) return -1;
  study->uses[study->use_count] = (pm__study_use){network, attention};
  n->place[attention] = (int32_t)++study->use_count;
  return n->place[attention] - 1;
}

int32_t pm__study_use_slot(pm_study *study, pm__study_slot *slot)
{
  if (slot->none || slot->index >= 0) return slot->index;
  study->used[study->used_count] = (int32_t)(slot - study->slots);
  return slot->index = (int32_t)study->used_count++;
}

static const pm_network *network_at(const pm_study *study, size_t use)
{
  const pm__study_network *n = &study->networks[study->uses[use].network];
  const pm_network *with = n->with[study->uses[use].attention];
  return with != NULL ? with : n->own;
}

const pm_network *pm_study_get_network(const pm_study *study, int32_t network_index)
{
  if (study == NULL || network_index < 0 || (size_t)network_index >= study->use_count) return NULL;
  return network_at(study, (size_t)network_index);
}

/* ---- The plan ---- */

static pm_plan *new_plan(const pm_study *study, pm_error *error)
{
  const pm_network **networks = (const pm_network **)calloc(study->use_count, sizeof *networks);
  if (networks == NULL) return pm__no_memory(error), (pm_plan *)NULL;
  for (size_t i = 0; i < study->use_count; i++) networks[i] = network_at(study, i);
  pm_plan *plan = pm_plan_new(networks, study->use_count, study->systems, study->system_count, error);
  free(networks);
  return plan;
}

static int add_frameworks(const pm_study *study, const pm__study_slot *slot, pm_plan *plan, pm_error *error)
{
  pm_framework_profile *profiles = (pm_framework_profile *)calloc(study->system_count, sizeof *profiles);
  if (profiles == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < study->system_count; i++) profiles[i] = slot->by_system[i]->framework;
  int added = pm_plan_add_framework_by_system(plan, profiles, study->system_count, error);
  free(profiles);
  return added >= 0 ? PM_OK : PM_STATUS_BAD_VALUE;
}

static int add_profiles(const pm_study *study, const pm__study_slot *slot, pm_plan *plan, pm_error *error)
{
  pm_inference_profile *profiles = (pm_inference_profile *)calloc(study->system_count, sizeof *profiles);
  if (profiles == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < study->system_count; i++) profiles[i] = slot->by_system[i]->profile;
  int added = pm_plan_add_inference_profile_by_system(plan, profiles, study->system_count, &slot->by_system[0]->memory,
                                                      error);
  free(profiles);
  return added >= 0 ? PM_OK : PM_STATUS_BAD_VALUE;
}

static int add_engines(const pm_study *study, const pm__study_slot *slot, pm_plan *plan, pm_error *error)
{
  pm_engine_profile *engines = (pm_engine_profile *)calloc(study->system_count, sizeof *engines);
  if (engines == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < study->system_count; i++) engines[i] = slot->by_system[i]->engine;
  int added = pm_plan_add_engine_by_system(plan, engines, study->system_count, error);
  free(engines);
  return added >= 0 ? PM_OK : PM_STATUS_BAD_VALUE;
}

/* On all systems, since a plan has it for each. */
static int add_software(pm_study *study, pm__study_slot *slot, pm_plan *plan, pm_error *error)
{
  for (size_t i = 0; i < study->system_count; i++)
    if (pm__study_find(study, slot, (int32_t)i, error) == NULL) return PM_STATUS_NOT_FOUND;
  if (study->task->software == PM__TASK_ENGINES) return add_engines(study, slot, plan, error);
  return study->task->software == PM__TASK_PROFILES ? add_profiles(study, slot, plan, error)
                                                    : add_frameworks(study, slot, plan, error);
}

static pm_plan *build(pm_study *study, pm_error *error)
{
  pm_plan *plan = new_plan(study, error);
  for (size_t i = 0; plan != NULL && i < study->used_count; i++) {
    if (add_software(study, &study->slots[study->used[i]], plan, error) == PM_OK) continue;
    pm_plan_free(plan);
    plan = NULL;
  }
  return plan;
}

const pm_plan *pm_study_get_plan(pm_study *study, pm_error *error)
{
  if (study == NULL || study->use_count == 0) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a plan needs a study with a run");
    return NULL;
  }
  if (study->built_networks == study->use_count && study->built_slots == study->used_count)
    return study->plans[study->plan_count - 1];
  pm_plan **plans = (pm_plan **)pm__grow(study->plans, study->plan_count, &study->plan_capacity, sizeof *plans);
  if (plans == NULL) return pm__no_memory(error), (pm_plan *)NULL;
  study->plans = plans;
  plans[study->plan_count] = build(study, error);
  if (plans[study->plan_count] == NULL) return NULL;
  study->built_networks = study->use_count;
  study->built_slots = study->used_count;
  return plans[study->plan_count++];
}
