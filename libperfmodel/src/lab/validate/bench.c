#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "plan/plan.h"
#include "lab/validate/bench.h"

/* Something built from the catalogue by name; or why it cannot be. */
typedef struct part {
  char *name, *id, *reason;
  void *object;
  int position; /* in the plan */
} part;

typedef struct parts {
  part *items;
  size_t count, capacity;
} parts;

/* Runs as they were asked for, and with their positions in a plan. */
typedef struct run_list {
  char *asked, *planned;
  size_t count, capacity, size;
  const pm_record_type *type;
} run_list;

struct pm__bench {
  const pm_catalog *catalog;
  pm__left_out out;
  parts networks, systems, frameworks, profiles;
  run_list training, inference;
  const void **network_list, **system_list; /* as the plans have them */
  pm_plan *plan;
  pm_prediction *predictions;
  pm_plan *inference_plan;
  pm_inference *inferences;
};

pm__bench *pm__bench_new(const pm_catalog *catalog, pm__left_out out, pm_error *error)
{
  pm__bench *bench = (pm__bench *)calloc(1, sizeof *bench);
  if (bench == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  bench->catalog = catalog;
  bench->out = out;
  bench->training.type = pm_record_type_find("run");
  bench->inference.type = pm_record_type_find("inference_run");
  bench->training.size = sizeof(pm_run);
  bench->inference.size = sizeof(pm_inference_run);
  return bench;
}

static void free_parts(parts *list)
{
  for (size_t i = 0; i < list->count; i++) {
    free(list->items[i].name);
    free(list->items[i].id);
    free(list->items[i].reason);
  }
  free(list->items);
}

void pm__bench_free(pm__bench *bench)
{
  if (bench == NULL) return;
  pm_plan_free(bench->plan);
  pm_plan_free(bench->inference_plan);
  for (size_t i = 0; i < bench->networks.count; i++) pm_network_free((pm_network *)bench->networks.items[i].object);
  for (size_t i = 0; i < bench->systems.count; i++) pm_system_free((pm_system *)bench->systems.items[i].object);
  for (size_t i = 0; i < bench->frameworks.count; i++) free(bench->frameworks.items[i].object);
  for (size_t i = 0; i < bench->profiles.count; i++) free(bench->profiles.items[i].object);
  free_parts(&bench->frameworks);
  free_parts(&bench->profiles);
  free_parts(&bench->networks);
  free_parts(&bench->systems);
  free(bench->network_list);
  free(bench->system_list);
  free(bench->training.asked);
  free(bench->training.planned);
  free(bench->inference.asked);
  free(bench->inference.planned);
  free(bench->predictions);
  free(bench->inferences);
  free(bench);
}

/* ---- Parts ---- */

static char *copy_text(const char *text, pm_error *error)
{
  char *copy = (char *)malloc(strlen(text) + 1);
  if (copy == NULL) pm__no_memory(error);
  return copy != NULL ? strcpy(copy, text) : NULL;
}

static part *find_part(parts *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].name != NULL && strcmp(list->items[i].name, name) == 0) return &list->items[i];
  return NULL;
}

static part *add_part(parts *list, const char *name, pm_error *error)
{
  part *items = (part *)pm__grow(list->items, list->count, &list->capacity, sizeof *items);
  if (items == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  list->items = items;
  part *next = &items[list->count++];
  memset(next, 0, sizeof *next);
  next->name = copy_text(name, error);
  return next->name != NULL ? next : NULL;
}

enum { PARAMETERS = 8 };

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

static void *build_network(pm__bench *bench, const char *name, const char **id, pm_error *error)
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
    pm__fail(error, PM_BAD_VALUE, "\"%.80s\" is not a network with parameters", name);
    return NULL;
  }
  *id = pm_catalog_resolve(bench->catalog, "network", text, error);
  return *id != NULL ? pm_catalog_network(bench->catalog, *id, sets, (size_t)count, error) : NULL;
}

static void *build_system(pm__bench *bench, const char *name, const char **id, pm_error *error)
{
  *id = pm_catalog_resolve(bench->catalog, "system", name, NULL);
  if (*id == NULL) *id = name; /* what is no entry may still be a system: a GPU by itself */
  return pm_catalog_system(bench->catalog, name, error);
}

static void *build_framework(pm__bench *bench, const char *name, const char **id, pm_error *error)
{
  pm_framework_profile *profile = (pm_framework_profile *)calloc(1, sizeof *profile);
  *id = name;
  if (profile == NULL) pm__no_memory(error);
  else if (pm_catalog_framework(bench->catalog, name, profile, error) == PM_OK &&
           (bench->out == NULL || pm__without_documents(bench->catalog, bench->out, profile, error) == PM_OK))
    return profile;
  free(profile);
  return NULL;
}

static void *build_profile(pm__bench *bench, const char *name, const char **id, pm_error *error)
{
  pm_inference_profile *profile = (pm_inference_profile *)calloc(1, sizeof *profile);
  *id = name;
  if (profile == NULL) pm__no_memory(error);
  else if (pm_catalog_inference(bench->catalog, name, profile, error) == PM_OK) return profile;
  free(profile);
  return NULL;
}

typedef void *builder(pm__bench *bench, const char *name, const char **id, pm_error *error);

static int position_of(pm__bench *bench, parts *list, builder *build, const char *name, pm_error *error)
{
  part *found = find_part(list, name);
  pm_error reason = PM_ERROR_NONE;
  const char *id = NULL;
  if (found == NULL) {
    found = add_part(list, name, error);
    if (found == NULL) return -1;
    found->object = build(bench, name, &id, &reason);
    if (found->object == NULL) found->reason = copy_text(reason.text, error);
    else found->id = copy_text(id, error);
  }
  if (found->object != NULL) return (int)(found - list->items);
  pm__fail(error, PM_NOT_FOUND, "%s", found->reason != NULL ? found->reason : "out of memory");
  return -1;
}

int pm__bench_network(pm__bench *bench, const char *name, pm_error *error)
{
  return position_of(bench, &bench->networks, build_network, name, error);
}

bool pm__bench_takes(pm__bench *bench, const char *name, const char *parameter)
{
  char text[256];
  snprintf(text, sizeof text, "%s %s", name, parameter);
  return pm__bench_network(bench, text, NULL) >= 0;
}

int pm__bench_system(pm__bench *bench, const char *name, pm_error *error)
{
  return position_of(bench, &bench->systems, build_system, name, error);
}

int pm__bench_framework(pm__bench *bench, const char *name, pm_error *error)
{
  if (name[0] == '\0') return -1;
  int position = position_of(bench, &bench->frameworks, build_framework, name, error);
  return position >= 0 ? position : -2;
}

int pm__bench_profile(pm__bench *bench, const char *name, pm_error *error)
{
  return position_of(bench, &bench->profiles, build_profile, name, error);
}

const pm_network *pm__bench_built_network(const pm__bench *bench, int network)
{
  return (const pm_network *)bench->networks.items[network].object;
}

pm_system *pm__bench_built_system(const pm__bench *bench, int system)
{
  return (pm_system *)bench->systems.items[system].object;
}

pm_framework_profile *pm__bench_built_framework(const pm__bench *bench, int framework)
{
  return (pm_framework_profile *)bench->frameworks.items[framework].object;
}

const char *pm__bench_network_id(const pm__bench *bench, int network)
{
  return bench->networks.items[network].id;
}

const char *pm__bench_system_id(const pm__bench *bench, int system)
{
  return bench->systems.items[system].id;
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

/* Adds an item to a list unless it is there already; its position, or -1. Once predicted, the list stays as it is. */
static int add_once(run_list *list, const void *item, pm_error *error)
{
  for (size_t i = 0; i < list->count; i++)
    if (same_run(list->type, list->asked + i * list->size, item)) return (int)i;
  if (list->planned != NULL) {
    pm__fail(error, PM_INTERNAL, "a run comes after the prediction");
    return -1;
  }
  char *larger = (char *)pm__grow(list->asked, list->count, &list->capacity, list->size);
  if (larger == NULL) {
    pm__no_memory(error);
    return -1;
  }
  list->asked = larger;
  memcpy(larger + list->count * list->size, item, list->size);
  return (int)list->count++;
}

int pm__bench_add(pm__bench *bench, const pm_run *run, pm_error *error)
{
  return add_once(&bench->training, run, error);
}

int pm__bench_add_inference(pm__bench *bench, const pm_inference_run *run, pm_error *error)
{
  return add_once(&bench->inference, run, error);
}

/* ---- Predicting ---- */

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

/* The runs with positions in the plan in place of those on the bench, behind those asked for. */
static void *planned(run_list *list, pm_error *error)
{
  list->planned = (char *)malloc((list->count + 1) * list->size);
  if (list->planned == NULL) pm__no_memory(error);
  else memcpy(list->planned, list->asked, list->count * list->size);
  return list->planned;
}

static int add_frameworks(pm__bench *bench, pm_error *error)
{
  for (size_t i = 0; i < bench->frameworks.count; i++) {
    part *framework = &bench->frameworks.items[i];
    if (framework->object == NULL) continue;
    framework->position = pm_plan_add_framework(bench->plan, (const pm_framework_profile *)framework->object, error);
    if (framework->position < 0) return PM_INTERNAL;
  }
  return PM_OK;
}

static int predict_training(pm__bench *bench, size_t networks, size_t systems, pm_error *error)
{
  if (bench->training.count == 0) return PM_OK;
  bench->plan = pm_plan_new((const pm_network *const *)bench->network_list, networks,
                            (const pm_system *const *)bench->system_list, systems, error);
  if (bench->plan == NULL || add_frameworks(bench, error) != PM_OK) return PM_INTERNAL;
  pm_run *runs = (pm_run *)planned(&bench->training, error);
  bench->predictions = (pm_prediction *)calloc(bench->training.count, sizeof *bench->predictions);
  if (runs == NULL || bench->predictions == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < bench->training.count; i++) {
    runs[i].ignore_memory = 1; /* it was measured */
    runs[i].network_index = bench->networks.items[runs[i].network_index].position;
    runs[i].system_index = bench->systems.items[runs[i].system_index].position;
    if (runs[i].framework_index >= 0) runs[i].framework_index = bench->frameworks.items[runs[i].framework_index].position;
  }
  return pm_predict(bench->plan, runs, bench->predictions, bench->training.count);
}

static int add_profiles(pm__bench *bench, pm_error *error)
{
  for (size_t i = 0; i < bench->profiles.count; i++) {
    part *profile = &bench->profiles.items[i];
    if (profile->object == NULL) continue;
    profile->position = pm_plan_add_inference_profile(bench->inference_plan,
                                                      (const pm_inference_profile *)profile->object, NULL, error);
    if (profile->position < 0) return PM_INTERNAL;
  }
  return PM_OK;
}

static int predict_inference(pm__bench *bench, size_t networks, size_t systems, pm_error *error)
{
  if (bench->inference.count == 0) return PM_OK;
  bench->inference_plan = pm_plan_new((const pm_network *const *)bench->network_list, networks,
                                      (const pm_system *const *)bench->system_list, systems, error);
  if (bench->inference_plan == NULL || add_profiles(bench, error) != PM_OK) return PM_INTERNAL;
  pm_inference_run *runs = (pm_inference_run *)planned(&bench->inference, error);
  bench->inferences = (pm_inference *)calloc(bench->inference.count, sizeof *bench->inferences);
  if (runs == NULL || bench->inferences == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < bench->inference.count; i++) {
    runs[i].ignore_memory = 1; /* it was measured */
    runs[i].network_index = bench->networks.items[runs[i].network_index].position;
    runs[i].system_index = bench->systems.items[runs[i].system_index].position;
    runs[i].profile_index = bench->profiles.items[runs[i].profile_index].position;
  }
  return pm_infer(bench->inference_plan, runs, bench->inferences, bench->inference.count);
}

int pm__bench_predict(pm__bench *bench, pm_error *error)
{
  size_t networks, systems;
  bench->network_list = list_objects(&bench->networks, &networks);
  bench->system_list = list_objects(&bench->systems, &systems);
  if (bench->network_list == NULL || bench->system_list == NULL) return pm__no_memory(error);
  int status = predict_training(bench, networks, systems, error);
  if (status == PM_OK) status = predict_inference(bench, networks, systems, error);
  return status == PM_INTERNAL && error != NULL && error->status != PM_OK ? error->status : status;
}

int pm__bench_predict_again(pm__bench *bench, size_t count)
{
  if (bench->predictions == NULL) return PM_OK;
  for (size_t i = 0; i < bench->frameworks.count; i++) {
    const part *framework = &bench->frameworks.items[i];
    if (framework->object == NULL) continue;
    pm__plan_set_framework(bench->plan, framework->position, (const pm_framework_profile *)framework->object);
  }
  pm__plan_renew_kernels(bench->plan);
  return pm_predict(bench->plan, (const pm_run *)(const void *)bench->training.planned, bench->predictions,
                    count < bench->training.count ? count : bench->training.count);
}

const pm_prediction *pm__bench_prediction(const pm__bench *bench, int run)
{
  return bench->predictions != NULL && run >= 0 ? &bench->predictions[run] : NULL;
}

int pm__bench_check(const pm__bench *bench, int run, pm_error *error)
{
  return pm_run_check(bench->plan, (const pm_run *)bench->training.planned + run, error);
}

const pm_inference *pm__bench_inference(const pm__bench *bench, int run)
{
  return bench->inferences != NULL && run >= 0 ? &bench->inferences[run] : NULL;
}

int pm__bench_inference_check(const pm__bench *bench, int run, pm_error *error)
{
  return pm_infer_check(bench->inference_plan, (const pm_inference_run *)bench->inference.planned + run, error);
}
