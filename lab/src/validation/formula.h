/*
** Formulas over predictions: numbers, + - * /, parentheses, names, comparisons (chained: 0.9 <= a / b <= 1.1), `and`,
** and the functions min, max, mean, abs and floor. What a name stands for, with or without arguments in parentheses, is
** the caller's business.
*/
#ifndef PM_LAB_VALIDATION_FORMULA_H
#define PM_LAB_VALIDATION_FORMULA_H

#include "base/base.h"

enum { PM__NAME_LONGEST = 64 };

/* The value of `name`; `arguments` is the text between its parentheses, "" if there are none. */
typedef int pm__lab_formula_value(void *user, const char *name, const char *arguments, double *value, pm_error *error);

typedef struct pm__lab_formula {
  double value; /* of a comparison 1 (holds) or 0 */
  bool compared;
  double left, right; /* of the first comparison outside parentheses; changed about if the left is a bare number */
} pm__lab_formula;

int pm__lab_formula_evaluate(const char *text, pm__lab_formula_value *resolve, void *user, pm__lab_formula *out,
                             pm_error *error);

#endif
