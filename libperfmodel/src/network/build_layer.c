/* One layer or input of a network from its element: name, inputs, attributes. */
#include <stdio.h>
#include <string.h>
#include "network/build.h"
#include "network/kind.h"

/* ---- Names. */

static const char *join_name(pm__builder *builder, const pm__space *space, const char *name)
{
  size_t size = strlen(space->prefix) + strlen(name) + 1;
  char *full = (char *)pm__arena_alloc(&builder->arena, size);
  if (full == NULL) pm__no_memory(builder->error);
  else snprintf(full, size, "%s%s", space->prefix, name);
  return full;
}

static const char *given_name(pm__builder *builder, const pm__element *e, const pm__cursor *cursor, const char *text)
{
  const char *name = pm__scope_expand(cursor->scope, text, &builder->arena, builder->error);
  if (name != NULL && (name[0] == '\0' || strpbrk(name, " \t\r\n") != NULL)) {
    pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "\"%.60s\" cannot be the name of a layer", name);
    return NULL;
  }
  if (name != NULL) name = join_name(builder, cursor->space, name);
  const pm__layer_name *other = name != NULL ? pm__layer_names_find(&builder->names, name) : NULL;
  if (other == NULL) return name;
  pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "a layer \"%.60s\" already exists (line %d)", name, other->line);
  return NULL;
}

/* <prefix><kind><position>: the position in the network or block, from 1; the next free one. */
static const char *made_name(pm__builder *builder, const pm__element *e, const pm__cursor *cursor)
{
  char text[100];
  for (int i = *cursor->space->layers + 1;; i++) {
    snprintf(text, sizeof text, "%.64s%d", e->name, i);
    const char *name = join_name(builder, cursor->space, text);
    if (name == NULL || pm__layer_names_find(&builder->names, name) == NULL) return name;
  }
}

static const char *layer_name(pm__builder *builder, const pm__element *e, const pm__cursor *cursor)
{
  const char *text = pm__element_attribute(e, "name");
  const char *name = text != NULL ? given_name(builder, e, cursor, text) : made_name(builder, e, cursor);
  if (name == NULL) pm__build_failed(builder, e);
  return name;
}

static bool enter(pm__builder *builder, const pm__element *e, pm__cursor *cursor, const char *name, int number)
{
  if (number < 0) return pm__build_failed(builder, e);
  if (pm__layer_names_add(&builder->names, name, number, e->line, builder->error) != PM_OK)
    return pm__build_failed(builder, e);
  cursor->at = number;
  return true;
}

/* ---- Inputs of a layer. */

bool pm__build_inputs_room(pm__builder *builder, const pm__element *e, pm__builder_inputs *inputs, size_t most)
{
  inputs->count = 0;
  inputs->numbers = (int *)pm__arena_alloc(&builder->arena, most * sizeof(int));
  if (inputs->numbers != NULL) return true;
  pm__no_memory(builder->error);
  return pm__build_failed(builder, e);
}

static bool add_named(pm__builder *builder, const pm__element *e, const pm__cursor *cursor, const char *name,
                      size_t length, pm__builder_inputs *inputs)
{
  const char *word = pm__arena_copy(&builder->arena, name, length);
  /* "/name" is looked up in the network itself, from wherever a block stands. */
  const char *full = word == NULL ? NULL : word[0] == '/' ? word + 1 : join_name(builder, cursor->space, word);
  if (full == NULL) return pm__no_memory(builder->error), pm__build_failed(builder, e);
  const pm__layer_name *found = pm__layer_names_find(&builder->names, full);
  if (found == NULL) return pm__build_fail(builder, e, PM_STATUS_NOT_FOUND, "there is no layer \"%.60s\" before this",
                                           full);
  inputs->numbers[inputs->count++] = found->number;
  return true;
}

/* "a b": layers by name, of the same network or use of a block. */
static bool named_inputs(pm__builder *builder, const pm__element *e, const pm__cursor *cursor, const char *text,
                         pm__builder_inputs *inputs)
{
  text = pm__scope_expand(cursor->scope, text, &builder->arena, builder->error);
  if (text == NULL) return pm__build_failed(builder, e);
  if (!pm__build_inputs_room(builder, e, inputs, strlen(text) / 2 + 1)) return false;
  for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
    size_t length = strcspn(text, " ");
    if (!add_named(builder, e, cursor, text, length, inputs)) return false;
    text += length;
  }
  return true;
}

bool pm__build_start(pm__builder *builder, const pm__element *e, const pm__cursor *cursor, int *at)
{
  pm__builder_inputs inputs;
  const char *name = pm__element_attribute(e, "input");
  if (name == NULL) return true;
  if (!named_inputs(builder, e, cursor, name, &inputs)) return false;
  if (inputs.count != 1) return pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "input \"%.60s\" is not one layer",
                                               name);
  *at = inputs.numbers[0];
  return true;
}

bool pm__build_inputs(pm__builder *builder, const pm__element *e, const pm__cursor *cursor, pm__builder_inputs *inputs)
{
  const char *one = pm__element_attribute(e, "input"), *many = pm__element_attribute(e, "inputs");
  if (one != NULL && many != NULL)
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<%s> takes either inputs or <path> children", e->name);
  if (one != NULL || many != NULL) return named_inputs(builder, e, cursor, one != NULL ? one : many, inputs);
  if (cursor->at < 0) return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<%s> comes before any <input>", e->name);
  if (!pm__build_inputs_room(builder, e, inputs, 1)) return false;
  inputs->numbers[inputs->count++] = cursor->at;
  return true;
}

/* ---- Attributes of a layer: all but those that belong to every element. */

static bool is_common(const char *name)
{
  static const char *const common[] = {"name", "if", "input", "inputs", NULL};
  for (const char *const *c = common; *c != NULL; c++)
    if (strcmp(*c, name) == 0) return true;
  return false;
}

static bool read_attributes(pm__builder *builder, const pm__element *e, const pm__cursor *cursor,
                            const pm_attribute **list, size_t *count)
{
  size_t most = 0;
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next) most++;
  pm_attribute *attributes = (pm_attribute *)pm__arena_alloc(&builder->arena, (most + 1) * sizeof *attributes);
  if (attributes == NULL) return pm__no_memory(builder->error), pm__build_failed(builder, e);
  *list = attributes;
  *count = 0;
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next) {
    if (is_common(a->name)) continue;
    attributes[*count].name = a->name;
    attributes[*count].value = pm__scope_attribute(cursor->scope, a->value, &builder->arena, builder->error);
    if (attributes[(*count)++].value == NULL) return pm__build_failed(builder, e);
  }
  return true;
}

/* ---- The layer. */

static const char *nearest_kind(const char *name)
{
  pm__name_nearest nearest = {.written = name, .least = 4};
  const char *kind;
  for (size_t i = 0; (kind = pm_layer_kind_get_name(i)) != NULL; i++) pm__name_nearest_take(&nearest, kind);
  return nearest.name;
}

bool pm__build_check_kind(pm__builder *builder, const pm__element *e)
{
  if (pm__layer_kind_find(e->name) != NULL) return true;
  const char *near = nearest_kind(e->name);
  if (near != NULL)
    return pm__build_fail(builder, e, PM_STATUS_NOT_FOUND, "unknown layer <%.60s>; did you mean <%s>?", e->name, near);
  return pm__build_fail(builder, e, PM_STATUS_NOT_FOUND, "unknown layer <%.60s>; see \"perfmodel list layers\"",
                        e->name);
}

bool pm__build_layer(pm__builder *builder, const pm__element *e, pm__cursor *cursor, const pm__builder_inputs *inputs)
{
  const pm_attribute *attributes = NULL;
  size_t count = 0;
  if (++builder->layers > PM__LAYERS_MAX)
    return pm__build_fail(builder, e, PM_STATUS_BAD_VALUE, "the network has more than %d layers", PM__LAYERS_MAX);
  const char *name = layer_name(builder, e, cursor);
  if (name == NULL || !read_attributes(builder, e, cursor, &attributes, &count)) return false;
  ++*cursor->space->layers;
  return enter(builder, e, cursor, name,
               pm_network_add(builder->network, e->name, name, inputs->numbers, inputs->count, attributes, count,
                              builder->error));
}

/* ---- The network's input. */

static bool bad_shape(pm__builder *builder, const pm__element *e, const char *why)
{
  return pm__build_fail(builder, e, PM_STATUS_BAD_SHAPE,
                        "shape \"%.60s\" %s; write its sizes with commas, as in \"3,224,224\"",
                        pm__element_attribute(e, "shape"), why);
}

static bool read_shape(pm__builder *builder, const pm__element *e, const pm__cursor *cursor, int64_t *shape, int *rank)
{
  const char *text = pm__element_attribute(e, "shape");
  if (text == NULL) return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX,
                                          "<input> needs a shape, such as \"3,224,224\"");
  /* "3x224x224" would be read as a number followed by junk. */
  if (text[strspn(text, "0123456789x ")] == '\0' && strchr(text, 'x') != NULL)
    return bad_shape(builder, e, "cannot be read");
  for (*rank = 0; *rank < PM__RANK_MAX;) {
    double size;
    size_t length = strcspn(text, ",");
    const char *piece = pm__arena_copy(&builder->arena, text, length);
    if (piece == NULL) return pm__no_memory(builder->error), pm__build_failed(builder, e);
    if (pm__scope_number(cursor->scope, piece, &size, builder->error) != PM_OK) return pm__build_failed(builder, e);
    if (size < 1) return bad_shape(builder, e, "has a size below 1");
    shape[(*rank)++] = (int64_t)size;
    text += length;
    if (*text++ == '\0') return true;
  }
  return bad_shape(builder, e, "has too many sizes");
}

bool pm__build_input(pm__builder *builder, const pm__element *e, pm__cursor *cursor)
{
  static const char *const known[] = {"name", "shape", "if", NULL};
  int64_t shape[PM__RANK_MAX];
  int rank = 0;
  const char *text = pm__element_attribute(e, "name");
  if (!pm__build_known(builder, e, known)) return false;
  if (e->child != NULL) return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<input> must be empty");
  if (cursor->space->block != NULL)
    return pm__build_fail(builder, e, PM_STATUS_BAD_SYNTAX, "<input> belongs in a network, not in a block");
  if (!read_shape(builder, e, cursor, shape, &rank)) return false;
  const char *name = given_name(builder, e, cursor, text != NULL ? text : "input");
  if (name == NULL) return pm__build_failed(builder, e);
  return enter(builder, e, cursor, name, pm_network_add_input(builder->network, name, shape, rank, builder->error));
}
