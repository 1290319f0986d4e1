/* One line of a table of published kernel times. */
#ifndef PM_LAB_VALIDATION_KERNEL_ROW_H
#define PM_LAB_VALIDATION_KERNEL_ROW_H

#include "perfmodel-lab.h"
#include "base/csv.h"

#define PM__KERNEL_COLUMNS(X)                                                                                        \
  X(kernel) X(op) X(pass) X(B) X(M) X(N) X(K) X(transA) X(transB) X(sparsity)                                          \
  X(conv_W) X(conv_H) X(conv_C) X(conv_N) X(conv_K)                                                                  \
  X(filt_R_h) X(filt_S_w) X(pad_h) X(pad_w) X(stride_h) X(stride_w) X(hidden) X(rnn_batch) X(timesteps) X(shape)     \
  X(precision) X(gpu) X(gpu_memory_GB) X(time_us) X(library) X(source_repo) X(id) X(overhead_us) X(note)

/* Where the columns are, -1 if they are not. */
typedef struct pm__lab_kernel_columns {
#define PM__COLUMN(name) int name;
  PM__KERNEL_COLUMNS(PM__COLUMN)
#undef PM__COLUMN
  const char *file; /* for messages */
} pm__lab_kernel_columns;

pm__lab_kernel_columns pm__lab_kernel_columns_of(const pm__csv *sheet, const char *file);

/* A line that is understood, before its GPU is known. */
typedef struct pm__lab_kernel_row {
  pm_kernel kernel;
  char label[24];     /* "gemm-batched" */
  char precision[16]; /* "fp16-half": more than the record tells */
  double time, bytes; /* bytes of one tensor */
  const char *skip;   /* why it cannot be used, or NULL */
} pm__lab_kernel_row;

/* PM_OK, or an error with the place: a number that is none. */
int pm__lab_kernel_row_read(pm__lab_kernel_row *row, const pm__csv *sheet, const pm__lab_kernel_columns *columns,
                            size_t line,
                            pm_error *error);

/* ---- All lines of a table ---- */

/*
** Rows of a table of published kernel times (CSV). Columns, of which those that an operator does not have may be empty
** or missing:
**
**     kernel   gemm, conv, rnn, elementwise, ln, softmax;  op: bmm, linear, LSTM, GRU, Vanilla, add ...
**     pass     fwd, bwd_data, bwd_weight ("bwd" of a recurrent layer is bwd_data)
** B M N K, transA transB (BLAS: N or T; a linear layer is TN), conv_W conv_H conv_C conv_N conv_K, filt_R_h filt_S_w,
** pad_h pad_w, stride_h stride_w,
**     hidden rnn_batch timesteps, shape ("rows x columns"), sparsity (such rows are left out)
**     precision, gpu, gpu_memory_GB, time_us, library, source_repo, and id and overhead_us if there are any
**
** GPUs are matched to the catalogue by their names. What the host adds to a row is its overhead_us, else that of the
** harness (catalogue) of its source and GPU.
*/
typedef struct pm__lab_kernel_rows pm__lab_kernel_rows;

/* Owned by the caller. Errors name `file` and the line. Rows that cannot be used are left out, with a note. */
pm__lab_kernel_rows *pm__lab_kernel_rows_of_text(const pm_catalog *catalog, const char *csv, const char *file,
                                                 pm_error *error);
void pm__lab_kernel_rows_free(pm__lab_kernel_rows *rows);
size_t pm__lab_kernel_rows_count(const pm__lab_kernel_rows *rows);

/* Arrays of pm__lab_kernel_rows_count records, in the order of the file; they live as long as the rows. */
const pm_measured_kernel *pm__lab_kernel_rows_measured(const pm__lab_kernel_rows *rows);
const pm_kernel *pm__lab_kernel_rows_kernels(const pm__lab_kernel_rows *rows);

/* Number of groups, and the group of each row, from 0 in the order of their first rows. */
size_t pm__lab_kernel_rows_group_count(const pm__lab_kernel_rows *rows);
const int32_t *pm__lab_kernel_rows_groups(const pm__lab_kernel_rows *rows);

/* Why rows were left out ("124 rows: gpu "TPU v3" is not in the catalogue"); NULL past the last. */
const char *pm__lab_kernel_rows_note(const pm__lab_kernel_rows *rows, size_t index);

/* Times [s] of all rows by the model, and by the plain roofline, what the host adds included; NAN where there is none.
** Returns how many rows have a time by the model. */
size_t pm__lab_kernel_rows_predict(const pm__lab_kernel_rows *rows, const pm_catalog *catalog, double *times,
                                   double *roofline_times);

/* None yet; and one more, which is copied. */
pm__lab_kernel_rows *pm__lab_kernel_rows_new(pm_error *error);
int pm__lab_kernel_rows_add(pm__lab_kernel_rows *rows, const pm_measured_kernel *measured, const pm_kernel *kernel,
                            pm_error *error);

/* The rows of a table of operators (operator_row.h) that are one kernel and that nothing doubts. */
int pm__lab_kernel_rows_add_operators(pm__lab_kernel_rows *rows, const pm_catalog *catalog, const char *csv,
                                      const char *file, pm_error *error);

/* The same of a table that is read already. */
pm__lab_kernel_rows *pm__lab_kernel_rows_read(const pm_catalog *catalog, const pm__csv *sheet, const char *file,
                                              pm_error *error);

#endif
