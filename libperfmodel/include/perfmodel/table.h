/*
** Tables: results as columns, and as text.
**
** All results with rows (catalogue lists, layers, sweeps) are a pm_table. The command, Python and Lua take columns and
** text from it, so all of them give the same bytes.
**
** CSV is RFC 4180: one header row, "name [unit]" (no unit for text and plain numbers), CRLF line ends, comma, decimal
** point, numbers in SI units with all their digits, an empty cell for an unknown value, `inf` for an unlimited one. A
** text cell that a spreadsheet would read as a formula (beginning with =, +, -, @) gets a leading apostrophe.
*/
#ifndef PERFMODEL_TABLE_H
#define PERFMODEL_TABLE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle: columns of numbers and texts. Functions with a const table do not change it. */
typedef struct pm_table pm_table;

/* The description of a column. Lives as long as its table. */
typedef struct pm_column {
  const char *name;
  const char *unit; /* "" or "1": none */
  const char *doc;
  pm_field_kind kind; /* TEXT and CHOICE: pm_table_get_text; INT and REAL: also pm_table_get_numbers */
} pm_column;

/* A table of `rows` rows and no columns. Owned by the caller. */
PM_API pm_table *pm_table_new(size_t rows, pm_error *error);

/* Releases the table; NULL is none. */
PM_API void pm_table_free(pm_table *table);

/* Appends a column for every field of `type`, read from `records`, an array of `rows` of them. */
PM_API int pm_table_add_records(pm_table *table, const pm_record_type *type, const void *records, pm_error *error);

/* A table of these records. Owned by the caller; NULL with an error. */
PM_INLINE pm_table *pm_table_new_of_records(const pm_record_type *type, const void *records, size_t count,
                                            pm_error *error)
{
  pm_table *table = pm_table_new(count, error);
  if (table == NULL || pm_table_add_records(table, type, records, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

/* Appends one text column; texts[i] is copied. */
PM_API int pm_table_add_text(pm_table *table, const char *name, const char *doc, const char *const *texts,
                             pm_error *error);

/* Sets how text output shows the column of that name, if there is one: a sum of pm_show; PM_SHOW_GIVEN marks an input.
** Without a name (NULL), all columns are shown, not only the main ones. */
PM_API void pm_table_set_show(pm_table *table, const char *name, int show);

/* Drops the column of that name, if there is one. */
PM_API void pm_table_drop(pm_table *table, const char *name);

/* Keeps the columns of these names, in this order; text output shows all of them. In a table of a study's sweep, "main"
** selects several: network, system, software, inputs, main results. Errors: PM_STATUS_NOT_FOUND, with the closest name
** and all names; the table is then unchanged. */
PM_API int pm_table_keep(pm_table *table, const char *const *names, size_t count, pm_error *error);

/* The rows of a table to keep, and their order; fields that are 0 or NULL have no effect. */
typedef struct pm_table_rows {
  const char *const *conditions; /* to meet, each a column, one of < <= > >= = !=, and a value: "memory>=80GB",
                                 ** "architecture=hopper". A number needs the unit of its column; unknown meets none */
  size_t count;                  /* of conditions */
  const char *front;             /* of those, the Pareto front of columns, "-throughput,memory": no other row is
                                 ** better in one (less, or more with "-") and as good in the others; unknown is on
                                 ** none */
  const char *sort;              /* a column to sort by, descending with "-" before its name, unknown last */
  size_t top;                    /* the first so many, with `sort` of those whose value is known; 0: all */
} pm_table_rows;

/* Keeps these rows. A total stays last; a table with a total keeps all rows. Errors: PM_STATUS_NOT_FOUND for a column,
** as pm_table_keep; PM_STATUS_BAD_VALUE or PM_STATUS_BAD_UNIT for a condition or a column of texts. */
PM_API int pm_table_keep_rows(pm_table *table, const pm_table_rows *rows, pm_error *error);

/* Texts shown instead of that column's cells, such as an indented name or "12 %": one per row, copied. CSV, JSON and
** the values do not change. */
PM_API int pm_table_show_as(pm_table *table, const char *name, const char *const *shown, pm_error *error);

/* The role of the last row. */
typedef enum pm_table_total {
  PM_TABLE_TOTAL_NONE,   /* an ordinary row */
  PM_TABLE_TOTAL_ROW,    /* the total, which text output separates by a line */
  PM_TABLE_TOTAL_APART   /* no longer a row, for programs that sum themselves; still in text output */
} pm_table_total;

/* Marks the last row as the total, or removes a total from the rows; without rows, or without a total, nothing
** changes. */
PM_API void pm_table_set_total(pm_table *table, pm_table_total total);

/* Whether the last row is the total. */
PM_API int pm_table_has_total(const pm_table *table);

/* Remarks about the table, one per line; "" if none. Lives as long as the table, or until it is set again. */
PM_API const char *pm_table_get_notes(const pm_table *table);

/* Sets them; `notes` is copied. Errors: PM_STATUS_NO_MEMORY. */
PM_API int pm_table_set_notes(pm_table *table, const char *notes, pm_error *error);

/* Number of rows, including a total. */
PM_API size_t pm_table_count_rows(const pm_table *table);

/* Number of columns. */
PM_API size_t pm_table_count_columns(const pm_table *table);

/* The column, or NULL past the last; lives as long as the table. */
PM_API const pm_column *pm_table_get_column(const pm_table *table, size_t column);

/* The numbers of an INT, REAL or CHOICE column, one per row, or NULL for a text column. */
PM_API const double *pm_table_get_numbers(const pm_table *table, size_t column);

/* One cell as text; a number as pm_number_format writes it, unknown as "". `buffer` holds PM_TEXT_MAX bytes.
** Returns the text, in buffer or in the table; NULL out of range. */
PM_API const char *pm_table_get_text(const pm_table *table, size_t column, size_t row, char *buffer);

/* Output formats of a table: text, CSV for spreadsheets, JSON for programs. */
typedef enum pm_format { PM_FORMAT_TABLE, PM_FORMAT_CSV, PM_FORMAT_JSON } pm_format;

/* "table", "csv" or "json" -> pm_format, or -1. */
PM_API int pm_format_find(const char *name);

/* The whole table in that format, as one string that the caller releases with pm_string_free. The text format has a
** line with the values that are equal in all rows, then the inputs that differ and the main results (all columns if
** none is main), quantities with prefixes, at most `width` characters wide (0: no limit). The first column that does
** not fit is folded if it is a text; the others continue below. JSON is an array of one object per row, keys without
** units, numbers in SI units, unknown as null, unlimited as "inf", yes/no choices as true or false. */
PM_API char *pm_table_format(const pm_table *table, pm_format format, int width, pm_error *error);

/* Renderings of tables and reports (report.h). */
typedef enum pm_rendering {
  PM_RENDERING_TEXT,     /* for terminals and files */
  PM_RENDERING_HTML,     /* a fragment, for notebooks */
  PM_RENDERING_MARKDOWN, /* with pipe tables */
  PM_RENDERING_SUMMARY   /* the answer in one line, without a line feed; of reports */
} pm_rendering;

/* The table in that rendering, with at most `most` rows (at least 2): the first and the last rows, and between them the
** number of rows left out, including `absent` rows that the caller did not put into the table. `width` is for text. */
PM_API char *pm_table_format_rows(const pm_table *table, pm_rendering rendering, int width, size_t most, size_t absent,
                                  pm_error *error);

/* The whole table as one text, with everything that determines its appearance, for another or a later process; numbers
** are exact to the last bit. The caller releases it with pm_string_free. */
PM_API char *pm_table_pack(const pm_table *table, pm_error *error);

/* The table of such a text, owned by the caller. Errors: PM_STATUS_BAD_FILE (another text, or part of one),
** PM_STATUS_NO_MEMORY. */
PM_API pm_table *pm_table_unpack(const char *text, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
