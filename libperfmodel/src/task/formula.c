/* Formulas of fields: found by name, and their expressions read. */
#include "task/formula.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Found ---- */

/* Copies up to the next bar, and moves behind it. */
static void take(const char **at, char *part, size_t size)
{
  size_t length = strcspn(*at, "|");
  snprintf(part, size, "%.*s", (int)length, *at);
  *at += length + ((*at)[length] == '|');
}

static bool find_in(const char *const *list, const char *field, pm__task_formula *out)
{
  size_t length = strlen(field);
  for (; *list != NULL; list++) {
    const char *at = *list;
    if (strncmp(at, field, length) != 0 || at[length] != '|') continue;
    take(&at, out->field, sizeof out->field);
    out->exact = at[0] == '=';
    at += out->exact ? 2 : 0;
    take(&at, out->text, sizeof out->text);
    take(&at, out->inputs, sizeof out->inputs);
    take(&at, out->page, sizeof out->page);
    take(&at, out->like, sizeof out->like);
    return true;
  }
  return false;
}

bool pm__task_formula_find(const pm__task *task, const char *field, pm__task_formula *out)
{
  return find_in(task->formulas, field, out) || find_in(pm__task_formulas_of_energy, field, out);
}

/* ---- Names ---- */

static bool is_name(char c)
{
  return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_' || c == '.';
}

bool pm__task_formula_next(const char **at, char name[PM__TASK_FORMULA_NAME])
{
  const char *c = *at;
  for (;;) {
    while (*c != '\0' && !islower((unsigned char)*c)) c++;
    if (strncmp(c, "ceil(", 5) != 0) break;
    c += 5;
  }
  size_t length = 0;
  while (is_name(c[length])) length++;
  snprintf(name, PM__TASK_FORMULA_NAME, "%.*s", (int)length, c);
  *at = c + length;
  return length > 0;
}

int pm__task_formula_terms(const pm__task_formula *formula, char names[PM__TASK_PARTS][PM__TASK_FORMULA_NAME])
{
  int count = 0;
  const char *at = formula->text;
  if (!formula->exact || strpbrk(at, "-*/(") != NULL || strchr(at, '+') == NULL) return 0;
  while (count < PM__TASK_PARTS && pm__task_formula_next(&at, names[count])) count++;
  return count;
}

/* ---- Values ---- */

typedef struct parser {
  const char *at;
  double (*value)(const void *of, const char *name);
  const void *of;
} parser;

static double read_sum(parser *p);

static bool accept(parser *p, const char *token)
{
  while (*p->at == ' ') p->at++;
  size_t length = strlen(token);
  if (strncmp(p->at, token, length) != 0) return false;
  p->at += length;
  return true;
}

static double read_one(parser *p)
{
  char *end, name[PM__TASK_FORMULA_NAME];
  bool whole = accept(p, "ceil(");
  if (whole || accept(p, "(")) {
    double value = read_sum(p);
    return accept(p, ")") ? (whole ? ceil(value) : value) : (double)NAN;
  }
  if (islower((unsigned char)*p->at)) return pm__task_formula_next(&p->at, name) ? p->value(p->of, name) : (double)NAN;
  double number = (double)strtol(p->at, &end, 10);
  if (end == p->at) return NAN;
  p->at = end;
  return number;
}

static double read_product(parser *p)
{
  double value = read_one(p);
  for (;;) {
    if (accept(p, "*")) value *= read_one(p);
    else if (accept(p, "/")) value /= read_one(p);
    else return value;
  }
}

static double read_sum(parser *p)
{
  double value = read_product(p);
  for (;;) {
    if (accept(p, "+")) value += read_product(p);
    else if (accept(p, "-")) value -= read_product(p);
    else return value;
  }
}

double pm__task_formula_evaluate(const char *text, double (*value)(const void *of, const char *name), const void *of)
{
  parser p = {text, value, of};
  double result = read_sum(&p);
  return *p.at == '\0' ? result : (double)NAN;
}
