/*
** What the source documents state, one row each, beside predictions.
**
** A row has a formula over predictions of its run. Its kind says what becomes of it: of a `value` the error is counted;
** `at-most` and `at-least` hold or do not; a `claim` is one or more comparisons, separated by ';', all of which hold;
** `shown` is a value that some constant rests on, or that is not quite the same quantity, so that its error is not
** counted. The others have no formula, and a remark says why: `fact` (of hardware, arithmetic, accuracy), `duplicate`,
** `elsewhere` (another set), `undecided` (too vague, or not known how it was run), `unmodelled`, `inconsistent` (with
** physics, or with another row).
**
** The same table may hold rows of the user.
*/
#include "validation/statements.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "validation/formula.h"

/* ---- Reading ---- */

static int kind_of(const char *name)
{
  for (int i = 0; i < PM__STATEMENT_KINDS; i++)
    if (strcmp(pm__lab_statement_kind_name(i), name) == 0) return i;
  return -1;
}

static const char *cell(const pm__csv *table, size_t row, const char *title)
{
  return pm__csv_cell(table, row, pm__csv_column(table, title));
}

static int read_statement(const pm__lab_statements *all, size_t row, pm__lab_statement *out, pm_error *error)
{
  const pm__csv *table = all->context->table;
  const char *use = cell(table, row, "use"), *value = use[0] != '\0' ? use : cell(table, row, "value");
  int k = kind_of(cell(table, row, "kind"));
  if (k < 0)
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, all->context->file, (int)row + 1, "kind \"%.40s\" is unknown",
                       cell(table, row, "kind"));
  out->kind = (pm__lab_statement_kind)k;
  out->id = cell(table, row, "id");
  out->group = cell(table, row, "document");
  out->set = all->context->set;
  out->run = cell(table, row, "run");
  out->formula = cell(table, row, "formula");
  out->remark = cell(table, row, "remark");
  out->unit = cell(table, row, "unit");
  out->predicted = out->holdout = NAN;
  if (pm_number_parse(value, &out->value) != PM_OK) out->value = NAN;
  if (!pm__lab_statement_has_formula(out)) return PM_OK;
  if (out->formula[0] != '\0' && (out->kind == PM__STATEMENT_CLAIM || !isnan(out->value))) return PM_OK;
  return pm__fail_at(error, PM_STATUS_BAD_VALUE, all->context->file, (int)row + 1,
                     "row \"%.60s\" lacks a formula or a value",
                     out->id);
}

/* ---- Evaluating ---- */

static int evaluate(pm__lab_statements *all, pm__lab_statement *s, int depth, pm_error *error);

/* What the formulas of one row may name: the values of its run, and other rows. */
typedef struct scope {
  pm__lab_statements *all;
  int depth;
} scope;

enum { DEEPEST = 8 };

static int resolve(void *user, const char *name, const char *arguments, double *value, pm_error *error)
{
  const scope *in = (const scope *)user;
  pm__lab_statements *all = in->all;
  if (strcmp(name, "row") != 0) return pm__lab_values_resolve(&all->values, name, arguments, value, error);
  *value = NAN;
  for (size_t i = 0; i < all->count; i++) {
    if (strcmp(all->items[i].id, arguments) != 0) continue;
    if (!all->values.predicted) return PM_OK;
    if (in->depth >= DEEPEST) return pm__fail(error, PM_STATUS_BAD_VALUE, "row \"%.60s\" refers to itself", arguments);
    pm__lab_values kept = all->values;
    int status = evaluate(all, &all->items[i], in->depth + 1, error);
    all->values = kept;
    if (status == PM_OK) *value = all->items[i].predicted;
    if (all->values.constants[0] == '\0')
      memcpy(all->values.constants, all->items[i].constants, sizeof all->values.constants);
    return status;
  }
  return pm__fail(error, PM_STATUS_NOT_FOUND, "there is no row \"%.60s\"", arguments);
}

/* One formula, or one comparison of a claim. */
static int evaluate_one(pm__lab_statements *all, pm__lab_statement *s, const char *text, int depth, pm_error *error)
{
  scope in = {all, depth};
  pm__lab_formula out;
  int status = pm__lab_formula_evaluate(text, resolve, &in, &out, error);
  if (status != PM_OK) return status;
  if (s->kind != PM__STATEMENT_CLAIM) s->predicted = out.value;
  else if (s->checks == 0) s->predicted = out.left;
  if (s->kind == PM__STATEMENT_CLAIM && !out.compared)
    return pm__fail(error, PM_STATUS_BAD_SYNTAX, "\"%.80s\" compares nothing", text);
  s->checks += s->kind == PM__STATEMENT_CLAIM;
  s->held += s->kind == PM__STATEMENT_CLAIM && out.value == 1;
  return PM_OK;
}

static int evaluate(pm__lab_statements *all, pm__lab_statement *s, int depth, pm_error *error)
{
  char part[1400];
  int status = PM_OK;
  if (s->done) return s->reason[0] == '\0' ? PM_OK : pm__fail(error, PM_STATUS_NOT_FOUND, "%s", s->reason);
  all->values.run = s->run;
  all->values.constants[0] = '\0';
  s->checks = s->held = 0;
  for (const char *at = s->formula; *at != '\0' && status == PM_OK;) {
    size_t length = strcspn(at, ";");
    if (length >= sizeof part) return pm__fail(error, PM_STATUS_BAD_SYNTAX, "a formula of \"%.60s\" is too long",
                                               s->id);
    memcpy(part, at, length);
    part[length] = '\0';
    status = evaluate_one(all, s, part, depth, error);
    at += length + (at[length] == ';');
  }
  if (!all->values.predicted) return status;
  s->done = true;
  memcpy(s->constants, all->values.constants, sizeof s->constants);
  if (s->kind == PM__STATEMENT_AT_MOST || s->kind == PM__STATEMENT_AT_LEAST) {
    s->checks = 1;
    s->held = s->kind == PM__STATEMENT_AT_MOST ? s->predicted <= s->value : s->predicted >= s->value;
  }
  return status;
}

/* All rows once: a row that fails keeps the reason. Slips in the table itself are errors. */
static int evaluate_all(pm__lab_statements *all, pm_error *error)
{
  for (size_t i = 0; i < all->count; i++) {
    pm__lab_statement *s = &all->items[i];
    pm_error reason = PM_ERROR_NONE;
    if (!pm__lab_statement_has_formula(s) || s->reason[0] != '\0' || evaluate(all, s, 0, &reason) == PM_OK) continue;
    if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
    if (reason.status == PM_STATUS_BAD_SYNTAX)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, all->context->file, (int)i + 2, "%.300s", reason.text);
    snprintf(s->reason, sizeof s->reason, "%.255s", reason.text);
    s->predicted = NAN;
    s->done = all->values.predicted;
  }
  return PM_OK;
}

/* ---- The set ---- */

static int run_all(pm__lab_statements *all, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < all->count && status == PM_OK; i++) status = read_statement(all, i + 1, &all->items[i], error);
  if (status == PM_OK) status = evaluate_all(all, error);
  if (status == PM_OK) status = pm__lab_predictor_predict(all->values.predictor, error);
  all->values.predicted = true;
  return status == PM_OK ? evaluate_all(all, error) : status;
}

/* All rows predicted and compared; to be released with drop, whatever comes of it. */
static int compare(pm__lab_statements *all, pm__lab_comparisons *rows, pm_error *error)
{
  all->items = (pm__lab_statement *)calloc(all->count, sizeof *all->items);
  if (all->items == NULL) return pm__no_memory(error);
  all->values.predictor = pm__lab_predictor_new(all->context->catalog, all->values.out, error);
  int status = all->values.predictor == NULL ? PM_STATUS_NO_MEMORY : run_all(all, error);
  return status == PM_OK ? pm__lab_statements_compare(all, rows, error) : status;
}

static void drop(pm__lab_statements *all, pm__lab_comparisons *rows)
{
  pm__lab_predictor_free(all->values.predictor);
  free(all->items);
  free(rows->items);
}

int pm__lab_statements_repeat(pm__lab_statements *all, pm__lab_comparisons *rows, pm_error *error)
{
  int status = pm__lab_predictor_predict_again(all->values.predictor, SIZE_MAX);
  for (size_t i = 0; i < all->count; i++) all->items[i].done = false;
  if (status == PM_OK) status = evaluate_all(all, error);
  rows->count = 0;
  return status == PM_OK ? pm__lab_statements_compare(all, rows, error) : status;
}

/* ---- Without constants ---- */

static pm__lab_statements statements_without(pm__lab_context *context, pm__lab_holdout out)
{
  return (pm__lab_statements){context, NULL, context->table->rows - 1, {context->catalog, NULL, "", out, false, ""}};
}

int pm__lab_statements_open(pm__lab_statements *all, pm__lab_context *context, pm__lab_holdout out,
                            pm__lab_comparisons *rows, pm_error *error)
{
  static const char *const needed[] = {"id", "document", "value", "unit", "kind", "run", "formula"};
  *all = statements_without(context, out);
  *rows = (pm__lab_comparisons){NULL, 0, 0};
  int status = pm__lab_check_columns(context, needed, sizeof needed / sizeof needed[0], error);
  return status == PM_OK ? compare(all, rows, error) : status;
}

void pm__lab_statements_close(pm__lab_statements *all, pm__lab_comparisons *rows)
{
  drop(all, rows);
}

/* Says how near the rows of one document come by constants of the others, or all rows by those of none. */
static int say_without(pm__lab_statements *all, pm__lab_holdout out, pm_error *error)
{
  pm__lab_statements without = statements_without(all->context, out);
  pm__lab_comparisons rows = {NULL, 0, 0}, counted = {NULL, 0, 0};
  pm__string *notes = &all->context->notes;
  int status = compare(&without, &rows, error);
  for (size_t i = 0; i < rows.count && status == PM_OK; i++) {
    if (out[0] == '\0' && !isnan(rows.items[i].error)) all->items[i].holdout = rows.items[i].predicted;
    if (out[0] != '\0' && strcmp(rows.items[i].group, out) != 0) continue;
    pm__lab_comparison *next = pm__lab_comparisons_add(&counted, error);
    if (next != NULL) *next = rows.items[i];
    else status = PM_STATUS_NO_MEMORY;
  }
  if (out[0] == '\0') pm__string_add(notes, "all rows, without the constants that rest on these documents: ");
  else pm__string_format(notes, "%s, without the constants that rest on it: ", out);
  if (status == PM_OK) status = pm__lab_comparisons_say(&counted, notes, error);
  free(counted.items);
  drop(&without, &rows);
  return status;
}

/* The means of all rows with the constants as they are and with those of other rows alone, and of each document. */
static int say_all(pm__lab_statements *all, const pm__lab_comparisons *rows, pm_error *error)
{
  pm__string_add(&all->context->notes, "all rows: ");
  int status = pm__lab_comparisons_say(rows, &all->context->notes, error);
  if (status == PM_OK) status = say_without(all, "", error);
  for (size_t i = 0; i < all->count && status == PM_OK; i++)
    if (i == 0 || strcmp(all->items[i].group, all->items[i - 1].group) != 0)
      status = say_without(all, all->items[i].group, error);
  return status;
}

pm_table *pm__lab_validate_statements(pm__lab_context *context, pm_error *error)
{
  pm__lab_statements all;
  pm__lab_comparisons rows;
  pm_table *table = NULL;
  int status = pm__lab_statements_open(&all, context, NULL, &rows, error);
  if (status == PM_OK) pm__lab_statements_notes(&all);
  if (status == PM_OK && strcmp(context->set, "statements") == 0) status = say_all(&all, &rows, error);
  if (status == PM_OK && context->rows) table = pm__lab_statements_table(&all, &rows, error);
  else if (status == PM_OK) table = pm__lab_comparisons_summary(&rows, error);
  drop(&all, &rows);
  return table;
}
