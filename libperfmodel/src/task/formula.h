/*
** How each field of an answer comes about: one text for each, beside the table of the fields, which says what they are.
**
**     "mfu|= flop_rate / peak||model.md#efficiency-prediction-interval|throughput"
**      field, formula, further inputs, page of docs/, field whose interval is as wide
**
** A formula that begins with = is exact: names, numbers, + - * / ( ) and ceil(x); unit_tests formula evaluates every
** one and compares it with the field. Any other is a sentence. Names are fields of the answer or of the run; with a dot
** of what stands before it (study/named.c): "gpu.memory_bandwidth", "framework.kernel_time", "model.parameters".
*/
#ifndef PM_TASK_FORMULA_H
#define PM_TASK_FORMULA_H

#include "task/task.h"

enum { PM__TASK_FORMULA_NAME = 48, PM__TASK_FORMULA_TEXT = 400 };

typedef struct pm__task_formula {
  char field[PM__TASK_FORMULA_NAME], like[PM__TASK_FORMULA_NAME], page[2 * PM__TASK_FORMULA_NAME];
  char text[PM__TASK_FORMULA_TEXT], inputs[PM__TASK_FORMULA_TEXT];
  bool exact; /* the text is an expression */
} pm__task_formula;

/* Of each task, and of energy in every answer; the list ends with NULL. */
extern const char *const pm__task_formulas_of_training[], *const pm__task_formulas_of_inference[],
  *const pm__task_formulas_of_serving[], *const pm__task_formulas_of_energy[];

/* That of a field of the task's answers; false without one. */
bool pm__task_formula_find(const pm__task *task, const char *field, pm__task_formula *out);

/* Moves *at behind the next name of an expression or list, which it copies; what stands before is what *at was. False:
** there is none. */
bool pm__task_formula_next(const char **at, char name[PM__TASK_FORMULA_NAME]);

/* The value of an expression, with those of its names; NAN if it cannot be read. */
double pm__task_formula_evaluate(const char *text, double (*value)(const void *of, const char *name), const void *of);

/* The fields of which an expression is the plain sum: as many as there are, at most PM__TASK_PARTS; 0: it is none. */
int pm__task_formula_terms(const pm__task_formula *formula, char names[PM__TASK_PARTS][PM__TASK_FORMULA_NAME]);

#endif
