/*
** Records of a program that was compiled with an earlier release: shorter at their end than the library's own.
**
** Functions that read or write such records receive their size. The library works on its own records: fields missing
** from the program's record have their defaults, and the program receives only the fields of an answer that it knows.
*/
#ifndef PM_RECORD_SIZED_H
#define PM_RECORD_SIZED_H

#include "base/base.h"
#include "perfmodel/record.h"

/* An array of a program's records of the type of that name. */
typedef struct pm__record_array {
  const char *type;
  const void *records;
  size_t size; /* of one of them, to the program */
} pm__record_array;

/* Sets every field to its default. */
void pm__record_set_defaults(const pm_record_type *type, void *record);

/* PM_OK, or PM_STATUS_BAD_ARGUMENT: a program that was compiled with a later release than the library is of. */
int pm__record_size_check(const char *type, size_t size, pm_error *error);

/* Record `index` as the library knows it: where it is, if the sizes are equal, else in `own`. */
const void *pm__record_read(const pm__record_array *theirs, size_t index, void *own);

/* The array as the library knows it, or NULL without memory; *allocated is what to free. */
const void *pm__record_read_all(const pm__record_array *theirs, size_t count, void **allocated, pm_error *error);

/* As much of a record as the program knows. */
void pm__record_write(void *theirs, size_t size, const void *own, size_t own_size);

/* Calls `evaluate` for arrays of the library's own records, as many at a time as have room on the stack. */
typedef int pm__record_evaluate(const void *context, const void *runs, void *answers, size_t count);
int pm__record_each(pm__record_evaluate *evaluate, const void *context, pm__record_array runs, pm__record_array answers,
                    size_t count);

#endif
