/* Studies: made, freed; runs completed. */
#include "study/study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "record/sized.h"

/* ---- A study ---- */

static int check(const pm_study_setup *setup, pm_error *error)
{
  bool whole = setup != NULL && pm__task_at(setup->task) != NULL && setup->catalog != NULL &&
               setup->networks != NULL && setup->network_count > 0 &&
               setup->systems != NULL && setup->system_count > 0 &&
               (setup->frameworks != NULL || setup->framework_count == 0);
  for (size_t i = 0; whole && i < setup->network_count; i++) whole = setup->networks[i] != NULL;
  for (size_t i = 0; whole && i < setup->system_count; i++) whole = setup->systems[i] != NULL;
  for (size_t i = 0; whole && i < setup->framework_count; i++) whole = setup->frameworks[i] != NULL;
  if (whole) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a study needs a task, a catalogue, networks and systems");
}

static bool allocate(pm_study *study, const pm_study_setup *setup)
{
  study->slot_count = setup->framework_count > 0 ? setup->framework_count : (size_t)study->task->classes;
  study->networks = (pm__study_network *)calloc(setup->network_count, sizeof *study->networks);
  study->systems = (const pm_system **)calloc(setup->system_count, sizeof *study->systems);
  study->slots = (pm__study_slot *)calloc(study->slot_count, sizeof *study->slots);
  study->uses = (pm__study_use *)calloc(PM_ATTENTION_COUNT * setup->network_count, sizeof *study->uses);
  study->used = (int32_t *)calloc(study->slot_count, sizeof *study->used);
  bool good = study->networks != NULL && study->systems != NULL && study->slots != NULL && study->uses != NULL &&
              study->used != NULL;
  if (!good) study->slot_count = 0;
  for (size_t i = 0; i < study->slot_count && good; i++) {
    study->slots[i].by_system = (pm__study_software **)calloc(setup->system_count, sizeof *study->slots[i].by_system);
    good = study->slots[i].by_system != NULL;
  }
  return good;
}

static bool take_networks(pm_study *study, const pm_study_setup *setup)
{
  study->system_count = setup->system_count;
  for (size_t i = 0; i < setup->system_count; i++) study->systems[i] = setup->systems[i];
  for (; study->network_count < setup->network_count; study->network_count++) {
    pm__study_network *network = &study->networks[study->network_count];
    network->own = pm__network_new_copy(setup->networks[study->network_count], NULL);
    if (network->own == NULL) return false;
    network->traits = pm__network_get_traits(network->own);
  }
  return true;
}

/* Records instead of a name, copied. */
static int take_records(pm_study *study, const pm_study_records *records, size_t i, pm_error *error)
{
  pm__study_slot *slot = &study->slots[i];
  if (!slot->named) return PM_OK; /* slots without a name have no records */
  bool trains = study->task->software == PM__TASK_FRAMEWORKS;
  const pm_framework_profile *framework = trains && records->frameworks != NULL ? records->frameworks[i] : NULL;
  bool serves = study->task->software == PM__TASK_ENGINES;
  const pm_inference_profile *profile = !trains && !serves && records->profiles != NULL ? records->profiles[i] : NULL;
  const pm_engine_profile *engine = serves && records->engines != NULL ? records->engines[i] : NULL;
  if (framework == NULL && profile == NULL && engine == NULL) return PM_OK;
  slot->own = (pm__study_software *)calloc(1, sizeof *slot->own);
  if (slot->own == NULL) return pm__no_memory(error);
  if (framework != NULL) slot->own->framework = *framework;
  if (profile != NULL) slot->own->profile = *profile;
  if (engine != NULL) slot->own->engine = *engine;
  if (slot->own->profile.memory[0] == '\0') pm__text_set(slot->own->profile.memory, PM_TEXT_MAX, "generic");
  return PM_OK;
}

static const char *default_name(const pm_study *study, size_t i)
{
  return study->task->software == PM__TASK_ENGINES ? PM_ENGINE_DEFAULT
                                                   : pm__complete_framework((pm__software_class)i);
}

/* Names that nobody knows are found at once. */
static int take_names(pm_study *study, const pm_study_setup *setup, const pm_study_records *records, pm_error *error)
{
  for (size_t i = 0; i < study->slot_count; i++) {
    pm__study_slot *slot = &study->slots[i];
    slot->named = setup->framework_count > 0;
    slot->index = -1;
    if (take_records(study, records, i, error) != PM_OK) return PM_STATUS_NO_MEMORY;
    const char *name = slot->named ? setup->frameworks[i] : default_name(study, i);
    slot->none = study->task->software == PM__TASK_FRAMEWORKS && slot->own == NULL && strcmp(name, "none") == 0;
    if (!pm__text_set(slot->name, sizeof slot->name, name))
      return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown framework \"%.100s\"", name);
    if (slot->named && !slot->none && pm__study_find(study, slot, 0, error) == NULL) return PM_STATUS_NOT_FOUND;
  }
  return PM_OK;
}

pm_study *pm_study_new_with_records(const pm_study_setup *setup, const pm_study_records *records, pm_error *error)
{
  static const pm_study_records none = {NULL, NULL, NULL};
  if (check(setup, error) != PM_OK) return NULL;
  pm_study *study = (pm_study *)calloc(1, sizeof *study);
  if (study == NULL) return pm__no_memory(error), (pm_study *)NULL;
  study->catalog = setup->catalog;
  study->task = pm__task_at(setup->task);
  if (allocate(study, setup) && take_networks(study, setup)) {
    int status = pm_catalog_get_memory_profile(setup->catalog, "generic", &study->generic, error);
    if (status == PM_OK && take_names(study, setup, records != NULL ? records : &none, error) == PM_OK) return study;
  } else pm__no_memory(error);
  pm_study_free(study);
  return NULL;
}

static void free_slot(pm__study_slot *slot)
{
  for (size_t i = 0; i < slot->count; i++) free(slot->found[i]);
  free(slot->found);
  free(slot->by_system);
  free(slot->own);
}

void pm_study_free(pm_study *study)
{
  if (study == NULL) return;
  for (size_t i = 0; i < study->plan_count; i++) pm_plan_free(study->plans[i]);
  for (size_t i = 0; i < study->network_count; i++) {
    for (int k = 0; k < PM_ATTENTION_COUNT; k++) pm_network_free(study->networks[i].with[k]);
    pm_network_free(study->networks[i].own);
  }
  for (size_t i = 0; i < study->slot_count; i++) free_slot(&study->slots[i]);
  for (size_t i = 0; i < study->note_count; i++) free(study->notes[i]);
  free(study->plans);
  free(study->networks);
  free(study->systems);
  free(study->slots);
  free(study->uses);
  free(study->used);
  free(study->notes);
  free(study);
}

/* ---- Runs ---- */

pm__complete_question pm__study_question(const pm_study *study, const pm_given *given, const pm__study_network *network,
                                         int32_t system, const pm__study_slot *slot)
{
  const pm_system *s = study->systems[system];
  const pm__study_software *found = slot->none ? NULL : slot->by_system[system];
  pm__complete_question q = {.traits = &network->traits, .machine = pm_system_get_machine(s),
                             .gpu = pm_system_get_gpu(s), .given = given, .named = slot->named,
                             .attention = PM_ATTENTION_FUSED};
  if (found == NULL) return q;
  if (study->task->software == PM__TASK_ENGINES) return q.framework = found->engine.engine.id, q;
  const pm_framework *framework = &found->framework.framework;
  const pm_inference_profile *profile = &found->profile;
  bool trains = study->task->software == PM__TASK_FRAMEWORKS;
  q.framework = trains ? framework->id : profile->id;
  q.attention = trains ? framework->attention : profile->attention;
  q.tf32_convolutions = (trains ? framework->tf32_convolutions : profile->tf32_convolutions) != 0;
  return q;
}

/* The slot of the places that a run has, of a class of plans if nobody named a framework. */
static int find_slot(pm_study *study, int32_t network, int32_t system, int32_t slot, pm__study_slot **found,
                     pm_error *error)
{
  pm_error why = PM_ERROR_NONE;
  bool places = network >= 0 && (size_t)network < study->network_count && system >= 0 &&
                (size_t)system < study->system_count && slot >= 0 && (size_t)slot < study->slot_count;
  if (!places)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the network, system or framework of a run is not in the study");
  *found = &study->slots[slot];
  if ((*found)->none || pm__study_find(study, *found, system, &why) != NULL) return PM_OK;
  return pm__fail(error, why.status, "%s", why.text);
}

/* Places in the plan. */
static int use(pm_study *study, const pm__complete_question *q, pm__study_slot *slot, int32_t *network,
               int32_t *software, pm_error *error)
{
  *network = pm__study_use_network(study, q, *network, error);
  *software = pm__study_use_slot(study, slot);
  return *network >= 0 ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* A run that has no place in the study is left so that it has no prediction. */
static int refuse(const pm_study *study, void *run, int status)
{
  *pm__task_int(run, study->task->at.network) = *pm__task_int(run, study->task->at.software) = -2;
  return status;
}

static int complete_run(pm_study *study, const pm_given *given, void *run, pm_error *error)
{
  const pm__task *task = study->task;
  int32_t *network = pm__task_int(run, task->at.network), *software = pm__task_int(run, task->at.software);
  int32_t system = *pm__task_int(run, task->at.system);
  bool known = system >= 0 && (size_t)system < study->system_count;
  pm_error why = PM_ERROR_NONE;
  int status = known ? task->complete_counts(study->systems[system], given, run, &why) : PM_OK;
  bool experts = *network >= 0 && (size_t)*network < study->network_count && study->networks[*network].traits.experts;
  int32_t which = study->slots[0].named ? *software : task->class_of(run, experts);
  pm__study_slot *slot = NULL;
  int found = find_slot(study, *network, system, which, &slot, error);
  if (found != PM_OK) return refuse(study, run, found);
  const pm__complete_question q = pm__study_question(study, given, &study->networks[*network], system, slot);
  status = task->complete(&q, status, run, &why);
  if (status == PM_STATUS_BAD_ARGUMENT || status == PM_STATUS_UNREACHABLE) *pm__task_batch(task, run) = NAN;
  if (status != PM_OK) pm__fail(error, status, "%s", why.text);
  int used = use(study, &q, slot, network, software, error);
  return status == PM_OK ? used : status;
}

static int check_call(const pm_study *study, const pm_given *given, const void *asked, const void *runs, size_t size,
                      pm_error *error)
{
  if (study != NULL && given != NULL && asked != NULL && runs != NULL)
    return pm__record_size_check(study->task->facts.run, size, error);
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "completing runs needs a study, the given fields and runs");
}

int pm_study_complete(pm_study *study, const pm_given *given, const void *asked, void *runs, size_t run_size,
                      size_t count, pm_error *error)
{
  pm__task_record own;
  int status = check_call(study, given, asked, runs, run_size, error);
  if (status != PM_OK) return status;
  const pm__record_array theirs = {study->task->facts.run, asked, run_size};
  size_t size = study->task->at.size;
  for (size_t i = 0; i < count; i++) {
    void *place = (char *)runs + i * run_size, *run = run_size == size ? place : own.bytes;
    const void *from = run_size == size ? (const char *)asked + i * size : pm__record_read(&theirs, i, &own);
    if (from != run) memmove(run, from, size);
    int each = complete_run(study, given, run, status == PM_OK ? error : NULL);
    if (status == PM_OK) status = each;
    pm__record_write(place, run_size, run, size);
  }
  return status;
}

/* ---- What was assumed ---- */

/* The question that a completed run has answered; false if it is none of the study. */
static bool question_of(const pm_study *study, const pm_given *given, int32_t network, int32_t system, int32_t software,
                        pm__complete_question *q)
{
  static const pm__study_slot none = {.named = true, .none = true};
  if (study == NULL || given == NULL || network < 0 || (size_t)network >= study->use_count || system < 0 ||
      (size_t)system >= study->system_count || software >= (int32_t)study->used_count)
    return false;
  const pm__study_slot *slot = software >= 0 ? &study->slots[study->used[software]] : &none;
  *q = pm__study_question(study, given, &study->networks[study->uses[network].network], system, slot);
  return true;
}

int pm_study_get_assumptions(const pm_study *study, const pm_given *given, const void *run, size_t run_size,
                             pm_assumption *rows)
{
  pm__task_record own;
  pm__complete_question q;
  if (study == NULL || run == NULL || rows == NULL) return 0;
  const pm__task *task = study->task;
  if (pm__record_size_check(task->facts.run, run_size, NULL) != PM_OK) return 0;
  run = pm__record_read(&(pm__record_array){task->facts.run, run, run_size}, 0, &own);
  if (!question_of(study, given, pm__task_get(run, task->at.network), pm__task_get(run, task->at.system),
                   pm__task_get(run, task->at.software), &q))
    return 0;
  return task->list_assumptions(&q, run, rows);
}

int32_t pm_study_get_task(const pm_study *study)
{
  int32_t task = PM_TASK_COUNT;
  while (study != NULL && --task >= 0 && pm__task_at(task) != study->task) continue;
  return study != NULL ? task : -1;
}
