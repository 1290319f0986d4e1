/*
** What other programs wrote while they measured: text and JSON of nccl-tests, traces of PyTorch's profiler, reports of
** Nsight Systems, results of benchmarks of serving, logs of power and of training. A reader of one kind of file makes
** rows of it in the layout that validation and calibration read, and says how much of the file it left out.
*/
#ifndef PM_LAB_TRACES_TRACES_H
#define PM_LAB_TRACES_TRACES_H

#include "perfmodel-lab.h"
#include "base/base.h"
#include "base/index.h"
#include "base/json.h"

/* ---- Rows: one for each operator and its sizes, with the median of the times of its calls ---- */

typedef struct pm__lab_trace_time {
  char *row; /* all cells but the last two */
  double us;
} pm__lab_trace_time;

/* Kernels that made no row, by operator. */
typedef struct pm__lab_trace_rest {
  char name[120];
  size_t kernels;
  double us;
} pm__lab_trace_rest;

typedef struct pm__lab_trace {
  const char *text, *file, *machine; /* machine: what the user says it is, or "" */
  const pm_attribute *known;         /* all that he says which the file may not */
  size_t known_count;
  pm_error *error;
  pm__lab_trace_time *times;
  size_t time_count, time_capacity;
  pm__lab_trace_rest *rest;
  size_t rest_count, rest_capacity;
  pm__text_index rest_names;
  size_t kernels; /* that made rows */
  double us;      /* of these */
  char checked[120]; /* the name of a GPU that is known to be the machine's */
  char note[400]; /* what a reader of lines left out; "": nothing */
} pm__lab_trace;

/* What the user said of the file, by the name of a column, or NULL. */
const char *pm__lab_trace_known(const pm__lab_trace *trace, const char *name);

/* Fails if the file names a GPU that the user's machine has not: of another generation, with other SMs or links. Names
** that the catalogue does not know tell nothing; nor does a machine that the user did not name. */
int pm__lab_trace_check_gpu(pm__lab_trace *trace, const pm_catalog *catalog, const char *name);

/* What a size in bytes and a time in microseconds may be: no message has more bytes, no kernel takes thirty years. */
#define PM__LAB_TRACE_MOST 1e15

/* Adds the time of a call that `kernels` kernels made. */
int pm__lab_trace_add(pm__lab_trace *trace, const char *row, double us, size_t kernels);

/* Adds kernels that make no row. */
int pm__lab_trace_leave_out(pm__lab_trace *trace, const char *name, double us, size_t kernels);

/* Appends the rows; the shares of kernels that make rows, and the others by operator. */
void pm__lab_trace_write(pm__lab_trace *trace, pm__string *csv);
void pm__lab_trace_note(pm__lab_trace *trace, pm__string *notes);
void pm__lab_trace_free(pm__lab_trace *trace);

/* ---- Calls of PyTorch's operators as rows ---- */

enum { PM__LAB_TRACE_ARGUMENTS = 12, PM__LAB_TRACE_NUMBERS = 6 };

/* Arguments of a call, each a list of numbers: the sizes of tensors, their strides, values of lists and scalars. */
typedef struct pm__lab_trace_lists {
  int count;
  int length[PM__LAB_TRACE_ARGUMENTS];
  double number[PM__LAB_TRACE_ARGUMENTS][PM__LAB_TRACE_NUMBERS];
} pm__lab_trace_lists;

/* "[[64, 128], [], [128]]"; a list that is longer than there is room is cut off, and no call of ours. */
void pm__lab_trace_lists_read(pm__lab_trace_lists *lists, const char *text, size_t length);

typedef struct pm__lab_trace_call {
  char op[64];                   /* "aten::mm" */
  const char *kernel;            /* the name of its longest kernel */
  char type[24];                 /* of its first tensor, "c10::Half"; "" if only the kernel's name tells */
  char gpu[120];
  pm__lab_trace_lists sizes, strides, values; /* no strides, no values: unknown */
} pm__lab_trace_call;

enum { PM__LAB_TRACE_ROW = 400 };

/* The row of a call without its time; false if no row says it. */
bool pm__lab_trace_row(const pm__lab_trace_call *call, char row[PM__LAB_TRACE_ROW]);

/* The titles of these rows, the time's included. */
extern const char pm__lab_trace_titles[];

/* Whether the gradients of a convolution's data and weights are kernels of this operator, to be told apart by name. */
bool pm__lab_trace_is_two_passes(const char *op);

/* ---- Kinds of files ---- */

/* Whether the text is one; appends the table of its rows. */
bool pm__lab_trace_is_nccl_text(const char *text);
bool pm__lab_trace_is_nccl_json(const char *text);
bool pm__lab_trace_is_rccl_json(const char *text);
bool pm__lab_trace_is_rccl_csv(const char *text);
bool pm__lab_trace_is_kineto(const char *text);
bool pm__lab_trace_is_nsight(const char *text);
bool pm__lab_trace_is_serving(const char *text);
bool pm__lab_trace_is_power(const char *text);
bool pm__lab_trace_is_steps(const char *text);
bool pm__lab_trace_is_mlperf(const char *text);
bool pm__lab_trace_is_storage(const char *text);
bool pm__lab_trace_is_llama_bench(const char *text);
int pm__lab_trace_read_nccl_text(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_nccl_json(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_rccl_json(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_rccl_csv(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_kineto(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_nsight(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_serving(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_power(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_steps(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_mlperf(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_storage(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
int pm__lab_trace_read_llama_bench(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);

/* What the kinds are called; NULL past the last. */
const char *pm__lab_trace_name(size_t kind);

/* A cell of a table, without what would end it. */
void pm__lab_trace_clean(char *cell);

/* What the user says of a file, by the names of columns. */
typedef struct pm__lab_known {
  const pm_attribute *items;
  size_t count;
} pm__lab_known;

/* The table that a file of measurements is, in our layout: NULL if it is no file of another program (or with an error).
** Adds to the notes what was left out. */
char *pm__lab_trace_table(const pm_catalog *catalog, const char *set, const char *text, const char *file,
                          const pm__lab_known *known, pm__string *notes, pm_error *error);

/* The same where a system alone may be known, or of a table of the user's own; `shipped` is the set's table. NULL
** without
** an error: it is a table in our layout. */
char *pm__lab_trace_table_of(const pm_catalog *catalog, const char *set, const char *shipped, const char *text,
                             const char *file, const char *system, pm__string *notes, pm_error *error);

/* A table of the user's own in the layout of the set; NULL without an error if it is so already. */
char *pm__lab_own_table(const char *set, const char *shipped, const char *text, const char *file, const char *system,
                        pm_error *error);

/* What a table is not, when none of its columns is known: one line that lists what is read. */
int pm__lab_trace_no_table(const char *file, const char *set, pm_error *error);

#endif
