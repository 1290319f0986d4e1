/* What the source documents state: between reading and evaluation (statements.c) and tables (statements_table.c). */
#ifndef PM_LAB_VALIDATION_STATEMENTS_H
#define PM_LAB_VALIDATION_STATEMENTS_H

#include "validation/comparison.h"
#include "validation/values.h"

typedef enum pm__lab_statement_kind {
  PM__STATEMENT_VALUE,
  PM__STATEMENT_AT_MOST,
  PM__STATEMENT_AT_LEAST,
  PM__STATEMENT_CLAIM,
  PM__STATEMENT_SHOWN, /* the last with a formula */
  PM__STATEMENT_FACT,
  PM__STATEMENT_DUPLICATE,
  PM__STATEMENT_ELSEWHERE,
  PM__STATEMENT_UNDECIDED,
  PM__STATEMENT_UNMODELLED,
  PM__STATEMENT_INCONSISTENT,
  PM__STATEMENT_KINDS
} pm__lab_statement_kind;

typedef struct pm__lab_statement {
  const char *id, *group, *set, *formula, *run, *remark, *unit;
  pm__lab_statement_kind kind;
  double value;     /* to compare with, NAN if it is no number */
  double predicted; /* the formula; of a claim the left side of its first comparison */
  double holdout;   /* the same without constants that rest on these documents, where the error counts */
  int checks, held; /* comparisons */
  bool done;
  char constants[256], reason[256]; /* why there is no prediction */
} pm__lab_statement;

typedef struct pm__lab_statements {
  pm__lab_context *context;
  pm__lab_statement *items;
  size_t count;
  pm__lab_values values;
} pm__lab_statements;

/* Reads, predicts and compares all rows of the context's table, without the constants of `out` (holdout.h). To be
** closed, whatever comes of it. */
int pm__lab_statements_open(pm__lab_statements *all, pm__lab_context *context, pm__lab_holdout out,
                            pm__lab_comparisons *rows, pm_error *error);

/* Compares them again, after constants of the predictor's frameworks have changed. */
int pm__lab_statements_repeat(pm__lab_statements *all, pm__lab_comparisons *rows, pm_error *error);
void pm__lab_statements_close(pm__lab_statements *all, pm__lab_comparisons *rows);

/* The name of a kind, as tables have it. */
const char *pm__lab_statement_kind_name(int kind);

bool pm__lab_statement_has_formula(const pm__lab_statement *statement);

/* Whether a bound or claim was decided. */
bool pm__lab_statement_checked(const pm__lab_statement *statement);

/* Every row as a comparison, with its error where that counts. */
int pm__lab_statements_compare(const pm__lab_statements *all, pm__lab_comparisons *rows, pm_error *error);

pm_table *pm__lab_statements_table(const pm__lab_statements *all, const pm__lab_comparisons *rows, pm_error *error);

/* What holds, what does not, and what was not compared. */
void pm__lab_statements_notes(const pm__lab_statements *all);

#endif
