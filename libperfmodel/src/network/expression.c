/*
** Integer expressions: "width*4", "(image+31)/32", "stride>1 || project".
**
** Values are whole numbers in doubles, exact below 2^53. Division rounds down, and % is what it leaves, so that
** a == a/b*b + a%b. `&&` and `||` do not evaluate what cannot matter any more.
*/
#include <math.h>
#include <string.h>
#include "network/definition.h"

enum { DEPTH_MAX = 64 };

/* 2^53 - 1: one more, and a sum that is too large could round to something allowed. */
static const double largest = 9007199254740991.0;

typedef struct parser {
  const char *text, *at;
  bool (*lookup)(const void *scope, const char *name, size_t length, double *value);
  const void *scope;
  int depth;
  int idle; /* above 0: the value cannot matter, so it may not fail either */
  int status;
  pm_error *error;
} parser;

static double read_or(parser *p);

static double fail(parser *p, const char *why)
{
  if (p->status == PM_OK) p->status = pm__fail(p->error, PM_STATUS_BAD_VALUE, "expression \"%.80s\" %s", p->text, why);
  return 0;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Moves behind `token` if it comes next. "<" is not the start of "<=". */
static bool accept(parser *p, const char *token)
{
  size_t length = strlen(token);
  while (*p->at == ' ') p->at++;
  if (p->status != PM_OK || strncmp(p->at, token, length) != 0) return false;
  if (length == 1 && strchr("<>!", token[0]) != NULL && p->at[1] == '=') return false;
  p->at += length;
  return true;
}

static double within(parser *p, double value)
{
  return fabs(value) <= largest ? value : p->idle > 0 ? 0 : fail(p, "is beyond 2^53");
}

static double read_number(parser *p)
{
  double value = 0;
  for (; is_digit(*p->at); p->at++) value = within(p, value * 10 + (*p->at - '0'));
  if (*p->at == '.' || is_letter(*p->at)) return fail(p, "is not made of whole numbers");
  return value;
}

static double read_name(parser *p)
{
  const char *name = p->at;
  double value = 0;
  while (is_letter(*p->at) || is_digit(*p->at)) p->at++;
  int length = (int)(p->at - name);
  if (p->lookup != NULL && p->lookup(p->scope, name, (size_t)length, &value)) return value;
  if (p->status == PM_OK)
    p->status = pm__fail(p->error, PM_STATUS_BAD_VALUE, "expression \"%.80s\": there is no parameter \"%.*s\"", p->text,
                         length < 60 ? length : 60, name);
  return 0;
}

static double read_primary(parser *p)
{
  while (*p->at == ' ') p->at++;
  if (p->status != PM_OK) return 0;
  if (is_digit(*p->at)) return read_number(p);
  if (is_letter(*p->at)) return read_name(p);
  if (accept(p, "(")) {
    double value = read_or(p);
    return accept(p, ")") ? value : fail(p, "lacks a closing parenthesis");
  }
  return fail(p, *p->at == '\0' ? "ends too early" : "cannot be read");
}

/* Every way down passes here, so here is where the depth is held. */
static double read_unary(parser *p)
{
  double value;
  if (++p->depth > DEPTH_MAX) return fail(p, "is nested too deeply");
  if (accept(p, "-")) value = -read_unary(p);
  else if (accept(p, "!")) value = read_unary(p) == 0;
  else value = read_primary(p);
  p->depth--;
  return value;
}

/* Rounds down. Within 2^53 a quotient that is no whole number cannot round to one. */
static double divide(parser *p, double a, double b, bool remainder)
{
  if (p->status != PM_OK) return 0;
  if (b == 0) return p->idle > 0 ? 0 : fail(p, "divides by zero");
  if (!remainder) return floor(a / b);
  double rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double read_product(parser *p)
{
  double value = read_unary(p);
  for (;;) {
    if (accept(p, "*")) value = within(p, value * read_unary(p));
    else if (accept(p, "/")) value = divide(p, value, read_unary(p), false);
    else if (accept(p, "%")) value = divide(p, value, read_unary(p), true);
    else return value;
  }
}

static double read_sum(parser *p)
{
  double value = read_product(p);
  for (;;) {
    if (accept(p, "+")) value = within(p, value + read_product(p));
    else if (accept(p, "-")) value = within(p, value - read_product(p));
    else return value;
  }
}

static double read_order(parser *p)
{
  double value = read_sum(p);
  if (accept(p, "<=")) return value <= read_sum(p);
  if (accept(p, ">=")) return value >= read_sum(p);
  if (accept(p, "<")) return value < read_sum(p);
  if (accept(p, ">")) return value > read_sum(p);
  return value;
}

static double read_equality(parser *p)
{
  double value = read_order(p);
  if (accept(p, "==")) return value == read_order(p);
  if (accept(p, "!=")) return value != read_order(p);
  return value;
}

static double read_and(parser *p)
{
  double value = read_equality(p);
  while (accept(p, "&&")) {
    bool idle = value == 0;
    p->idle += idle;
    double next = read_equality(p);
    p->idle -= idle;
    value = value != 0 && next != 0;
  }
  return value;
}

static double read_or(parser *p)
{
  double value = read_and(p);
  while (accept(p, "||")) {
    bool idle = value != 0;
    p->idle += idle;
    double next = read_and(p);
    p->idle -= idle;
    value = value != 0 || next != 0;
  }
  return value;
}

int pm__expression(const char *text, bool (*lookup)(const void *scope, const char *name, size_t length, double *value),
                   const void *scope, double *value, pm_error *error)
{
  parser p = {text, text, lookup, scope, 0, 0, PM_OK, error};
  double result = read_or(&p);
  while (p.status == PM_OK && *p.at == ' ') p.at++;
  if (p.status == PM_OK && *p.at != '\0') fail(&p, "cannot be read");
  if (p.status == PM_OK) *value = result + 0.0; /* no negative zero */
  return p.status;
}
