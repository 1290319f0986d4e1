/*
** Entries of the shipped catalogue, made of its constants when they are first asked for. A catalogue may be shared
** between threads: an entry is put in its place by one compare-and-swap, and never changes.
*/
#include "catalog/shipped.h"
#include <stdatomic.h>
#include <stdlib.h>

struct pm__shipped { /* one of an array */
  _Atomic(pm__entry *) entry;
};

pm__shipped *pm__shipped_new(void)
{
  const size_t count = pm__shipped_first[PM__KINDS];
  pm__shipped *shipped = (pm__shipped *)malloc((count + 1) * sizeof *shipped);
  for (size_t i = 0; shipped != NULL && i < count; i++) atomic_init(&shipped[i].entry, NULL);
  return shipped;
}

void pm__shipped_free(pm__shipped *shipped)
{
  if (shipped == NULL) return;
  for (size_t i = 0; i < pm__shipped_first[PM__KINDS]; i++) {
    pm__entry *entry = atomic_load(&shipped[i].entry);
    if (entry != NULL) pm__document_free(entry->document);
  }
  free(shipped);
}

size_t pm__shipped_count(int kind)
{
  return pm__shipped_first[kind + 1] - pm__shipped_first[kind];
}

static const char *text_at(uint32_t place)
{
  return (const char *)&pm__shipped_text[place];
}

/* Moves `at` behind the number. */
static uint32_t number(const unsigned char **at)
{
  uint32_t value = 0;
  for (int shift = 0;; shift += 7) {
    unsigned char part = *(*at)++;
    value |= (uint32_t)(part & 127) << shift;
    if (part < 128) return value;
  }
}

static const char *next_text(const unsigned char **at)
{
  return text_at(number(at));
}

const char *pm__shipped_name(int kind, size_t position, size_t which)
{
  const unsigned char *at = &pm__shipped_numbers[pm__shipped_entries[pm__shipped_first[kind] + position].names];
  if (which > number(&at)) return NULL;
  for (; which > 1; which--) number(&at);
  return next_text(&at);
}

/* ---- Its document: the entry, and the blocks of its file. All of these are NULL without memory. */

static pm__document_attribute *make_attribute(pm__document *document, const unsigned char **at)
{
  pm__document_attribute *a = (pm__document_attribute *)pm__arena_alloc(&document->arena, sizeof *a);
  if (a == NULL) return NULL;
  a->name = next_text(at);
  a->value = next_text(at);
  return a;
}

/* Moves `at` behind the element. */
static pm__element *make_element(pm__document *document, const unsigned char **at)
{
  pm__element *e = (pm__element *)pm__arena_alloc(&document->arena, sizeof *e);
  if (e == NULL) return NULL;
  e->name = next_text(at);
  e->text = next_text(at);
  e->line = (int)number(at);
  uint32_t attributes = number(at), children = number(at);
  const pm__document_attribute **attribute = &e->attributes;
  for (uint32_t i = 0; i < attributes; i++) {
    pm__document_attribute *fresh = make_attribute(document, at);
    if (fresh == NULL) return NULL;
    *attribute = fresh;
    attribute = &fresh->next;
  }
  const pm__element **child = &e->child;
  for (uint32_t i = 0; i < children; i++) {
    pm__element *fresh = make_element(document, at);
    if (fresh == NULL) return NULL;
    *child = fresh;
    child = &fresh->next;
  }
  return e;
}

static pm__element *add_element(pm__document *document, const pm__element **end, uint32_t place)
{
  const unsigned char *at = &pm__shipped_numbers[place];
  pm__element *e = make_element(document, &at);
  *end = e;
  return e;
}

/* The root holds the blocks, then the entry, which is returned. */
static const pm__element *make_tree(pm__document *document, const pm__shipped_entry *entry)
{
  const unsigned char *blocks = &pm__shipped_numbers[entry->blocks];
  pm__element *root = (pm__element *)pm__arena_alloc(&document->arena, sizeof *root);
  if (root == NULL) return NULL;
  root->name = "perfmodel";
  root->text = "";
  root->line = 1;
  document->root = root;
  const pm__element **end = &root->child;
  for (uint32_t count = number(&blocks); count > 0; count--) {
    pm__element *block = add_element(document, end, number(&blocks));
    if (block == NULL) return NULL;
    end = &block->next;
  }
  return add_element(document, end, entry->element);
}

/* ---- Opening. */

static pm__entry *make(int kind, const pm__shipped_entry *shipped, pm_error *error)
{
  pm__entry *entry = NULL;
  pm__document *document = (pm__document *)calloc(1, sizeof *document);
  const pm__element *element = document != NULL ? make_tree(document, shipped) : NULL;
  if (element == NULL) pm__no_memory(error);
  else {
    document->file = text_at(shipped->file);
    if (pm__entry_read(document, element, kind, 0, &entry, error) == PM_OK) return entry;
  }
  pm__document_free(document);
  return NULL;
}

int pm__shipped_open(pm__shipped *shipped, int kind, size_t position, const pm__entry **entry, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  const size_t index = pm__shipped_first[kind] + position;
  _Atomic(pm__entry *) *place = &shipped[index].entry;
  pm__entry *known = atomic_load_explicit(place, memory_order_acquire), *fresh = NULL;
  if (known == NULL && (fresh = make(kind, &pm__shipped_entries[index], &failure)) != NULL &&
      !atomic_compare_exchange_strong_explicit(place, &known, fresh, memory_order_acq_rel, memory_order_acquire))
    pm__document_free(fresh->document); /* another thread was first, and `known` is its entry */
  *entry = known != NULL ? known : fresh;
  pm__error_take(error, &failure);
  return failure.status;
}
