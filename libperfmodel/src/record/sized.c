/* Copies records between a program and a library that know different numbers of their fields. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "record/sized.h"

enum { ROOM = 16384 }; /* bytes on the stack for records of each kind; the largest record has a few hundred */

typedef union stack {
  double align;
  char bytes[ROOM];
} stack;

void pm_record_fill(const char *type, void *record, size_t size)
{
  stack own;
  const pm_record_type *of = pm_record_type_find(type);
  if (of == NULL || record == NULL || of->size > sizeof own) return;
  pm__record_set_defaults(of, &own);
  pm__record_write(record, size, &own, of->size);
}

int pm__record_size_check(const char *type, size_t size, pm_error *error)
{
  size_t own = pm_record_type_find(type)->size;
  if (size > 0 && size <= own) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                  "a %s has %lu bytes in the program and %lu in the library: the library is older", type,
                  (unsigned long)size, (unsigned long)own);
}

static void copy_in(const pm_record_type *type, const pm__record_array *theirs, size_t index, void *own)
{
  pm__record_set_defaults(type, own);
  memcpy(own, (const char *)theirs->records + index * theirs->size, theirs->size);
}

const void *pm__record_read(const pm__record_array *theirs, size_t index, void *own)
{
  const pm_record_type *type = pm_record_type_find(theirs->type);
  if (theirs->records == NULL) return NULL;
  if (theirs->size == type->size) return (const char *)theirs->records + index * theirs->size;
  copy_in(type, theirs, index, own);
  return own;
}

const void *pm__record_read_all(const pm__record_array *theirs, size_t count, void **allocated, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(theirs->type);
  *allocated = NULL;
  if (theirs->size == type->size || theirs->records == NULL) return theirs->records;
  if (count < SIZE_MAX / type->size) *allocated = malloc((count + 1) * type->size);
  if (*allocated == NULL) pm__no_memory(error);
  else
    for (size_t i = 0; i < count; i++) copy_in(type, theirs, i, (char *)*allocated + i * type->size);
  return *allocated;
}

void pm__record_write(void *theirs, size_t size, const void *own, size_t own_size)
{
  if (theirs != own) memcpy(theirs, own, size < own_size ? size : own_size);
}

int pm__record_each(pm__record_evaluate *evaluate, const void *context, pm__record_array runs, pm__record_array answers,
                    size_t count)
{
  const pm_record_type *run = pm_record_type_find(runs.type), *answer = pm_record_type_find(answers.type);
  stack in, out;
  size_t most = ROOM / (run->size > answer->size ? run->size : answer->size);
  int first = PM_OK;
  for (size_t at = 0; at < count; at += most) {
    size_t some = count - at < most ? count - at : most;
    for (size_t i = 0; i < some; i++) copy_in(run, &runs, at + i, in.bytes + i * run->size);
    int status = evaluate(context, in.bytes, out.bytes, some);
    if (first == PM_OK) first = status;
    for (size_t i = 0; i < some; i++)
      memcpy((char *)(uintptr_t)answers.records + (at + i) * answers.size, out.bytes + i * answer->size, answers.size);
  }
  return first;
}
