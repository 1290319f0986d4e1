/*
** What the source documents state, one row each, beside predictions.
**
** A row has a formula over predictions of its run. Its kind says what becomes of it: of a `value` the error is counted;
** `at-most` and `at-least` hold or do not; a `claim` is one or more comparisons, parted by ';', that all have to hold;
** `shown` is a value that some constant rests on, or that is not quite the same quantity, so that its error is not
** counted. The others have no formula, and a remark says why: `fact` (of hardware, arithmetic, accuracy), `duplicate`,
** `elsewhere` (another set), `undecided` (too vague, or not known how it was run), `unmodelled`, `inconsistent` (with
** physics, or with another row).
**
** The same table may hold rows of one's own.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"
#include "validate/formula.h"
#include "validate/sets.h"
#include "validate/values.h"

typedef enum seed_kind {
  VALUE,
  AT_MOST,
  AT_LEAST,
  CLAIM,
  SHOWN, /* the last with a formula */
  FACT,
  DUPLICATE,
  ELSEWHERE,
  UNDECIDED,
  UNMODELLED,
  INCONSISTENT,
  KINDS
} seed_kind;

static const char *const kind_names[KINDS] = {"value", "at-most", "at-least", "claim", "shown", "fact", "duplicate",
                                              "elsewhere", "undecided", "unmodelled", "inconsistent"};

typedef struct seed {
  const char *id, *group, *set, *formula, *run, *remark, *unit;
  seed_kind kind;
  double value;     /* to compare with, NAN if it is no number */
  double predicted; /* the formula; of a claim the left side of its first comparison */
  double others;    /* the same by constants of other rows alone, where the error counts */
  int checks, held; /* comparisons */
  bool done;
  char basis[256], reason[256]; /* why there is no prediction */
} seed;

typedef struct seeds {
  pm__task *task;
  seed *items;
  size_t count;
  pm__values values;
} seeds;

/* ---- Reading ---- */

static int kind_of(const char *name)
{
  for (int i = 0; i < KINDS; i++)
    if (strcmp(kind_names[i], name) == 0) return i;
  return -1;
}

static bool has_formula(seed_kind k)
{
  return k <= SHOWN;
}

static const char *cell(const pm__csv *table, size_t row, const char *title)
{
  return pm__csv_cell(table, row, pm__csv_column(table, title));
}

static int read_seed(const seeds *all, size_t row, seed *out, pm_error *error)
{
  const pm__csv *table = all->task->table;
  const char *use = cell(table, row, "use"), *value = use[0] != '\0' ? use : cell(table, row, "value");
  int k = kind_of(cell(table, row, "kind"));
  if (k < 0)
    return pm__fail_at(error, PM_BAD_VALUE, all->task->file, (int)row + 1, "kind \"%.40s\" is unknown",
                       cell(table, row, "kind"));
  out->kind = (seed_kind)k;
  out->id = cell(table, row, "id");
  out->group = cell(table, row, "document");
  out->set = all->task->set;
  out->run = cell(table, row, "run");
  out->formula = cell(table, row, "formula");
  out->remark = cell(table, row, "remark");
  out->unit = cell(table, row, "unit");
  out->predicted = out->others = NAN;
  if (pm_number_parse(value, &out->value) != PM_OK) out->value = NAN;
  if (!has_formula(out->kind) || (out->formula[0] != '\0' && (out->kind == CLAIM || !isnan(out->value)))) return PM_OK;
  return pm__fail_at(error, PM_BAD_VALUE, all->task->file, (int)row + 1, "row \"%.60s\" lacks a formula or a value",
                     out->id);
}

/* ---- Evaluating ---- */

static int evaluate(seeds *all, seed *s, int depth, pm_error *error);

/* What the formulas of one row may name: the values of its run, and other rows. */
typedef struct scope {
  seeds *all;
  int depth;
} scope;

enum { DEEPEST = 8 };

static int resolve(void *user, const char *name, const char *arguments, double *value, pm_error *error)
{
  const scope *in = (const scope *)user;
  seeds *all = in->all;
  if (strcmp(name, "row") != 0) return pm__values_resolve(&all->values, name, arguments, value, error);
  *value = NAN;
  for (size_t i = 0; i < all->count; i++) {
    if (strcmp(all->items[i].id, arguments) != 0) continue;
    if (!all->values.predicted) return PM_OK;
    if (in->depth >= DEEPEST) return pm__fail(error, PM_BAD_VALUE, "row \"%.60s\" refers to itself", arguments);
    pm__values kept = all->values;
    int status = evaluate(all, &all->items[i], in->depth + 1, error);
    all->values = kept;
    if (status == PM_OK) *value = all->items[i].predicted;
    if (all->values.basis[0] == '\0') memcpy(all->values.basis, all->items[i].basis, sizeof all->values.basis);
    return status;
  }
  return pm__fail(error, PM_NOT_FOUND, "there is no row \"%.60s\"", arguments);
}

/* One formula, or one comparison of a claim. */
static int evaluate_one(seeds *all, seed *s, const char *text, int depth, pm_error *error)
{
  scope in = {all, depth};
  pm__formula out;
  int status = pm__formula_evaluate(text, resolve, &in, &out, error);
  if (status != PM_OK) return status;
  if (s->kind != CLAIM) s->predicted = out.value;
  else if (s->checks == 0) s->predicted = out.left;
  if (s->kind == CLAIM && !out.compared) return pm__fail(error, PM_BAD_SYNTAX, "\"%.80s\" compares nothing", text);
  s->checks += s->kind == CLAIM;
  s->held += s->kind == CLAIM && out.value == 1;
  return PM_OK;
}

static int evaluate(seeds *all, seed *s, int depth, pm_error *error)
{
  char part[1400];
  int status = PM_OK;
  if (s->done) return s->reason[0] == '\0' ? PM_OK : pm__fail(error, PM_NOT_FOUND, "%s", s->reason);
  all->values.run = s->run;
  all->values.basis[0] = '\0';
  s->checks = s->held = 0;
  for (const char *at = s->formula; *at != '\0' && status == PM_OK;) {
    size_t length = strcspn(at, ";");
    if (length >= sizeof part) return pm__fail(error, PM_BAD_SYNTAX, "a formula of \"%.60s\" is too long", s->id);
    memcpy(part, at, length);
    part[length] = '\0';
    status = evaluate_one(all, s, part, depth, error);
    at += length + (at[length] == ';');
  }
  if (!all->values.predicted) return status;
  s->done = true;
  memcpy(s->basis, all->values.basis, sizeof s->basis);
  if (s->kind == AT_MOST || s->kind == AT_LEAST) {
    s->checks = 1;
    s->held = s->kind == AT_MOST ? s->predicted <= s->value : s->predicted >= s->value;
  }
  return status;
}

/* All rows once: a row that fails keeps the reason. Slips in the table itself are errors. */
static int evaluate_all(seeds *all, pm_error *error)
{
  for (size_t i = 0; i < all->count; i++) {
    seed *s = &all->items[i];
    pm_error reason = PM_ERROR_NONE;
    if (!has_formula(s->kind) || s->reason[0] != '\0' || evaluate(all, s, 0, &reason) == PM_OK) continue;
    if (reason.status == PM_NO_MEMORY) return pm__no_memory(error);
    if (reason.status == PM_BAD_SYNTAX)
      return pm__fail_at(error, PM_BAD_SYNTAX, all->task->file, (int)i + 2, "%.300s", reason.text);
    snprintf(s->reason, sizeof s->reason, "%.255s", reason.text);
    s->predicted = NAN;
    s->done = all->values.predicted;
  }
  return PM_OK;
}

/* ---- Tables ---- */

static bool checked(const seed *s)
{
  return s->checks > 0 && s->reason[0] == '\0';
}

static int add_comparisons(const seeds *all, pm__comparisons *rows, pm_error *error)
{
  for (size_t i = 0; i < all->count; i++) {
    const seed *s = &all->items[i];
    pm__comparison *out = pm__comparisons_add(rows, error);
    if (out == NULL) return PM_NO_MEMORY;
    snprintf(out->id, sizeof out->id, "%.79s", s->id);
    snprintf(out->group, sizeof out->group, "%.79s", s->group);
    snprintf(out->unit, sizeof out->unit, "%.79s", s->unit);
    snprintf(out->set, sizeof out->set, "%.79s", s->set);
    out->measured = s->kind == CLAIM ? (double)NAN : s->value;
    out->predicted = s->predicted;
    if (s->kind == VALUE) pm__comparison_set(out, s->predicted);
  }
  return PM_OK;
}

static const char *holds_text(const seed *s)
{
  if (!checked(s)) return "";
  return s->held == s->checks ? "yes" : "no";
}

/* What the row compares, or why it does not. */
static const char *note_of(const seed *s)
{
  if (s->reason[0] != '\0') return s->reason;
  return s->kind == CLAIM ? s->formula : s->remark; /* the remark of a claim is in the table itself */
}

static const char *kind_text(const seed *s)
{
  return kind_names[s->kind];
}

static const char *basis_text(const seed *s)
{
  return s->basis;
}

typedef struct column {
  const char *name, *doc, *(*text)(const seed *s);
} column;

static int add_column(pm_table *table, const seeds *all, const column *added, pm_error *error)
{
  const char **texts = (const char **)calloc(all->count + 1, sizeof *texts);
  if (texts == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < all->count; i++) texts[i] = added->text(&all->items[i]);
  int status = pm_table_add_text(table, added->name, added->doc, texts, error);
  free(texts);
  return status;
}

/* What constants of other rows alone predict. */
typedef struct other {
  double others, others_error;
} other;

static const pm_field other_fields[] = {
  {"others", "1", "predicted without constants that were fitted to rows of these documents, in `unit`",
   offsetof(other, others), PM_FIELD_REAL, NULL},
  {"others_error", "%", "(others - measured) / measured", offsetof(other, others_error), PM_FIELD_REAL, NULL},
};

static const pm_record_type other_type = {"other", "", sizeof(other), other_fields, 2};

static int add_others(pm_table *table, const seeds *all, pm_error *error)
{
  other *added = (other *)calloc(all->count + 1, sizeof *added);
  if (added == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < all->count; i++) {
    added[i].others = all->items[i].others;
    added[i].others_error = (added[i].others - all->items[i].value) / all->items[i].value * 100;
  }
  int status = pm_table_add_records(table, &other_type, added, error);
  free(added);
  return status;
}

static pm_table *rows_table(const seeds *all, const pm__comparisons *rows, pm_error *error)
{
  pm_table *table = pm__comparisons_table(rows, error);
  if (table == NULL) return NULL;
  static const column added[] = {
    {"holds", "whether a bound or all comparisons of a claim hold", holds_text},
    {"kind", "what the row is, or why it has no prediction", kind_text},
    {"basis", "the constants of the row's first prediction", basis_text},
    {"note", "comparisons of a claim; else a remark", note_of},
  };
  int status = add_others(table, all, error);
  for (size_t i = 0; i < sizeof added / sizeof added[0] && status == PM_OK; i++)
    status = add_column(table, all, &added[i], error);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

/* ---- Notes ---- */

/* The claims that do not hold, by name, as many as a line takes. */
static void write_broken(const seeds *all, pm__string *out)
{
  size_t start = out->length, left = 0;
  pm__string_add(out, "do not hold:");
  for (size_t i = 0; i < all->count; i++) {
    const seed *s = &all->items[i];
    if (!checked(s) || s->held == s->checks) continue;
    if (out->length - start > 400) left++;
    else pm__string_format(out, " %.60s", s->id);
  }
  if (left > 0) pm__string_format(out, " and %zu more", left);
  pm__string_add(out, "\n");
}

static void write_notes(const seeds *all)
{
  pm__string *out = &all->task->notes;
  size_t claims = 0, hold = 0, count[KINDS] = {0};
  int checks = 0, held = 0;
  pm__tally reasons = {NULL, 0, 0};
  for (size_t i = 0; i < all->count; i++) {
    const seed *s = &all->items[i];
    count[s->kind]++;
    if (!checked(s)) continue;
    claims++;
    hold += s->held == s->checks;
    checks += s->checks;
    held += s->held;
  }
  if (claims > 0)
    pm__string_format(out, "%zu of %zu claims and bounds hold (%d of %d comparisons)\n", hold, claims, held, checks);
  for (size_t i = 0; i < all->count; i++) {
    const seed *s = &all->items[i];
    if (has_formula(s->kind) && s->reason[0] != '\0') pm__tally_add(&reasons, s->reason, NULL);
  }
  if (hold < claims) write_broken(all, out);
  pm__tally_write(&reasons, out);
  pm__tally_free(&reasons);
  for (int k = FACT; k < KINDS; k++)
    if (count[k] > 0) pm__string_format(out, "not compared: %zu %s\n", count[k], kind_names[k]);
}

/* ---- The set ---- */

static int run_all(seeds *all, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < all->count && status == PM_OK; i++) status = read_seed(all, i + 1, &all->items[i], error);
  if (status == PM_OK) status = evaluate_all(all, error);
  if (status == PM_OK) status = pm__bench_predict(all->values.bench, error);
  all->values.predicted = true;
  return status == PM_OK ? evaluate_all(all, error) : status;
}

/* All rows predicted and compared; to be released with drop, whatever comes of it. */
static int compare(seeds *all, pm__comparisons *rows, pm_error *error)
{
  all->items = (seed *)calloc(all->count, sizeof *all->items);
  if (all->items == NULL) return pm__no_memory(error);
  all->values.bench = pm__bench_new(all->task->catalog, all->values.out, error);
  int status = all->values.bench == NULL ? PM_NO_MEMORY : run_all(all, error);
  return status == PM_OK ? add_comparisons(all, rows, error) : status;
}

static void drop(seeds *all, pm__comparisons *rows)
{
  pm__bench_free(all->values.bench);
  free(all->items);
  free(rows->items);
}

/* ---- Without constants ---- */

static seeds seeds_without(pm__task *task, pm__left_out out)
{
  return (seeds){task, NULL, task->table->rows - 1, {task->catalog, NULL, "", out, false, ""}};
}

/* Says how near the rows of one document come by constants of the others, or all rows by those of none. */
static int say_without(seeds *all, pm__left_out out, pm_error *error)
{
  seeds without = seeds_without(all->task, out);
  pm__comparisons rows = {NULL, 0, 0}, counted = {NULL, 0, 0};
  pm__string *notes = &all->task->notes;
  int status = compare(&without, &rows, error);
  for (size_t i = 0; i < rows.count && status == PM_OK; i++) {
    if (out[0] == '\0' && !isnan(rows.items[i].error)) all->items[i].others = rows.items[i].predicted;
    if (out[0] != '\0' && strcmp(rows.items[i].group, out) != 0) continue;
    pm__comparison *next = pm__comparisons_add(&counted, error);
    if (next != NULL) *next = rows.items[i];
    else status = PM_NO_MEMORY;
  }
  if (out[0] == '\0') pm__string_add(notes, "all rows, without the constants that rest on these documents: ");
  else pm__string_format(notes, "%s, without the constants that rest on it: ", out);
  if (status == PM_OK) status = pm__comparisons_say(&counted, notes, error);
  free(counted.items);
  drop(&without, &rows);
  return status;
}

/* The means of all rows: with the constants as they are, with those of other rows alone, and each document by itself. */
static int say_all(seeds *all, const pm__comparisons *rows, pm_error *error)
{
  pm__string_add(&all->task->notes, "all rows: ");
  int status = pm__comparisons_say(rows, &all->task->notes, error);
  if (status == PM_OK) status = say_without(all, "", error);
  for (size_t i = 0; i < all->count && status == PM_OK; i++)
    if (i == 0 || strcmp(all->items[i].group, all->items[i - 1].group) != 0)
      status = say_without(all, all->items[i].group, error);
  return status;
}

pm_table *pm__validate_seeds(pm__task *task, pm_error *error)
{
  static const char *const needed[] = {"id", "document", "value", "unit", "kind", "run", "formula"};
  seeds all = seeds_without(task, NULL);
  pm__comparisons rows = {NULL, 0, 0};
  pm_table *table = NULL;
  int status = pm__task_columns(task, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) status = compare(&all, &rows, error);
  if (status == PM_OK) write_notes(&all);
  if (status == PM_OK && strcmp(task->set, "seeds") == 0) status = say_all(&all, &rows, error);
  if (status == PM_OK) table = task->rows ? rows_table(&all, &rows, error) : pm__comparisons_summary(&rows, error);
  drop(&all, &rows);
  return table;
}
