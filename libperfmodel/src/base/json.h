/*
** JSON, read from front to back without building a tree, so a trace of hundreds of megabytes costs only its text.
**
**     pm__json json = pm__json_open(text, file, error);
**     char key[40];
**     for (pm__json_enter(&json, '{'); pm__json_next_key(&json, key, sizeof key);)
**       if (strcmp(key, "size") == 0) size = pm__json_number(&json);
**       else pm__json_skip(&json);
**     if (json.failed) return PM_STATUS_BAD_SYNTAX;
**
** The first error ends reading: every function then returns nothing, and the error names file, line and column.
*/
#ifndef PM_BASE_JSON_H
#define PM_BASE_JSON_H

#include "base/base.h"

typedef struct pm__json {
  const char *at, *text, *file;
  pm_error *error;
  bool first, failed; /* no element of the innermost list has been read yet */
} pm__json;

/* The text of a value. */
typedef struct pm__json_slice {
  const char *text;
  size_t length;
} pm__json_slice;

pm__json pm__json_open(const char *text, const char *file, pm_error *error);

/* Enters an object ('{') or an array ('['). */
bool pm__json_enter(pm__json *json, char bracket);

/* Moves to the next value of the object or array; false after the last one, with the closing bracket read. Keys that
** are too long are truncated. */
bool pm__json_next_key(pm__json *json, char *key, size_t size);
bool pm__json_next(pm__json *json);

/* Whether the next value begins with this character: '{', '[', '"', or '0' for any digit. */
bool pm__json_is(pm__json *json, char begin);

/* A number, also in quotes; NAN with an error. */
double pm__json_number(pm__json *json);

/* A text without its quotes, escapes resolved (non-ASCII as '?'), truncated if it is too long. */
bool pm__json_string(pm__json *json, char *out, size_t size);

/* Skips a value of any kind; the slice is its text. */
pm__json_slice pm__json_skip(pm__json *json);

/* A reader of a slice of the same text; its errors have positions in the whole text. */
pm__json pm__json_within(const pm__json *json, pm__json_slice slice);

/* Whether nothing follows the document; an error if something does, or if there was an error before. */
bool pm__json_end(pm__json *json);

/* Reports an error at the current value. */
int pm__json_fail(pm__json *json, const char *what);

/* The line of what has been read, from {text, 1} on: each is counted once. */
typedef struct pm__json_lines {
  const char *counted;
  int line;
} pm__json_lines;

static inline int pm__json_line(pm__json_lines *l, const char *at)
{
  for (; l->counted < at; l->counted++) l->line += *l->counted == '\n';
  return l->line;
}

#endif
