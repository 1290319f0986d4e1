/*
** The lowest layer: errors, memory, text. Depends on libc only.
*/
#ifndef PM_BASE_H
#define PM_BASE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include "perfmodel/error.h"

#if defined(__GNUC__)
#define PM__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PM__PRINTF(text, first)
#endif

/* ---- Errors: both set `error` unless it is NULL or already set, and return `status` for `return pm__fail(...)`. */
int pm__fail(pm_error *error, int status, const char *format, ...) PM__PRINTF(3, 4);

/* The same with a place: the text becomes "file:line: ...". */
int pm__fail_at(pm_error *error, int status, const char *file, int line, const char *format, ...) PM__PRINTF(5, 6);

/* Puts "file:line: " before an error that has no place yet. Does nothing without an error. */
void pm__error_place(pm_error *error, const char *file, int line);

int pm__no_memory(pm_error *error);

/* Hands a failure on to a caller that may have asked for none, or have one already. */
void pm__error_take(pm_error *error, const pm_error *failure);

#ifdef PM_ANALYSIS /* their results, for analysers (scripts/analyse.sh), which see one file at a time */
#define pm__fail(error, status, ...) (pm__fail(error, status, __VA_ARGS__), (status))
#define pm__fail_at(error, status, ...) (pm__fail_at(error, status, __VA_ARGS__), (status))
#define pm__no_memory(error) (pm__no_memory(error), PM_STATUS_NO_MEMORY)
#endif

/* ---- Arena: many small pieces of memory that are released together. All zero is an empty arena. */
typedef struct pm__arena {
  struct pm__arena_block *block;
} pm__arena;

void *pm__arena_alloc(pm__arena *arena, size_t size); /* zeroed; NULL without memory */
char *pm__arena_copy(pm__arena *arena, const char *text, size_t length);
void pm__arena_free(pm__arena *arena);

/* ---- Growing arrays: makes room for one more element of `size` bytes. Returns the array, or NULL (the old one is
** kept). */
void *pm__grow(void *array, size_t count, size_t *capacity, size_t size);

/* ---- Text. */

/* Names are compared without case and ' ', '-', '_', '.', '/', except between two digits: "1.6" equals "1-6" but not
** "16". Returns the next significant character, in lower case, '.' between digits; 0 at the end. */
typedef struct pm__name_reader {
  const char *at;
  bool digit; /* the previous character was a digit */
} pm__name_reader;

char pm__name_next(pm__name_reader *reader);
bool pm__same_name(const char *a, const char *b);

bool pm__name_begins_with(const char *name, const char *text); /* as names are compared */

/* Edits between the first 80 letters of two names as compared above; `most` + 1 where there are more than `most`. */
int pm__name_distance(const char *a, const char *b, int most);

/* The name that is nearest to what was written, of those that are offered one by one. */
typedef struct pm__name_nearest {
  const char *written, *name; /* name: NULL while none is near enough */
  int least;                  /* a name must have fewer edits */
} pm__name_nearest;

bool pm__name_nearest_take(pm__name_nearest *nearest, const char *name); /* true: it is nearer than those before */

/* Whether a list of words, separated by spaces, has `word` as one of them, or its first `length` bytes. */
bool pm__list_has(const char *list, const char *word);
bool pm__list_has_part(const char *list, const char *word, size_t length);

/* Where a word begins in the first `length` bytes of a text, a line of a long file; NULL: it has none. */
const char *pm__text_find(const char *text, size_t length, const char *word);
bool pm__text_set(char *text, size_t size, const char *value); /* copies; false if it does not fit */

char *pm__text_copy(const char *text); /* released with free; NULL without memory */

/* The whole number from 0 to `most` at the beginning of a text, -1 without one or if it is larger. *end, unless NULL,
** points after its digits. */
int pm__whole_at(const char *text, int most, const char **end);

/* Reads a decimal number at *text, times 10^shift, rounded once, and moves *text past it. PM_OK, PM_STATUS_BAD_VALUE
** (no number) or PM_STATUS_BAD_ARGUMENT (out of the range of a double). */
int pm__number_scan(const char **text, int shift, double *value);

/* The value, or the fallback if it is unknown. */
static inline double pm__or(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* The largest divisor, up to `most`, of a whole number of at least 1, in sqrt(number) steps; 1 if none. */
double pm__largest_divisor(double number, double most);

/* ---- Errors of predictions. */

/* Mean, median and 90th percentile of the absolute errors, and mean of the signed ones; NAN of none. */
typedef struct pm__error_summary {
  double mape, median, p90, bias;
} pm__error_summary;

/* From signed errors, which are made absolute and sorted. */
pm__error_summary pm__error_summary_of(double *errors, size_t count);

/* Quantile of at least one value, by linear interpolation; sorts the values. */
double pm__quantile(double *values, size_t count, double q);

/* Skips the byte order mark that some editors write before UTF-8. */
const char *pm__text_behind_mark(const char *text);

/* A growing string; `text` is NULL until the first append. `failed` once memory ran out. */
typedef struct pm__string {
  char *text;
  size_t length, capacity;
  bool failed;
} pm__string;

void pm__string_add(pm__string *string, const char *text);
void pm__string_add_bytes(pm__string *string, const char *bytes, size_t length);
void pm__string_format(pm__string *string, const char *format, ...) PM__PRINTF(2, 3);

/* Appends text escaped for XML, also inside quotes. */
void pm__string_add_escaped(pm__string *string, const char *text);

/* Bytes of the UTF-8 character at `text`, 1 to 4, or 0 if there is no valid one. */
size_t pm__utf8_length(const char *text);

/* The number of the character at `text`. */
unsigned pm__utf8_code(const char *text);

/* Whether the character at `text` must not be printed. */
bool pm__utf8_is_control(const char *text);

/* Appends text, each byte that is not UTF-8 as U+FFFD. */
void pm__utf8_add(pm__string *out, const char *text);

/* Appends the character at `text`, or its replacement: a space for white space, '?' for control characters, direction
** marks and invalid bytes. Returns the next character. */
const char *pm__utf8_add_clean(pm__string *out, const char *text);

#endif
