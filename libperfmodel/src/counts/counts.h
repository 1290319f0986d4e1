/* Rows of counts, and their aggregation. */
#ifndef PM_COUNTS_COUNTS_H
#define PM_COUNTS_COUNTS_H

#include "base/base.h"
#include "perfmodel/counts.h"

/* A growing list of rows. `level` is how deep a row stands in a tree. */
typedef struct pm__counts_list {
  pm_counts *rows;
  int *levels;
  size_t count;
} pm__counts_list;

/* A row that counts nothing yet. */
pm_counts pm__counts_none(const char *name, const char *kind);
void pm__counts_add(pm_counts *sum, const pm_counts *row);

/* The layers' rows, summed up by kind or by the beginnings of their names; `list` is empty and gets room for what it
** needs, and one more row. The caller frees its arrays, also after an error. */
int pm__counts_by_kind(pm__counts_list *list, const pm_counts *layers, size_t count, pm_error *error);
int pm__counts_by_name(pm__counts_list *list, const pm_counts *layers, size_t count, int depth, pm_error *error);

#endif
