#include <stdlib.h>
#include <string.h>
#include "lab/validate/tally.h"

enum { SHOWN = 40 };

int pm__tally_add(pm__tally *tally, const char *reason, pm_error *error)
{
  for (size_t i = 0; i < tally->count; i++)
    if (strcmp(tally->items[i].text, reason) == 0) return tally->items[i].count++, PM_OK;
  pm__reason *items = (pm__reason *)pm__grow(tally->items, tally->count, &tally->capacity, sizeof *items);
  char *copy = (char *)malloc(strlen(reason) + 1);
  if (items != NULL) tally->items = items;
  if (items == NULL || copy == NULL) return free(copy), pm__no_memory(error);
  items[tally->count].text = strcpy(copy, reason);
  items[tally->count++].count = 1;
  return PM_OK;
}

static int most_first(const void *a, const void *b)
{
  const pm__reason *x = (const pm__reason *)a, *y = (const pm__reason *)b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return strcmp(x->text, y->text);
}

void pm__tally_write(pm__tally *tally, pm__string *out)
{
  size_t left = 0;
  if (tally->count > 1) qsort(tally->items, tally->count, sizeof *tally->items, most_first);
  for (size_t i = 0; i < tally->count; i++) {
    const pm__reason *reason = &tally->items[i];
    if (i < SHOWN) pm__string_format(out, "%zu %s: %.500s\n", reason->count, reason->count == 1 ? "row" : "rows", reason->text);
    else left += reason->count;
  }
  if (left > 0) pm__string_format(out, "%zu rows: %zu other reasons\n", left, tally->count - SHOWN);
}

void pm__tally_free(pm__tally *tally)
{
  for (size_t i = 0; i < tally->count; i++) free(tally->items[i].text);
  free(tally->items);
  memset(tally, 0, sizeof *tally);
}
