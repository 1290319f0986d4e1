/* Gathers the runs of many rows and predicts them with one plan. */
#include "validation/predictor.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/index.h"

/* Something built from the catalogue by name; or why it cannot be. */
typedef struct part {
  char *name, *id, *reason;
  void *object;
  pm_kernel_calibration *kernels; /* of a system whose constants change; else NULL */
  int position; /* in the plan */
} part;

typedef struct parts {
  part *items;
  size_t count, capacity;
  pm__text_index names;
} parts;

/* Runs as they were asked for, and with their positions in a plan. */
typedef struct run_list {
  char *asked, *planned;
  size_t count, capacity, size;
  const pm_record_type *type;
  size_t *places, place_count; /* a table with open addresses: numbers of runs + 1, 0 where there is none */
} run_list;

struct pm__lab_predictor {
  const pm_catalog *catalog;
  pm__lab_holdout out;
  parts networks, systems, frameworks, profiles;
  run_list training, inference;
  const void **network_list, **system_list; /* as the plans have them */
  pm_plan *plan;
  pm_prediction *predictions;
  pm_plan *inference_plan;
  pm_inference *inferences;
};

pm__lab_predictor *pm__lab_predictor_new(const pm_catalog *catalog, pm__lab_holdout out, pm_error *error)
{
  pm__lab_predictor *predictor = (pm__lab_predictor *)calloc(1, sizeof *predictor);
  if (predictor == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  predictor->catalog = catalog;
  predictor->out = out;
  predictor->training.type = pm_record_type_find("run");
  predictor->inference.type = pm_record_type_find("inference_run");
  predictor->training.size = sizeof(pm_run);
  predictor->inference.size = sizeof(pm_inference_run);
  return predictor;
}

static void free_parts(parts *list)
{
  for (size_t i = 0; i < list->count; i++) {
    free(list->items[i].name);
    free(list->items[i].id);
    free(list->items[i].reason);
    free(list->items[i].kernels);
  }
  free(list->items);
  pm__text_index_free(&list->names);
}

void pm__lab_predictor_free(pm__lab_predictor *predictor)
{
  if (predictor == NULL) return;
  pm_plan_free(predictor->plan);
  pm_plan_free(predictor->inference_plan);
  for (size_t i = 0; i < predictor->networks.count; i++)
    pm_network_free((pm_network *)predictor->networks.items[i].object);
  for (size_t i = 0; i < predictor->systems.count; i++) pm_system_free((pm_system *)predictor->systems.items[i].object);
  for (size_t i = 0; i < predictor->frameworks.count; i++) free(predictor->frameworks.items[i].object);
  for (size_t i = 0; i < predictor->profiles.count; i++) free(predictor->profiles.items[i].object);
  free_parts(&predictor->frameworks);
  free_parts(&predictor->profiles);
  free_parts(&predictor->networks);
  free_parts(&predictor->systems);
  free(predictor->network_list);
  free(predictor->system_list);
  free(predictor->training.asked);
  free(predictor->training.places);
  free(predictor->training.planned);
  free(predictor->inference.asked);
  free(predictor->inference.places);
  free(predictor->inference.planned);
  free(predictor->predictions);
  free(predictor->inferences);
  free(predictor);
}

/* ---- Parts ---- */

static char *copy_text(const char *text, pm_error *error)
{
  char *copy = pm__text_copy(text);
  if (copy == NULL) pm__no_memory(error);
  return copy;
}

static const char *name_of(const void *list, size_t item)
{
  return ((const parts *)list)->items[item].name;
}

static part *find_part(parts *list, const char *name)
{
  size_t known = pm__text_index_find(&list->names, name, name_of, list);
  return known != PM__NO_ITEM ? &list->items[known] : NULL;
}

static part *add_part(parts *list, const char *name, pm_error *error)
{
  part *items = (part *)pm__grow(list->items, list->count, &list->capacity, sizeof *items);
  if (items == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  list->items = items;
  char *copy = copy_text(name, error);
  if (copy == NULL) return NULL;
  part *next = &items[list->count++];
  memset(next, 0, sizeof *next);
  next->name = copy;
  return next;
}

static void drop_last_part(parts *list)
{
  part *last = &list->items[--list->count];
  free(last->name);
  free(last->id);
  free(last->reason);
}

enum { PARAMETERS = 24 };

/* "bert-large seq=384" -> its id in `text` (cut up), and parameters that point into it; -1 if that is not its form. */
static int split_name(char *text, pm_attribute *sets)
{
  int count = 0;
  for (char *p = strchr(text, ' '); p != NULL; p = strchr(p, ' ')) {
    while (*p == ' ') *p++ = '\0';
    char *value = strchr(p, '=');
    if (*p == '\0') break;
    if (value == NULL || count == PARAMETERS) return -1;
    *value++ = '\0';
    sets[count].name = p;
    sets[count++].value = value;
    p = value;
  }
  return count;
}

static void *build_network(pm__lab_predictor *predictor, const char *name, const char **id, pm_error *error)
{
  char text[256];
  pm_attribute sets[PARAMETERS];
  snprintf(text, sizeof text, "%s", name);
  /* A name may hold blanks; parameters begin with the first word that has a '='. */
  char *equal = strchr(text, '='), *start = equal;
  while (start != NULL && start > text && start[-1] != ' ') start--;
  char parameters[256] = "";
  if (start != NULL && start > text) {
    snprintf(parameters, sizeof parameters, " %s", start);
    start[-1] = '\0';
  }
  int count = split_name(parameters, sets);
  if (count < 0) {
    pm__fail(error, PM_STATUS_BAD_VALUE, "\"%.80s\" is not a network with parameters", name);
    return NULL;
  }
  *id = pm_catalog_resolve(predictor->catalog, "network", text, error);
  return *id != NULL ? pm_catalog_new_network(predictor->catalog, *id, sets, (size_t)count, error) : NULL;
}

static void *build_system(pm__lab_predictor *predictor, const char *name, const char **id, pm_error *error)
{
  pm_system *system = pm_catalog_new_system(predictor->catalog, name, error);
  *id = pm_catalog_resolve(predictor->catalog, "system", name, NULL);
  if (*id == NULL) *id = name; /* a GPU by itself */
  return system;
}

/* "pytorch-1.13", or "pytorch-1.13 memory=apex-o2": with that profile of memory instead of its own. */
static int get_framework(const pm_catalog *catalog, const char *name, pm_framework_profile *profile, pm_error *error)
{
  char framework[2 * PM_TEXT_MAX];
  const char *memory = strstr(name, PM__LAB_MEMORY);
  snprintf(framework, sizeof framework, "%.*s", memory != NULL ? (int)(memory - name) : 2 * PM_TEXT_MAX - 1, name);
  int status = pm_catalog_get_framework(catalog, framework, profile, error);
  if (status != PM_OK || memory == NULL) return status;
  return pm_catalog_get_record(catalog, "memory_profile", memory + strlen(PM__LAB_MEMORY), &profile->memory, error);
}

static void *build_framework(pm__lab_predictor *predictor, const char *name, const char **id, pm_error *error)
{
  pm_framework_profile *profile = (pm_framework_profile *)calloc(1, sizeof *profile);
  *id = name;
  if (profile == NULL) pm__no_memory(error);
  else if (get_framework(predictor->catalog, name, profile, error) == PM_OK &&
           (predictor->out == NULL || pm__lab_without_holdout(predictor->catalog, predictor->out, profile,
                                                              error) == PM_OK))
    return profile;
  free(profile);
  return NULL;
}

static void *build_profile(pm__lab_predictor *predictor, const char *name, const char **id, pm_error *error)
{
  pm_inference_profile *profile = (pm_inference_profile *)calloc(1, sizeof *profile);
  *id = name;
  if (profile == NULL) pm__no_memory(error);
  else if (pm_catalog_get_inference(predictor->catalog, name, profile, error) == PM_OK) return profile;
  free(profile);
  return NULL;
}

typedef void *builder(pm__lab_predictor *predictor, const char *name, const char **id, pm_error *error);
typedef void destroyer(void *object);

/* Builds a part, or keeps why it cannot be built. Without memory it is as if nobody had asked. */
static part *build_part(pm__lab_predictor *predictor, parts *list, builder *build, destroyer *destroy, const char *name,
                        pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  const char *id = NULL;
  part *fresh = add_part(list, name, error);
  if (fresh == NULL) return NULL;
  fresh->object = build(predictor, name, &id, &reason);
  if (fresh->object != NULL) fresh->id = copy_text(id, error);
  else if (reason.status != PM_STATUS_NO_MEMORY) fresh->reason = copy_text(reason.text, error);
  bool whole = (fresh->id != NULL || fresh->reason != NULL) && pm__text_index_add(&list->names, name, list->count - 1);
  if (whole) return fresh;
  pm__no_memory(error);
  if (fresh->object != NULL) destroy(fresh->object);
  drop_last_part(list);
  return NULL;
}

static int position_of(pm__lab_predictor *predictor, parts *list, builder *build, destroyer *destroy, const char *name,
                       pm_error *error)
{
  part *found = find_part(list, name);
  if (found == NULL) found = build_part(predictor, list, build, destroy, name, error);
  if (found == NULL) return -1;
  if (found->object != NULL) return (int)(found - list->items);
  pm__fail(error, PM_STATUS_NOT_FOUND, "%s", found->reason);
  return -1;
}

static void destroy_network(void *network)
{
  pm_network_free((pm_network *)network);
}

static void destroy_system(void *system)
{
  pm_system_free((pm_system *)system);
}

int pm__lab_predictor_network(pm__lab_predictor *predictor, const char *name, pm_error *error)
{
  return position_of(predictor, &predictor->networks, build_network, destroy_network, name, error);
}

bool pm__lab_predictor_takes(pm__lab_predictor *predictor, const char *name, const char *parameter, pm_error *error)
{
  char text[256];
  pm_error reason = PM_ERROR_NONE;
  snprintf(text, sizeof text, "%s %s", name, parameter);
  bool takes = pm__lab_predictor_network(predictor, text, &reason) >= 0;
  if (reason.status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  return takes;
}

int pm__lab_predictor_system(pm__lab_predictor *predictor, const char *name, pm_error *error)
{
  return position_of(predictor, &predictor->systems, build_system, destroy_system, name, error);
}

int pm__lab_predictor_framework(pm__lab_predictor *predictor, const char *name, pm_error *error)
{
  if (name[0] == '\0') return -1;
  int position = position_of(predictor, &predictor->frameworks, build_framework, free, name, error);
  return position >= 0 ? position : -2;
}

int pm__lab_predictor_profile(pm__lab_predictor *predictor, const char *name, pm_error *error)
{
  return position_of(predictor, &predictor->profiles, build_profile, free, name, error);
}

const pm_network *pm__lab_predictor_built_network(const pm__lab_predictor *predictor, int network)
{
  return (const pm_network *)predictor->networks.items[network].object;
}

pm_system *pm__lab_predictor_built_system(const pm__lab_predictor *predictor, int system)
{
  return (pm_system *)predictor->systems.items[system].object;
}

pm_kernel_calibration *pm__lab_predictor_kernels(pm__lab_predictor *predictor, int system, pm_error *error)
{
  part *found = &predictor->systems.items[system];
  const pm_kernel_calibration *now = pm_system_get_kernels((const pm_system *)found->object);
  if (found->kernels == NULL && now != NULL) {
    found->kernels = (pm_kernel_calibration *)malloc(sizeof *now);
    if (found->kernels != NULL) *found->kernels = *now;
  }
  if (found->kernels == NULL) pm__no_memory(error);
  return found->kernels;
}

pm_inference_profile *pm__lab_predictor_built_profile(const pm__lab_predictor *predictor, int profile)
{
  return (pm_inference_profile *)predictor->profiles.items[profile].object;
}

size_t pm__lab_predictor_framework_count(const pm__lab_predictor *predictor)
{
  return predictor->frameworks.count;
}

pm_framework_profile *pm__lab_predictor_built_framework(const pm__lab_predictor *predictor, int framework)
{
  return (pm_framework_profile *)predictor->frameworks.items[framework].object;
}

const char *pm__lab_predictor_network_name(const pm__lab_predictor *predictor, int network)
{
  return predictor->networks.items[network].name;
}

const char *pm__lab_predictor_network_id(const pm__lab_predictor *predictor, int network)
{
  return predictor->networks.items[network].id;
}

const char *pm__lab_predictor_system_id(const pm__lab_predictor *predictor, int system)
{
  return predictor->systems.items[system].id;
}

/* ---- Runs ---- */

/* Whether two records have the same values; bytes between their fields do not matter. */
static bool same_run(const pm_record_type *type, const void *a, const void *b)
{
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    size_t size = field->kind == PM_FIELD_REAL ? sizeof(double) : sizeof(int32_t);
    if (memcmp((const char *)a + field->offset, (const char *)b + field->offset, size) != 0) return false;
  }
  return true;
}

/* Of the same values as same_run compares. */
static size_t hash_of(const pm_record_type *type, const void *run)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    uint64_t value = 0;
    memcpy(&value, (const char *)run + field->offset, field->kind == PM_FIELD_REAL ? sizeof(double) : sizeof(int32_t));
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return (size_t)hash;
}

/* Where the run is in the table, or may be put. */
static size_t place_of(const run_list *list, const void *item)
{
  size_t place = hash_of(list->type, item) & (list->place_count - 1);
  while (list->places[place] != 0 && !same_run(list->type, list->asked + (list->places[place] - 1) * list->size, item))
    place = (place + 1) & (list->place_count - 1);
  return place;
}

/* A table that is at most half full with one run more. */
static bool make_places(run_list *list)
{
  if (2 * (list->count + 1) <= list->place_count) return true;
  size_t count = list->place_count > 0 ? 2 * list->place_count : 64, *places = (size_t *)calloc(count, sizeof *places);
  if (places == NULL) return false;
  free(list->places);
  list->places = places;
  list->place_count = count;
  for (size_t i = 0; i < list->count; i++) places[place_of(list, list->asked + i * list->size)] = i + 1;
  return true;
}

/* Adds an item to a list unless it is there already; its position, or -1. Once predicted, the list stays as it is. */
static int add_once(run_list *list, const void *item, pm_error *error)
{
  if (!make_places(list)) {
    pm__no_memory(error);
    return -1;
  }
  size_t place = place_of(list, item);
  if (list->places[place] != 0) return (int)list->places[place] - 1;
  if (list->planned != NULL) {
    pm__fail(error, PM_STATUS_INTERNAL, "a run comes after the prediction");
    return -1;
  }
  char *larger = (char *)pm__grow(list->asked, list->count, &list->capacity, list->size);
  if (larger == NULL) {
    pm__no_memory(error);
    return -1;
  }
  list->asked = larger;
  memcpy(larger + list->count * list->size, item, list->size);
  list->places[place] = ++list->count;
  return (int)list->count - 1;
}

int pm__lab_predictor_add(pm__lab_predictor *predictor, const pm_run *run, pm_error *error)
{
  return add_once(&predictor->training, run, error);
}

int pm__lab_predictor_add_inference(pm__lab_predictor *predictor, const pm_inference_run *run, pm_error *error)
{
  return add_once(&predictor->inference, run, error);
}

/* ---- Predicting ---- */

/* A run that memory did not suffice for is no run without a prediction: everything is without memory then. */
static int all_in_memory(const pm_prediction *predictions, size_t count, pm_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (predictions[i].status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  return PM_OK;
}

/* Those that could be built, as the plans want them, and where each is. */
static const void **list_objects(parts *list, size_t *count)
{
  const void **objects = (const void **)calloc(list->count + 1, sizeof *objects);
  *count = 0;
  for (size_t i = 0; objects != NULL && i < list->count; i++) {
    list->items[i].position = (int)*count;
    if (list->items[i].object != NULL) objects[(*count)++] = list->items[i].object;
  }
  return objects;
}

/* The runs with positions in the plan instead of those with the predictor, behind those asked for. */
static void *planned(run_list *list, pm_error *error)
{
  list->planned = (char *)malloc((list->count + 1) * list->size);
  if (list->planned == NULL) pm__no_memory(error);
  else memcpy(list->planned, list->asked, list->count * list->size);
  return list->planned;
}

static int add_frameworks(pm__lab_predictor *predictor, pm_error *error)
{
  for (size_t i = 0; i < predictor->frameworks.count; i++) {
    part *framework = &predictor->frameworks.items[i];
    if (framework->object == NULL) continue;
    framework->position = pm_plan_add_framework(predictor->plan, (const pm_framework_profile *)framework->object,
                                                error);
    if (framework->position < 0) return PM_STATUS_INTERNAL;
  }
  return PM_OK;
}

static int predict_training(pm__lab_predictor *predictor, size_t networks, size_t systems, pm_error *error)
{
  if (predictor->training.count == 0) return PM_OK;
  predictor->plan = pm_plan_new((const pm_network *const *)predictor->network_list, networks,
                                (const pm_system *const *)predictor->system_list, systems, error);
  if (predictor->plan == NULL || add_frameworks(predictor, error) != PM_OK) return PM_STATUS_INTERNAL;
  pm_run *runs = (pm_run *)planned(&predictor->training, error);
  predictor->predictions = (pm_prediction *)calloc(predictor->training.count, sizeof *predictor->predictions);
  if (runs == NULL || predictor->predictions == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < predictor->training.count; i++) {
    runs[i].network_index = predictor->networks.items[runs[i].network_index].position;
    runs[i].system_index = predictor->systems.items[runs[i].system_index].position;
    runs[i].ignore_memory = 1;
    int framework = runs[i].framework_index;
    if (framework >= 0) runs[i].framework_index = predictor->frameworks.items[framework].position;
  }
  int status = pm_predict(predictor->plan, runs, predictor->predictions, predictor->training.count);
  return status == PM_OK ? all_in_memory(predictor->predictions, predictor->training.count, error) : status;
}

static int add_profiles(pm__lab_predictor *predictor, pm_error *error)
{
  for (size_t i = 0; i < predictor->profiles.count; i++) {
    part *profile = &predictor->profiles.items[i];
    if (profile->object == NULL) continue;
    profile->position = pm_plan_add_inference_profile(predictor->inference_plan,
                                                      (const pm_inference_profile *)profile->object, NULL, error);
    if (profile->position < 0) return PM_STATUS_INTERNAL;
  }
  return PM_OK;
}

static int predict_inference(pm__lab_predictor *predictor, size_t networks, size_t systems, pm_error *error)
{
  if (predictor->inference.count == 0) return PM_OK;
  predictor->inference_plan = pm_plan_new((const pm_network *const *)predictor->network_list, networks,
                                          (const pm_system *const *)predictor->system_list, systems, error);
  if (predictor->inference_plan == NULL || add_profiles(predictor, error) != PM_OK) return PM_STATUS_INTERNAL;
  pm_inference_run *runs = (pm_inference_run *)planned(&predictor->inference, error);
  predictor->inferences = (pm_inference *)calloc(predictor->inference.count, sizeof *predictor->inferences);
  if (runs == NULL || predictor->inferences == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < predictor->inference.count; i++) {
    runs[i].network_index = predictor->networks.items[runs[i].network_index].position;
    runs[i].system_index = predictor->systems.items[runs[i].system_index].position;
    runs[i].ignore_memory = 1;
    runs[i].profile_index = predictor->profiles.items[runs[i].profile_index].position;
  }
  return pm_infer(predictor->inference_plan, runs, predictor->inferences, predictor->inference.count);
}

int pm__lab_predictor_predict(pm__lab_predictor *predictor, pm_error *error)
{
  size_t networks, systems;
  predictor->network_list = list_objects(&predictor->networks, &networks);
  predictor->system_list = list_objects(&predictor->systems, &systems);
  if (predictor->network_list == NULL || predictor->system_list == NULL) return pm__no_memory(error);
  int status = predict_training(predictor, networks, systems, error);
  if (status == PM_OK) status = predict_inference(predictor, networks, systems, error);
  return status == PM_STATUS_INTERNAL && error != NULL && error->status != PM_OK ? error->status : status;
}

static size_t at_most(size_t count, size_t most)
{
  return count < most ? count : most;
}

/* Gives the systems, and so the plan, the constants of kernels that have changed. */
static int update_kernels(const pm__lab_predictor *predictor, pm_plan *plan)
{
  int status = PM_OK;
  for (size_t i = 0; i < predictor->systems.count && status == PM_OK; i++) {
    const part *system = &predictor->systems.items[i];
    if (system->kernels != NULL) status = pm_system_set_kernels((pm_system *)system->object, system->kernels, NULL);
  }
  if (status == PM_OK) pm_plan_read_kernels(plan);
  return status;
}

static int update_training(pm__lab_predictor *predictor, bool kernels)
{
  int status = PM_OK;
  for (size_t i = 0; i < predictor->frameworks.count && status == PM_OK; i++) {
    const part *framework = &predictor->frameworks.items[i];
    if (framework->object == NULL) continue;
    status = pm_plan_set_framework(predictor->plan, framework->position,
                                   (const pm_framework_profile *)framework->object, NULL);
  }
  return status == PM_OK && kernels ? update_kernels(predictor, predictor->plan) : status;
}

static int train_again(pm__lab_predictor *predictor, size_t count)
{
  if (predictor->predictions == NULL) return PM_OK;
  int status = update_training(predictor, true);
  if (status != PM_OK) return status;
  return pm_predict(predictor->plan, (const pm_run *)(const void *)predictor->training.planned, predictor->predictions,
                    at_most(count, predictor->training.count));
}

static int update_inference(pm__lab_predictor *predictor, bool kernels)
{
  int status = PM_OK;
  for (size_t i = 0; i < predictor->profiles.count && status == PM_OK; i++) {
    const part *profile = &predictor->profiles.items[i];
    if (profile->object == NULL) continue;
    status = pm_plan_set_inference_profile(predictor->inference_plan, profile->position,
                                           (const pm_inference_profile *)profile->object, NULL);
  }
  return status == PM_OK && kernels ? update_kernels(predictor, predictor->inference_plan) : status;
}

static int infer_again(pm__lab_predictor *predictor, size_t count)
{
  if (predictor->inferences == NULL) return PM_OK;
  int status = update_inference(predictor, true);
  if (status != PM_OK) return status;
  return pm_infer(predictor->inference_plan, (const pm_inference_run *)(const void *)predictor->inference.planned,
                  predictor->inferences, at_most(count, predictor->inference.count));
}

int pm__lab_predictor_predict_again(pm__lab_predictor *predictor, size_t count)
{
  int status = train_again(predictor, count);
  return status == PM_OK ? infer_again(predictor, count) : status;
}

int pm__lab_predictor_predict_some(pm__lab_predictor *predictor, const int *trainings, size_t count, bool kernels)
{
  const pm_run *planned = (const pm_run *)(const void *)predictor->training.planned;
  pm_run *runs = (pm_run *)malloc((count + 1) * sizeof *runs);
  pm_prediction *predictions = (pm_prediction *)malloc((count + 1) * sizeof *predictions);
  int status = runs != NULL && predictions != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  if (status == PM_OK) status = update_training(predictor, kernels);
  for (size_t i = 0; status == PM_OK && i < count; i++) runs[i] = planned[trainings[i]];
  if (status == PM_OK) status = pm_predict(predictor->plan, runs, predictions, count);
  for (size_t i = 0; status == PM_OK && i < count; i++) predictor->predictions[trainings[i]] = predictions[i];
  free(runs);
  free(predictions);
  return status;
}

int pm__lab_predictor_infer_some(pm__lab_predictor *predictor, const int *calls, size_t count, bool kernels)
{
  const pm_inference_run *planned = (const pm_inference_run *)(const void *)predictor->inference.planned;
  pm_inference_run *runs = (pm_inference_run *)malloc((count + 1) * sizeof *runs);
  pm_inference *inferences = (pm_inference *)malloc((count + 1) * sizeof *inferences);
  int status = runs != NULL && inferences != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  if (status == PM_OK) status = update_inference(predictor, kernels);
  for (size_t i = 0; status == PM_OK && i < count; i++) runs[i] = planned[calls[i]];
  if (status == PM_OK) status = pm_infer(predictor->inference_plan, runs, inferences, count);
  for (size_t i = 0; status == PM_OK && i < count; i++) predictor->inferences[calls[i]] = inferences[i];
  free(runs);
  free(inferences);
  return status;
}

const pm_prediction *pm__lab_predictor_prediction(const pm__lab_predictor *predictor, int run)
{
  return predictor->predictions != NULL && run >= 0 ? &predictor->predictions[run] : NULL;
}

int pm__lab_predictor_check(const pm__lab_predictor *predictor, int run, pm_error *error)
{
  return pm_run_check(predictor->plan, (const pm_run *)predictor->training.planned + run, error);
}

const pm_inference *pm__lab_predictor_inference(const pm__lab_predictor *predictor, int run)
{
  return predictor->inferences != NULL && run >= 0 ? &predictor->inferences[run] : NULL;
}

int pm__lab_predictor_inference_check(const pm__lab_predictor *predictor, int run, pm_error *error)
{
  return pm_inference_check(predictor->inference_plan, (const pm_inference_run *)predictor->inference.planned + run,
                            error);
}

int pm__lab_predictor_memory(const pm__lab_predictor *predictor, int32_t task, int run, int rank,
                             pm__lab_memory *memory, pm_error *error)
{
  if (task == PM_TASK_INFERENCE)
    return pm__lab_memory_of_call(predictor->inference_plan,
                                  (const pm_inference_run *)(const void *)predictor->inference.planned + run, memory,
                                  error);
  return pm__lab_memory_of(predictor->plan, (const pm_run *)(const void *)predictor->training.planned + run, rank,
                           memory, error);
}
