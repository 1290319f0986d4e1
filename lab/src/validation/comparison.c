/* Comparisons of measured and predicted values, and their errors summed up by group. */
#include "validation/comparison.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"

const pm_choice pm__lab_calibration_choices[] = {
#define CHOICE(id, text, words) {.name = text, .doc = words},
  PM_CALIBRATION_STATUS_LIST(CHOICE)
#undef CHOICE
  {.name = NULL}};

static const pm_field row_fields[] = {
  PM__FIELD_MAIN(pm__lab_comparison, TEXT, id, "id", "", "id of the measurement: its row, or its line in the table"),
  PM__FIELD_MAIN(pm__lab_comparison, TEXT, group, "group", "", "what it is summed up with"),
  PM__FIELD_MAIN(pm__lab_comparison, REAL, measured, "measured", "1", "what was measured, in `unit`"),
  PM__FIELD_MAIN(pm__lab_comparison, REAL, predicted, "predicted", "1",
            "what is predicted, in `unit`; unknown if it cannot be"),
  PM__FIELD_MAIN(pm__lab_comparison, TEXT, unit, "unit", "", "unit of both"),
  PM__FIELD_MAIN(pm__lab_comparison, REAL, error, "error", "%", "(predicted - measured) / measured"),
};

static const pm_field summary_fields[] = {
  PM__FIELD(pm__lab_summary, TEXT, set, "set", "", "which measurements"),
  PM__FIELD_MAIN(pm__lab_summary, TEXT, group, "group", "", "which of them"),
  PM__FIELD_MAIN(pm__lab_summary, INT, rows, "rows", "1", "measurements compared"),
  PM__FIELD_MAIN(pm__lab_summary, REAL, mape, "mape", "%", "mean of the absolute errors"),
  PM__FIELD_MAIN(pm__lab_summary, REAL, median, "median", "%", "median of the absolute errors"),
  PM__FIELD(pm__lab_summary, REAL, p90, "p90", "%", "90th percentile of the absolute errors"),
  PM__FIELD_MAIN(pm__lab_summary, REAL, bias, "bias", "%", "mean of the signed errors; above 0: predicted too much"),
};

static const pm_record_type row_type = PM__TYPE(pm__lab_comparison, row_fields);
static const pm_record_type summary_type = PM__TYPE(pm__lab_summary, summary_fields);

pm__lab_comparison *pm__lab_comparisons_add(pm__lab_comparisons *rows, pm_error *error)
{
  pm__lab_comparison *items = (pm__lab_comparison *)pm__grow(rows->items, rows->count, &rows->capacity, sizeof *items);
  if (items == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  rows->items = items;
  pm__lab_comparison *next = &items[rows->count++];
  memset(next, 0, sizeof *next);
  next->measured = next->predicted = next->error = NAN;
  return next;
}

void pm__lab_comparison_set(pm__lab_comparison *row, double predicted)
{
  row->predicted = predicted;
  row->error = (predicted - row->measured) / row->measured * 100;
}

/* ---- Summing up ---- */

/* A row with an error, and where it stands. */
typedef struct place {
  const pm__lab_comparison *row;
  size_t index, first; /* of the group */
} place;

static int by_group(const void *a, const void *b)
{
  const place *x = (const place *)a, *y = (const place *)b;
  int order = strcmp(x->row->group, y->row->group);
  if (order == 0) order = strcmp(x->row->set, y->row->set);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_first(const void *a, const void *b)
{
  const place *x = (const place *)a, *y = (const place *)b;
  if (x->first != y->first) return x->first > y->first ? 1 : -1;
  return (x->index > y->index) - (x->index < y->index);
}

static bool same_group(const pm__lab_comparison *a, const pm__lab_comparison *b)
{
  return strcmp(a->group, b->group) == 0 && strcmp(a->set, b->set) == 0;
}

/* Rows that have an error, group after group in the order of their first rows; returns how many. */
static size_t place_rows(const pm__lab_comparisons *rows, place *places)
{
  size_t n = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (!isnan(rows->items[i].error)) places[n++] = (place){&rows->items[i], i, i};
  qsort(places, n, sizeof *places, by_group);
  for (size_t i = 1; i < n; i++)
    if (same_group(places[i].row, places[i - 1].row)) places[i].first = places[i - 1].first;
  qsort(places, n, sizeof *places, by_first);
  return n;
}

static size_t sum_groups(const place *places, size_t n, double *errors, pm__lab_summary *out)
{
  size_t groups = 0;
  for (size_t i = 0, count; i < n; i += count) {
    for (count = 0; i + count < n && places[i + count].first == places[i].first; count++)
      errors[count] = places[i + count].row->error;
    pm__error_summary summary = pm__error_summary_of(errors, count);
    out[groups].rows = (int32_t)count;
    out[groups].mape = summary.mape;
    out[groups].median = summary.median;
    out[groups].p90 = summary.p90;
    out[groups].bias = summary.bias;
    memcpy(out[groups].set, places[i].row->set, sizeof out->set);
    memcpy(out[groups++].group, places[i].row->group, sizeof out->group);
  }
  return groups;
}

pm__lab_summary *pm__lab_comparisons_groups(const pm__lab_comparisons *rows, size_t *count, pm_error *error)
{
  pm__lab_summary *groups = (pm__lab_summary *)calloc(rows->count + 1, sizeof *groups);
  place *places = (place *)calloc(rows->count + 1, sizeof *places);
  double *errors = (double *)calloc(rows->count + 1, sizeof *errors);
  bool room = groups != NULL && places != NULL && errors != NULL;
  *count = room ? sum_groups(places, place_rows(rows, places), errors, groups) : 0;
  free(places);
  free(errors);
  if (room) return groups;
  free(groups);
  pm__no_memory(error);
  return NULL;
}

int pm__lab_comparisons_say(const pm__lab_comparisons *rows, pm__string *out, pm_error *error)
{
  size_t n = 0;
  double *errors = (double *)calloc(rows->count + 1, sizeof *errors);
  if (errors == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < rows->count; i++)
    if (!isnan(rows->items[i].error)) errors[n++] = rows->items[i].error;
  pm__error_summary all = pm__error_summary_of(errors, n);
  free(errors);
  pm__string_format(out, "%zu rows, mean %.1f %%, median %.1f %%, 90th percentile %.1f %%\n", n, all.mape, all.median,
                    all.p90);
  return PM_OK;
}

/* ---- Tables ---- */

/* People see a tenth of a per cent, which is more than the figures are worth, and of other values four digits. */
enum { SHOWN_MOST = 32 };

static void per_cent_shown(double value, char *text)
{
  char number[PM_NUMBER_MAX];
  snprintf(text, SHOWN_MOST, "%.28s %%", pm_number_format(number, rint(value * 10) / 10 + 0)); /* no -0 */
}

static void value_shown(double value, char *text)
{
  char digits[40], number[PM_NUMBER_MAX];
  double shown;
  snprintf(digits, sizeof digits, "%.3e", value);
  if (fabs(value) >= 1e4 || pm_number_parse(digits, &shown) != PM_OK) shown = rint(value);
  snprintf(text, SHOWN_MOST, "%.28s", pm_number_format(number, shown));
}

static int show_rounded(pm_table *table, const char *name, const void *values, size_t stride,
                        void (*show)(double value, char *text), pm_error *error)
{
  size_t count = pm_table_count_rows(table);
  char (*texts)[SHOWN_MOST] = (char (*)[SHOWN_MOST])calloc(count + 1, sizeof *texts);
  const char **cells = (const char **)calloc(count + 1, sizeof *cells);
  int status = texts != NULL && cells != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; status == PM_OK && i < count; i++) {
    double value;
    memcpy(&value, (const char *)values + i * stride, sizeof value);
    if (isnan(value)) pm__text_set(texts[i], sizeof texts[i], "-");
    else show(value, texts[i]);
    cells[i] = texts[i];
  }
  if (status == PM_OK) status = pm_table_show_as(table, name, cells, error);
  free(texts);
  free(cells);
  return status;
}

static pm_table *kept_or_freed(pm_table *table, int status)
{
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

pm_table *pm__lab_table_with(pm_table *table, const pm_record_type *type, const void *records, pm_error *error)
{
  if (table == NULL) return NULL;
  int status = pm_table_add_records(table, type, records, error);
  for (size_t i = 0; i < type->field_count && status == PM_OK; i++) {
    const pm_field *field = &type->fields[i];
    const char *first = records != NULL ? (const char *)records + field->offset : NULL; /* there may be no rows */
    if (strcmp(field->unit, "%") == 0)
      status = show_rounded(table, field->name, first, type->size, per_cent_shown, error);
  }
  return kept_or_freed(table, status);
}

pm_table *pm__lab_summary_table(const pm__lab_summary *groups, size_t count, pm_error *error)
{
  return pm__lab_table_with(pm_table_new(count, error), &summary_type, groups, error);
}

pm_table *pm__lab_comparisons_summary(const pm__lab_comparisons *rows, pm_error *error)
{
  size_t count;
  pm__lab_summary *groups = pm__lab_comparisons_groups(rows, &count, error);
  pm_table *table = groups != NULL ? pm__lab_summary_table(groups, count, error) : NULL;
  free(groups);
  return table;
}

pm_table *pm__lab_comparisons_table(const pm__lab_comparisons *rows, pm_error *error)
{
  const pm__lab_comparison none = {"", "", NAN, NAN, "", NAN, ""}, *items = rows->count > 0 ? rows->items : &none;
  pm_table *table = pm__lab_table_with(pm_table_new(rows->count, error), &row_type, items, error);
  if (table == NULL) return NULL;
  int status = show_rounded(table, "predicted", &items->predicted, sizeof *items, value_shown, error);
  return kept_or_freed(table, status);
}

enum { SHOWN = 40 };

static const char *text_of(const void *reasons, size_t item)
{
  return ((const pm__lab_reasons *)reasons)->items[item].text;
}

int pm__lab_reasons_add(pm__lab_reasons *reasons, const char *reason, pm_error *error)
{
  size_t known = pm__text_index_find(&reasons->texts, reason, text_of, reasons);
  if (known != PM__NO_ITEM) return reasons->items[known].count++, PM_OK;
  pm__lab_reason *items = (pm__lab_reason *)pm__grow(reasons->items, reasons->count, &reasons->capacity, sizeof *items);
  char *copy = pm__text_copy(reason);
  if (items != NULL) reasons->items = items;
  if (items == NULL || copy == NULL || !pm__text_index_add(&reasons->texts, reason, reasons->count))
    return free(copy), pm__no_memory(error);
  items[reasons->count].text = copy;
  items[reasons->count++].count = 1;
  return PM_OK;
}

static int most_first(const void *a, const void *b)
{
  const pm__lab_reason *x = (const pm__lab_reason *)a, *y = (const pm__lab_reason *)b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return strcmp(x->text, y->text);
}

void pm__lab_reasons_write(pm__lab_reasons *reasons, pm__string *out)
{
  size_t left = 0;
  if (reasons->count > 1) qsort(reasons->items, reasons->count, sizeof *reasons->items, most_first);
  for (size_t i = 0; i < reasons->count; i++) {
    const pm__lab_reason *reason = &reasons->items[i];
    if (i < SHOWN) pm__string_format(out, "%zu %s: %.500s\n", reason->count, reason->count == 1 ? "row" : "rows",
                                     reason->text);
    else left += reason->count;
  }
  if (left > 0) pm__string_format(out, "%zu rows: %zu other reasons\n", left, reasons->count - SHOWN);
}

void pm__lab_reasons_free(pm__lab_reasons *reasons)
{
  for (size_t i = 0; i < reasons->count; i++) free(reasons->items[i].text);
  free(reasons->items);
  pm__text_index_free(&reasons->texts);
  memset(reasons, 0, sizeof *reasons);
}

/* ---- What sets share ---- */

int pm__lab_check_columns(const pm__lab_context *context, const char *const *titles, size_t count, pm_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (pm__csv_column(context->table, titles[i]) < 0)
      return pm__fail(error, PM_STATUS_BAD_SYNTAX, "%s: no column \"%s\"", context->file, titles[i]);
  return PM_OK;
}

void pm__lab_note_unpredicted(pm__lab_context *context, pm__lab_reasons *reasons)
{
  size_t left = 0;
  for (size_t i = 0; i < reasons->count; i++) left += reasons->items[i].count;
  if (left == 0) return;
  pm__string_format(&context->notes, "%zu of %zu rows of \"%.60s\" have no prediction:\n", left,
                    context->table->rows - 1,
                    context->file);
  pm__lab_reasons_write(reasons, &context->notes);
}

pm_table *pm__lab_result_table(const pm__lab_context *context, const pm__lab_comparisons *rows, pm_error *error)
{
  return context->rows ? pm__lab_comparisons_table(rows, error) : pm__lab_comparisons_summary(rows, error);
}
