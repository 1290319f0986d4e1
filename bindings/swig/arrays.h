/*
** What the C side of the scripted interface shares: arrays on their way to a script, errors, and counts and names of
** choices on their way from one, which are checked here so that no language truncates 1.5 in silence.
*/
#ifndef PM_ARRAYS_H
#define PM_ARRAYS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmodel.h>

/* Arrays that a language takes over. `data` is NULL when the call failed. */
typedef struct records {
  const pm_record_type *type;
  void *data;
  size_t count;
} records;

typedef struct numbers {
  double *data;
  size_t count;
} numbers;

typedef struct names {
  char **data;
  size_t count;
} names;

/* An array of records on its way from a script, of a type that the function knows. */
typedef struct any_records {
  const pm_record_type *type; /* NULL where the language does not know it */
  const void *data;
  size_t bytes, item; /* of all, and of one; 1: of bytes that the core gave */
} any_records;

static void records_free(records *array)
{
  free(array->data);
}

static void numbers_free(numbers *array)
{
  free(array->data);
}

static void names_free(names *array)
{
  for (size_t i = 0; i < array->count; i++) free(array->data[i]);
  free(array->data);
}

/* ---- Errors ---- */

static void fail(pm_error *error, int status, const char *format, ...)
{
  va_list values;
  if (error->status != PM_OK) return;
  error->status = status;
  va_start(values, format);
  vsnprintf(error->text, sizeof error->text, format, values);
  va_end(values);
}

static void no_memory(pm_error *error)
{
  fail(error, PM_STATUS_NO_MEMORY, "out of memory");
}

/* Room for `count` items, and for one where there are none; NULL with an error. */
static void *room(size_t count, size_t size, pm_error *error)
{
  void *data = calloc(count > 0 ? count : 1, size);
  if (data == NULL) no_memory(error);
  return data;
}

/* ---- From a script ---- */

/* A count that crossed as a double; -1 with an error if it is no whole number from 0 to 2^31 - 1. */
static int whole(double value, const char *what, pm_error *error)
{
  char text[PM_NUMBER_MAX];
  if (value >= 0 && value <= INT32_MAX && value == floor(value)) return (int)value;
  fail(error, PM_STATUS_BAD_ARGUMENT, "%s %s is not a whole number from 0 to 2147483647", what,
       pm_number_format(text, value));
  return -1;
}

/* The same of an array. NULL when there are none, or on an error. */
static int32_t *wholes(const double *values, size_t count, const char *what, pm_error *error)
{
  int32_t *array = count == 0 ? NULL : (int32_t *)room(count, sizeof *array, error);
  for (size_t i = 0; array != NULL && i < count; i++) array[i] = whole(values[i], what, error);
  return array;
}

/* Sizes of messages. */
static int check_bytes(const double *bytes, size_t count, pm_error *error)
{
  char text[PM_NUMBER_MAX];
  for (size_t i = 0; i < count; i++)
    if (!isfinite(bytes[i]) || bytes[i] < 0)
      fail(error, PM_STATUS_BAD_ARGUMENT, "%s bytes are not finite and at least 0", pm_number_format(text, bytes[i]));
  return error->status == PM_OK;
}

/* The value of a choice field by name, -1 with an error that lists the choices. */
static int choice(const char *type, const char *field_name, const char *name, pm_error *error)
{
  const pm_field *field = pm_record_find_field(pm_record_type_find(type), field_name);
  char known[256] = "";
  for (int i = 0; field != NULL && field->choices[i].name != NULL; i++) {
    if (strcmp(field->choices[i].name, name) == 0) return i;
    if (i > 0) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, field->choices[i].name, sizeof known - strlen(known) - 1);
  }
  fail(error, PM_STATUS_NOT_FOUND, "unknown %s \"%s\"; known are %s", field_name, name, known);
  return -1;
}

static int precision_number(const char *name, pm_error *error)
{
  int precision = pm_precision_find(name);
  return precision >= 0 ? precision : choice("run", "precision", name, error);
}

/* As many as are meant were passed. */
static int as_many(size_t count, size_t meant, const char *what, pm_error *error)
{
  if (count == meant) return 1;
  fail(error, PM_STATUS_BAD_ARGUMENT, "%lu %s where %lu are meant", (unsigned long)count, what, (unsigned long)meant);
  return 0;
}

static int single(size_t count, const char *what, pm_error *error)
{
  return as_many(count, 1, what, error);
}

/* How many records of that type they are; 0 with an error if they are of another. */
static size_t count_records(any_records array, const char *type, pm_error *error)
{
  const pm_record_type *of = pm_record_type_find(type);
  bool same = of != NULL && (array.type == NULL || array.type == of) && array.bytes % of->size == 0 &&
              (array.item == 1 || array.item == of->size);
  if (!same) fail(error, PM_STATUS_BAD_ARGUMENT, "expected an array of %s records", type);
  return same ? array.bytes / of->size : 0;
}

/* ---- To a script ---- */

static records records_new(const char *type, size_t count, pm_error *error)
{
  records array = {pm_record_type_find(type), NULL, count};
  if (array.type == NULL) fail(error, PM_STATUS_NOT_FOUND, "unknown record type \"%s\"", type);
  else array.data = room(count, array.type->size, error);
  return array;
}

/* The array, or none if something failed. */
static records records_if_ok(records array, const pm_error *error)
{
  const records none = {NULL, NULL, 0};
  if (error->status == PM_OK) return array;
  records_free(&array);
  return none;
}

static records record_copy(const char *type, const void *record, pm_error *error)
{
  records array = records_new(type, 1, error);
  if (array.data != NULL) memcpy(array.data, record, array.type->size);
  return array;
}

static numbers numbers_new(size_t count, pm_error *error)
{
  numbers array = {(double *)room(count, sizeof(double), error), count};
  return array;
}

static char *text_copy(const char *text, pm_error *error)
{
  size_t size = strlen(text) + 1;
  char *copy = (char *)room(size, 1, error);
  return copy == NULL ? NULL : (char *)memcpy(copy, text, size);
}

static names names_new(size_t count, pm_error *error)
{
  names array = {(char **)room(count, sizeof(char *), error), count};
  if (array.data == NULL) array.count = 0;
  return array;
}

static names names_if_ok(names array, const pm_error *error)
{
  const names none = {NULL, 0};
  if (error->status == PM_OK) return array;
  names_free(&array);
  return none;
}

/* The names that `at` gives for 0, 1, ... until NULL. */
typedef const char *(*name_at)(const void *context, size_t index);

static names names_list(name_at at, const void *context, pm_error *error)
{
  size_t count = 0;
  while (at(context, count) != NULL) count++;
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++) array.data[i] = text_copy(at(context, i), error);
  return names_if_ok(array, error);
}

/* A table of `count` records of a type, as columns. */
static pm_table *records_table(const char *type, const void *data, size_t count, pm_error *error)
{
  return pm_table_new_of_records(pm_record_type_find(type), data, count, error);
}

/* The same of an array, which it frees; NULL if something failed. */
static pm_table *records_as_table(records array, pm_error *error)
{
  pm_table *table = NULL;
  if (error->status == PM_OK) table = records_table(array.type->name, array.data, array.count, error);
  records_free(&array);
  return table;
}

#endif
