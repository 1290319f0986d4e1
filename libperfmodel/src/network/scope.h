/* The parameters that an element sees, and texts evaluated with them. */
#ifndef PM_NETWORK_SCOPE_H
#define PM_NETWORK_SCOPE_H

#include "base/base.h"

/* A list, innermost first; NULL is the empty scope. */
typedef struct pm__binding {
  const char *name;
  double value; /* whole, below 2^53 */
  const struct pm__binding *next;
} pm__binding;

const pm__binding *pm__scope_find(const pm__binding *scope, const char *name, size_t length);

/* The value of an expression. */
int pm__scope_number(const pm__binding *scope, const char *text, double *value, pm_error *error);

/* The value of a parameter: such an expression, or the name of a value of a switch: no, yes, auto. */
int pm__scope_value(const pm__binding *scope, const char *text, double *value, pm_error *error);

/* A name with each {expression} replaced by its value: the text itself, or in the arena; NULL on an error. */
const char *pm__scope_expand(const pm__binding *scope, const char *text, pm__arena *arena, pm_error *error);

/* An attribute's value as a layer takes it: in a list of pieces, numbers and words that are no parameters stay as they
** are, everything else is an expression. The text itself, or in the arena; NULL on an error. */
const char *pm__scope_attribute(const pm__binding *scope, const char *text, pm__arena *arena, pm_error *error);

/* Whether the text is a word: letters, digits and '_', no digit first. */
bool pm__is_word(const char *text, size_t length);

#endif
