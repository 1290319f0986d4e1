/* Errors by setting: the median of the rows that measured the same run. */
#include "validation/settings.h"
#include "validation/regret.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The medians of the rows of a setting, how many these are, and whether the interval holds what was measured. */
typedef struct setting {
  const pm__lab_comparison *first;
  const pm__lab_setting_row *own;
  pm__lab_comparison medians;
  int32_t rows;
  bool known, inside; /* whether there is an interval */
} setting;

/* A row that has an error, with its key. */
typedef struct keyed {
  const pm__lab_comparison *row;
  const pm__lab_setting_row *setting;
} keyed;

typedef struct study {
  keyed *rows;
  setting *settings; /* in the order of their first rows */
  size_t row_count, setting_count;
  pm__lab_comparisons compared; /* their medians, beside them */
} study;

static int by_key(const void *a, const void *b)
{
  const keyed *x = (const keyed *)a, *y = (const keyed *)b;
  int order = strcmp(x->setting->key, y->setting->key);
  if (order == 0) order = strcmp(x->row->group, y->row->group);
  return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static bool same_setting(const keyed *a, const keyed *b)
{
  return strcmp(a->setting->key, b->setting->key) == 0 && strcmp(a->row->group, b->row->group) == 0;
}

static int by_first(const void *a, const void *b)
{
  const setting *x = (const setting *)a, *y = (const setting *)b;
  return (x->first > y->first) - (x->first < y->first);
}

static void sort_rows(study *s, const pm__lab_comparisons *rows, const pm__lab_setting_row *settings)
{
  for (size_t i = 0; i < rows->count; i++)
    if (!isnan(rows->items[i].error)) s->rows[s->row_count++] = (keyed){&rows->items[i], &settings[i]};
  qsort(s->rows, s->row_count, sizeof *s->rows, by_key);
}

static setting setting_of(const keyed *rows, size_t count, double *room)
{
  const pm__lab_setting_row *own = rows[0].setting;
  setting out = {.first = rows[0].row, .own = own, .medians = *rows[0].row, .rows = (int32_t)count};
  for (size_t i = 0; i < count; i++) room[i] = rows[i].row->predicted;
  double predicted = pm__quantile(room, count, 0.5);
  for (size_t i = 0; i < count; i++) room[i] = rows[i].row->measured;
  out.medians.measured = pm__quantile(room, count, 0.5);
  pm__lab_comparison_set(&out.medians, predicted);
  out.known = !isnan(own->low) && !isnan(own->high);
  out.inside = out.medians.measured >= own->low && out.medians.measured <= own->high;
  return out;
}

static int find_settings(study *s, double *room, pm_error *error)
{
  for (size_t i = 0, count; i < s->row_count; i += count) {
    for (count = 1; i + count < s->row_count && same_setting(&s->rows[i], &s->rows[i + count]);) count++;
    s->settings[s->setting_count++] = setting_of(&s->rows[i], count, room);
  }
  qsort(s->settings, s->setting_count, sizeof *s->settings, by_first);
  for (size_t i = 0; i < s->setting_count; i++) {
    pm__lab_comparison *out = pm__lab_comparisons_add(&s->compared, error);
    if (out == NULL) return PM_STATUS_NO_MEMORY;
    *out = s->settings[i].medians;
  }
  return PM_OK;
}

/* ---- Lines ---- */

typedef struct line {
  char set[PM_TEXT_MAX], group[PM_TEXT_MAX];
  int32_t rows;
  double mape, median, p90, bias;
  int32_t settings;
  double covered, regret, rho;
} line;

static const pm_field line_fields[] = {
  PM__FIELD(line, TEXT, set, "set", "", "which measurements"),
  PM__FIELD_MAIN(line, TEXT, group, "group", "", "which of them"),
  PM__FIELD_MAIN(line, INT, rows, "rows", "1", "measurements compared"),
  PM__FIELD_MAIN(line, REAL, mape, "mape", "%", "mean of the absolute errors"),
  PM__FIELD_MAIN(line, REAL, median, "median", "%", "median of the absolute errors"),
  PM__FIELD(line, REAL, p90, "p90", "%", "90th percentile of the absolute errors"),
  PM__FIELD_MAIN(line, REAL, bias, "bias", "%", "mean of the signed errors; above 0: predicted too much"),
  PM__FIELD(line, INT, settings, "settings", "1", "different ones of the rows: the errors are of their medians"),
  PM__FIELD_MAIN(line, REAL, covered, "covered", "%", "settings within the 80 % interval of their prediction"),
  PM__FIELD_MAIN(line, REAL, regret, "regret", "%",
                 "best measured rate over that of the plan with the best lower bound, less 1"),
  PM__FIELD_MAIN(line, REAL, rho, "rank_correlation", "1", "Spearman's, of lower bounds with measured rates"),
};

static const pm_record_type line_type = PM__TYPE(line, line_fields);

static bool in_group(const pm__lab_comparison *row, const pm__lab_summary *group)
{
  return group == NULL || (strcmp(row->group, group->group) == 0 && strcmp(row->set, group->set) == 0);
}

/* Rows and coverage of a group, or of all (NULL). */
static void count_rows(const study *s, const pm__lab_summary *group, line *out)
{
  int known = 0, inside = 0;
  for (size_t i = 0; i < s->setting_count; i++) {
    const setting *own = &s->settings[i];
    if (!in_group(&own->medians, group)) continue;
    out->settings++;
    out->rows += own->rows;
    known += own->known;
    inside += own->known && own->inside;
  }
  out->covered = known > 0 ? 100.0 * inside / known : (double)NAN;
}

static line line_of(const study *s, const pm__lab_summary *group)
{
  line out = {.mape = group->mape, .median = group->median, .p90 = group->p90, .bias = group->bias,
              .regret = NAN, .rho = NAN};
  memcpy(out.set, group->set, sizeof out.set);
  memcpy(out.group, group->group, sizeof out.group);
  count_rows(s, group, &out);
  return out;
}

static void say_all(const study *s, pm__string *notes, double *room)
{
  line all = {.rows = 0};
  if (s->setting_count == 0) return;
  count_rows(s, NULL, &all);
  for (size_t i = 0; i < s->setting_count; i++) room[i] = s->settings[i].medians.error;
  pm__error_summary summary = pm__error_summary_of(room, s->setting_count);
  pm__string_format(notes, "%d rows are %d settings, whose errors are: mean %.1f %%, median %.1f %%, 90th percentile "
                           "%.1f %%",
                    all.rows, all.settings, summary.mape, summary.median, summary.p90);
  if (!isnan(all.covered)) pm__string_format(notes, "; the 80 %% interval holds %.0f %%", all.covered);
  pm__string_add(notes, "\n");
}

/* ---- Groups of plans ---- */

static size_t find_regrets(const study *s, pm__lab_plan *plans, pm__lab_regret *regrets)
{
  for (size_t i = 0; i < s->setting_count; i++) {
    const setting *own = &s->settings[i];
    bool time = own->own->time;
    plans[i] = (pm__lab_plan){own->own->plans, own->own->plan, time ? 1 / own->medians.measured : own->medians.measured,
                              time ? 1 / own->own->high : own->own->low};
  }
  return pm__lab_regrets_of(plans, s->setting_count, regrets);
}

static line line_of_plans(const pm__lab_regret *regret, const char *set)
{
  line out = {.rows = regret->plans, .mape = NAN, .median = NAN, .p90 = NAN, .bias = NAN, .settings = regret->plans,
              .covered = NAN, .regret = 100 * regret->regret, .rho = regret->rho};
  snprintf(out.set, sizeof out.set, "%.79s", set);
  snprintf(out.group, sizeof out.group, "%.79s", regret->group);
  return out;
}

/* ---- The table ---- */

static pm_table *lines_table(const study *s, const pm__lab_regret *regrets, size_t regret_count, pm_error *error)
{
  size_t count;
  pm__lab_summary *groups = pm__lab_comparisons_groups(&s->compared, &count, error);
  line *lines = groups != NULL ? (line *)calloc(count + regret_count + 1, sizeof *lines) : NULL;
  pm_table *table = NULL;
  if (groups != NULL && lines == NULL) pm__no_memory(error);
  for (size_t i = 0; lines != NULL && i < count; i++) lines[i] = line_of(s, &groups[i]);
  for (size_t i = 0; lines != NULL && i < regret_count; i++)
    lines[count + i] = line_of_plans(&regrets[i], s->compared.items[0].set);
  if (lines != NULL)
    table = pm__lab_table_with(pm_table_new(count + regret_count, error), &line_type, lines, error);
  if (regret_count == 0) pm_table_drop(table, "regret");
  if (regret_count == 0) pm_table_drop(table, "rank_correlation");
  free(lines);
  free(groups);
  return table;
}

static pm_table *table_with_regrets(const study *s, pm__string *notes, pm_error *error)
{
  pm_table *table = NULL;
  pm__lab_plan *plans = (pm__lab_plan *)calloc(s->setting_count + 1, sizeof *plans);
  pm__lab_regret *regrets = (pm__lab_regret *)calloc(s->setting_count + 1, sizeof *regrets);
  if (plans != NULL && regrets != NULL) {
    size_t count = find_regrets(s, plans, regrets);
    pm__lab_regrets_say(regrets, count, "dense", notes);
    pm__lab_regrets_say(regrets, count, "moe", notes);
    table = lines_table(s, regrets, count, error);
  } else pm__no_memory(error);
  free(plans);
  free(regrets);
  return table;
}

pm_table *pm__lab_settings_summary(const pm__lab_comparisons *rows, const pm__lab_setting_row *settings,
                                   pm__string *notes, pm_error *error)
{
  study s = {.rows = (keyed *)calloc(rows->count + 1, sizeof(keyed)),
             .settings = (setting *)calloc(rows->count + 1, sizeof(setting))};
  double *room = (double *)calloc(rows->count + 1, sizeof *room);
  bool enough = s.rows != NULL && s.settings != NULL && room != NULL;
  pm_table *table = NULL;
  if (enough) sort_rows(&s, rows, settings);
  int status = enough ? find_settings(&s, room, error) : pm__no_memory(error);
  if (status == PM_OK) say_all(&s, notes, room);
  if (status == PM_OK) table = table_with_regrets(&s, notes, error);
  free(s.rows);
  free(s.settings);
  free(s.compared.items);
  free(room);
  return table;
}
