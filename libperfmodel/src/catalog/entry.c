/*
** Entries by themselves: what their values may be, and the machine that a GPU stands for.
*/
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "perfmodel/units.h"

int pm__entries_add(pm__entries *entries, pm__entry *entry, pm_error *error)
{
  pm__entry **items = (pm__entry **)pm__grow(entries->items, entries->count, &entries->capacity, sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  entries->items = items;
  entries->items[entries->count++] = entry;
  return PM_OK;
}

int pm__entry_fail(const pm__entry *entry, int line, pm_error *error, int status, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return pm__fail_at(error, status, entry->document->file, line, "%s", text);
}

const pm__element *pm__entry_child(const pm__entry *entry, const char *name)
{
  const pm__element *child = entry->element->child;
  while (child != NULL && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

/* ---- Values. */

/* What a quantity can be in this world, by its unit. Beyond it, someone slipped by a prefix. */
typedef struct range {
  const char *unit;
  double least, most;
  bool zero, unlimited; /* whether it may be 0, whether it may be unlimited */
} range;

static const range ranges[] = {
  {"B/s", 1, 1e18, false, true},     {"FLOP/s", 1, 1e21, false, false}, {"FLOP", 1e-6, 1e12, false, false},
  {"B", 1e-6, 1e21, false, false},   {"s", 1e-15, 1e6, true, false},    {"Hz", 1e-3, 1e12, false, false},
  {"W", 1e-6, 1e9, false, false},    {"1/s", 1e-9, 1e15, false, false}, {"1", 1e-15, 1e15, false, false},
  {"J/FLOP", 1e-18, 1e-6, false, false},
};

static const range *range_of(const char *unit)
{
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (strcmp(ranges[i].unit, unit) == 0) return &ranges[i];
  return NULL;
}

static int check_real(const pm_field *field, double value, const char *text, pm_error *error)
{
  char limit[PM_TEXT_MAX];
  const range *limits = range_of(field->unit);
  if (isnan(value) || limits == NULL || (isinf(value) && value > 0 && limits->unlimited)) return PM_OK;
  if (value == 0 && !limits->zero)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is zero; leave it out if it is unknown", field->name,
                    text);
  if (value == 0 || (value >= limits->least && value <= limits->most)) return PM_OK;
  bool large = value > limits->most;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is implausible; at %s %s", field->name, text,
                  large ? "most" : "least",
                  pm_quantity_format(limit, sizeof limit, large ? limits->most : limits->least, field->unit));
}

int pm__value_check(const pm_field *field, const void *record, const char *text, pm_error *error)
{
  const double int_most = 1e6;
  double value = pm_record_get_number(field, record);
  if (field->kind == PM_FIELD_TEXT || field->kind == PM_FIELD_CHOICE) return PM_OK;
  if (value < 0) return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is negative", field->name, text);
  if (field->kind == PM_FIELD_REAL) return check_real(field, value, text, error);
  if (value <= int_most) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.80s\" is implausible; at most %.0f", field->name, text,
                  int_most);
}

/*
** ---- The machine that the name of a GPU stands for where a system is wanted: one GPU on its host link. Its entry is
** made with that of the GPU, as if a file held it, so that whatever works on systems works on it.
*/

static const char implied[] = "implied by the name of the GPU: one of it on its host link; nothing is known of the "
                              "host";

/* Adds an attribute; false if there is no memory. Values must live as long as the document. */
static bool set_attribute(pm__document *document, pm__element *e, const char *name, const char *value)
{
  pm__document_attribute *a = (pm__document_attribute *)pm__arena_alloc(&document->arena, sizeof *a);
  if (a == NULL) return false;
  a->name = name;
  a->value = value;
  a->next = e->attributes;
  e->attributes = a;
  return true;
}

static pm__element *new_element(pm__document *document, const char *name, int line)
{
  pm__element *e = (pm__element *)pm__arena_alloc(&document->arena, sizeof *e);
  if (e == NULL) return NULL;
  e->name = name;
  e->text = "";
  e->line = line;
  return e;
}

/* <graph><vertex kind="cpu" names="cpu0"/><link type="..." from="cpu0" to="gpu0"/></graph> */
static pm__element *make_graph(pm__document *document, const char *link, int line)
{
  pm__element *graph = new_element(document, "graph", line), *cpu = new_element(document, "vertex", line);
  pm__element *host = new_element(document, "link", line);
  if (graph == NULL || cpu == NULL || host == NULL) return NULL;
  bool good = set_attribute(document, graph, "note", implied) && set_attribute(document, cpu, "kind", "cpu") &&
              set_attribute(document, cpu, "names", "cpu0") && set_attribute(document, host, "type", link) &&
              set_attribute(document, host, "from", "cpu0") && set_attribute(document, host, "to", "gpu0");
  graph->child = cpu;
  cpu->next = host;
  return good ? graph : NULL;
}

static pm__element *make_element(pm__document *document, const pm__entry *gpu)
{
  const char *link = ((const pm_gpu *)gpu->record)->pcie;
  pm__element *e = new_element(document, "system", gpu->element->line);
  if (e == NULL || link[0] == '\0') return e;
  e->child = make_graph(document, link, e->line);
  return e->child != NULL ? e : NULL;
}

/* The fields that the name of a GPU gives, each with where it is from. */
static int fill(pm__entry *machine, const pm__entry *gpu, pm_error *error)
{
  const char *const values[][2] = {
    {"id", machine->id}, {"name", machine->name}, {"gpu", gpu->id}, {"gpus", "1"},
      {"topology", "one GPU on its host link"}};
  int status = PM_OK;
  for (size_t i = 0; i < sizeof values / sizeof values[0] && status == PM_OK; i++) {
    const pm_field *field = pm_record_find_field(machine->type, values[i][0]);
    status = pm_record_set(field, machine->record, values[i][1], error);
    machine->from[field - machine->type->fields] = (pm__provenance){
      .text = values[i][1], .source = gpu->source, .note = "", .origin = "", .fitted_to = "", .date = "",
      .line = gpu->element->line};
  }
  return status;
}

int pm__entry_add_machine(pm__document *document, pm__entry *gpu, pm_error *error)
{
  char id[2 * PM_TEXT_MAX], name[2 * PM_TEXT_MAX];
  pm__entry *machine = (pm__entry *)pm__arena_alloc(&document->arena, sizeof *machine);
  if (machine == NULL) return pm__no_memory(error);
  snprintf(id, sizeof id, "gpu:%.75s", gpu->id);
  snprintf(name, sizeof name, "one %.75s", gpu->name);
  machine->kind = PM__SYSTEMS;
  machine->type = pm_record_type_find(pm__kind_at(PM__SYSTEMS)->record);
  machine->id = pm__arena_copy(&document->arena, id, strlen(id));
  machine->name = pm__arena_copy(&document->arena, name, strlen(name));
  machine->source = gpu->source;
  machine->note = implied;
  machine->document = document;
  machine->load = gpu->load;
  machine->element = make_element(document, gpu);
  machine->record = pm__arena_alloc(&document->arena, machine->type->size);
  machine->from = (pm__provenance *)pm__arena_alloc(&document->arena,
                                                    machine->type->field_count * sizeof *machine->from);
  if (machine->id == NULL || machine->name == NULL || machine->element == NULL || machine->record == NULL ||
      machine->from == NULL)
    return pm__no_memory(error);
  pm_record_clear(machine->type, machine->record);
  gpu->machine = machine;
  return fill(machine, gpu, error);
}
