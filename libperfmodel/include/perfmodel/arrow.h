/*
** Tables as Arrow data: for pandas, Polars, DuckDB, PyArrow and other readers of the Arrow C stream interface.
**
** The stream is a copy and outlives its tables. Real numbers are float64, integers int64, texts and choices utf8,
** yes/no choices bool; unknown is null. Fields are named as in CSV, "step_time [s]"; their metadata has the column's
** "name", "unit" and "doc". The structures are those of the Arrow project (docs: "The Arrow C stream interface"), whose
** headers may also declare them.
*/
#ifndef PERFMODEL_ARROW_H
#define PERFMODEL_ARROW_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The following is identical to the Arrow project's header: guards, names and members. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1 /* the dictionary is ordered; never set here */
#define ARROW_FLAG_NULLABLE 2           /* values may be null: set for every column */
#define ARROW_FLAG_MAP_KEYS_SORTED 4    /* for maps; not used here */

/* The type of a column, or of the struct of all columns. */
struct ArrowSchema {
  const char *format;   /* "g" float64, "l" int64, "u" utf8, "b" bool, "+s" struct */
  const char *name;     /* as in CSV */
  const char *metadata; /* name, unit, doc, in Arrow's own layout */
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *); /* called once by the owner; NULL: released */
  void *private_data;
};

/* The values of a column, or of the struct of all columns. */
struct ArrowArray {
  int64_t length;     /* rows */
  int64_t null_count; /* unknown values */
  int64_t offset;
  int64_t n_buffers;  /* validity, offsets of texts, values */
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *); /* likewise */
  void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* A sequence of arrays of one schema. */
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out); /* 0, or an errno */
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out); /* out->release is NULL past the last */
  const char *(*get_last_error)(struct ArrowArrayStream *); /* of the last call that failed */
  void (*release)(struct ArrowArrayStream *); /* likewise; arrays returned by it remain valid */
  void *private_data;
};

#endif

/* The tables one after the other, as one stream with a batch for each. There must be at least one, and all must have
** the columns of the first. The caller calls stream->release(stream) when done. Errors: PM_STATUS_BAD_ARGUMENT,
** PM_STATUS_NO_MEMORY; the stream is then unchanged. */
PM_API int pm_table_export_arrow(const pm_table *const *tables, size_t count, struct ArrowArrayStream *stream,
                          pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
