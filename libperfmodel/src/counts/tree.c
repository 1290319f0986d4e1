/*
** Counts as a tree: every beginning of a layer's name that ends before a dot is a part of the network.
**
** A part is found by its whole name in a hash table, so parts need not be written in one piece; they stand where their
** first layer stands. Cost: linear in layers x depth.
*/
#include <stdlib.h>
#include <string.h>
#include "counts/counts.h"
#include "network/layer_names.h"

enum { NO_PART = -1 };

/* Its children are linked in their order. */
typedef struct part {
  pm_counts counts;
  int first_child, last_child, next; /* NO_PART: none */
} part;

typedef struct tree {
  part *parts;
  size_t count, capacity;
  int first, last;       /* parts of the first level */
  pm__layer_names names; /* part by name */
  pm__arena arena;       /* the names */
} tree;

/* How much of the name is its beginning of one part more than the first `length` bytes. A dot that has nothing before
** or behind it ends no part. */
static size_t next_length(const char *name, size_t length)
{
  size_t i = length > 0 ? length + 1 : 1;
  if (name[0] == '\0') return 0;
  for (; name[i] != '\0'; i++)
    if (name[i] == '.' && name[i - 1] != '.' && name[i + 1] != '\0') break;
  return i;
}

static void link_child(tree *t, int parent, int child)
{
  int *first = parent == NO_PART ? &t->first : &t->parts[parent].first_child;
  int *last = parent == NO_PART ? &t->last : &t->parts[parent].last_child;
  if (*first == NO_PART) *first = child;
  else t->parts[*last].next = child;
  *last = child;
}

/* The part of that name, made if there is none. NO_PART: no memory. */
static int find_part(tree *t, int parent, const char *name, size_t length, pm_error *error)
{
  char text[PM_TEXT_MAX];
  memcpy(text, name, length);
  text[length] = '\0';
  const pm__layer_name *known = pm__layer_names_find(&t->names, text);
  if (known != NULL) return known->number;
  part *parts = (part *)pm__grow(t->parts, t->count, &t->capacity, sizeof *parts);
  const char *kept = parts != NULL ? pm__arena_copy(&t->arena, text, length) : NULL;
  if (parts != NULL) t->parts = parts;
  int number = (int)t->count;
  if (kept == NULL || pm__layer_names_add(&t->names, kept, number, 0, error) != PM_OK)
    return pm__no_memory(error), NO_PART;
  t->parts[t->count++] = (part){pm__counts_none(kept, ""), NO_PART, NO_PART, NO_PART};
  link_child(t, parent, number);
  return number;
}

/* A part that is just this layer says what the layer is. */
static void describe(pm_counts *counts, const pm_counts *layer)
{
  bool alone = counts->layers == 1 && strcmp(counts->name, layer->name) == 0;
  memcpy(counts->kind, alone ? layer->kind : "", alone ? sizeof counts->kind : 1);
}

static int add_layer(tree *t, const pm_counts *layer, int depth, pm_error *error)
{
  int parent = NO_PART;
  size_t length = 0;
  for (int level = 0; level < depth && (level == 0 || layer->name[length] != '\0'); level++) {
    length = next_length(layer->name, length);
    parent = find_part(t, parent, layer->name, length, error);
    if (parent == NO_PART) return PM_STATUS_NO_MEMORY;
    pm__counts_add(&t->parts[parent].counts, layer);
    describe(&t->parts[parent].counts, layer);
  }
  return PM_OK;
}

/* From the top down, children behind their parent. There are fewer dots in a name than PM_TEXT_MAX. */
static void write_rows(const tree *t, pm__counts_list *list)
{
  int above[PM_TEXT_MAX], level = 0, current = t->first;
  while (current != NO_PART || level > 0) {
    if (current == NO_PART) {
      current = t->parts[above[--level]].next;
      continue;
    }
    list->levels[list->count] = level;
    list->rows[list->count++] = t->parts[current].counts;
    if (t->parts[current].first_child != NO_PART) {
      above[level++] = current;
      current = t->parts[current].first_child;
    } else current = t->parts[current].next;
  }
}

int pm__counts_by_name(pm__counts_list *list, const pm_counts *layers, size_t count, int depth, pm_error *error)
{
  tree t = {NULL, 0, 0, NO_PART, NO_PART, {NULL, 0, 0}, {NULL}};
  int status = PM_OK;
  for (size_t i = 0; i < count && status == PM_OK; i++) status = add_layer(&t, &layers[i], depth, error);
  if (status == PM_OK) {
    list->rows = (pm_counts *)calloc(t.count + 1, sizeof *list->rows);
    list->levels = (int *)calloc(t.count + 1, sizeof *list->levels);
    if (list->rows != NULL && list->levels != NULL) write_rows(&t, list);
    else status = pm__no_memory(error);
  }
  pm__layer_names_free(&t.names);
  pm__arena_free(&t.arena);
  free(t.parts);
  return status;
}
