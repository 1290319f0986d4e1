/*
** One line of a table of operators of language models, as serving engines and profilers print them: one row is one
** operator, which may be several kernels one after the other.
*/
#ifndef PM_LAB_VALIDATION_OPERATOR_ROW_H
#define PM_LAB_VALIDATION_OPERATOR_ROW_H

#include "perfmodel-lab.h"
#include "base/csv.h"

#define PM__OPERATOR_COLUMNS(X)                                                                                        \
  X(id) X(source) X(gpu) X(library) X(op) X(kernel) X(dtype) X(kv_dtype) X(m) X(n) X(k) X(batch) X(new_tokens)         \
  X(past_tokens) X(heads) X(kv_heads) X(head_dim) X(window) X(tokens) X(hidden) X(intermediate) X(topk) X(experts)     \
  X(moe_tp) X(moe_ep) X(gpus) X(time_us) X(message_bytes) X(check)

/* Where the columns are, -1 if they are not. */
typedef struct pm__lab_operator_columns {
#define PM__COLUMN(name) int name;
  PM__OPERATOR_COLUMNS(PM__COLUMN)
#undef PM__COLUMN
} pm__lab_operator_columns;

pm__lab_operator_columns pm__lab_operator_columns_of(const pm__csv *sheet);

enum { PM__OPERATOR_KERNELS = 4 };

typedef struct pm__lab_operator_row {
  const char *label;   /* "products" */
  char precision[24];  /* as the row has it: more than the record tells */
  pm_kernel kernels[PM__OPERATOR_KERNELS];
  int count;           /* 0: a collective over `gpus` */
  double rows;         /* of a product or a pass: tokens; NAN: not told apart */
  double gpus, bytes;  /* of a collective */
  /* of one in a kernel of the engine: a round [s], its bandwidth over the rings'; 0: it has none */
  double round, round_rate;
  double least;        /* its least time [s]: the host's */
  bool eager;          /* the host starts each kernel by itself */
  double routed;       /* of experts: numbers of all rows that tokens are routed as, to experts anywhere */
  double time, overhead; /* measured, and what the host added to it [s] */
  bool window;         /* attention sees no further, or not beyond the keys that there are */
  bool marked;         /* the column `check` doubts it */
  char skip[120];      /* why it cannot be used, or "" */
} pm__lab_operator_row;

/* The row as it is written, before its GPU and its host are known. */
void pm__lab_operator_row_read(pm__lab_operator_row *row, const pm__csv *sheet, const pm__lab_operator_columns *columns,
                               size_t line);

/* Adds what its host does; NULL: nothing is known of it. */
void pm__lab_operator_add_host(pm__lab_operator_row *row, const pm_kernel_harness *host);

/* ---- All lines of a table ---- */

/* A name of a GPU in the table, and what it is in the catalogue. */
typedef struct pm__lab_operator_gpu {
  const char *name;
  bool known, calibrated;
  pm_gpu gpu;
  pm_kernel_calibration calibration;
} pm__lab_operator_gpu;

typedef struct pm__lab_operator_reader pm__lab_operator_reader;

/* The sheet and the catalogue must outlive it. NULL with an error. */
pm__lab_operator_reader *pm__lab_operator_reader_new(const pm_catalog *catalog, const pm__csv *sheet, pm_error *error);
void pm__lab_operator_reader_free(pm__lab_operator_reader *reader);

/* The line with what its host added; returns its GPU. */
const pm__lab_operator_gpu *pm__lab_operator_reader_get(pm__lab_operator_reader *reader, size_t line,
                                                        pm__lab_operator_row *row);

/* The host of a line, whose values the next lines are read with; NULL: none is known. */
pm_kernel_harness *pm__lab_operator_reader_harness(pm__lab_operator_reader *reader, size_t line);

/* Predicted time of a row, what the host added included. Errors: PM_STATUS_NOT_FOUND and what the kernels have. */
int pm__lab_operator_reader_time(pm__lab_operator_reader *reader, const pm__lab_operator_row *row,
                                 const pm__lab_operator_gpu *gpu, double *time, pm_error *error);

#endif
