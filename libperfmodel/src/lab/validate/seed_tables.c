/* Tables and notes of the documents' statements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab/validate/seed.h"

const char *pm__seed_kind_name(int kind)
{
  static const char *const names[PM__SEED_KINDS] = {"value",      "at-most",   "at-least",  "claim",
                                                    "shown",      "fact",      "duplicate", "elsewhere",
                                                    "undecided",  "unmodelled", "inconsistent"};
  return kind >= 0 && kind < PM__SEED_KINDS ? names[kind] : NULL;
}

/* ---- Tables ---- */

bool pm__seed_has_formula(const pm__seed *s)
{
  return s->kind <= PM__SEED_SHOWN;
}

bool pm__seed_checked(const pm__seed *s)
{
  return s->checks > 0 && s->reason[0] == '\0';
}

int pm__seeds_compare(const pm__seeds *all, pm__comparisons *rows, pm_error *error)
{
  for (size_t i = 0; i < all->count; i++) {
    const pm__seed *s = &all->items[i];
    pm__comparison *out = pm__comparisons_add(rows, error);
    if (out == NULL) return PM_NO_MEMORY;
    snprintf(out->id, sizeof out->id, "%.79s", s->id);
    snprintf(out->group, sizeof out->group, "%.79s", s->group);
    snprintf(out->unit, sizeof out->unit, "%.79s", s->unit);
    snprintf(out->set, sizeof out->set, "%.79s", s->set);
    out->measured = s->kind == PM__SEED_CLAIM ? (double)NAN : s->value;
    out->predicted = s->predicted;
    if (s->kind == PM__SEED_VALUE) pm__comparison_set(out, s->predicted);
  }
  return PM_OK;
}

static const char *holds_text(const pm__seed *s)
{
  if (!pm__seed_checked(s)) return "";
  return s->held == s->checks ? "yes" : "no";
}

/* What the row compares, or why it does not. */
static const char *note_of(const pm__seed *s)
{
  if (s->reason[0] != '\0') return s->reason;
  return s->kind == PM__SEED_CLAIM ? s->formula : s->remark; /* the remark of a claim is in the table itself */
}

static const char *kind_text(const pm__seed *s)
{
  return pm__seed_kind_name((int)s->kind);
}

static const char *basis_text(const pm__seed *s)
{
  return s->basis;
}

typedef struct column {
  const char *name, *doc, *(*text)(const pm__seed *s);
} column;

static int add_column(pm_table *table, const pm__seeds *all, const column *added, pm_error *error)
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

static int add_others(pm_table *table, const pm__seeds *all, pm_error *error)
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

pm_table *pm__seeds_table(const pm__seeds *all, const pm__comparisons *rows, pm_error *error)
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
static void write_broken(const pm__seeds *all, pm__string *out)
{
  size_t start = out->length, left = 0;
  pm__string_add(out, "do not hold:");
  for (size_t i = 0; i < all->count; i++) {
    const pm__seed *s = &all->items[i];
    if (!pm__seed_checked(s) || s->held == s->checks) continue;
    if (out->length - start > 400) left++;
    else pm__string_format(out, " %.60s", s->id);
  }
  if (left > 0) pm__string_format(out, " and %zu more", left);
  pm__string_add(out, "\n");
}

void pm__seeds_notes(const pm__seeds *all)
{
  pm__string *out = &all->task->notes;
  size_t claims = 0, hold = 0, count[PM__SEED_KINDS] = {0};
  int checks = 0, held = 0;
  pm__tally reasons = {NULL, 0, 0};
  for (size_t i = 0; i < all->count; i++) {
    const pm__seed *s = &all->items[i];
    count[s->kind]++;
    if (!pm__seed_checked(s)) continue;
    claims++;
    hold += s->held == s->checks;
    checks += s->checks;
    held += s->held;
  }
  if (claims > 0)
    pm__string_format(out, "%zu of %zu claims and bounds hold (%d of %d comparisons)\n", hold, claims, held, checks);
  for (size_t i = 0; i < all->count; i++) {
    const pm__seed *s = &all->items[i];
    if (pm__seed_has_formula(s) && s->reason[0] != '\0') pm__tally_add(&reasons, s->reason, NULL);
  }
  if (hold < claims) write_broken(all, out);
  pm__tally_write(&reasons, out);
  pm__tally_free(&reasons);
  for (int k = PM__SEED_FACT; k < PM__SEED_KINDS; k++)
    if (count[k] > 0) pm__string_format(out, "not compared: %zu %s\n", count[k], pm__seed_kind_name(k));
}
