/*
** Validation: published measurements beside what is predicted for them.
**
** A set is a table of measurements that the library ships, or one in the same layout that a user brings. Names that
** published tables use are matched to the catalogue by its names and aliases, and where these do not say enough by
** readings: rules of the catalogue such as "BERT in a table of pre-training is bert-large-pretraining".
**
**     pm_table *table = pm_validate(catalog, &(pm_validation){"training", NULL, NULL, 0}, &error);
**
** A summary has the columns set, group, rows, mape, median, p90, bias, all but the first three in per cent, and of
** kernels what a plain roofline's mape would be; a table of rows id, group, measured, predicted, unit, error, and what
** else its set has to say of a row. An error is (predicted - measured) / measured: of a rate, above 0 the prediction is
** too fast, of a time too slow.
**
**     seeds        what the source documents state
**     training     rates of training
**     inference    rates and latencies of inference
**     kernels      times of single kernels: the columns of pm_kernel_rows
**     collectives  times of collectives, copies between two GPUs: the columns of data/measured/README.md
**     storage      rates and node counts of storage and decoding
*/
#ifndef PERFMODEL_VALIDATE_H
#define PERFMODEL_VALIDATE_H

#include "catalog.h"
#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- How published tables are read ------------------------------------------------------------------------------ */

#define PM_DECISION_LIST(X)                                                                          \
  X(SKIP, "skip", "that the row is left out; the value says why")                                    \
  X(DATE, "date", "when the software was released, as 2018-06")                                      \
  X(FRAMEWORK, "framework", "the framework's profile")                                               \
  X(ERA, "era", "the generation of the GPU libraries")                                               \
  X(NETWORK, "network", "the network, with parameters after it: bert-large seq=384")                 \
  X(SYSTEM, "system", "the system")                                                                  \
  X(GPUS, "gpus", "GPUs over all nodes, a formula over the row's columns")                           \
  X(PRECISION, "precision", "the precision")                                                         \
  X(BATCH, "batch", "samples per GPU and step, a formula likewise")                                 \
  X(ITEMS, "items", "how many of what is counted (tokens) one sample has, a formula likewise")       \
  X(OPTIMIZER, "optimizer", "what the step does with the gradients")                                 \
  X(ACCUMULATION, "accumulation", "batches that a step accumulates, a formula likewise")               \
  X(ABOUT, "about", "what its group is called first, if its unit does not say: speech")                \
  X(UNFIT, "unfit", "that no constant is fitted on the row, which is predicted all the same; the value says why")

typedef enum pm_decision {
#define PM_DECISION_ENUM(name, text, doc) PM_DECISION_##name,
  PM_DECISION_LIST(PM_DECISION_ENUM)
#undef PM_DECISION_ENUM
  PM_DECISION_COUNT
} pm_decision;

/* A rule holds if all its conditions do. A condition is words that must all be in the cell of that column, in any order
** and case; '|' parts alternatives, '!' before one means that it must not hold, "-" that the cell is empty, and an
** alternative in quotes is a text that must be in the cell as it is. Of the rules that decide the same, the first one
** that holds does. {column} in the value stands for the cell, and the rule does not hold if that is empty. */
#define PM_READING_FIELDS(X)                                                        \
  X(TEXT, id, "", "short stable name")                                              \
  X(DECISION, decides, "", "what it decides")                                       \
  X(TEXT, value, "", "what it decides for")                                         \
  X(TEXT, set, "", "condition on the set: training or inference")                   \
  X(TEXT, model, "", "condition on the model")                                      \
  X(TEXT, framework, "", "condition on the framework")                              \
  X(TEXT, version, "", "condition on the framework's version")                      \
  X(TEXT, gpu, "", "condition on the GPU")                                          \
  X(TEXT, system, "", "condition on the system")                                    \
  X(TEXT, precision, "", "condition on the precision")                              \
  X(TEXT, unit, "", "condition on the unit")                                        \
  X(TEXT, sequence, "", "condition on the sequence length")                         \
  X(TEXT, batch, "", "condition on the batch per GPU")                              \
  X(TEXT, serving, "", "condition on how inference is served")                      \
  X(TEXT, origin, "", "condition on where the row is from: repository and path")    \
  X(TEXT, remark, "", "condition on the note")                                      \
  X(TEXT, since, "", "holds for software released in this month (2018-06) or later") \
  X(TEXT, until, "", "holds for software released in this month or before")

typedef struct pm_reading { PM_READING_FIELDS(PM_DECLARE) } pm_reading;

/* ---- Validation ------------------------------------------------------------------------------------------------- */

typedef struct pm_validation {
  const char *set;  /* one of pm_validation_set */
  const char *data; /* the text of a table of one's own; NULL: what is shipped */
  const char *file; /* how messages call that table; NULL: "data" */
  int rows;         /* 1: a row for each measurement, 0: for each group of them */
} pm_validation;

/* The sets by position, NULL past the last. */
PM_API const char *pm_validation_set(size_t index);

/* The table, which the caller owns; NULL with an error. Its notes (pm_table_notes) say how many rows have no prediction,
** and why. */
PM_API pm_table *pm_validate(const pm_catalog *catalog, const pm_validation *what, pm_error *error);

/* ---- Measured kernels ----------------------------------------------------------------------------------------- */

/*
** Rows of a table of published kernel times (CSV). Columns, of which those that an operator does not have may be empty
** or missing:
**
**     kernel   gemm, conv, rnn, elementwise, ln, softmax;  op: bmm, linear, LSTM, GRU, Vanilla, add ...
**     pass     fwd, bwd_data, bwd_weight ("bwd" of a recurrent layer is bwd_data)
**     B M N K, transA transB (BLAS: N or T; a linear layer is TN), conv_W conv_H conv_C conv_N conv_K, filt_R_h filt_S_w, pad_h pad_w, stride_h stride_w,
**     hidden rnn_batch timesteps, shape ("rows x columns"), sparsity (such rows are left out)
**     precision, gpu, gpu_memory_GB, time_us, library, source_repo, and id and overhead_us if there are any
**
** GPUs are matched to the catalogue by their names. What the host adds to a row is its overhead_us, else that of the
** harness (catalogue) of its source and GPU.
*/
typedef struct pm_kernel_rows pm_kernel_rows;

/* Owned by the caller. Errors name `file` and the line. Rows that cannot be used are left out, with a note. */
PM_API pm_kernel_rows *pm_kernel_rows_new(const pm_catalog *catalog, const char *csv, const char *file,
                                          pm_error *error);
PM_API void pm_kernel_rows_free(pm_kernel_rows *rows);
PM_API size_t pm_kernel_rows_count(const pm_kernel_rows *rows);

/* Arrays of pm_kernel_rows_count records, in the order of the file; they live as long as the rows. */
PM_API const pm_measured_kernel *pm_kernel_rows_measured(const pm_kernel_rows *rows);
PM_API const pm_kernel *pm_kernel_rows_kernels(const pm_kernel_rows *rows);

/* Number of groups, and the group of each row, from 0 in the order of their first rows. */
PM_API size_t pm_kernel_rows_group_count(const pm_kernel_rows *rows);
PM_API const int32_t *pm_kernel_rows_groups(const pm_kernel_rows *rows);

/* Why rows were left out ("124 rows: gpu "TPU v3" is not in the catalogue"); NULL past the last. */
PM_API const char *pm_kernel_rows_note(const pm_kernel_rows *rows, size_t index);

/* Times [s] of all rows by the model, and by the plain roofline, what the host adds included; NAN where there is none.
** Returns how many rows have a time by the model. */
PM_API size_t pm_kernel_rows_predict(const pm_kernel_rows *rows, const pm_catalog *catalog, double *times,
                                     double *roofline_times);

#ifdef __cplusplus
}
#endif
#endif
