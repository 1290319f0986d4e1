/* Tables and notes of the documents' statements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/statements.h"

const char *pm__lab_statement_kind_name(int kind)
{
  static const char *const names[PM__STATEMENT_KINDS] = {"value",      "at-most",   "at-least",  "claim",
                                                    "shown",      "fact",      "duplicate", "elsewhere",
                                                    "undecided",  "unmodelled", "inconsistent"};
  return kind >= 0 && kind < PM__STATEMENT_KINDS ? names[kind] : NULL;
}

/* ---- Tables ---- */

bool pm__lab_statement_has_formula(const pm__lab_statement *s)
{
  return s->kind <= PM__STATEMENT_SHOWN;
}

bool pm__lab_statement_checked(const pm__lab_statement *s)
{
  return s->checks > 0 && s->reason[0] == '\0';
}

int pm__lab_statements_compare(const pm__lab_statements *all, pm__lab_comparisons *rows, pm_error *error)
{
  for (size_t i = 0; i < all->count; i++) {
    const pm__lab_statement *s = &all->items[i];
    pm__lab_comparison *out = pm__lab_comparisons_add(rows, error);
    if (out == NULL) return PM_STATUS_NO_MEMORY;
    snprintf(out->id, sizeof out->id, "%.79s", s->id);
    snprintf(out->group, sizeof out->group, "%.79s", s->group);
    snprintf(out->unit, sizeof out->unit, "%.79s", s->unit);
    snprintf(out->set, sizeof out->set, "%.79s", s->set);
    out->measured = s->kind == PM__STATEMENT_CLAIM ? (double)NAN : s->value;
    out->predicted = s->predicted;
    if (s->kind == PM__STATEMENT_VALUE) pm__lab_comparison_set(out, s->predicted);
  }
  return PM_OK;
}

static const char *holds_text(const pm__lab_statement *s)
{
  if (!pm__lab_statement_checked(s)) return "";
  return s->held == s->checks ? "yes" : "no";
}

/* What the row compares, or why it does not. */
static const char *note_of(const pm__lab_statement *s)
{
  if (s->reason[0] != '\0') return s->reason;
  return s->kind == PM__STATEMENT_CLAIM ? s->formula : s->remark; /* the remark of a claim is in the table itself */
}

static const char *kind_text(const pm__lab_statement *s)
{
  return pm__lab_statement_kind_name((int)s->kind);
}

static const char *constants_text(const pm__lab_statement *s)
{
  return s->constants;
}

typedef struct column {
  const char *name, *doc, *(*text)(const pm__lab_statement *s);
} column;

static int add_column(pm_table *table, const pm__lab_statements *all, const column *added, pm_error *error)
{
  const char **texts = (const char **)calloc(all->count + 1, sizeof *texts);
  if (texts == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < all->count; i++) texts[i] = added->text(&all->items[i]);
  int status = pm_table_add_text(table, added->name, added->doc, texts, error);
  free(texts);
  return status;
}

/* What is predicted without constants that rest on the rows themselves. */
typedef struct holdout {
  double predicted, error;
} holdout;

static const pm_field holdout_fields[] = {
  PM__FIELD(holdout, REAL, predicted, "holdout", "1",
            "predicted without constants that were fitted to rows of these documents, in `unit`"),
  PM__FIELD(holdout, REAL, error, "holdout_error", "%", "(holdout - measured) / measured"),
};

static const pm_record_type holdout_type = PM__TYPE(holdout, holdout_fields);

static int add_holdout(pm_table *table, const pm__lab_statements *all, pm_error *error)
{
  holdout *added = (holdout *)calloc(all->count + 1, sizeof *added);
  if (added == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < all->count; i++) {
    added[i].predicted = all->items[i].holdout;
    added[i].error = (added[i].predicted - all->items[i].value) / all->items[i].value * 100;
  }
  int status = pm_table_add_records(table, &holdout_type, added, error);
  free(added);
  return status;
}

pm_table *pm__lab_statements_table(const pm__lab_statements *all, const pm__lab_comparisons *rows, pm_error *error)
{
  pm_table *table = pm__lab_comparisons_table(rows, error);
  if (table == NULL) return NULL;
  static const column added[] = {
    {"holds", "whether a bound or all comparisons of a claim hold", holds_text},
    {"kind", "what the row is, or why it has no prediction", kind_text},
    {"constants", "the constants of the row's first prediction", constants_text},
    {"note", "comparisons of a claim; else a remark", note_of},
  };
  int status = add_holdout(table, all, error);
  for (size_t i = 0; i < sizeof added / sizeof added[0] && status == PM_OK; i++)
    status = add_column(table, all, &added[i], error);
  pm_table_set_show(table, "holds", PM_SHOW_MAIN);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

/* ---- Notes ---- */

/* The claims that do not hold, by name, as many as a line takes. */
static void write_broken(const pm__lab_statements *all, pm__string *out)
{
  size_t start = out->length, left = 0;
  pm__string_add(out, "do not hold:");
  for (size_t i = 0; i < all->count; i++) {
    const pm__lab_statement *s = &all->items[i];
    if (!pm__lab_statement_checked(s) || s->held == s->checks) continue;
    if (out->length - start > 400) left++;
    else pm__string_format(out, " %.60s", s->id);
  }
  if (left > 0) pm__string_format(out, " and %zu more", left);
  pm__string_add(out, "\n");
}

void pm__lab_statements_notes(const pm__lab_statements *all)
{
  pm__string *out = &all->context->notes;
  size_t claims = 0, hold = 0, count[PM__STATEMENT_KINDS] = {0};
  int checks = 0, held = 0;
  pm__lab_reasons reasons = {.count = 0};
  for (size_t i = 0; i < all->count; i++) {
    const pm__lab_statement *s = &all->items[i];
    count[s->kind]++;
    if (!pm__lab_statement_checked(s)) continue;
    claims++;
    hold += s->held == s->checks;
    checks += s->checks;
    held += s->held;
  }
  if (claims > 0)
    pm__string_format(out, "%zu of %zu claims and bounds hold (%d of %d comparisons)\n", hold, claims, held, checks);
  for (size_t i = 0; i < all->count; i++) {
    const pm__lab_statement *s = &all->items[i];
    bool failed = pm__lab_statement_has_formula(s) && s->reason[0] != '\0';
    if (failed && pm__lab_reasons_add(&reasons, s->reason, NULL) != PM_OK) out->failed = true;
  }
  if (hold < claims) write_broken(all, out);
  pm__lab_reasons_write(&reasons, out);
  pm__lab_reasons_free(&reasons);
  for (int k = PM__STATEMENT_FACT; k < PM__STATEMENT_KINDS; k++)
    if (count[k] > 0) pm__string_format(out, "not compared: %zu %s\n", count[k], pm__lab_statement_kind_name(k));
}
