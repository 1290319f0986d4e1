#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "validate/bench.h"

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

struct pm__bench {
  const pm_catalog *catalog;
  parts networks, systems, frameworks;
  pm_run *runs;
  size_t run_count, run_capacity;
  const void **network_list, **system_list;
  pm_plan *plan;
  pm_prediction *predictions;
};

pm__bench *pm__bench_new(const pm_catalog *catalog, pm_error *error)
{
  pm__bench *bench = (pm__bench *)calloc(1, sizeof *bench);
  if (bench == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  bench->catalog = catalog;
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
  for (size_t i = 0; i < bench->networks.count; i++) pm_network_free((pm_network *)bench->networks.items[i].object);
  for (size_t i = 0; i < bench->systems.count; i++) pm_system_free((pm_system *)bench->systems.items[i].object);
  for (size_t i = 0; i < bench->frameworks.count; i++) free(bench->frameworks.items[i].object);
  free_parts(&bench->frameworks);
  free_parts(&bench->networks);
  free_parts(&bench->systems);
  free(bench->network_list);
  free(bench->system_list);
  free(bench->runs);
  free(bench->predictions);
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
  else if (pm_catalog_framework(bench->catalog, name, profile, error) == PM_OK) return profile;
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

const char *pm__bench_network_id(const pm__bench *bench, int network)
{
  return bench->networks.items[network].id;
}

const char *pm__bench_system_id(const pm__bench *bench, int system)
{
  return bench->systems.items[system].id;
}

/* ---- Runs ---- */

int pm__bench_add(pm__bench *bench, const pm_run *run, pm_error *error)
{
  pm_run *runs = (pm_run *)pm__grow(bench->runs, bench->run_count, &bench->run_capacity, sizeof *runs);
  if (runs == NULL) return pm__no_memory(error), -1;
  bench->runs = runs;
  for (size_t i = 0; i < bench->run_count; i++)
    if (memcmp(&runs[i], run, sizeof *run) == 0) return (int)i;
  runs[bench->run_count] = *run;
  return (int)bench->run_count++;
}

/* Those that could be built, as the plan wants them; the runs' numbers are changed to match. */
static size_t list_objects(parts *list, const void ***objects)
{
  size_t count = 0;
  *objects = (const void **)calloc(list->count + 1, sizeof **objects);
  for (size_t i = 0; *objects != NULL && i < list->count; i++) {
    list->items[i].position = (int)count;
    if (list->items[i].object != NULL) (*objects)[count++] = list->items[i].object;
  }
  return count;
}

int pm__bench_predict(pm__bench *bench, pm_error *error)
{
  if (bench->run_count == 0) return PM_OK;
  size_t networks = list_objects(&bench->networks, &bench->network_list);
  size_t systems = list_objects(&bench->systems, &bench->system_list);
  if (bench->network_list == NULL || bench->system_list == NULL) return pm__no_memory(error);
  bench->plan = pm_plan_new((const pm_network *const *)bench->network_list, networks,
                           (const pm_system *const *)bench->system_list, systems, error);
  if (bench->plan == NULL) return error != NULL ? error->status : PM_INTERNAL;
  for (size_t i = 0; i < bench->frameworks.count; i++) {
    part *framework = &bench->frameworks.items[i];
    if (framework->object == NULL) continue;
    framework->position = pm_plan_add_framework(bench->plan, (const pm_framework_profile *)framework->object, error);
    if (framework->position < 0) return error != NULL ? error->status : PM_INTERNAL;
  }
  bench->predictions = (pm_prediction *)calloc(bench->run_count, sizeof *bench->predictions);
  if (bench->predictions == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < bench->run_count; i++) {
    pm_run *run = &bench->runs[i];
    run->network_index = bench->networks.items[run->network_index].position;
    run->system_index = bench->systems.items[run->system_index].position;
    if (run->framework_index >= 0) run->framework_index = bench->frameworks.items[run->framework_index].position;
  }
  return pm_predict(bench->plan, bench->runs, bench->predictions, bench->run_count);
}

const pm_prediction *pm__bench_prediction(const pm__bench *bench, int run)
{
  return bench->predictions != NULL && run >= 0 ? &bench->predictions[run] : NULL;
}

int pm__bench_check(const pm__bench *bench, int run, pm_error *error)
{
  return pm_run_check(bench->plan, &bench->runs[run], error);
}
