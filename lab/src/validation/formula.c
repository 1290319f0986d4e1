/* Formulas by recursive descent. */
#include "validation/formula.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32, LONGEST = 400 };

typedef struct parser {
  const char *text, *at;
  pm__lab_formula_value *resolve;
  void *user;
  pm__lab_formula *out;
  pm_error *error;
  int depth, status;
  int names; /* met so far */
} parser;

static double comparison(parser *p);

static double wrong(parser *p, const char *what)
{
  if (p->status == PM_OK)
    p->status = pm__fail(p->error, PM_STATUS_BAD_SYNTAX, "\"%.120s\": %s at \"%.40s\"", p->text, what, p->at);
  return (double)NAN;
}

static void skip(parser *p)
{
  while (*p->at == ' ' || *p->at == '\n') p->at++;
}

static bool take(parser *p, const char *sign)
{
  skip(p);
  size_t length = strlen(sign);
  if (strncmp(p->at, sign, length) != 0) return false;
  p->at += length;
  return true;
}

static double sum_of(parser *p);

/* ---- Functions and names ---- */

typedef struct fold {
  double least, most, sum;
  int count;
} fold;

static fold read_list(parser *p)
{
  fold all = {INFINITY, -INFINITY, 0, 0};
  do {
    double value = sum_of(p);
    all.least = value < all.least ? value : all.least;
    all.most = value > all.most ? value : all.most;
    all.sum += value;
    all.count++;
  } while (p->status == PM_OK && take(p, ","));
  if (p->status == PM_OK && !take(p, ")")) wrong(p, "a list has no end");
  return all;
}

/* The text up to the parenthesis that closes it. */
static bool take_arguments(parser *p, char *arguments)
{
  int open = 1;
  const char *start = p->at;
  for (; *p->at != '\0'; p->at++) {
    open += (*p->at == '(') - (*p->at == ')');
    if (open == 0) break;
  }
  size_t length = (size_t)(p->at - start);
  if (*p->at == '\0' || length >= LONGEST) return false;
  memcpy(arguments, start, length);
  arguments[length] = '\0';
  p->at++;
  return true;
}

static double call(parser *p, const char *name)
{
  char arguments[LONGEST] = "";
  double value = (double)NAN;
  bool listed = *p->at == '(';
  if (listed) p->at++;
  if (listed && strcmp(name, "min") == 0) return read_list(p).least;
  if (listed && strcmp(name, "max") == 0) return read_list(p).most;
  if (listed && strcmp(name, "abs") == 0) return fabs(read_list(p).sum);
  if (listed && strcmp(name, "floor") == 0) return floor(read_list(p).sum);
  if (listed && strcmp(name, "mean") == 0) {
    fold all = read_list(p);
    return all.sum / all.count;
  }
  if (listed && !take_arguments(p, arguments)) return wrong(p, "parentheses do not match");
  p->names++;
  p->status = p->resolve(p->user, name, arguments, &value, p->error);
  return value;
}

static double name_of(parser *p)
{
  char name[PM__NAME_LONGEST];
  size_t length = 0;
  while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_') length++;
  if (length >= sizeof name) return wrong(p, "a name is too long");
  memcpy(name, p->at, length);
  name[length] = '\0';
  p->at += length;
  return call(p, name);
}

/* ---- Arithmetic ---- */

static double primary(parser *p)
{
  double value;
  skip(p);
  if (p->status != PM_OK) return (double)NAN;
  if (take(p, "-")) return -primary(p);
  if (take(p, "(")) {
    if (++p->depth > DEEPEST) return wrong(p, "too many parentheses");
    value = comparison(p);
    p->depth--;
    return take(p, ")") ? value : wrong(p, "a parenthesis is missing");
  }
  if (isalpha((unsigned char)*p->at)) return name_of(p);
  if (pm__number_scan(&p->at, 0, &value) != PM_OK) return wrong(p, "a number or a name is missing");
  return value;
}

static double product_of(parser *p)
{
  double value = primary(p);
  while (p->status == PM_OK) {
    if (take(p, "*")) value *= primary(p);
    else if (take(p, "/")) value /= primary(p);
    else break;
  }
  return value;
}

static double sum_of(parser *p)
{
  double value = product_of(p);
  while (p->status == PM_OK) {
    if (take(p, "+")) value += product_of(p);
    else if (take(p, "-")) value -= product_of(p);
    else break;
  }
  return value;
}

/* ---- Comparisons ---- */

static bool take_comparison(parser *p, const char **sign)
{
  static const char *const signs[] = {"<=", ">=", "<", ">"};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (take(p, signs[i])) return *sign = signs[i], true;
  return false;
}

static bool holds(double left, const char *sign, double right)
{
  if (isnan(left) || isnan(right)) return false;
  if (left == right) return sign[1] == '=';
  return sign[0] == '<' ? left < right : left > right;
}

/* The value of a sum, or whether a chain of comparisons holds. */
static double chain(parser *p)
{
  const char *sign;
  int names = p->names;
  double left = sum_of(p), value = left;
  bool first = true, good = true, plain = p->names == names; /* a bare number, the bound of what comes next */
  while (p->status == PM_OK && take_comparison(p, &sign)) {
    double right = sum_of(p);
    good = good && holds(left, sign, right);
    if (first && p->depth == 0 && !p->out->compared) {
      p->out->compared = true;
      p->out->left = plain ? right : left;
      p->out->right = plain ? left : right;
    }
    first = false;
    left = right;
    value = good;
  }
  return value;
}

static double comparison(parser *p)
{
  double value = chain(p);
  while (p->status == PM_OK && take(p, "and")) {
    double other = chain(p);
    value = value != 0 && other != 0;
  }
  return value;
}

int pm__lab_formula_evaluate(const char *text, pm__lab_formula_value *resolve, void *user, pm__lab_formula *out,
                             pm_error *error)
{
  parser p = {text, text, resolve, user, out, error, 0, PM_OK, 0};
  out->compared = false;
  out->left = out->right = NAN;
  out->value = comparison(&p);
  skip(&p);
  if (p.status == PM_OK && *p.at != '\0') wrong(&p, "something is left");
  return p.status;
}
