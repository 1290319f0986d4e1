/*
** A network as XML: one element per layer, in their order, each with the attributes that differ from their defaults.
** Reading it builds a network with the same counts. Where a name would not be read back, it is changed: white space and
** braces become '_', and a name that is there already gets a number.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "network/layer_names.h"
#include "network/network.h"
#include "perfmodel/units.h"

typedef struct writer {
  const pm_network *network;
  pm__string out;
  pm__arena arena;
  pm__layer_names names;
  const char **written; /* the name of each layer as it is written */
  pm_error *error;
} writer;

/* ---- Text. */

static void add_attribute(pm__string *out, const char *name, const char *value)
{
  pm__string_format(out, " %s=\"", name);
  pm__string_add_escaped(out, value);
  pm__string_add(out, "\"");
}

/* An id is made of letters, digits, '-', '_' and '.', and starts with one of the first two. */
static void add_id(pm__string *out, const char *id)
{
  pm__string_add(out, " id=\"");
  for (const char *p = id; *p != '\0'; p++) {
    bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
    if (p == id && !letter) pm__string_add(out, "n");
    pm__string_add_bytes(out, letter || strchr("-_.", *p) != NULL ? p : "-", 1);
  }
  pm__string_add(out, id[0] == '\0' ? "network\"" : "\"");
}

/* ---- Names. */

static void make_readable(char *name)
{
  for (; *name != '\0'; name++)
    if (strchr(" \t\r\n{}", *name) != NULL || (unsigned char)*name < ' ') *name = '_';
}

/* The name of a layer, or, if that is taken, the next free one with a number behind it; long names are cut for it. */
static const char *free_name(writer *w, const char *wanted)
{
  char name[PM_TEXT_MAX], number[16];
  snprintf(name, sizeof name, "%s", wanted);
  for (int i = 2; pm__layer_names_find(&w->names, name) != NULL; i++) {
    snprintf(number, sizeof number, "_%d", i);
    int kept = (int)(sizeof name - 1 - strlen(number));
    snprintf(name, sizeof name, "%.*s%s", kept, wanted, number);
  }
  return pm__arena_copy(&w->arena, name, strlen(name));
}

static int name_layers(writer *w)
{
  char wanted[PM_TEXT_MAX];
  w->written = (const char **)pm__arena_alloc(&w->arena, (w->network->count + 1) * sizeof *w->written);
  if (w->written == NULL) return pm__no_memory(w->error);
  for (size_t i = 0; i < w->network->count; i++) {
    snprintf(wanted, sizeof wanted, "%s", w->network->layers[i].name);
    make_readable(wanted);
    w->written[i] = free_name(w, wanted);
    if (w->written[i] == NULL) return pm__no_memory(w->error);
    int status = pm__layer_names_add(&w->names, w->written[i], (int)i, 0, w->error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

/* ---- Attributes. */

/* Places of values; with more than one, the place behind them says how many were given. */
static int places_of(const pm__attribute_rule *rule)
{
  if (rule->kind == PM__LIST) return PM__LIST_COUNT;
  return rule->kind == PM__TUPLE || rule->kind == PM__FACTORS ? PM__TUPLE_COUNT : 1;
}

static const double *like_slots(const pm__layer *layer, const pm__attribute_rule *rule)
{
  for (const pm__attribute_rule *other = layer->kind->rules; rule->like != NULL && other->name != NULL; other++)
    if (strcmp(other->name, rule->like) == 0) return &layer->attribute[other->slot];
  return NULL;
}

/* Whether the attribute has the value that it also has if it is not given. */
static bool is_default(const pm__layer *layer, const pm__attribute_rule *rule)
{
  const double *slots = &layer->attribute[rule->slot], *like = like_slots(layer, rule);
  int places = places_of(rule), given = places > 1 ? (int)slots[places] : 1;
  if (places > 1 && given == 0) return true;
  if (places > 1 && given != (like != NULL ? (int)like[places] : rule->like == NULL)) return false;
  for (int i = 0; i < places; i++)
    if (slots[i] != (like != NULL ? like[i] : rule->otherwise)) return false;
  return true;
}

static void add_value(pm__string *out, const pm__attribute_rule *rule, double value)
{
  char number[PM_NUMBER_MAX];
  if (rule->kind == PM__CHOICE) pm__string_add(out, rule->words[(int)value]);
  else if (rule->kind == PM__SWITCH) pm__string_add(out, pm__switch_name(value));
  else pm__string_add(out, pm_number_format(number, value));
}

static void add_layer_attributes(writer *w, const pm__layer *layer)
{
  for (const pm__attribute_rule *rule = layer->kind->rules; rule->name != NULL; rule++) {
    const double *slots = &layer->attribute[rule->slot];
    int places = places_of(rule), given = places > 1 ? (int)slots[places] : 1;
    if (is_default(layer, rule)) continue;
    pm__string_format(&w->out, " %s=\"", rule->name);
    for (int i = 0; i < given; i++) {
      if (i > 0) pm__string_add(&w->out, ",");
      add_value(&w->out, rule, slots[i]);
    }
    pm__string_add(&w->out, "\"");
  }
}

/* ---- Elements. */

static void add_inputs(writer *w, const pm__layer *layer, size_t position)
{
  const int *inputs = &w->network->inputs[layer->first_input];
  size_t length = layer->input_count;
  if (layer->input_count == 1 && (size_t)inputs[0] + 1 == position) return;
  for (size_t i = 0; i < layer->input_count; i++) length += strlen(w->written[inputs[i]]);
  if (length > PM__VALUE_MAX)
    pm__fail(w->error, PM_STATUS_BAD_VALUE,
             "%s \"%s\" takes %zu inputs, whose names are longer than the %d bytes of a value",
             layer->kind->name, layer->name, layer->input_count, PM__VALUE_MAX);
  pm__string_add(&w->out, layer->input_count == 1 ? " input=\"" : " inputs=\"");
  for (size_t i = 0; i < layer->input_count; i++) {
    if (i > 0) pm__string_add(&w->out, " ");
    pm__string_add_escaped(&w->out, w->written[inputs[i]]);
  }
  pm__string_add(&w->out, "\"");
}

static void add_shape(pm__string *out, const pm__shape *shape)
{
  pm__string_add(out, " shape=\"");
  for (int i = 0; i < shape->rank; i++) pm__string_format(out, "%s%lld", i > 0 ? "," : "", (long long)shape->size[i]);
  pm__string_add(out, "\"");
}

static void add_layer(writer *w, size_t position)
{
  const pm__layer *layer = &w->network->layers[position];
  pm__string_format(&w->out, "    <%s", layer->kind != NULL ? layer->kind->name : "input");
  add_attribute(&w->out, "name", w->written[position]);
  if (layer->kind == NULL) add_shape(&w->out, &layer->output);
  else {
    add_inputs(w, layer, position);
    add_layer_attributes(w, layer);
  }
  pm__string_add(&w->out, "/>\n");
}

/* trainable="a,b": the layers that are trained, by name, where others are frozen. */
static void add_trainable(writer *w)
{
  const char *before = " trainable=\"";
  if (!pm__network_freezes(w->network)) return;
  for (size_t i = 0; i < w->network->count; i++) {
    const pm__layer *layer = &w->network->layers[i];
    if (layer->tuning == PM__FROZEN || layer->parameters + layer->tied <= 0) continue;
    pm__string_format(&w->out, "%s%s", before, w->written[i]);
    before = ",";
  }
  pm__string_add(&w->out, "\"");
}

static void add_network(writer *w)
{
  pm__string_add(&w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<perfmodel version=\"1\">\n\n  <network");
  add_id(&w->out, w->network->id);
  add_attribute(&w->out, "name", w->network->name);
  if (w->network->weights > 0) add_attribute(&w->out, "weights", pm__stored_name(w->network->weights));
  if (w->network->expert_weights != w->network->weights)
    add_attribute(&w->out, "expert_weights", pm__stored_name(w->network->expert_weights));
  add_trainable(w);
  pm__string_add(&w->out, ">\n");
  for (size_t i = 0; i < w->network->count; i++) add_layer(w, i);
  pm__string_add(&w->out, "  </network>\n\n</perfmodel>\n");
}

char *pm_network_format_xml(const pm_network *network, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  writer w = {network, {NULL, 0, 0, false}, {NULL}, {NULL, 0, 0}, NULL, &failure};
  if (network == NULL || pm_network_count_layers(network) == 0) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a network without layers cannot be written");
    return NULL;
  }
  bool good = name_layers(&w) == PM_OK;
  if (good) add_network(&w);
  good = good && failure.status == PM_OK;
  if (good && w.out.failed) good = pm__no_memory(&failure) == PM_OK;
  pm__layer_names_free(&w.names);
  pm__arena_free(&w.arena);
  if (good) return w.out.text;
  free(w.out.text);
  pm__error_take(error, &failure);
  return NULL;
}
