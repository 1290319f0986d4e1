/* One row of a table of published rates, and what is read out of it. */
#ifndef PM_LAB_VALIDATE_ROW_H
#define PM_LAB_VALIDATE_ROW_H

#include "perfmodel/validate.h"
#include "base/csv.h"

/* Columns that are known: name, header, and how else the header may be written. */
#define PM__COLUMN_LIST(X)                              \
  X(MODEL, "model", "network")                          \
  X(FRAMEWORK, "framework", "")                         \
  X(VERSION, "framework_version", "version")            \
  X(GPU, "gpu", "")                                     \
  X(MEMORY, "gpu_memory_GB", "")                        \
  X(SYSTEM, "system", "")                               \
  X(GPUS, "gpus", "")                                   \
  X(NODES, "nodes", "")                                 \
  X(BATCH, "batch_per_gpu", "batch")                    \
  X(GLOBAL_BATCH, "global_batch", "")                   \
  X(PRECISION, "precision", "")                         \
  X(OPTIMIZER, "optimizer", "")                         \
  X(SEQUENCE, "seq_len", "")                            \
  X(IMAGE, "image_size", "")                            \
  X(THROUGHPUT, "throughput", "")                       \
  X(UNIT, "unit", "")                                   \
  X(LATENCY, "latency_avg_ms", "latency_ms")            \
  X(SERVING, "serving", "")                             \
  X(REPOSITORY, "source_repo", "source")                \
  X(PATH, "source_path", "")                            \
  X(DATE, "source_commit_or_date", "date")              \
  X(NOTE, "note", "")

typedef enum pm__column {
#define PM__COLUMN_ENUM(name, title, other) PM__COLUMN_##name,
  PM__COLUMN_LIST(PM__COLUMN_ENUM)
#undef PM__COLUMN_ENUM
  PM__COLUMNS
} pm__column;

typedef struct pm__row {
  const char *cell[PM__COLUMNS];
  char origin[PM_TEXT_MAX * 4]; /* repository and path */
  const char *set;              /* training or inference */
  char date[8];                 /* of the software, "2018-06"; "" if nothing says */
} pm__row;

/* Finds the columns; they may stand in any order, and others are ignored. */
void pm__row_columns(const pm__csv *table, int columns[PM__COLUMNS]);

void pm__row_get(const pm__csv *table, size_t index, const int columns[PM__COLUMNS], pm__row *row);

/* The cell of the column with that header, NULL if no column has it. */
const char *pm__row_cell(const pm__row *row, const char *title);

/* The number of a cell, NAN if there is none. */
double pm__row_number(const pm__row *row, pm__column column);

#endif
