/*
** The machine that the name of a GPU stands for where a system is wanted: one GPU on its host link. Its entry is made with
** that of the GPU, as if a file held it, so that whatever works on systems works on it.
*/
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"

static const char implied[] = "implied by the name of the GPU: one of it on its host link; nothing is known of the host";

/* Adds an attribute; false if there is no memory. Values must live as long as the document. */
static bool set_attribute(pm__document *document, pm__element *e, const char *name, const char *value)
{
  pm__attribute *a = (pm__attribute *)pm__arena_alloc(&document->arena, sizeof *a);
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
    {"id", machine->id}, {"name", machine->name}, {"gpu", gpu->id}, {"gpus", "1"}, {"topology", "one GPU on its host link"}};
  int status = PM_OK;
  for (size_t i = 0; i < sizeof values / sizeof values[0] && status == PM_OK; i++) {
    const pm_field *field = pm_record_field(machine->type, values[i][0]);
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
  pm_record_init(machine->type, machine->record);
  gpu->machine = machine;
  return fill(machine, gpu, error);
}
