/*
** Tables: results as columns, and as text.
**
** Whatever has rows (catalogue lists, layers, sweeps) becomes a pm_table, and every face of the product (the command,
** Python, Lua) takes its columns or its text from there, so all of them give the same bytes.
**
** CSV is RFC 4180: one header row, "name [unit]" (the unit left out for text and plain numbers), CRLF line ends, comma,
** decimal point, numbers in SI units with all their digits, an empty cell for an unknown value, `inf` for an unlimited
** one. A text cell that a spreadsheet would take for a formula (=, +, -, @ first) gets a leading apostrophe.
*/
#ifndef PERFMODEL_TABLE_H
#define PERFMODEL_TABLE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle: columns of numbers and texts. Only what is not const changes it. */
typedef struct pm_table pm_table;

/* What a column holds. Lives as long as its table. */
typedef struct pm_column {
  const char *name;
  const char *unit; /* "" or "1": none */
  const char *doc;
  pm_field_kind kind; /* TEXT and CHOICE read by pm_table_get_text, INT and REAL by pm_table_get_numbers too */
} pm_column;

/* A table of `rows` rows and no columns. Owned by the caller. */
PM_API pm_table *pm_table_new(size_t rows, pm_error *error);

/* Releases the table; NULL is none. */
PM_API void pm_table_free(pm_table *table);

/* Appends a column for every field of `type`, read from `records`, an array of `rows` of them. */
PM_API int pm_table_add_records(pm_table *table, const pm_record_type *type, const void *records, pm_error *error);

/* A table of these records alone. Owned by the caller; NULL with an error. */
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

/* Says how people see the column of that name, if there is one: a sum of pm_show; with PM_SHOW_GIVEN it is what was
** asked. Without a name (NULL), people are shown all columns, not the main ones alone. */
PM_API void pm_table_set_show(pm_table *table, const char *name, int show);

/* Drops the column of that name, if there is one. */
PM_API void pm_table_drop(pm_table *table, const char *name);

/* Keeps the columns of these names, in this order, which people are shown all. In a table of a study's sweep "main"
** stands for several: network, system, software, what was asked, the main results. Errors: PM_STATUS_NOT_FOUND, with
** the closest name and all names; the table is then as it was. */
PM_API int pm_table_keep(pm_table *table, const char *const *names, size_t count, pm_error *error);

/* Which rows of a table are kept, and their order; fields that are 0 or NULL leave out and sort nothing. */
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

/* Keeps these rows. A total stays last; with one, no row is left out. Errors: PM_STATUS_NOT_FOUND for a column, as
** pm_table_keep; PM_STATUS_BAD_VALUE or PM_STATUS_BAD_UNIT for a condition or a column of texts. */
PM_API int pm_table_keep_rows(pm_table *table, const pm_table_rows *rows, pm_error *error);

/* What people see instead of that column's cells, as an indented name or "12 %": one text per row, copied. CSV, JSON
** and the values stay as they are. */
PM_API int pm_table_show_as(pm_table *table, const char *name, const char *const *shown, pm_error *error);

/* What the last row is to the others. */
typedef enum pm_table_total {
  PM_TABLE_TOTAL_NONE,   /* one of them */
  PM_TABLE_TOTAL_ROW,    /* their total, which text output rules off */
  PM_TABLE_TOTAL_APART   /* the total is no row any more, for those who add up themselves; people still see it */
} pm_table_total;

/* Says that the last row is the total, or takes a total out of the rows; without rows, or a total, nothing changes. */
PM_API void pm_table_set_total(pm_table *table, pm_table_total total);

/* Whether the last row is the total. */
PM_API int pm_table_has_total(const pm_table *table);

/* Remarks about the table, one per line; "" if none. Lives as long as the table, or until it is set again. */
PM_API const char *pm_table_get_notes(const pm_table *table);

/* Sets them; `notes` is copied. Errors: PM_STATUS_NO_MEMORY. */
PM_API int pm_table_set_notes(pm_table *table, const char *notes, pm_error *error);

/* Number of rows, a total included. */
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

/* How a table is written: for people, for spreadsheets, for programs. */
typedef enum pm_format { PM_FORMAT_TABLE, PM_FORMAT_CSV, PM_FORMAT_JSON } pm_format;

/* "table", "csv" or "json" -> pm_format, or -1. */
PM_API int pm_format_find(const char *name);

/* The whole table in that format, as one string that the caller releases with pm_string_free. The text form is for
** people: a line with what is the same in all rows, then what was asked where rows differ in it and the main results
** (all columns if none is main), quantities with prefixes, at most `width` characters wide (0: no limit). The first
** column that does not fit is folded if it is a text; the others go on below. JSON is an
** array of one object per row, keys without units, numbers in SI units, unknown as null, unlimited as "inf", a choice
** of yes or no as true or false. */
PM_API char *pm_table_format(const pm_table *table, pm_format format, int width, pm_error *error);

/* How people are shown tables and reports (report.h). */
typedef enum pm_rendering {
  PM_RENDERING_TEXT,     /* for terminals and files */
  PM_RENDERING_HTML,     /* a fragment, for notebooks */
  PM_RENDERING_MARKDOWN, /* with pipe tables */
  PM_RENDERING_SUMMARY   /* the answer in one line, without a line feed; of reports */
} pm_rendering;

/* The table in that rendering, with at most `most` rows (at least 2): the first and the last, and between them how many
** are left out, `absent` further rows with them, which the caller did not put into the table. `width` is of text. */
PM_API char *pm_table_format_rows(const pm_table *table, pm_rendering rendering, int width, size_t most, size_t absent,
                                  pm_error *error);

/* The whole table as one text, with everything that decides how it is shown, for another process or a later one;
** numbers come back to the last bit. The caller releases it with pm_string_free. */
PM_API char *pm_table_pack(const pm_table *table, pm_error *error);

/* The table of such a text, which the caller owns. Errors: PM_STATUS_BAD_FILE (another text, or a part of one),
** PM_STATUS_NO_MEMORY. */
PM_API pm_table *pm_table_unpack(const char *text, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
