/* One line of a table of published kernel times. */
#ifndef PM_LAB_VALIDATION_KERNEL_ROW_H
#define PM_LAB_VALIDATION_KERNEL_ROW_H

#include "perfmodel/lab.h"
#include "base/csv.h"

#define PM__KERNEL_COLUMNS(X)                                                                                        \
  X(kernel) X(op) X(pass) X(B) X(M) X(N) X(K) X(transA) X(transB) X(sparsity) X(conv_W) X(conv_H) X(conv_C) X(conv_N) X(conv_K)          \
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

/* Tables of published kernel times that are read already. */

/* As pm_kernel_rows_new. */
pm_kernel_rows *pm__lab_kernel_rows_read(const pm_catalog *catalog, const pm__csv *sheet, const char *file,
                                         pm_error *error);

#endif
