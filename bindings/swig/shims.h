/*
** The C side of the scripted interface: what perfmodel.i declares beyond the public functions themselves. Arrays get
** a count, counts that come from a script are checked to be whole, and layers, times and links come as tables.
*/
#ifndef PM_SHIMS_H
#define PM_SHIMS_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmodel.h>

typedef struct records {
  const pm_record_type *type;
  void *data;
  size_t count;
} records;

typedef struct numbers {
  double *data;
  size_t count;
} numbers;

typedef struct names {
  char **data;
  size_t count;
} names;

static void records_free(records *array)
{
  free(array->data);
}

static void numbers_free(numbers *array)
{
  free(array->data);
}

static void names_free(names *array)
{
  for (size_t i = 0; i < array->count; i++) free(array->data[i]);
  free(array->data);
}

/* ---- Helpers ---- */

static void fail(pm_error *error, int status, const char *format, ...)
{
  va_list values;
  if (error->status != PM_OK) return;
  error->status = status;
  va_start(values, format);
  vsnprintf(error->text, sizeof error->text, format, values);
  va_end(values);
}

static void no_memory(pm_error *error)
{
  fail(error, PM_NO_MEMORY, "out of memory");
}

/* A count that crossed as a double; -1 with an error if it is no whole number from 0 to 2^31 - 1. */
static int whole(double value, const char *what, pm_error *error)
{
  char text[PM_NUMBER_MAX];
  if (value >= 0 && value <= INT32_MAX && value == floor(value)) return (int)value;
  fail(error, PM_BAD_ARGUMENT, "%s %s is not a whole number from 0 to 2147483647", what, pm_number_format(text, value));
  return -1;
}

/* The value of a choice field by name, -1 with an error that lists the choices. */
static int choice(const char *type, const char *field_name, const char *name, pm_error *error)
{
  const pm_field *field = pm_record_field(pm_record_type_find(type), field_name);
  char known[256] = "";
  for (int i = 0; field != NULL && field->choices[i].name != NULL; i++) {
    if (strcmp(field->choices[i].name, name) == 0) return i;
    if (i > 0) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, field->choices[i].name, sizeof known - strlen(known) - 1);
  }
  fail(error, PM_NOT_FOUND, "unknown %s \"%s\"; known are %s", field_name, name, known);
  return -1;
}

static int precision_number(const char *name, pm_error *error)
{
  int precision = pm_precision_find(name);
  return precision >= 0 ? precision : choice("run", "precision", name, error);
}

/* Exactly one record was passed. */
static int single(size_t count, const char *what, pm_error *error)
{
  if (count == 1) return 1;
  fail(error, PM_BAD_ARGUMENT, "%lu %s records where one is meant", (unsigned long)count, what);
  return 0;
}

static records records_new(const char *type, size_t count, pm_error *error)
{
  records array = {pm_record_type_find(type), NULL, count};
  if (array.type == NULL) {
    fail(error, PM_NOT_FOUND, "unknown record type \"%s\"", type);
    return array;
  }
  array.data = calloc(count > 0 ? count : 1, array.type->size);
  if (array.data == NULL) no_memory(error);
  return array;
}

static records no_records(records array)
{
  records none = {NULL, NULL, 0};
  records_free(&array);
  return none;
}

static records record_copy(const char *type, const void *record, pm_error *error)
{
  records array = records_new(type, 1, error);
  if (array.data != NULL) memcpy(array.data, record, array.type->size);
  return array;
}

static numbers numbers_new(size_t count, pm_error *error)
{
  numbers array = {(double *)calloc(count > 0 ? count : 1, sizeof(double)), count};
  if (array.data == NULL) no_memory(error);
  return array;
}

static names names_new(size_t count, pm_error *error)
{
  names array = {(char **)calloc(count > 0 ? count : 1, sizeof(char *)), count};
  if (array.data == NULL) {
    array.count = 0;
    no_memory(error);
  }
  return array;
}

static char *text_copy(const char *text, pm_error *error)
{
  char *copy = (char *)malloc(strlen(text) + 1);
  if (copy == NULL) no_memory(error);
  return copy == NULL ? NULL : strcpy(copy, text);
}

/* The names that `at` gives for 0, 1, ... until NULL. */
typedef const char *(*name_at)(const void *context, size_t index);

static names names_list(name_at at, const void *context, pm_error *error)
{
  size_t count = 0;
  while (at(context, count) != NULL) count++;
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++) array.data[i] = text_copy(at(context, i), error);
  if (error->status != PM_OK) names_free(&array), array.data = NULL, array.count = 0;
  return array;
}

/* A table of `count` records of a type, as columns. */
static pm_table *records_table(const char *type, const void *data, size_t count, pm_error *error)
{
  return pm_table_of_records(pm_record_type_find(type), data, count, error);
}

/* ---- Library ---- */

static double quantity_parse(const char *text, const char *unit, pm_error *error)
{
  double value = NAN;
  pm_quantity_parse(text, unit, &value, error);
  return value;
}

static char *quantity_format(double value, const char *unit, pm_error *error)
{
  char text[PM_TEXT_MAX];
  return text_copy(pm_quantity_format(text, sizeof text, value, unit), error);
}

/* ---- Records ---- */

static const char *record_type_name(const void *context, size_t index)
{
  (void)context;
  const pm_record_type *type = pm_record_type_at(index);
  return type == NULL ? NULL : type->name;
}

static const pm_record_type *record_type(const char *name, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(name);
  if (type == NULL) fail(error, PM_NOT_FOUND, "unknown record type \"%s\"", name);
  return type;
}

/* The choices of a field, names or docs, one per line. */
static char *choice_lines(const pm_field *field, int docs, pm_error *error)
{
  size_t length = 1;
  for (int i = 0; field->choices != NULL && field->choices[i].name != NULL; i++)
    length += strlen(docs ? field->choices[i].doc : field->choices[i].name) + 1;
  char *lines = (char *)calloc(length, 1);
  if (lines == NULL) no_memory(error);
  for (int i = 0; lines != NULL && field->choices != NULL && field->choices[i].name != NULL; i++) {
    if (i > 0) strcat(lines, "\n");
    strcat(lines, docs ? field->choices[i].doc : field->choices[i].name);
  }
  return lines;
}

static char *field_property(const pm_field *field, int property, pm_error *error)
{
  static const char *const kinds[] = {"text", "int", "real", "choice"};
  char offset[24];
  switch (property) {
    case 0: return text_copy(field->name, error);
    case 1: return text_copy(field->unit, error);
    case 2: return text_copy(field->doc, error);
    case 3: return text_copy(kinds[field->kind], error);
    case 4: snprintf(offset, sizeof offset, "%lu", (unsigned long)field->offset); return text_copy(offset, error);
    default: return choice_lines(field, property == 6, error);
  }
}

/* Names of all record types. */
static names record_types(pm_error *error)
{
  return names_list(record_type_name, NULL, error);
}

static const char *record_doc(const char *type, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  return found == NULL ? NULL : found->doc;
}

static int record_size(const char *type, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  return found == NULL ? 0 : (int)found->size;
}

/* Seven texts per field: name, unit, doc, kind ("text", "int", "real", "choice"), offset, and the choices' names and
** docs, one per line. */
static names record_fields(const char *type, pm_error *error)
{
  const pm_record_type *found = record_type(type, error);
  names array = names_new(found == NULL ? 0 : 7 * found->field_count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = field_property(&found->fields[i / 7], (int)(i % 7), error);
  if (error->status != PM_OK) names_free(&array), array.data = NULL, array.count = 0;
  return array;
}

/* ---- Catalogue ---- */

typedef struct id_list {
  const pm_catalog *catalog;
  const char *kind;
} id_list;

static const char *id_at(const void *context, size_t index)
{
  const id_list *list = (const id_list *)context;
  return pm_catalog_id(list->catalog, list->kind, index);
}

static const char *note_at(const void *context, size_t index)
{
  return pm_catalog_note((const pm_catalog *)context, index);
}

static const char *kind_at(const void *context, size_t index)
{
  (void)context;
  return pm_catalog_kind_at(index);
}

static names catalog_kinds(pm_error *error)
{
  return names_list(kind_at, NULL, error);
}

static names catalog_notes(const pm_catalog *catalog, pm_error *error)
{
  return names_list(note_at, catalog, error);
}

static names catalog_ids(const pm_catalog *catalog, const char *kind, pm_error *error)
{
  id_list list = {catalog, kind};
  if (pm_catalog_count(catalog, kind) < 0) fail(error, PM_NOT_FOUND, "the catalogue has no \"%s\"", kind);
  return names_list(id_at, &list, error);
}

/* One record, of the kind's type. */
static records catalog_record(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  const pm_record_type *type = pm_catalog_record_type(kind);
  if (type == NULL) fail(error, PM_NOT_FOUND, "the catalogue has no records of kind \"%s\"", kind);
  records array = records_new(type == NULL ? "" : type->name, 1, error);
  if (error->status == PM_OK) pm_catalog_record(catalog, kind, name, array.data, error);
  return error->status == PM_OK ? array : no_records(array);
}

/* ---- Networks ---- */

/* More than the library takes, which says so itself. */
enum { MOST_DIMENSIONS = 16 };

static const char *layer_kind_at(const void *context, size_t index)
{
  (void)context;
  return pm_layer_kind_at(index);
}

static names layer_kinds(pm_error *error)
{
  return names_list(layer_kind_at, NULL, error);
}

/* The attributes of each kind, in the order of layer_kinds. */
static names layer_attributes(pm_error *error)
{
  char buffer[1024];
  size_t count = 0;
  while (pm_layer_kind_at(count) != NULL) count++;
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = text_copy(pm_layer_kind_attributes(i, buffer, sizeof buffer), error);
  if (error->status != PM_OK) names_free(&array), array.data = NULL, array.count = 0;
  return array;
}

/* The layer's number. */
static int network_add_input(pm_network *network, const char *name, const double *shape, size_t rank,
                             pm_error *error)
{
  int64_t sizes[MOST_DIMENSIONS] = {0};
  for (size_t i = 0; i < rank && i < MOST_DIMENSIONS; i++) sizes[i] = whole(shape[i], "dimension", error);
  if (error->status != PM_OK) return -1;
  return pm_network_add_input(network, name, sizes, rank > MOST_DIMENSIONS ? MOST_DIMENSIONS + 1 : (int)rank, error);
}

/* The layer's number. `inputs` are the layers whose outputs it takes; an empty name becomes one of its own. */
static int network_add(pm_network *network, const char *kind, const char *name, const double *inputs,
                       size_t input_count, const pm_attribute *attributes, size_t attribute_count, pm_error *error)
{
  int *layers = (int *)calloc(input_count > 0 ? input_count : 1, sizeof *layers);
  int layer = -1;
  if (layers == NULL) no_memory(error);
  for (size_t i = 0; i < input_count && layers != NULL; i++) layers[i] = whole(inputs[i], "input layer", error);
  if (error->status == PM_OK)
    layer = pm_network_add(network, kind, name, layers, (int)input_count, attributes, attribute_count, error);
  free(layers);
  return layer;
}

/* The output shape of a layer. */
static numbers network_shape(const pm_network *network, double layer, pm_error *error)
{
  int64_t shape[PM_RANK_MAX] = {0};
  int number = whole(layer, "layer", error);
  int rank = number < 0 ? 0 : pm_network_get_shape(network, number, shape);
  numbers array = numbers_new((size_t)rank, error);
  if (rank == 0) fail(error, PM_NOT_FOUND, "there is no layer %d", number);
  for (int i = 0; i < rank && array.data != NULL; i++) array.data[i] = (double)shape[i];
  return array;
}

/* One "network" record. */
static records network_totals(const pm_network *network, pm_error *error)
{
  records array = records_new("network", 1, error);
  if (array.data != NULL) pm_network_get_totals(network, (pm_network_totals *)array.data, error);
  return error->status == PM_OK ? array : no_records(array);
}

/* Counts by "layer" or "kind", or as a "tree", for a batch; with or without the total below them. */
static pm_table *network_table(const pm_network *network, const char *view, double depth,
                               const pm_memory_profile *profile, size_t profile_count, double batch,
                               const char *precision, double total, pm_error *error)
{
  pm_table *table = NULL;
  int number = pm_counts_view_find(view);
  pm_counts_question question = pm_counts_question_default();
  if (number < 0) fail(error, PM_NOT_FOUND, "unknown view \"%s\"; known are layer, kind, tree", view);
  else question.view = (pm_counts_view)number;
  question.depth = whole(depth, "depth", error);
  question.batch = batch;
  question.precision = precision_number(precision, error);
  question.profile = profile;
  if (single(profile_count, "memory_profile", error) && error->status == PM_OK)
    table = pm_network_table(network, &question, error);
  if (total == 0) pm_table_drop_total(table);
  return table;
}

/* Times of all layers on one GPU, as a table of "layer_time" records. */
static pm_table *network_times(const pm_network *network, const pm_gpu *gpu, size_t gpu_count,
                               const pm_kernel_calibration *calibration, size_t calibration_count, double batch,
                               const char *precision, pm_error *error)
{
  pm_table *table = NULL;
  int number = precision_number(precision, error);
  size_t count = (size_t)pm_network_layer_count(network);
  records rows = records_new("layer_time", count, error);
  if (single(gpu_count, "gpu", error) && error->status == PM_OK)
    pm_network_get_times(network, gpu, calibration_count > 0 ? calibration : NULL, batch, number,
                          (pm_layer_time *)rows.data, error);
  if (error->status == PM_OK) table = records_table("layer_time", rows.data, count, error);
  records_free(&rows);
  return table;
}

/* ---- Kernels ---- */

/* The constants of a GPU as one "kernel_calibration" record; none if its architecture has none. */
static records catalog_kernels(const pm_catalog *catalog, const pm_gpu *gpu, size_t gpu_count, pm_error *error)
{
  records rows = records_new("kernel_calibration", 1, error);
  if (!single(gpu_count, "gpu", error) || error->status != PM_OK) return no_records(rows);
  if (pm_catalog_kernels(catalog, gpu, (pm_kernel_calibration *)rows.data, NULL) != PM_OK) rows.count = 0;
  return rows;
}

/* Times of kernels as "kernel_time" records. No calibration: by the plain roofline. */
static records kernel_times(const pm_gpu *gpu, size_t gpu_count, const pm_kernel_calibration *calibration,
                            size_t calibration_count, const pm_kernel *kernels, size_t kernel_count, pm_error *error)
{
  records rows = records_new("kernel_time", kernel_count, error);
  if (single(gpu_count, "gpu", error) && error->status == PM_OK)
    pm_kernel_predict(gpu, calibration_count > 0 ? calibration : NULL, kernels,
                      (pm_kernel_time *)rows.data, kernel_count, error);
  return error->status == PM_OK ? rows : no_records(rows);
}

/* ---- Systems ---- */

/* One "machine" record. */
static records system_machine(const pm_system *system, pm_error *error)
{
  return record_copy("machine", pm_system_machine(system), error);
}

/* One "gpu" record. */
static records system_gpu(const pm_system *system, pm_error *error)
{
  return record_copy("gpu", pm_system_gpu(system), error);
}

/* The link graph, as a table of "edge" records. */
static pm_table *system_edges(const pm_system *system, pm_error *error)
{
  pm_table *table = NULL;
  int count = pm_system_edge_count(system);
  records rows = records_new("edge", (size_t)count, error);
  for (int i = 0; i < count && error->status == PM_OK; i++) pm_system_edge(system, i, (pm_edge *)rows.data + i);
  if (error->status == PM_OK) table = records_table("edge", rows.data, rows.count, error);
  records_free(&rows);
  return table;
}

/* One "ring" record: the ring of GPUs 0 .. gpus-1 of each node. */
static records system_ring(const pm_system *system, double gpus, double nodes, pm_error *error)
{
  int gpu_count = whole(gpus, "gpus", error), node_count = whole(nodes, "nodes", error);
  records array = records_new("ring", 1, error);
  if (error->status == PM_OK) pm_ring_find(system, gpu_count, node_count, (pm_ring *)array.data, error);
  return error->status == PM_OK ? array : no_records(array);
}

/* Time of an all-reduce of each of `bytes` over the ring. */
static numbers all_reduce_times(const pm_ring *ring, size_t ring_count, const double *bytes, size_t count,
                                pm_error *error)
{
  char text[PM_NUMBER_MAX];
  numbers times = numbers_new(count, error);
  if (!single(ring_count, "ring", error)) return times;
  for (size_t i = 0; i < count && times.data != NULL; i++) {
    if (!isfinite(bytes[i]) || bytes[i] < 0)
      fail(error, PM_BAD_ARGUMENT, "%s bytes are not finite and at least 0", pm_number_format(text, bytes[i]));
    times.data[i] = pm_ring_all_reduce_time(ring, bytes[i]);
  }
  return times;
}

/* ---- Collectives ---- */

/* The GPUs of the list, or the first `gpus`. */
static pm_group *group_of(const pm_system *system, const double *list, size_t listed, double gpus, double nodes,
                          double thread_gpus, pm_error *error)
{
  pm_group_choice choice = pm_group_choice_default();
  int count = listed > 0 ? (int)listed : whole(gpus, "gpus", error), *numbers_of = NULL;
  choice.nodes = whole(nodes, "nodes", error);
  choice.thread_gpus = whole(thread_gpus, "thread_gpus", error);
  if (listed > 0) numbers_of = (int *)calloc(listed, sizeof *numbers_of);
  if (listed > 0 && numbers_of == NULL) no_memory(error);
  for (size_t i = 0; numbers_of != NULL && i < listed; i++) numbers_of[i] = whole(list[i], "a GPU", error);
  pm_group *group = error->status == PM_OK ? pm_group_new(system, numbers_of, count, &choice, error) : NULL;
  free(numbers_of);
  return group;
}

static pm_call call_of(const char *collective, const char *algorithm, const char *protocol, pm_error *error)
{
  pm_call call = pm_call_default();
  call.collective = pm_collective_find(collective);
  if (call.collective < 0) choice("call", "collective", collective, error);
  call.algorithm = choice("call", "algorithm", algorithm, error);
  call.protocol = choice("call", "protocol", protocol, error);
  return call;
}

/* One call for each size. Released with free. */
static pm_call *calls_of(const pm_call *call, const double *bytes, size_t count, pm_error *error)
{
  pm_call *calls = (pm_call *)calloc(count > 0 ? count : 1, sizeof *calls);
  if (calls == NULL) no_memory(error);
  for (size_t i = 0; calls != NULL && i < count; i++) {
    char text[PM_NUMBER_MAX];
    calls[i] = *call;
    calls[i].bytes = bytes[i];
    if (!isfinite(bytes[i]) || bytes[i] < 0)
      fail(error, PM_BAD_ARGUMENT, "%s bytes are not finite and at least 0", pm_number_format(text, bytes[i]));
  }
  return calls;
}

static pm_table *collective_times(const pm_system *system, const char *collective, const double *bytes, size_t count,
                                  const double *list, size_t listed, double gpus, double nodes, double thread_gpus,
                                  const char *algorithm, const char *protocol, pm_error *error)
{
  pm_table *table = NULL;
  pm_call call = call_of(collective, algorithm, protocol, error);
  pm_call *calls = calls_of(&call, bytes, count, error);
  records results = records_new("collective", count, error);
  pm_group *group = error->status == PM_OK ? group_of(system, list, listed, gpus, nodes, thread_gpus, error) : NULL;
  if (group != NULL) {
    pm_group_times(group, calls, (pm_collective_time *)results.data, count);
    table = pm_collective_table(group, calls, (pm_collective_time *)results.data, count, error);
  }
  pm_group_free(group);
  records_free(&results);
  free(calls);
  return table;
}

static pm_table *collective_loads(const pm_system *system, const char *collective, const double *bytes, size_t count,
                                  const double *list, size_t listed, double gpus, double nodes, double thread_gpus,
                                  const char *algorithm, const char *protocol, pm_error *error)
{
  pm_table *table = NULL;
  pm_call call = call_of(collective, algorithm, protocol, error);
  if (!single(count, "size", error)) return NULL;
  call.bytes = bytes[0];
  pm_group *group = error->status == PM_OK ? group_of(system, list, listed, gpus, nodes, thread_gpus, error) : NULL;
  if (group != NULL) table = pm_group_loads(group, &call, error);
  pm_group_free(group);
  return table;
}

static numbers rings_of(const pm_group *group, pm_error *error)
{
  size_t cycles = 0, gpus = (size_t)pm_group_size(group), next = 3;
  while (!isnan(pm_group_cycle(group, (int)cycles, NULL))) cycles++;
  numbers array = numbers_new(3 + cycles * (gpus + 1), error);
  int *order = (int *)calloc(gpus, sizeof *order);
  if (order == NULL) no_memory(error);
  for (size_t c = 0; array.data != NULL && order != NULL && c < cycles; c++) {
    array.data[next++] = pm_group_cycle(group, (int)c, order);
    for (size_t i = 0; i < gpus; i++) array.data[next++] = order[i];
  }
  if (array.data != NULL) {
    array.data[0] = pm_group_rings(group);
    array.data[1] = pm_group_ring_bandwidth(group);
    array.data[2] = (double)gpus;
  }
  free(order);
  return array;
}

static numbers system_rings(const pm_system *system, const double *list, size_t listed, double gpus, pm_error *error)
{
  numbers array = {NULL, 0};
  pm_group *group = group_of(system, list, listed, gpus, 1, 1, error);
  if (group != NULL) array = rings_of(group, error);
  pm_group_free(group);
  return array;
}

static char *system_drawing(const pm_system *system, const char *as, pm_error *error)
{
  char *text = NULL, *copy = NULL;
  if (strcmp(as, "matrix") == 0) text = pm_system_matrix_text(system, error);
  else if (strcmp(as, "dot") == 0) text = pm_system_dot(system, error);
  else if (strcmp(as, "svg") == 0) text = pm_system_svg(system, error);
  else if (strcmp(as, "copies") == 0) text = pm_system_pairs_text(system, error);
  else fail(error, PM_NOT_FOUND, "unknown drawing \"%s\"; known are matrix, dot, svg, copies", as);
  if (text != NULL) copy = text_copy(text, error);
  pm_string_free(text);
  return copy;
}

/* ---- Predictions ---- */

/* Fills `values` with `count` whole numbers. NULL when there are none, or on an error. */
static int32_t *whole_numbers(const double *values, size_t count, const char *what, pm_error *error)
{
  int32_t *array = count == 0 ? NULL : (int32_t *)calloc(count, sizeof *array);
  if (count > 0 && array == NULL) no_memory(error);
  for (size_t i = 0; array != NULL && i < count; i++) array[i] = whole(values[i], what, error);
  return array;
}

static int32_t *precision_numbers(const char *const *values, size_t count, pm_error *error)
{
  int32_t *array = count == 0 ? NULL : (int32_t *)calloc(count, sizeof *array);
  if (count > 0 && array == NULL) no_memory(error);
  for (size_t i = 0; array != NULL && i < count; i++) array[i] = precision_number(values[i], error);
  return array;
}

static records runs_of_grid(const pm_grid *grid, pm_error *error)
{
  records runs = records_new("run", error->status == PM_OK ? pm_grid_count(grid) : 0, error);
  if (error->status == PM_OK) pm_grid_runs(grid, (pm_run *)runs.data);
  return error->status == PM_OK ? runs : no_records(runs);
}

/* One "run" record: the defaults. */
static records run_default(pm_error *error)
{
  pm_run run = pm_run_default();
  return record_copy("run", &run, error);
}

/* The timeline of one run. */
static char *prediction_trace(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  char *text = single(run_count, "run", error) ? pm_prediction_trace(plan, run, error) : NULL;
  char *copy = text != NULL ? text_copy(text, error) : NULL;
  pm_string_free(text);
  return copy;
}

/* Raises if the run cannot be predicted, and says why. */
static void run_check(const pm_plan *plan, const pm_run *run, size_t run_count, pm_error *error)
{
  if (single(run_count, "run", error)) pm_run_check(plan, run, error);
}

/* One "prediction" record per run. */
static records predict(const pm_plan *plan, const pm_run *runs, size_t run_count, pm_error *error)
{
  records predictions = records_new("prediction", run_count, error);
  if (predictions.data != NULL && pm_predict(plan, runs, (pm_prediction *)predictions.data, run_count) != PM_OK)
    fail(error, PM_BAD_ARGUMENT, "no plan or no runs");
  return error->status == PM_OK ? predictions : no_records(predictions);
}

/* Every combination of the axes as "run" records, batch fastest. An empty axis has what `base` says. */
static records grid_runs(const pm_run *base, size_t base_count, double networks, double systems, double frameworks,
                         const char *const *precisions, size_t precision_count, const double *nodes,
                         size_t nodes_count, const double *gpus, size_t gpus_count, const double *batch,
                         size_t batch_count, double global_batch, pm_error *error)
{
  int32_t *precision_array = precision_numbers(precisions, precision_count, error);
  int32_t *nodes_array = whole_numbers(nodes, nodes_count, "nodes", error);
  int32_t *gpus_array = whole_numbers(gpus, gpus_count, "gpus", error);
  int network_count = whole(networks, "networks", error), system_count = whole(systems, "systems", error);
  int framework_count = whole(frameworks, "frameworks", error);
  pm_grid grid;
  memset(&grid, 0, sizeof grid);
  if (single(base_count, "run", error)) grid.base = *base;
  grid.networks = (size_t)network_count, grid.systems = (size_t)system_count;
  grid.frameworks = (size_t)framework_count;
  grid.precision = precision_array, grid.precision_count = precision_count;
  grid.nodes = nodes_array, grid.nodes_count = nodes_count;
  grid.gpus = gpus_array, grid.gpus_count = gpus_count;
  grid.batch = batch, grid.batch_count = batch_count;
  grid.global_batch = global_batch != 0;
  records runs = runs_of_grid(&grid, error);
  free(precision_array);
  free(nodes_array);
  free(gpus_array);
  return runs;
}

/* The three records of a framework by name: "framework", "library_era" or "band". */
static records catalog_framework(const pm_catalog *catalog, const char *name, const char *part, pm_error *error)
{
  pm_framework_profile profile;
  records none = {NULL, NULL, 0};
  if (pm_catalog_framework(catalog, name, &profile, error) != PM_OK) return none;
  if (strcmp(part, "framework") == 0) return record_copy(part, &profile.framework, error);
  if (strcmp(part, "library_era") == 0) return record_copy(part, &profile.era, error);
  return record_copy("band", &profile.band, error);
}

/* The number of the framework in the plan. */
static int plan_add_framework(pm_plan *plan, const pm_framework *framework, size_t framework_count,
                              const pm_library_era *era, size_t era_count, const pm_band *band, size_t band_count,
                              pm_error *error)
{
  pm_framework_profile profile;
  if (!single(framework_count, "framework", error) || !single(era_count, "library_era", error) ||
      !single(band_count, "band", error))
    return -1;
  profile.framework = *framework;
  profile.era = *era;
  profile.band = *band;
  return pm_plan_add_framework(plan, &profile, error);
}

/* Runs and predictions as one table. */
static pm_table *prediction_table(const pm_plan *plan, const pm_run *runs, size_t run_count,
                                  const pm_prediction *predictions, size_t prediction_count, pm_error *error)
{
  if (run_count != prediction_count)
    fail(error, PM_BAD_ARGUMENT, "%lu runs but %lu predictions", (unsigned long)run_count,
         (unsigned long)prediction_count);
  return error->status == PM_OK ? pm_prediction_table(plan, runs, predictions, run_count, error) : NULL;
}

/* ---- Memory ---- */

/* One "memory_run" record: the defaults. */
static records memory_run_default(pm_error *error)
{
  pm_memory_run run = pm_memory_run_default();
  return record_copy("memory_run", &run, error);
}

static pm_memory_plan *memory_plan(const pm_network *network, const pm_memory_profile *profile, size_t profile_count,
                                   const pm_optimizer *optimizer, size_t optimizer_count, pm_error *error)
{
  if (!single(profile_count, "memory_profile", error) || !single(optimizer_count, "optimizer", error)) return NULL;
  return pm_memory_plan_new(network, profile, optimizer, error);
}

/* One "memory_use" record per run. */
static records memory_use(const pm_network *network, const pm_memory_profile *profile, size_t profile_count,
                          const pm_optimizer *optimizer, size_t optimizer_count, const pm_memory_run *runs,
                          size_t run_count, pm_error *error)
{
  pm_memory_plan *plan = memory_plan(network, profile, profile_count, optimizer, optimizer_count, error);
  records array = records_new("memory_use", run_count, error);
  if (error->status == PM_OK && run_count == 1) pm_memory_check(plan, runs, error);
  if (error->status == PM_OK) pm_memory(plan, runs, (pm_memory_use *)array.data, run_count);
  pm_memory_plan_free(plan);
  return error->status == PM_OK ? array : no_records(array);
}

/* ---- Inference ---- */

/* One "inference_profile" record. */
static records catalog_inference(const pm_catalog *catalog, const char *name, pm_error *error)
{
  records none = {NULL, NULL, 0};
  pm_inference_profile profile;
  if (pm_catalog_inference(catalog, name, &profile, error) != PM_OK) return none;
  return record_copy("inference_profile", &profile, error);
}

/* One "inference_run" record: the defaults. */
static records inference_run_default(pm_error *error)
{
  pm_inference_run run = pm_inference_run_default();
  return record_copy("inference_run", &run, error);
}

static pm_inference_plan *inference_plan_new(const pm_network *const *networks, size_t network_count,
                                             const pm_system *const *systems, size_t system_count,
                                             const pm_inference_profile *profiles, size_t profile_count,
                                             const pm_memory_profile *memory, size_t memory_count, pm_error *error)
{
  if (!single(memory_count, "memory_profile", error)) return NULL;
  return pm_inference_plan_new(networks, network_count, systems, system_count, profiles, profile_count, memory, error);
}

/* One "inference" record per run. */
static records infer(const pm_inference_plan *plan, const pm_inference_run *runs, size_t count, pm_error *error)
{
  records array = records_new("inference", count, error);
  if (error->status == PM_OK) pm_infer(plan, runs, (pm_inference *)array.data, count);
  return error->status == PM_OK ? array : no_records(array);
}

static void infer_check(const pm_inference_plan *plan, const pm_inference_run *run, size_t count, pm_error *error)
{
  if (single(count, "inference_run", error)) pm_infer_check(plan, run, error);
}

/* One run with the largest batch within a latency. */
static records infer_within(const pm_inference_plan *plan, const pm_inference_run *run, size_t count, double latency,
                            pm_error *error)
{
  records none = {NULL, NULL, 0};
  pm_inference prediction;
  if (!single(count, "inference_run", error)) return none;
  pm_inference_run found = *run;
  if (pm_infer_within(plan, &found, latency, &prediction, error) != PM_OK) return none;
  return record_copy("inference_run", &found, error);
}

static pm_table *inference_table(const pm_inference_plan *plan, const pm_inference_run *runs, size_t run_count,
                                 const pm_inference *predictions, size_t count, pm_error *error)
{
  if (run_count == count) return pm_inference_table(plan, runs, predictions, count, error);
  fail(error, PM_BAD_ARGUMENT, "%lu runs and %lu predictions", (unsigned long)run_count, (unsigned long)count);
  return NULL;
}

/* ---- Sizing ---- */

/* One "size_goal" record: the defaults. */
static records size_goal_default(pm_error *error)
{
  pm_size_goal goal = pm_size_goal_default();
  return record_copy("size_goal", &goal, error);
}

/* Best first, then those that miss, nearest first. */
static int size_order(const void *a, const void *b)
{
  const pm_size_choice *x = (const pm_size_choice *)a, *y = (const pm_size_choice *)b;
  int left = x->rank > 0 ? x->rank : INT32_MAX, right = y->rank > 0 ? y->rank : INT32_MAX;
  if (left != right) return left < right ? -1 : 1;
  if (x->reached != y->reached && !isnan(x->reached) && !isnan(y->reached)) return x->reached > y->reached ? -1 : 1;
  return x->choice < y->choice ? -1 : x->choice > y->choice;
}

static records size_least(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  records array = records_new("size_choice", setup->count, error);
  if (array.data != NULL && pm_size(setup, goal, (pm_size_choice *)array.data, error) == PM_OK)
    qsort(array.data, array.count, sizeof(pm_size_choice), size_order);
  return error->status == PM_OK ? array : no_records(array);
}

/* One record, or none if nothing takes less than the best. */
static records size_next(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  pm_error nothing = PM_ERROR_NONE;
  records all = size_least(setup, goal, error), array = records_new("size_choice", 1, error);
  if (error->status == PM_OK &&
      pm_size_next(setup, goal, (const pm_size_choice *)all.data, (pm_size_choice *)array.data, &nothing) != PM_OK)
    array.count = 0;
  records_free(&all);
  return error->status == PM_OK ? array : no_records(array);
}

static records size_front(const pm_size_setup *setup, const pm_size_goal *goal, pm_error *error)
{
  enum { MOST = 4096 };
  records array = records_new("size_choice", MOST, error);
  int count = array.data != NULL ? pm_size_front(setup, goal, (pm_size_choice *)array.data, MOST, error) : 0;
  if (count >= 0) array.count = (size_t)count;
  return error->status == PM_OK ? array : no_records(array);
}

/* The same number of records as there are choices, or none. */
static int of_choices(size_t count, size_t choices, const char *what, pm_error *error)
{
  if (count == choices) return 1;
  fail(error, PM_BAD_ARGUMENT, "%lu %s for %lu choices", (unsigned long)count, what, (unsigned long)choices);
  return 0;
}

static records size_choices(const pm_plan *plan, const pm_size_goal *goal, size_t goals, const pm_run *runs, size_t count,
                            const double *prices, size_t price_count, const double *usable, size_t usable_count,
                            const pm_network *network, const pm_memory_profile *profile, size_t profiles,
                            const pm_optimizer *optimizer, size_t optimizers, const pm_dataset *datasets,
                            size_t dataset_count, const pm_storage *storages, size_t storage_count,
                            const pm_storage_access *accesses, size_t access_count, const pm_decoder *decoders,
                            size_t decoder_count, const pm_loader *loaders, size_t loader_count,
                            const pm_machine *machines, size_t machine_count, const pm_input_run *input_runs,
                            size_t input_count, const char *what, pm_error *error)
{
  records array = {NULL, NULL, 0};
  pm_memory_plan *memory = NULL;
  pm_input_setup *inputs = NULL;
  if (single(goals, "size_goal", error) && of_choices(price_count, count, "prices", error) &&
      of_choices(usable_count, count, "memories", error))
    memory = memory_plan(network, profile, profiles, optimizer, optimizers, error);
  if (input_count > 0 && of_choices(input_count, count, "input runs", error) &&
      of_choices(dataset_count, count, "datasets", error) && of_choices(storage_count, count, "storages", error) &&
      of_choices(access_count, count, "accesses", error) && of_choices(decoder_count, count, "decoders", error) &&
      of_choices(loader_count, count, "loaders", error) && of_choices(machine_count, count, "machines", error)) {
    inputs = (pm_input_setup *)calloc(count, sizeof *inputs);
    if (inputs == NULL) no_memory(error);
    for (size_t i = 0; inputs != NULL && i < count; i++) {
      const pm_input_setup one = {datasets[i], storages[i], accesses[i], decoders[i], loaders[i], machines[i]};
      inputs[i] = one;
    }
  }
  const pm_size_setup setup = {plan, runs, prices, usable, count, memory, inputs, inputs != NULL ? input_runs : NULL};
  for (size_t i = 0; inputs != NULL && i < count; i++) pm_input_check(&inputs[i], &input_runs[i], error);
  if (error->status == PM_OK && strcmp(what, "least") == 0) array = size_least(&setup, goal, error);
  else if (error->status == PM_OK && strcmp(what, "next") == 0) array = size_next(&setup, goal, error);
  else if (error->status == PM_OK) array = size_front(&setup, goal, error);
  pm_memory_plan_free(memory);
  free(inputs);
  return array;
}

static pm_table *size_table(const pm_size_choice *choices, size_t count, pm_error *error)
{
  return records_table("size_choice", choices, count, error);
}

/* ---- Sensitivities ---- */

typedef struct sensitivity_parts {
  pm_framework_profile framework;
  pm_input_setup input;
} sensitivity_parts;

/* A framework is three records or none, an input path seven or none. */
static int fill_parts(sensitivity_parts *parts, const pm_framework *framework, size_t frameworks,
                      const pm_library_era *era, size_t eras, const pm_band *band, size_t bands,
                      const pm_dataset *dataset, size_t datasets, const pm_storage *storage, size_t storages,
                      const pm_storage_access *access, size_t accesses, const pm_decoder *decoder, size_t decoders,
                      const pm_loader *loader, size_t loaders, const pm_machine *machine, size_t machines,
                      size_t input_runs, pm_error *error)
{
  if (frameworks > 0) {
    if (!single(frameworks, "framework", error) || !single(eras, "library_era", error) || !single(bands, "band", error))
      return 0;
    parts->framework.framework = *framework;
    parts->framework.era = *era;
    parts->framework.band = *band;
  }
  if (input_runs == 0) return error->status == PM_OK;
  if (!single(input_runs, "input_run", error) || !single(datasets, "dataset", error) ||
      !single(storages, "storage", error) || !single(accesses, "storage_access", error) ||
      !single(decoders, "decoder", error) || !single(loaders, "loader", error) || !single(machines, "machine", error))
    return 0;
  const pm_input_setup input = {*dataset, *storage, *access, *decoder, *loader, *machine};
  parts->input = input;
  return error->status == PM_OK;
}

static pm_table *sensitivity_table(
    const pm_network *network, const pm_system *system, const pm_run *run, size_t runs,
    const pm_framework *framework, size_t frameworks, const pm_library_era *era, size_t eras, const pm_band *band,
    size_t bands, const pm_dataset *dataset, size_t datasets, const pm_storage *storage, size_t storages,
    const pm_storage_access *access, size_t accesses, const pm_decoder *decoder, size_t decoders,
    const pm_loader *loader, size_t loaders, const pm_machine *machine, size_t machines, const pm_input_run *input_run,
    size_t input_runs, double raise, pm_error *error)
{
  sensitivity_parts parts;
  if (!single(runs, "run", error) ||
      !fill_parts(&parts, framework, frameworks, era, eras, band, bands, dataset, datasets, storage, storages, access,
                  accesses, decoder, decoders, loader, loaders, machine, machines, input_runs, error))
    return NULL;
  const pm_sensitivity_setup setup = {network, system, run, frameworks > 0 ? &parts.framework : NULL,
                                      input_runs > 0 ? &parts.input : NULL, input_runs > 0 ? input_run : NULL};
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  int count = pm_sensitivity_get(&setup, raise, rows, error);
  return count < 0 ? NULL : records_table("sensitivity", rows, (size_t)count, error);
}

static pm_table *upgrade_table(
    const pm_network *network, const pm_system *system, const pm_run *run, size_t runs,
    const pm_framework *framework, size_t frameworks, const pm_library_era *era, size_t eras, const pm_band *band,
    size_t bands, const pm_dataset *dataset, size_t datasets, const pm_storage *storage, size_t storages,
    const pm_storage_access *access, size_t accesses, const pm_decoder *decoder, size_t decoders,
    const pm_loader *loader, size_t loaders, const pm_machine *machine, size_t machines, const pm_input_run *input_run,
    size_t input_runs, const pm_system *const *systems, size_t count, const char *const *upgrade_names, size_t name_count,
    const double *prices, size_t price_count, pm_error *error)
{
  sensitivity_parts parts;
  if (!single(runs, "run", error) ||
      !fill_parts(&parts, framework, frameworks, era, eras, band, bands, dataset, datasets, storage, storages, access,
                  accesses, decoder, decoders, loader, loaders, machine, machines, input_runs, error))
    return NULL;
  const pm_sensitivity_setup setup = {network, system, run, frameworks > 0 ? &parts.framework : NULL,
                                      input_runs > 0 ? &parts.input : NULL, input_runs > 0 ? input_run : NULL};
  pm_table *table = NULL;
  if (!of_choices(name_count, count, "names", error) || !of_choices(price_count, count, "prices", error)) return NULL;
  pm_upgrade_choice *choices = (pm_upgrade_choice *)calloc(count + 1, sizeof *choices);
  records rows = records_new("upgrade", count, error);
  if (choices == NULL) no_memory(error);
  for (size_t i = 0; choices != NULL && i < count; i++) {
    const pm_upgrade_choice one = {upgrade_names[i], systems[i], NULL, 0, prices[i]};
    choices[i] = one;
  }
  if (error->status == PM_OK && pm_upgrades(&setup, choices, count, (pm_upgrade *)rows.data, error) == PM_OK)
    table = records_table("upgrade", rows.data, count, error);
  records_free(&rows);
  free(choices);
  return table;
}

static pm_system *system_with_gpu(const pm_system *system, const pm_gpu *gpu, size_t gpus,
                                  const pm_kernel_calibration *kernels, size_t kernel_count, pm_error *error)
{
  return single(gpus, "gpu", error) ? pm_system_with_gpu(system, gpu, kernel_count > 0 ? kernels : NULL, error) : NULL;
}

static pm_system *system_with_link(const pm_catalog *catalog, const pm_system *system, const char *replaced,
                                   const char *name, pm_error *error)
{
  pm_link link;
  pm_link_calibration calibration;
  if (pm_catalog_record(catalog, "link", name, &link, error) != PM_OK) return NULL;
  int known = pm_catalog_record(catalog, "calibration", link.id, &calibration, NULL) == PM_OK;
  const char *id = replaced[0] != '\0' ? pm_catalog_resolve(catalog, "links", replaced, error) : NULL;
  if (error->status != PM_OK) return NULL;
  return pm_system_with_link(system, id, &link, known ? &calibration : NULL, error);
}

/* ---- Input pipeline ---- */

/* One "input_run" record: the defaults. */
static records input_run_default(pm_error *error)
{
  pm_input_run run = pm_input_run_default();
  return record_copy("input_run", &run, error);
}

/* One "input_rates" record per run, of one path. */
static records input_rates(const pm_dataset *dataset, size_t datasets, const pm_storage *storage, size_t storages,
                           const pm_storage_access *access, size_t accesses, const pm_decoder *decoder,
                           size_t decoders, const pm_loader *loader, size_t loaders, const pm_machine *machine,
                           size_t machines, const pm_input_run *runs, size_t run_count, pm_error *error)
{
  records array = records_new("input_rates", run_count, error);
  if (single(datasets, "dataset", error) && single(storages, "storage", error) &&
      single(accesses, "storage_access", error) && single(decoders, "decoder", error) &&
      single(loaders, "loader", error) && single(machines, "machine", error) && error->status == PM_OK) {
    const pm_input_setup setup = {*dataset, *storage, *access, *decoder, *loader, *machine};
    if (run_count == 1) pm_input_check(&setup, runs, error);
    if (error->status == PM_OK) pm_input(&setup, runs, (pm_input_rates *)array.data, run_count);
  }
  return error->status == PM_OK ? array : no_records(array);
}

/* What every layer keeps, as a table of "layer_memory" records. */
static pm_table *memory_layers(const pm_network *network, const pm_memory_profile *profile, size_t profile_count,
                               double batch, const char *precision, pm_error *error)
{
  pm_table *table = NULL;
  int number = precision_number(precision, error);
  size_t count = (size_t)pm_network_layer_count(network);
  records rows = records_new("layer_memory", count, error);
  if (single(profile_count, "memory_profile", error) && error->status == PM_OK)
    pm_memory_layers(network, profile, batch, number, (pm_layer_memory *)rows.data, error);
  if (error->status == PM_OK) table = records_table("layer_memory", rows.data, count, error);
  records_free(&rows);
  return table;
}

/* What would help one run, as a table of "memory_advice" records. */
static pm_table *memory_advice(const pm_network *network, const pm_memory_profile *profile, size_t profile_count,
                               const pm_optimizer *optimizer, size_t optimizer_count, const pm_memory_run *run,
                               size_t run_count, const pm_optimizer *others, size_t other_count, pm_error *error)
{
  enum { OWN_CHANGES = 8 };
  pm_table *table = NULL;
  int count = -1;
  pm_memory_plan *plan = memory_plan(network, profile, profile_count, optimizer, optimizer_count, error);
  records rows = records_new("memory_advice", other_count + OWN_CHANGES, error);
  if (single(run_count, "memory_run", error) && error->status == PM_OK)
    count = pm_memory_get_advice(plan, run, others, other_count, (pm_memory_advice *)rows.data,
                                 other_count + OWN_CHANGES, error);
  if (count >= 0) table = records_table("memory_advice", rows.data, (size_t)count, error);
  pm_memory_plan_free(plan);
  records_free(&rows);
  return table;
}

/* ---- Tables ---- */

static char *column_property(const pm_column *column, int property, pm_error *error)
{
  static const char *const kinds[] = {"text", "int", "real", "choice"};
  switch (property) {
    case 0: return text_copy(column->name, error);
    case 1: return text_copy(column->unit, error);
    case 2: return text_copy(column->doc, error);
    default: return text_copy(kinds[column->kind], error);
  }
}

static const pm_column *table_column(const pm_table *table, double column, pm_error *error)
{
  int index = whole(column, "column", error);
  const pm_column *found = index < 0 ? NULL : pm_table_column(table, (size_t)index);
  if (found == NULL) fail(error, PM_NOT_FOUND, "the table has no column %d", index);
  return found;
}

static double table_rows(const pm_table *table)
{
  return (double)pm_table_rows(table);
}

static int table_has_total(const pm_table *table)
{
  return pm_table_has_total(table);
}

/* ---- Validation ---- */

static names validation_sets(pm_error *error)
{
  size_t count = 0;
  while (pm_validation_set(count) != NULL) count++;
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = text_copy(pm_validation_set(i), error);
  return array;
}

static pm_table *validate_table(const pm_catalog *catalog, const char *set, const char *data, const char *path,
                                double rows, pm_error *error)
{
  char *read = path[0] != '\0' ? pm_file_text(path, error) : NULL;
  if (error->status != PM_OK) return NULL;
  pm_validation what = {set, read != NULL ? read : data[0] != '\0' ? data : NULL, path[0] != '\0' ? path : NULL,
                        rows != 0};
  pm_table *table = pm_validate(catalog, &what, error);
  pm_string_free(read);
  return table;
}

static pm_kernel_fit *calibrate_kernels(const pm_catalog *catalog, const char *data, const char *path,
                                        const char *architectures, const char *kept_gpus, double kept_shapes,
                                        pm_error *error)
{
  char *read = path[0] != '\0' ? pm_file_text(path, error)
               : data[0] == '\0' ? pm_shipped_text("measured/kernels.csv", error) : NULL;
  if (error->status != PM_OK) return NULL;
  pm_kernel_fit_options options = pm_kernel_fit_options_default();
  options.architectures = architectures[0] != '\0' ? architectures : NULL;
  options.kept_gpus = kept_gpus[0] != '\0' ? kept_gpus : NULL;
  options.kept_shapes = kept_shapes;
  pm_kernel_rows *rows = pm_kernel_rows_new(catalog, read != NULL ? read : data, path[0] != '\0' ? path : "data", error);
  pm_kernel_fit *fit = rows != NULL ? pm_kernel_fit_new(catalog, rows, &options, error) : NULL;
  pm_kernel_rows_free(rows);
  pm_string_free(read);
  return fit;
}

static pm_table *table_of(const char *type, const void *records, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new(count, error);
  if (table != NULL && pm_table_add_records(table, pm_record_type_find(type), records, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static pm_table *calibration_constants(const pm_kernel_fit *fit, pm_error *error)
{
  size_t count;
  const pm_fitted_constant *constants = pm_kernel_fit_constants(fit, &count);
  return table_of("fitted_constant", constants, count, error);
}

static pm_table *calibration_errors(const pm_kernel_fit *fit, pm_error *error)
{
  size_t count;
  const pm_fit_error *errors = pm_kernel_fit_errors(fit, &count);
  return table_of("fit_error", errors, count, error);
}

/* Lines of the notes. */
static names table_notes(const pm_table *table, pm_error *error)
{
  const char *text = pm_table_notes(table);
  size_t count = 0;
  for (const char *p = text; *p != '\0'; p++) count += *p == '\n' || p[1] == '\0';
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++) {
    size_t length = strcspn(text, "\n");
    array.data[i] = (char *)calloc(length + 1, 1);
    if (array.data[i] == NULL) no_memory(error);
    else memcpy(array.data[i], text, length);
    text += length + (text[length] == '\n');
  }
  return array;
}

/* Four texts per column: name, unit, doc, kind ("text", "int", "real", "choice"). */
static names table_columns(const pm_table *table, pm_error *error)
{
  names array = names_new(4 * pm_table_columns(table), error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = column_property(pm_table_column(table, i / 4), (int)(i % 4), error);
  if (error->status != PM_OK) names_free(&array), array.data = NULL, array.count = 0;
  return array;
}

/* One column as numbers. */
static numbers table_numbers(const pm_table *table, double column, pm_error *error)
{
  numbers array = {NULL, 0};
  const pm_column *found = table_column(table, column, error);
  const double *values = found == NULL ? NULL : pm_table_numbers(table, (size_t)column);
  if (values == NULL) {
    fail(error, PM_BAD_ARGUMENT, "column \"%s\" holds text", found == NULL ? "" : found->name);
    return array;
  }
  array = numbers_new(pm_table_rows(table), error);
  if (array.data != NULL) memcpy(array.data, values, array.count * sizeof *values);
  return array;
}

/* One column as texts, one per row. */
static names table_texts(const pm_table *table, double column, pm_error *error)
{
  char buffer[PM_TEXT_MAX];
  const pm_column *found = table_column(table, column, error);
  names array = names_new(found == NULL ? 0 : pm_table_rows(table), error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = text_copy(pm_table_text(table, (size_t)column, i, buffer), error);
  if (error->status != PM_OK) names_free(&array), array.data = NULL, array.count = 0;
  return array;
}

/* The first rows of one column as people see them. */
static names table_shown(const pm_table *table, double column, double rows, pm_error *error)
{
  int wanted = whole(rows, "rows", error);
  const pm_column *found = table_column(table, column, error);
  size_t count = wanted < 0 ? 0 : (size_t)wanted;
  if (count > pm_table_rows(table)) count = pm_table_rows(table);
  names array = names_new(found == NULL || error->status != PM_OK ? 0 : count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++) {
    array.data[i] = pm_table_shown(table, (size_t)column, i);
    if (array.data[i] == NULL) no_memory(error);
  }
  if (error->status != PM_OK) names_free(&array), array.data = NULL, array.count = 0;
  return array;
}

/* The whole table as "table", "csv" or "json"; `width` limits the text form (0: no limit). */
static char *table_format(const pm_table *table, const char *format, double width, pm_error *error)
{
  int number = pm_format_find(format);
  int columns = whole(width, "width", error);
  if (number < 0) fail(error, PM_NOT_FOUND, "unknown format \"%s\"; known are table, csv, json", format);
  if (error->status != PM_OK) return NULL;
  return pm_table_format(table, (pm_format)number, columns, error);
}

#endif
