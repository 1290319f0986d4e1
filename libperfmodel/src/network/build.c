/*
** A network from its XML: the flow. Elements are carried out one after the other; each layer takes the layer just
** before it unless it says otherwise. Layers themselves are in build_layer.c, parameters in build_parameters.c.
*/
#include <stdio.h>
#include <string.h>
#include "network/build.h"
#include "network/network.h"
#include "network/trainable.h"

/* Carries out the children of an element: blocks, repeats and paths hold sequences. */
static bool run_sequence(pm__builder *builder, const pm__element *parent, pm__cursor *cursor);

/* ---- Blocks. */

static const pm__element *find_block(const pm__document *document, const char *id)
{
  for (const pm__element *e = document->root->child; e != NULL; e = e->next) {
    const char *other = strcmp(e->name, "block") == 0 ? pm__element_attribute(e, "id") : NULL;
    if (other != NULL && strcmp(other, id) == 0) return e;
  }
  return NULL;
}

/* The block whose id is nearest, for "did you mean". */
static const char *nearest_block(const pm__document *document, const char *id)
{
  pm__name_nearest nearest = {.written = id, .least = 3};
  for (const pm__element *e = document->root->child; e != NULL; e = e->next) {
    const char *other = strcmp(e->name, "block") == 0 ? pm__element_attribute(e, "id") : NULL;
    if (other != NULL) pm__name_nearest_take(&nearest, other);
  }
  return nearest.name;
}

static bool unknown_block(pm__builder *builder, const pm__element *use, const char *id)
{
  const char *near = nearest_block(builder->document, id);
  if (near != NULL)
    return pm__build_fail(builder, use, PM_STATUS_NOT_FOUND,
                          "there is no block \"%.60s\" in this file; did you mean \"%.60s\"?", id, near);
  return pm__build_fail(builder, use, PM_STATUS_NOT_FOUND, "there is no block \"%.60s\" in this file", id);
}

/* The block of a <use>, which may not be one that is being used already. */
static const pm__element *block_of(pm__builder *builder, const pm__element *use, const pm__space *space)
{
  const char *id = pm__element_attribute(use, "block");
  if (id == NULL) {
    pm__build_fail(builder, use, PM_STATUS_BAD_SYNTAX, "<use> needs a block");
    return NULL;
  }
  const pm__element *block = find_block(builder->document, id);
  if (block == NULL) unknown_block(builder, use, id);
  for (; block != NULL && space != NULL; space = space->outer) {
    if (space->block != block) continue;
    pm__build_fail(builder, use, PM_STATUS_BAD_SYNTAX, "block \"%.60s\" uses itself", id);
    return NULL;
  }
  return block;
}

/* "<outer prefix><name>.", or the outer prefix for a use without a name. */
static const char *inner_prefix(pm__builder *builder, const pm__element *use, const pm__cursor *cursor)
{
  const char *name = pm__element_attribute(use, "name");
  if (name == NULL) return cursor->space->prefix;
  name = pm__scope_expand(cursor->scope, name, &builder->arena, builder->error);
  if (name == NULL) return NULL;
  size_t size = strlen(cursor->space->prefix) + strlen(name) + 2;
  char *prefix = (char *)pm__arena_alloc(&builder->arena, size);
  if (prefix == NULL) pm__no_memory(builder->error);
  else snprintf(prefix, size, "%s%s.", cursor->space->prefix, name);
  return prefix;
}

static bool run_use(pm__builder *builder, const pm__element *use, pm__cursor *cursor)
{
  pm__binding bindings[PM__PARAMETERS_MAX];
  int layers = 0;
  const pm__element *block = block_of(builder, use, cursor->space);
  if (block == NULL) return false;
  if (use->child != NULL) return pm__build_fail(builder, use, PM_STATUS_BAD_SYNTAX, "<use> must be empty");
  pm__space space = {inner_prefix(builder, use, cursor), &layers, block, cursor->space};
  if (space.prefix == NULL) return pm__build_failed(builder, use);
  if (space.prefix == cursor->space->prefix) space.layers = cursor->space->layers;
  pm__cursor inner = {&space, NULL, cursor->depth, cursor->at};
  if (!pm__build_start(builder, use, cursor, &inner.at)) return false;
  if (!pm__build_parameters(builder, block, use->attributes, cursor->scope, use, bindings, &inner.scope)) return false;
  if (!run_sequence(builder, block, &inner)) return false;
  cursor->at = inner.at;
  return true;
}

/* ---- Repeat. */

static bool count_step(pm__builder *builder, const pm__element *e)
{
  if (++builder->steps <= PM__STEPS_MAX) return true;
  return pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "building the network takes more than %d steps",
                        PM__STEPS_MAX);
}

static bool check_index(pm__builder *builder, const pm__element *repeat, const char *index, const pm__binding *scope)
{
  if (index == NULL) return true;
  if (!pm__is_word(index, strlen(index)))
    return pm__build_fail(builder, repeat, PM_STATUS_BAD_VALUE, "index \"%.60s\" is not a name", index);
  if (pm__scope_find(scope, index, strlen(index)) == NULL) return true;
  return pm__build_fail(builder, repeat, PM_STATUS_BAD_VALUE, "index \"%.60s\" is already the name of a parameter",
                        index);
}

static bool run_repeat(pm__builder *builder, const pm__element *repeat, pm__cursor *cursor)
{
  static const char *const known[] = {"times", "index", "if", NULL};
  const char *text = pm__element_attribute(repeat, "times"), *index = pm__element_attribute(repeat, "index");
  double times;
  if (!pm__build_known(builder, repeat, known)) return false;
  if (text == NULL) return pm__build_fail(builder, repeat, PM_STATUS_BAD_SYNTAX, "<repeat> needs times");
  if (pm__scope_number(cursor->scope, text, &times, builder->error) != PM_OK) return pm__build_failed(builder, repeat);
  if (!(times >= 0 && times <= PM__STEPS_MAX))
    return pm__build_fail(builder, repeat, PM_STATUS_BAD_VALUE, "times \"%.60s\" is %.0f; it must be within 0 and %d",
                          text,
                          times, PM__STEPS_MAX);
  if (!check_index(builder, repeat, index, cursor->scope)) return false;
  const pm__binding *outer = cursor->scope;
  for (int i = 0; i < (int)times; i++) {
    pm__binding binding = {index, i, outer};
    cursor->scope = index != NULL ? &binding : outer;
    bool good = count_step(builder, repeat) && run_sequence(builder, repeat, cursor);
    cursor->scope = outer;
    if (!good) return false;
  }
  return true;
}

/* ---- Layers, and the paths that join in them. */

static bool run_path(pm__builder *builder, const pm__element *path, pm__cursor *cursor, pm__builder_inputs *inputs)
{
  static const char *const known[] = {"if", NULL};
  double wanted = 1;
  const char *condition = pm__element_attribute(path, "if");
  if (!pm__build_known(builder, path, known)) return false;
  if (path->text[0] != '\0')
    return pm__build_fail(builder, path, PM_STATUS_BAD_SYNTAX, "unexpected text \"%.60s\" in <path>", path->text);
  if (condition != NULL && pm__scope_number(cursor->scope, condition, &wanted, builder->error) != PM_OK)
    return pm__build_failed(builder, path);
  if (wanted == 0) return true;
  pm__cursor inner = *cursor;
  if (!run_sequence(builder, path, &inner)) return false;
  inputs->numbers[inputs->count++] = inner.at;
  return true;
}

static bool path_inputs(pm__builder *builder, const pm__element *e, pm__cursor *cursor, pm__builder_inputs *inputs)
{
  size_t paths = 0;
  if (pm__element_attribute(e, "input") != NULL || pm__element_attribute(e, "inputs") != NULL)
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<%s> takes either inputs or <path> children", e->name);
  for (const pm__element *child = e->child; child != NULL; child = child->next) {
    if (strcmp(child->name, "path") != 0)
      return pm__build_fail(builder, child, PM_STATUS_BAD_SYNTAX, "<%s> does not belong in <%s>", child->name, e->name);
    paths++;
  }
  if (cursor->at < 0) return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<%s> comes before any <input>", e->name);
  if (!pm__build_inputs_room(builder, e, inputs, paths)) return false;
  for (const pm__element *path = e->child; path != NULL; path = path->next)
    if (!run_path(builder, path, cursor, inputs)) return false;
  return true;
}

static bool run_layer(pm__builder *builder, const pm__element *e, pm__cursor *cursor)
{
  pm__builder_inputs inputs;
  if (!pm__build_check_kind(builder, e)) return false;
  bool found = e->child != NULL ? path_inputs(builder, e, cursor, &inputs)
                                : pm__build_inputs(builder, e, cursor, &inputs);
  return found && pm__build_layer(builder, e, cursor, &inputs);
}

/* ---- Elements. */

static bool is_dropped(pm__builder *builder, const pm__element *element, const pm__cursor *cursor, bool *dropped)
{
  double value = 1;
  const char *condition = pm__element_attribute(element, "if");
  if (condition != NULL && pm__scope_number(cursor->scope, condition, &value, builder->error) != PM_OK)
    return pm__build_failed(builder, element);
  *dropped = value == 0;
  return true;
}

static bool run_element(pm__builder *builder, const pm__element *e, pm__cursor *cursor)
{
  bool dropped = false;
  if (!count_step(builder, e)) return false;
  if (e->text[0] != '\0')
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "unexpected text \"%.60s\" in <%s>", e->text, e->name);
  if (!is_dropped(builder, e, cursor, &dropped)) return false;
  if (dropped) return true;
  if (strcmp(e->name, "use") == 0) return run_use(builder, e, cursor);
  if (strcmp(e->name, "repeat") == 0) return run_repeat(builder, e, cursor);
  if (strcmp(e->name, "input") == 0) return pm__build_input(builder, e, cursor);
  if (strcmp(e->name, "param") == 0)
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<param> belongs directly in a network or block");
  if (strcmp(e->name, "path") == 0)
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<path> belongs in a layer that joins inputs, such as "
                          "<add>");
  return run_layer(builder, e, cursor);
}

static bool run_sequence(pm__builder *builder, const pm__element *parent, pm__cursor *cursor)
{
  bool has_parameters = strcmp(parent->name, "network") == 0 || strcmp(parent->name, "block") == 0;
  if (++cursor->depth > PM__NESTING_MAX)
    return pm__build_fail(builder, parent, PM_STATUS_BAD_SYNTAX, "nested more than %d deep", PM__NESTING_MAX);
  for (const pm__element *e = parent->child; e != NULL; e = e->next) {
    if (has_parameters && strcmp(e->name, "param") == 0) continue;
    if (!run_element(builder, e, cursor)) return false;
  }
  cursor->depth--;
  return true;
}

/* ---- The whole. */

/* What was set from outside, in the form of attributes. */
static bool list_sets(pm__builder *builder, const pm_attribute *sets, size_t count, const pm__document_attribute **list)
{
  *list = NULL;
  for (size_t i = 0; i < count; i++) {
    if (pm__is_trainable(&sets[i])) continue;
    if (sets[i].name == NULL || sets[i].value == NULL) {
      pm__fail(builder->error, PM_STATUS_BAD_ARGUMENT, "a parameter needs a name and a value");
      return false;
    }
    pm__document_attribute *attribute = (pm__document_attribute *)pm__arena_alloc(&builder->arena, sizeof *attribute);
    if (attribute == NULL) return pm__no_memory(builder->error) == PM_OK;
    attribute->name = sets[i].name;
    attribute->value = sets[i].value;
    attribute->next = *list;
    *list = attribute;
  }
  return true;
}

static bool read_weights(pm__builder *builder, const pm__element *network)
{
  return pm__network_set_stored(builder->network, pm__element_attribute(network, "weights"),
                                pm__element_attribute(network, "expert_weights"), builder->error) == PM_OK ||
         pm__build_failed(builder, network);
}

static bool run_network(pm__builder *builder, const pm__element *network, const pm_attribute *sets, size_t set_count)
{
  pm__binding bindings[PM__PARAMETERS_MAX];
  const pm__document_attribute *given;
  int layers = 0;
  const pm__space space = {"", &layers, NULL, NULL};
  pm__cursor cursor = {&space, NULL, 0, -1};
  if (!list_sets(builder, sets, set_count, &given)) return false;
  if (!pm__build_parameters(builder, network, given, NULL, NULL, bindings, &cursor.scope)) return false;
  if (!run_sequence(builder, network, &cursor)) return false;
  return builder->layers > 0 || pm__build_fail(builder, network, PM_STATUS_BAD_VALUE, "the network has no layers");
}

pm_network *pm__network_build(const pm__document *document, const pm__element *network, const pm_attribute *sets,
                              size_t set_count, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  pm__builder builder = {document, NULL, {NULL}, {NULL, 0, 0}, 0, 0, &failure};
  const char *id = pm__element_attribute(network, "id"), *name = pm__element_attribute(network, "name");
  builder.network = pm_network_new(id, name, &failure);
  if (builder.network == NULL) pm__build_failed(&builder, network);
  else if (!read_weights(&builder, network) || !run_network(&builder, network, sets, set_count)) {
    pm_network_free(builder.network);
    builder.network = NULL;
  }
  pm__layer_names_free(&builder.names);
  pm__arena_free(&builder.arena);
  builder.network = pm__network_take_trainable(builder.network, pm__element_attribute(network, "trainable"), sets,
                                               set_count, &failure);
  pm__error_take(error, &failure);
  return builder.network;
}
