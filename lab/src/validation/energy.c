/*
** The set `energy`: measured power and energy beside three answers, the law, the power limit drawn all the time, and
** one share of the limit for each group, the best that a constant can do.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/energy_rows.h"

/* Of a group, means of absolute errors and the rows within the interval; of a row its own. */
typedef struct line {
  double limit, constant, covered;
} line;

static const pm_field line_fields[] = {
  PM__FIELD_MAIN(line, REAL, limit, "limit", "%", "the same error of the power limit, drawn all the time"),
  PM__FIELD_MAIN(line, REAL, constant, "constant", "%",
                 "the same error of the share of the limit that fits the group best"),
  PM__FIELD_MAIN(line, REAL, covered, "covered", "%", "rows within the 80 % interval of their prediction"),
};

static const pm_record_type line_type = PM__TYPE(line, line_fields);


/* The share with the least mean of relative errors is a median of shares, weighted by their inverses. */
typedef struct share {
  double share, weight;
} share;

typedef struct place place;

typedef struct study {
  pm__lab_context *context;
  pm__lab_energy_rows rows;
  pm__lab_comparisons compared;
  place *places; /* of the rows, by their groups */
  share *shares;
  line *lines;   /* of the rows */
} study;

/* "ml-energy-v3 h100-sxm5 serving gpu_power" */
static void name_group(const study *s, const pm__lab_energy_row *row, char *group, size_t size)
{
  const char *quantity = pm__csv_cell(s->context->table, row->line, pm__csv_column(s->context->table, "quantity"));
  snprintf(group, size, "%.22s %.18s %.14s %.20s", row->source, pm__lab_energy_row_gpu(&s->rows, row)->id, row->kind,
           quantity);
}

static int compare(study *s, pm_error *error)
{
  for (size_t i = 0; i < s->rows.count; i++) {
    const pm__lab_energy_row *row = &s->rows.items[i];
    pm__lab_comparison *c = pm__lab_comparisons_add(&s->compared, error);
    if (c == NULL) return PM_STATUS_NO_MEMORY;
    snprintf(c->id, sizeof c->id, "%.79s", row->id);
    pm__text_set(c->set, sizeof c->set, s->context->set);
    pm__text_set(c->unit, sizeof c->unit, pm__lab_energy_unit(row->quantity));
    name_group(s, row, c->group, sizeof c->group);
    c->measured = row->measured;
    pm__lab_comparison_set(c, row->predicted);
  }
  return PM_OK;
}

static double error_of(double predicted, double measured)
{
  return (predicted - measured) / measured * 100;
}

static int by_share(const void *a, const void *b)
{
  double x = ((const share *)a)->share, y = ((const share *)b)->share;
  return (x > y) - (x < y);
}

static double best_share(share *shares, size_t count)
{
  double all = 0, sum = 0;
  qsort(shares, count, sizeof *shares, by_share);
  for (size_t i = 0; i < count; i++) all += shares[i].weight;
  for (size_t i = 0; i < count; i++)
    if ((sum += shares[i].weight) >= all / 2) return shares[i].share;
  return NAN;
}

static line line_of(const pm__lab_energy_row *row, double constant)
{
  bool known = !isnan(row->low);
  return (line){error_of(row->design, row->measured), error_of(constant * row->design, row->measured),
                !known ? (double)NAN : row->measured >= row->low && row->measured <= row->high ? 100 : 0};
}

/* ---- Groups: rows of one stand together in the order of their names ---- */

struct place {
  const char *group;
  size_t row;
};

static int by_group(const void *a, const void *b)
{
  const place *x = (const place *)a, *y = (const place *)b;
  int order = strcmp(x->group, y->group);
  return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static size_t group_end(const study *s, size_t first)
{
  size_t end = first + 1;
  while (end < s->rows.count && strcmp(s->places[end].group, s->places[first].group) == 0) end++;
  return end;
}

static double share_of(const study *s, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    const pm__lab_energy_row *row = &s->rows.items[s->places[i].row];
    s->shares[i - first] = (share){row->measured / row->design, row->design / row->measured};
  }
  return best_share(s->shares, end - first);
}

static int set_lines(study *s, pm_error *error)
{
  size_t count = s->rows.count;
  s->places = (place *)calloc(count + 1, sizeof *s->places);
  s->shares = (share *)calloc(count + 1, sizeof *s->shares);
  s->lines = (line *)calloc(count + 1, sizeof *s->lines);
  if (s->places == NULL || s->shares == NULL || s->lines == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < count; i++) s->places[i] = (place){s->compared.items[i].group, i};
  qsort(s->places, count, sizeof *s->places, by_group);
  for (size_t first = 0, end; first < count; first = end) {
    end = group_end(s, first);
    double constant = share_of(s, first, end);
    for (size_t i = first; i < end; i++)
      s->lines[s->places[i].row] = line_of(&s->rows.items[s->places[i].row], constant);
  }
  return PM_OK;
}

static line mean_of(const study *s, size_t first, size_t end)
{
  line sum = {0, 0, 0};
  size_t known = 0, count = end - first;
  for (size_t i = first; i < end; i++) {
    const line *one = &s->lines[s->places[i].row];
    sum.limit += fabs(one->limit) / (double)count;
    sum.constant += fabs(one->constant) / (double)count;
    if (!isnan(one->covered)) sum.covered += one->covered, known++;
  }
  sum.covered = known > 0 ? sum.covered / (double)known : (double)NAN;
  return sum;
}

/* Of the rows to which constants are fitted, as a whole. */
static int say_all(const study *s, pm__string *notes, pm_error *error)
{
  double *errors = (double *)calloc(s->rows.count + 1, sizeof *errors), covered = 0;
  size_t count = 0, known = 0;
  if (errors == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < s->rows.count; i++) {
    if (s->rows.items[i].check) continue;
    errors[count++] = s->compared.items[i].error;
    if (!isnan(s->lines[i].covered)) covered += s->lines[i].covered, known++;
  }
  pm__error_summary all = pm__error_summary_of(errors, count);
  free(errors);
  if (count == 0) return PM_OK;
  pm__string_format(notes, "%zu rows that constants may be fitted to: mean %.1f %%, median %.1f %%, 90th percentile "
                           "%.1f %%", count, all.mape, all.median, all.p90);
  if (known > 0) pm__string_format(notes, "; the 80 %% interval holds %.0f %%", covered / (double)known);
  pm__string_add(notes, "\n");
  return PM_OK;
}

/* ---- Tables ---- */

static int by_name(const void *a, const void *b)
{
  return strcmp(((const pm__lab_summary *)a)->group, ((const pm__lab_summary *)b)->group);
}

static pm_table *groups_table(const study *s, pm_error *error)
{
  size_t count = 0, first = 0;
  pm__lab_summary *groups = pm__lab_comparisons_groups(&s->compared, &count, error);
  if (groups == NULL) return NULL;
  line *lines = (line *)calloc(count + 1, sizeof *lines);
  if (lines == NULL) return free(groups), pm__no_memory(error), (pm_table *)NULL;
  qsort(groups, count, sizeof *groups, by_name);
  for (size_t i = 0; i < count; i++) {
    size_t end = group_end(s, first);
    lines[i] = mean_of(s, first, end);
    first = end;
  }
  pm_table *table = pm__lab_table_with(pm__lab_summary_table(groups, count, error), &line_type, lines, error);
  free(groups);
  free(lines);
  return table;
}

static pm_table *result_table(study *s, pm_error *error)
{
  if (set_lines(s, error) != PM_OK || say_all(s, &s->context->notes, error) != PM_OK) return NULL;
  if (!s->context->rows) return groups_table(s, error);
  return pm__lab_table_with(pm__lab_comparisons_table(&s->compared, error), &line_type, s->lines, error);
}

pm_table *pm__lab_validate_energy(pm__lab_context *context, pm_error *error)
{
  static const char *const needed[] = {"system", "quantity", "value"};
  study s = {.context = context};
  pm_table *table = NULL;
  if (pm__lab_check_columns(context, needed, sizeof needed / sizeof needed[0], error) != PM_OK) return NULL;
  int status = pm__lab_energy_rows_read(&s.rows, context->catalog, context->table, error);
  if (status == PM_OK) status = compare(&s, error);
  if (status == PM_OK) pm__lab_note_unpredicted(context, &s.rows.reasons);
  if (status == PM_OK) table = result_table(&s, error);
  pm__lab_energy_rows_free(&s.rows);
  free(s.places);
  free(s.shares);
  free(s.lines);
  free(s.compared.items);
  return table;
}
