/*
** How a table is stored: one array per column. Shared by the writers of this folder.
*/
#ifndef PM_REPORT_TABLE_DATA_H
#define PM_REPORT_TABLE_DATA_H

#include "base/base.h"
#include "perfmodel/table.h"

typedef struct pm__column {
  pm_column column;         /* its strings live in the table's arena */
  double *numbers;          /* of every kind but TEXT: one per row */
  const char **texts;       /* of TEXT: one per row */
  const char **shown;       /* what people see instead: one per row, or NULL */
  const pm_choice *choices; /* of CHOICE: the names of its values; constant data of the record type */
  const char *otherwise;    /* its value where none is given, or NULL; the same */
  int show;                 /* a sum of pm_show */
  bool given;               /* what was asked, rather than answered */
} pm__column;

struct pm_table {
  size_t rows, count, capacity;
  bool has_total;
  bool has_footer; /* behind the rows there is one more, their total */
  bool show_all; /* people see all columns */
  const char *notes; /* in the arena, or NULL */
  pm__column *columns;
  pm__arena arena; /* cells and names */
};

/* Whether cells of the column are words: TEXT and CHOICE. */
bool pm__column_is_text(const pm__column *column);

/* The words of a TEXT or CHOICE cell. */
const char *pm__column_word(const pm__column *column, size_t row);

/* Whether the column has a unit that is worth printing. */
bool pm__column_has_unit(const pm__column *column);

/* Appends "name [unit]", or the name alone. */
void pm__column_title(pm__string *out, const pm__column *column);

/* Whether it is a choice of no or yes. */
bool pm__column_is_yes_no(const pm__column *column);

/* The place of the column of that name; -1 with an error that lists what there is. */
int pm__table_find_column(const pm_table *table, const char *name, pm_error *error);

/* One row goes where another was, in all columns. */
void pm__table_swap_rows(pm_table *table, size_t a, size_t b);

/* Keeps the rows of the Pareto front of columns ("-throughput,memory"), in their order. */
int pm__table_keep_front(pm_table *table, const char *by, pm_error *error);

/* Rows that people are shown: a total is the last of them, in the rows or not. */
size_t pm__table_count_shown(const pm_table *table);

/* The columns that people see, in their order, into `columns`, which has room for all of the table. If no column is a
** main one, all are. What was asked comes first, where rows differ in it; then the main results, but for those that are
** unknown in all rows. */
size_t pm__table_find_shown(const pm_table *table, size_t *columns);

/* Appends what was asked and is the same in all rows. */
void pm__write_heading(pm__string *out, const pm_table *table);

/* Texts that are lines of their own (PM_SHOW_LINE), each with its end. */
void pm__write_lines(pm__string *out, const pm_table *table, const char *end);

/* The writers: each appends the whole table to `out`. */
void pm__write_csv(pm__string *out, const pm_table *table);
void pm__write_json(pm__string *out, const pm_table *table);
void pm__write_text(pm__string *out, const pm_table *table, int width, size_t most, size_t absent);

/* The same as HTML or Markdown. */
void pm__write_markup(pm__string *out, const pm_table *table, pm_rendering rendering, size_t most, size_t absent);

/* Characters of a text. */
size_t pm__text_width(const char *text);

/* Appends words over as many lines of `width` characters as they need, each line but the first behind an indent. */
void pm__write_folded(pm__string *out, const char *text, size_t width, size_t indent);

/* Appends a cell as people see it. */
void pm__write_cell(pm__string *out, const pm_table *table, size_t column, size_t row);

#endif
