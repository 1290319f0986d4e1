/* Counts of layers as rows, and their sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "counts/counts.h"

pm_counts pm__counts_none(const char *name, const char *kind)
{
  pm_counts row;
  memset(&row, 0, sizeof row);
  pm__text_set(row.name, sizeof row.name, name);
  pm__text_set(row.kind, sizeof row.kind, kind);
  return row;
}

void pm__counts_add(pm_counts *sum, const pm_counts *row)
{
  sum->layers += row->layers;
  sum->parameters += row->parameters;
  sum->mac += row->mac;
  sum->flop += row->flop;
  sum->training_flop += row->training_flop;
  sum->mac_bnl += row->mac_bnl;
  sum->bytes_in += row->bytes_in;
  sum->bytes_out += row->bytes_out;
  sum->bytes_parameters += row->bytes_parameters;
  sum->saved += row->saved;
}

/* Most arithmetic first; what is equal in that, by parameters, then by name, so that the order is always the same. */
static int compare_kinds(const void *left, const void *right)
{
  const pm_counts *a = (const pm_counts *)left, *b = (const pm_counts *)right;
  if (a->flop != b->flop) return a->flop > b->flop ? -1 : 1;
  if (a->parameters != b->parameters) return a->parameters > b->parameters ? -1 : 1;
  return strcmp(a->kind, b->kind);
}

/* There are some dozens of kinds at most: they are searched one by one. */
int pm__counts_by_kind(pm__counts_list *list, const pm_counts *layers, size_t count, pm_error *error)
{
  size_t capacity = 0;
  for (size_t i = 0; i <= count; i++) { /* the last round makes room for one more row */
    size_t k = 0;
    while (i < count && k < list->count && strcmp(list->rows[k].kind, layers[i].kind) != 0) k++;
    if (k == list->count || i == count) {
      pm_counts *rows = (pm_counts *)pm__grow(list->rows, list->count, &capacity, sizeof *rows);
      if (rows == NULL) return pm__no_memory(error);
      list->rows = rows;
    }
    if (i == count) break;
    if (k == list->count) list->rows[list->count++] = pm__counts_none("", layers[i].kind);
    pm__counts_add(&list->rows[k], &layers[i]);
  }
  qsort(list->rows, list->count, sizeof *list->rows, compare_kinds);
  return PM_OK;
}
