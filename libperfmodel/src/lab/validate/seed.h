/* The documents' statements between their reading and evaluation (seeds.c) and their tables and notes (seed_tables.c). */
#ifndef PM_LAB_VALIDATE_SEED_H
#define PM_LAB_VALIDATE_SEED_H

#include "lab/validate/sets.h"
#include "lab/validate/values.h"

typedef enum pm__seed_kind {
  PM__SEED_VALUE,
  PM__SEED_AT_MOST,
  PM__SEED_AT_LEAST,
  PM__SEED_CLAIM,
  PM__SEED_SHOWN, /* the last with a formula */
  PM__SEED_FACT,
  PM__SEED_DUPLICATE,
  PM__SEED_ELSEWHERE,
  PM__SEED_UNDECIDED,
  PM__SEED_UNMODELLED,
  PM__SEED_INCONSISTENT,
  PM__SEED_KINDS
} pm__seed_kind;

typedef struct pm__seed {
  const char *id, *group, *set, *formula, *run, *remark, *unit;
  pm__seed_kind kind;
  double value;     /* to compare with, NAN if it is no number */
  double predicted; /* the formula; of a claim the left side of its first comparison */
  double others;    /* the same by constants of other rows alone, where the error counts */
  int checks, held; /* comparisons */
  bool done;
  char basis[256], reason[256]; /* why there is no prediction */
} pm__seed;

typedef struct pm__seeds {
  pm__task *task;
  pm__seed *items;
  size_t count;
  pm__values values;
} pm__seeds;

/* The name of a kind, as tables have it. */
const char *pm__seed_kind_name(int kind);

bool pm__seed_has_formula(const pm__seed *seed);

/* Whether a bound or claim was decided. */
bool pm__seed_checked(const pm__seed *seed);

/* Every row as a comparison, with its error where that counts. */
int pm__seeds_compare(const pm__seeds *all, pm__comparisons *rows, pm_error *error);

pm_table *pm__seeds_table(const pm__seeds *all, const pm__comparisons *rows, pm_error *error);

/* What holds, what does not, and what was not compared. */
void pm__seeds_notes(const pm__seeds *all);

#endif
