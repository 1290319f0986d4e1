/*
** Records: declared once, used everywhere.
**
** A record is a plain struct of double, int32_t and inline text, declared by one X-macro list of (kind, name, unit,
** doc). From that list come the struct, the field table below, XML reading, CSV headers, NumPy dtypes, Lua tables and
** the reference pages; no other place repeats it. A record that users fill (a run) also states the default of a field
** and the name of its option: X(kind, name, unit, doc, .otherwise = "1", .option = "tp"). From that come the command's
** options with their help and completion, the keywords of Python and Lua, and the axes of sweeps.
**
**     const pm_record_type *type = pm_record_type_find("gpu");
**     for (size_t i = 0; i < type->field_count; i++) puts(type->fields[i].name);
**
** Units are SI: a field of unit "B/s" is in bytes per second. "1" is a plain number. A REAL that is not set is NAN, an
** INT is 0, a TEXT is "". A choice is an int32_t with a name for each value.
*/
#ifndef PERFMODEL_RECORD_H
#define PERFMODEL_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
** Records that grow. Runs and predictions may get additional fields at their end in a later release with the same
** soname: run, prediction, inference_run, inference, memory_run, memory_use, input_run, input_rates, kernel,
** kernel_time, call, collective. Wherever they cross the interface, the program passes their size:
**
**     pm_predict(plan, runs, predictions, count)      a function in the header, which is compiled into the program:
**     pm_task_predict(plan, PM_TASK_TRAINING, 0, runs, sizeof *runs, predictions, sizeof *predictions, count)
**
** The size is also the stride of an array of records. For a program that was compiled with an earlier release the
** library does not change: fields missing from its runs have their defaults, and predictions have only the fields it
** knows. If sizes are equal, nothing is copied. A program that was compiled with a later release than the library gets
** PM_STATUS_BAD_ARGUMENT. Callers without the headers (foreign-function interfaces) use the function ending in _sized,
** and take sizes and offsets from pm_record_type.
**
** All other structs do not change until the soname changes; a test compares all structs with tests/compat/baseline.
*/

#define PM_TEXT_MAX 80 /* bytes of a TEXT field, including the final zero */

/* The upper limit of counts in a run: GPUs, nodes, each degree of parallelism, micro-batches of a step. Results are
** tested up to this limit; more is PM_STATUS_BAD_ARGUMENT. */
enum { PM_COUNT_MAX = 1 << 20 };

/* How a field is stored: inline text, int32_t, double, int32_t with a name for each value. */
typedef enum pm_field_kind { PM_FIELD_TEXT, PM_FIELD_INT, PM_FIELD_REAL, PM_FIELD_CHOICE } pm_field_kind;

/* One value of a choice; its number is its position in the list. */
typedef struct pm_choice {
  const char *name; /* NULL ends a list */
  const char *doc;
  /* accepted names from other programs, separated by spaces; NULL if there are none */
  const char *aliases;
} pm_choice;

/* How text output shows a field: sums of these flags. CSV, JSON and the values have every field, unchanged. */
typedef enum pm_show {
  PM_SHOW_MAIN = 1,    /* shown by default in tables; a record without main fields is shown completely */
  PM_SHOW_PERCENT = 2, /* a share, shown as a percentage: 0.25 is 25 % */
  PM_SHOW_NONZERO = 4, /* shown if a row differs from the first choice: a status that is not ok */
  PM_SHOW_GIVEN = 8,   /* an input: if it is the same in all rows, it is shown once above them */
  PM_SHOW_LINE = 16,   /* if it is the same in all rows, it is a separate line above them, "name: text" */
  PM_SHOW_SWEPT = 32   /* in a sweep: one of the columns that "main" selects, see pm_table_keep */
} pm_show;

/* One field of a record. All texts are constants of the library. */
typedef struct pm_field {
  const char *name;
  const char *unit; /* SI unit; "" for text and choices, "1" for plain numbers */
  const char *doc;
  size_t offset;
  pm_field_kind kind;
  const pm_choice *choices; /* of a PM_FIELD_CHOICE, indexed by its value; else NULL */
  const char *otherwise;    /* its default, as text; NULL: NAN, 0, "" */
  const char *option;       /* name of its option; NULL: the field's name; "": no option */
  int show;                 /* how text output shows it: a sum of pm_show */
  /* help and default if a study (study.h) completes the field; NULL: doc, otherwise */
  const char *asked;
  const char *needs;        /* condition for the field to have an effect (run.h); NULL: none */
} pm_field;

/* A kind of record. Lives as long as the library. */
typedef struct pm_record_type {
  const char *name;
  const char *doc;
  size_t size;
  const pm_field *fields;
  size_t field_count;
} pm_record_type;

/* How a list declares the struct: X(kind, name, unit, doc) with one of these kinds. A choice is stored as its number,
** always in 32 bits. */
#define PM_DECLARE_TEXT(name) char name[PM_TEXT_MAX];
#define PM_DECLARE_INT(name) int32_t name;
#define PM_DECLARE_REAL(name) double name;
#define PM_DECLARE_PRECISION(name) int32_t name;
#define PM_DECLARE_LINK_KIND(name) int32_t name;
#define PM_DECLARE_OVERLAP(name) int32_t name;
#define PM_DECLARE_BOUND(name) int32_t name;
#define PM_DECLARE_BOTTLENECK(name) int32_t name;
#define PM_DECLARE_CALIBRATION_STATUS(name) int32_t name;
#define PM_DECLARE_STATUS(name) int32_t name;
#define PM_DECLARE_YES_NO(name) int32_t name;
#define PM_DECLARE_RECOMPUTE(name) int32_t name;
#define PM_DECLARE_VERDICT(name) int32_t name;
#define PM_DECLARE_COLLECTIVE(name) int32_t name;
#define PM_DECLARE_ALGORITHM(name) int32_t name;
#define PM_DECLARE_PROTOCOL(name) int32_t name;
#define PM_DECLARE_ERA(name) int32_t name;
#define PM_DECLARE_SAMPLE_FORMAT(name) int32_t name;
#define PM_DECLARE_CACHE_POLICY(name) int32_t name;
#define PM_DECLARE_DECODE_PLACE(name) int32_t name;
#define PM_DECLARE_INPUT_STAGE(name) int32_t name;
#define PM_DECLARE_ORIGIN(name) int32_t name;
#define PM_DECLARE_POWER_BASIS(name) int32_t name;
#define PM_DECLARE_KERNEL_MODEL(name) int32_t name;
#define PM_DECLARE_KERNEL_ALGORITHM(name) int32_t name;
#define PM_DECLARE_OPERATOR(name) int32_t name;
#define PM_DECLARE_FIT_STATE(name) int32_t name;
#define PM_DECLARE_FIT_USE(name) int32_t name;
#define PM_DECLARE_PARALLELISM(name) int32_t name;
#define PM_DECLARE_OPTIMIZER(name) int32_t name;
#define PM_DECLARE_ATTENTION(name) int32_t name;
#define PM_DECLARE_EVIDENCE(name) int32_t name;
#define PM_DECLARE_RESOURCE(name) int32_t name;
#define PM_DECLARE_MINIMIZE(name) int32_t name;
#define PM_DECLARE_FUSION(name) int32_t name;
#define PM_DECLARE_STORED(name) int32_t name;
#define PM_DECLARE_SCHEDULER(name) int32_t name;
#define PM_DECLARE_ARRIVALS(name) int32_t name;
#define PM_DECLARE_SERVING_LIMIT(name) int32_t name;
#define PM_DECLARE_SERVING_LAYOUTS(name) int32_t name;
#define PM_DECLARE_DECISION(name) int32_t name;
#define PM_DECLARE_PIPELINE_SCHEDULE(name) int32_t name;
#define PM_DECLARE_STAGE_LAYERS(name) int32_t name;
#define PM_DECLARE_CONTEXT_EXCHANGE(name) int32_t name;
#define PM_DECLARE_OFFLOAD(name) int32_t name;
#define PM_DECLARE_CUDA_GRAPHS(name) int32_t name;
#define PM_DECLARE_EMBEDDING_SHARDING(name) int32_t name;
#define PM_DECLARE_EXPERT_DISPATCH(name) int32_t name;
#define PM_DECLARE_RANK_ORDER(name) int32_t name;
#define PM_DECLARE_LORA_TARGETS(name) int32_t name;
#define PM_DECLARE_BASE_WEIGHTS(name) int32_t name;

/* One field of a struct: typedef struct pm_run { PM_RUN_FIELDS(PM_DECLARE) } pm_run; */
#define PM_DECLARE(kind, name, ...) PM_DECLARE_##kind(name)

/* All record types, in a fixed order; index from 0, NULL past the last. */
PM_API const pm_record_type *pm_record_type_get(size_t index);

/* The record type of that name ("gpu", "prediction", ...), or NULL. */
PM_API const pm_record_type *pm_record_type_find(const char *name);

/* The field that has that name, or NULL. */
PM_API const pm_field *pm_record_find_field(const pm_record_type *type, const char *name);

/* Sets every field to "not set": NAN, 0, "". */
PM_API void pm_record_clear(const pm_record_type *type, void *record);

/* Sets the fields of a record of that type to their defaults, up to the program's `size` bytes. */
PM_API void pm_record_fill(const char *type, void *record, size_t size);

/* Sets one field from text: a quantity with its unit if the field has one ("900 GB/s"). Errors: PM_STATUS_BAD_VALUE,
** PM_STATUS_BAD_UNIT, with the field's name in the text. */
PM_API int pm_record_set(const pm_field *field, void *record, const char *text, pm_error *error);

/* The value of a number or choice field as a double; NAN for text. */
PM_API double pm_record_get_number(const pm_field *field, const void *record);

/* Sets a number or choice field to `value`, the opposite of pm_record_get_number.
** Errors: PM_STATUS_BAD_ARGUMENT if the field cannot have the value: 1.5 GPUs, an unknown choice. */
PM_API int pm_record_set_number(const pm_field *field, void *record, double value, pm_error *error);

/* The value as text: a TEXT unchanged, a choice by name, a number in SI units in the format of pm_number_format.
** `buffer` must hold PM_TEXT_MAX bytes. Returns buffer. */
PM_API char *pm_record_format(const pm_field *field, const void *record, char *buffer);

/* The name used here for the name of another program, or NULL: for "precision" (float16, half and amp are fp16; these
** are accepted), "option" (batch_size is batch, num_gpus is gpus) and "framework" (nearest to jax is tf1-xla), both for
** messages. Case and punctuation do not matter. */
PM_API const char *pm_name_find_alias(const char *of, const char *name);

/* The name that was probably meant by an unknown one: an option of that name in other programs, otherwise a name with
** that prefix, otherwise the nearest; NULL if none is near. For messages. */
PM_API const char *pm_name_find_meant(const char *name, const char *const *names, size_t count);

/* The field that an unknown name was probably meant to be, for messages; NULL if none is near. */
PM_API const char *pm_field_find_meant(const pm_record_type *type, const char *name);

#ifdef __cplusplus
}
#endif
#endif
