/*
** JSON, read from front to back: nothing is built, so that a trace of hundreds of megabytes costs its text alone.
**
**     pm__json json = pm__json_open(text, file, error);
**     char key[40];
**     for (pm__json_enter(&json, '{'); pm__json_next_key(&json, key, sizeof key);)
**       if (strcmp(key, "size") == 0) size = pm__json_number(&json);
**       else pm__json_skip(&json);
**     if (json.failed) return PM_STATUS_BAD_SYNTAX;
**
** The first mistake ends the reading: every function then returns nothing, and the error names file, line and column.
*/
#ifndef PM_BASE_JSON_H
#define PM_BASE_JSON_H

#include "base/base.h"

typedef struct pm__json {
  const char *at, *text, *file;
  pm_error *error;
  bool first, failed; /* no element of the innermost list has been read yet */
} pm__json;

/* A value as it stands in the text. */
typedef struct pm__json_slice {
  const char *text;
  size_t length;
} pm__json_slice;

pm__json pm__json_open(const char *text, const char *file, pm_error *error);

/* Into an object ('{') or an array ('['). */
bool pm__json_enter(pm__json *json, char bracket);

/* To the next value of the object or array; false behind the last one, whose bracket has then been read. Keys that are
** too long are cut off. */
bool pm__json_next_key(pm__json *json, char *key, size_t size);
bool pm__json_next(pm__json *json);

/* Whether the next value begins so: '{', '[', '"', or a digit as '0'. */
bool pm__json_is(pm__json *json, char begin);

/* A number, also one in quotes; NAN with a mistake. */
double pm__json_number(pm__json *json);

/* A text without its quotes, escapes resolved (beyond ASCII as '?'), cut off if it is too long. */
bool pm__json_string(pm__json *json, char *out, size_t size);

/* Past a value of any kind; the slice has it as it stands. */
pm__json_slice pm__json_skip(pm__json *json);

/* A reader of a slice of the same text; its mistakes have the same places. */
pm__json pm__json_within(const pm__json *json, pm__json_slice slice);

/* Whether nothing follows the document; a mistake if something does, or if one came before. */
bool pm__json_end(pm__json *json);

/* Says that the value at hand is wrong. */
int pm__json_fail(pm__json *json, const char *what);

#endif
