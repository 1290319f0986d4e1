/* The frameworks and inference profiles of a study, found when a run first needs them. */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "software/profile.h"
#include "study/study.h"

/* ---- Notes: each once ---- */

static int add_note(pm_study *study, const char *text, pm_error *error)
{
  for (size_t i = 0; i < study->note_count; i++)
    if (strcmp(study->notes[i], text) == 0) return PM_OK;
  char **notes = (char **)pm__grow(study->notes, study->note_count, &study->note_capacity, sizeof *notes);
  if (notes == NULL) return pm__no_memory(error);
  study->notes = notes;
  notes[study->note_count] = pm__text_copy(text);
  return notes[study->note_count] != NULL ? (study->note_count++, PM_OK) : pm__no_memory(error);
}

const char *pm_study_get_note(const pm_study *study, size_t index)
{
  return study != NULL && index < study->note_count ? study->notes[index] : NULL;
}

/* ---- Software ---- */

static int look_up(const pm_study *study, const pm__study_slot *slot, pm__study_software *found, pm_error *error)
{
  if (slot->own != NULL) {
    found->framework = slot->own->framework;
    found->profile = slot->own->profile;
    found->engine = slot->own->engine;
  } else if (study->task->software == PM__TASK_ENGINES)
    return pm_catalog_get_engine_on(study->catalog, slot->name, found->architecture, &found->engine, error);
  else if (study->task->software == PM__TASK_FRAMEWORKS)
    return pm_catalog_get_framework_on(study->catalog, slot->name, found->architecture, &found->framework, error);
  int status = slot->own != NULL || study->task->software == PM__TASK_ENGINES ? PM_OK
                                 : pm_catalog_get_inference_on(study->catalog, slot->name, found->architecture,
                                                               &found->profile, error);
  if (status != PM_OK || study->task->software != PM__TASK_PROFILES) return status;
  return pm_catalog_get_record(study->catalog, "memory_profile", found->profile.memory, &found->memory, error);
}

static pm__study_software *find(pm_study *study, pm__study_slot *slot, const char *architecture, pm_error *error)
{
  for (size_t i = 0; i < slot->count; i++)
    if (strcmp(slot->found[i]->architecture, architecture) == 0) return slot->found[i];
  pm__study_software **list = (pm__study_software **)pm__grow(slot->found, slot->count, &slot->capacity, sizeof *list);
  if (list == NULL) return pm__no_memory(error), (pm__study_software *)NULL;
  slot->found = list;
  pm__study_software *found = list[slot->count] = (pm__study_software *)calloc(1, sizeof *found);
  if (found == NULL) return pm__no_memory(error), (pm__study_software *)NULL;
  slot->count++;
  pm__text_set(found->architecture, sizeof found->architecture, architecture);
  if (look_up(study, slot, found, error) == PM_OK) return found;
  free(list[--slot->count]);
  return NULL;
}

/* Libraries that do not run on the GPU are worth a note. */
static int check_gpu(pm_study *study, const pm__study_software *found, const pm_gpu *gpu, pm_error *error)
{
  pm_error why = PM_ERROR_NONE;
  if (study->task->software == PM__TASK_ENGINES) return PM_OK;
  int status = study->task->software == PM__TASK_PROFILES
                 ? pm__inference_profile_check_gpu(&found->profile, gpu, &why)
                 : pm__framework_check_gpu(&found->framework, gpu, &why);
  return status == PM_OK ? PM_OK : add_note(study, why.text, error);
}

const pm__study_software *pm__study_find(pm_study *study, pm__study_slot *slot, int32_t system, pm_error *error)
{
  const pm_gpu *gpu = pm_system_get_gpu(study->systems[system]);
  pm__study_software **place = &slot->by_system[system];
  if (*place != NULL) return *place;
  pm__study_software *found = find(study, slot, gpu->architecture, error);
  if (found == NULL || check_gpu(study, found, gpu, error) != PM_OK) return NULL;
  return *place = found;
}

const pm__study_software *pm__study_software_at(const pm_study *study, int32_t slot, int32_t system)
{
  if (study == NULL || slot < 0 || (size_t)slot >= study->used_count || system < 0 ||
      (size_t)system >= study->system_count)
    return NULL;
  return study->slots[study->used[slot]].by_system[system];
}

pm_study_software pm_study_get_software(const pm_study *study, int32_t software_index, int32_t system_index)
{
  pm_study_software software = {NULL, NULL, NULL, NULL};
  const pm__study_software *found = pm__study_software_at(study, software_index, system_index);
  if (study == NULL || (found == NULL && software_index != -1)) return software;
  int kind = study->task->software;
  software.memory = found == NULL ? &study->generic : kind == PM__TASK_FRAMEWORKS ? &found->framework.memory
                                                                                   : &found->memory;
  if (kind == PM__TASK_ENGINES) software.memory = NULL;
  if (found != NULL && kind == PM__TASK_FRAMEWORKS) software.framework = &found->framework;
  if (found != NULL && kind == PM__TASK_PROFILES) software.profile = &found->profile;
  if (found != NULL && kind == PM__TASK_ENGINES) software.engine = &found->engine;
  return software;
}
