/*
** Errors: one line that a user can act on.
**
** A caller owns its pm_error, passes it last, and may pass NULL. The first error wins: a function never overwrites
** one that is already set, so a chain of calls can be checked once at its end.
**
**     pm_error error = PM_ERROR_NONE;
**     pm_catalog *catalog = pm_catalog_new(&error);
**     if (catalog == NULL) fprintf(stderr, "%s\n", error.text);
**
** The text is one line with the offending value, and for a file the place: "dgx1.xml:41: ...". It never holds a
** function name. The library never prints, aborts or exits.
*/
#ifndef PERFMODEL_ERROR_H
#define PERFMODEL_ERROR_H

/* A function that the shared library exports. */
#if defined(PM_BUILDING) && defined(__GNUC__)
#define PM_API __attribute__((visibility("default")))
#else
#define PM_API
#endif

/* A function that is compiled into the program, and so knows the size of the program's records. */
#define PM_INLINE static inline

#ifdef __cplusplus
extern "C" {
#endif

/* Every status of the library: name, and what it means to a user. */
#define PM_STATUS_LIST(X)                                                                             \
  X(OK, "ok", "done")                                                                                 \
  X(NO_MEMORY, "no_memory", "out of memory")                                                          \
  X(BAD_ARGUMENT, "bad_argument", "an argument is missing, negative, not finite or out of its range") \
  X(BAD_VALUE, "bad_value", "a value cannot be read, or is implausible")                                               \
  X(BAD_UNIT, "bad_unit", "a unit is missing, unknown or of another dimension")                       \
  X(NOT_FOUND, "not_found", "no such name in the catalogue")                                          \
  X(BAD_FILE, "bad_file", "a file cannot be read or written")                                         \
  X(BAD_SYNTAX, "bad_syntax", "a file is not well-formed or contains something unknown")                               \
  X(BAD_SHAPE, "bad_shape", "layer shapes do not fit together")                                       \
  X(TOO_MANY_GPUS, "too_many_gpus", "more GPUs than the system has")                                  \
  X(NO_PRECISION, "no_precision", "the GPU has no rate for this precision")                           \
  X(NO_ROUTE, "no_route", "the GPUs or nodes are not connected")                                      \
  X(NOT_MODELLED, "not_modelled", "known, but not modelled")                                          \
  X(UNREACHABLE, "unreachable", "no choice reaches the target")                                                        \
  X(DOES_NOT_FIT, "does_not_fit", "the run does not fit in the memory of the GPU")                                     \
  X(INTERNAL, "internal", "an error in the library itself")

typedef enum pm_status {
#define PM_STATUS_ENUM(name, text, doc) PM_STATUS_##name,
  PM_STATUS_LIST(PM_STATUS_ENUM)
#undef PM_STATUS_ENUM
  PM_STATUS_COUNT,
  PM_OK = PM_STATUS_OK /* the short form */
} pm_status;

/* An error; `status` is PM_OK if there is none. For errors in a file, the text begins with the place: `file_length`
** bytes of file name, of which the first 200 bytes are kept, and `line` is the line. */
typedef struct pm_error {
  int status;
  int line;        /* 0: none */
  int file_length; /* 0: the error is in no file */
  char text[512];  /* the whole message, place included, in one line without its end */
} pm_error;

/* The initial value of a pm_error: no error. */
#ifdef __cplusplus
#define PM_ERROR_NONE pm_error()
#else
#define PM_ERROR_NONE {0, 0, 0, {0}}
#endif

/* The meaning of the status, in a few words. */
PM_API const char *pm_status_get_text(int status);

/* Makes a text safe to print, in place: control characters (C0, C1) and direction marks become '?', white space and
** line ends become spaces. Errors, tables and reports are printed this way; a program that prints names of a user's
** files should do the same. Returns `text`. */
PM_API char *pm_text_clean(char *text);

/* Releases a text that a function of the library returned; NULL is allowed. */
PM_API void pm_string_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
