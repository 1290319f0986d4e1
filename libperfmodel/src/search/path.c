/* Numbers of the hardware by path, through the field tables: "gpu.memory_bandwidth", "link.nvlink2.bandwidth". */
#include <float.h>
#include <math.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel/predict.h"
#include "perfmodel/sensitivity.h"
#include "perfmodel/units.h"
#include "search/vary.h"

/* Where a path begins, and the record behind it. */
typedef enum search_root { ROOT_GPU = 1, ROOT_KERNELS, ROOT_LINK, ROOT_CALIBRATION, ROOT_NETWORK } search_root;

static const struct {
  const char *name, *type;
  search_root root;
  bool of_link; /* the next word is the id of a type of link */
} roots[] = {{"gpu", "gpu", ROOT_GPU, false},
             {"kernels", "kernel_calibration", ROOT_KERNELS, false},
             {"link", "link", ROOT_LINK, true},
             {"calibration", "calibration", ROOT_CALIBRATION, true},
             {"network", "link", ROOT_NETWORK, false}};

typedef struct search_path {
  search_root root;
  char link[PM_TEXT_MAX];
  const pm_field *field;
} search_path;

static bool is_word(const char *at, size_t length, const char *word)
{
  return strlen(word) == length && memcmp(at, word, length) == 0;
}

static const pm_field *nearest(const pm_record_type *type, const char *name)
{
  const pm_field *near = NULL;
  pm__name_nearest nearest = {.written = name, .least = (int)strlen(name) / 2 + 1};
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    if (field->kind != PM_FIELD_TEXT && pm__name_nearest_take(&nearest, field->name)) near = field;
  }
  return near;
}

static int find_field(const char *path, const char *type_name, const char *name, search_path *found, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  found->field = pm_record_find_field(type, name);
  if (found->field != NULL && found->field->kind != PM_FIELD_TEXT) return PM_OK;
  const pm_field *near = nearest(type, name);
  int start = (int)(strrchr(path, '.') + 1 - path);
  if (near == NULL) return pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.120s\" is not a hardware parameter", path);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.120s\" is not a hardware parameter; did you mean \"%.*s%s\"?", path,
                  start,
                  path, near->name);
}

/* The words between the dots; the id of a type of link may hold dots itself. */
static int read_path(const char *path, search_path *found, pm_error *error)
{
  const char *end = path != NULL ? strchr(path, '.') : NULL, *last = path != NULL ? strrchr(path, '.') : NULL;
  for (size_t i = 0; end != NULL && i < sizeof roots / sizeof roots[0]; i++) {
    if (!is_word(path, (size_t)(end - path), roots[i].name)) continue;
    size_t length = last > end ? (size_t)(last - end - 1) : 0;
    if (roots[i].of_link != (length > 0) || length >= sizeof found->link) break;
    memset(found, 0, sizeof *found);
    found->root = roots[i].root;
    memcpy(found->link, end + 1, length);
    return find_field(path, roots[i].type, last + 1, found, error);
  }
  return pm__fail(error, PM_STATUS_NOT_FOUND,
                  "\"%.120s\" is not a hardware parameter; it is gpu.FIELD, kernels.FIELD, "
                  "network.FIELD, link.TYPE.FIELD or calibration.TYPE.FIELD", path != NULL ? path : "");
}

static void *in_edge(pm__edge *edge, const search_path *path)
{
  if (path->root == ROOT_CALIBRATION) return edge->calibrated ? &edge->calibration : NULL;
  return &edge->link;
}

/* The `number`-th record of the system that the path names; NULL past the last. */
static void *record_at(pm_system *system, const search_path *path, size_t number)
{
  if (path->root == ROOT_GPU) return number == 0 ? &system->gpu : NULL;
  if (path->root == ROOT_KERNELS)
    return number == 0 && system->kernels.simt_basis != PM_ORIGIN_NONE ? &system->kernels : NULL;
  if (path->root == ROOT_NETWORK) return number == 0 && system->network.count > 0 ? &system->network.link : NULL;
  for (size_t i = 0; i <= system->edge_count; i++) {
    pm__edge *edge = i < system->edge_count ? &system->edges[i] : &system->network;
    if (edge->count == 0 || strcmp(edge->link.id, path->link) != 0) continue;
    void *record = in_edge(edge, path);
    if (record != NULL && number-- == 0) return record;
  }
  return NULL;
}

static int no_such_part(const pm_system *system, const char *path, pm_error *error)
{
  return pm__fail(error, PM_STATUS_NOT_FOUND, "system \"%s\" has no \"%.120s\"", system->machine.id,
                  path);
}

const pm_field *pm_hardware_find_field(const char *path, pm_error *error)
{
  search_path found;
  return read_path(path, &found, error) == PM_OK ? found.field : NULL;
}

double pm__system_get_number(const pm_system *system, const char *path, pm_error *error)
{
  search_path found;
  if (system == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                                      "a hardware parameter needs a system"), (double)NAN;
  if (read_path(path, &found, error) != PM_OK) return NAN;
  /* Nothing is written: the same walk serves for reading. */
  const void *record = record_at((pm_system *)(uintptr_t)system, &found, 0);
  if (record == NULL) return no_such_part(system, path, error), (double)NAN;
  return pm_record_get_number(found.field, record);
}

/* "x1.1" is a factor, anything else a value with its unit. */
static int set_number(const search_path *path, void *record, const char *text, pm_error *error)
{
  double factor;
  if (text[0] != 'x') return pm_record_set(path->field, record, text, error);
  if (path->field->kind == PM_FIELD_CHOICE || pm_number_parse(text + 1, &factor) != PM_OK || !(factor > 0) ||
      isinf(factor))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is not a positive factor", path->field->name, text);
  double before = pm_record_get_number(path->field, record), now = before * factor;
  if (isfinite(before) && before != 0 && (isinf(now) || fabs(now) < DBL_MIN))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s: %g times %.80s is out of range", path->field->name, before,
                    text + 1);
  return pm_record_set_number(path->field, record, now, error);
}

/* A link's numbers are checked when it is joined; here it is joined already. */
static int check(const pm_system *system, const search_path *path, const void *record, pm_error *error)
{
  if (path->root == ROOT_GPU) return pm__gpu_check(&system->gpu, error);
  if (path->root == ROOT_KERNELS) return pm_kernel_calibration_check(&system->kernels, error);
  double value = pm_record_get_number(path->field, record);
  if (path->field->kind != PM_FIELD_REAL || isnan(value) || value > 0 || strcmp(path->field->unit, "s") == 0)
    return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s %g is not positive", path->field->name, value);
}

static int set_all(pm_system *copy, const search_path *path, const char *name, const char *text, pm_error *error)
{
  int status = PM_OK;
  void *record = record_at(copy, path, 0);
  if (record == NULL) return no_such_part(copy, name, error);
  double power = copy->gpu.power;
  if (path->root == ROOT_GPU && strcmp(path->field->name, "power") == 0) pm__vary_power(&copy->gpu);
  for (size_t i = 0; status == PM_OK && (record = record_at(copy, path, i)) != NULL; i++) {
    status = set_number(path, record, text, error);
    if (status == PM_OK) status = check(copy, path, record, error);
  }
  copy->machine.power = pm__vary_node_power(&copy->machine, power, copy->gpu.power);
  return status;
}

/* A clock takes all rates of arithmetic with it: peaks of another clock would contradict it. */
static pm_system *with_clock(const pm_system *system, const search_path *path, const char *text, pm_error *error)
{
  pm_gpu gpu = system->gpu;
  if (set_number(path, &gpu, text, error) != PM_OK) return NULL;
  return pm__system_new_scaled(system, PM_RESOURCE_CLOCK, gpu.clock / system->gpu.clock, error);
}

static pm_system *with_number(const pm_system *system, const search_path *path, const char *name, const char *text,
                              pm_error *error)
{
  if (path->root == ROOT_GPU && strcmp(path->field->name, "clock") == 0) return with_clock(system, path, text, error);
  const pm_system_change same = {.gpu = &system->gpu, .kernels = &system->kernels};
  pm_system *copy = pm_system_new_with(system, &same, error);
  if (copy == NULL || set_all(copy, path, name, text, error) == PM_OK) return copy;
  pm_system_free(copy);
  return NULL;
}

/* What programs can have of a GPU's memory grows with it. */
static void set_usable(pm_system *copy, const pm_system *from)
{
  copy->usable_memory = from->usable_memory * (copy->gpu.memory / from->gpu.memory);
}

static pm_system *new_with_number(const pm_system *system, const char *path, const char *value, pm_error *error)
{
  search_path found;
  if (value == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a changed parameter needs a value"), (pm_system *)NULL;
  if (read_path(path, &found, error) != PM_OK) return NULL;
  pm_system *copy = with_number(system, &found, path, value, error);
  if (copy != NULL) set_usable(copy, system);
  return copy;
}

/* Variant `index`: one copy for each axis, each made from the one before. */
static pm_system *variant(const pm_system *system, const pm_hardware_axis *axes, size_t axis_count, size_t index,
                          pm_error *error)
{
  pm_system *made = NULL;
  for (size_t i = axis_count; i-- > 0;) {
    const pm_system *from = made != NULL ? made : system;
    pm_system *next = new_with_number(from, axes[i].path, axes[i].values[index % axes[i].count], error);
    index /= axes[i].count;
    pm_system_free(made);
    made = next;
    if (made == NULL) return NULL;
  }
  return made;
}

int pm_system_new_variants(const pm_system *system, const pm_hardware_axis *axes, size_t axis_count,
                           pm_system **variants,
                       pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  if (system == NULL || axes == NULL || axis_count == 0 || variants == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "variants need a system, at least one axis, and a place");
  size_t count = pm_variants_count(axes, axis_count);
  for (size_t i = 0; i < count; i++) {
    variants[i] = variant(system, axes, axis_count, i, &reason);
    if (variants[i] != NULL) continue;
    while (i-- > 0) {
      pm_system_free(variants[i]);
      variants[i] = NULL;
    }
    return pm__fail(error, reason.status, "%s", reason.text);
  }
  return PM_OK;
}
