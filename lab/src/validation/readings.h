/* One row of a table of published rates, and what is read out of it. */
#ifndef PM_LAB_VALIDATION_READINGS_H
#define PM_LAB_VALIDATION_READINGS_H

#include "perfmodel-lab.h"
#include "base/csv.h"

/* Columns that are known: name, header, and how else the header may be written. */
#define PM__COLUMN_LIST(X)                              \
  X(ID, "id", "")                                       \
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
  X(PLAN, "parallelism", "plan")                        \
  X(SCHEDULE, "schedule", "pipeline_schedule")          \
  X(NOTE, "note", "")

typedef enum pm__lab_column {
#define PM__COLUMN_ENUM(name, title, other) PM__COLUMN_##name,
  PM__COLUMN_LIST(PM__COLUMN_ENUM)
#undef PM__COLUMN_ENUM
  PM__COLUMNS
} pm__lab_column;

enum { PM__CONDITIONS = 14 }; /* of a rule: on the origin, the set and cells */

typedef struct pm__lab_row {
  const char *cell[PM__COLUMNS];
  size_t line; /* of the table */
  char origin[PM_TEXT_MAX * 4]; /* repository and path */
  const char *set;              /* training or inference */
  char date[8];                 /* of the software, "2018-06"; "" if nothing says */
  pm__string *rules;            /* gets the ids of rules that decide something of it; or NULL */
  unsigned char seen[PM__CONDITIONS]; /* which of the texts that conditions were tried on; 0: none of them */
} pm__lab_row;

/* Finds the columns; they may stand in any order, and others are ignored. */
void pm__lab_row_columns(const pm__csv *table, int columns[PM__COLUMNS]);

void pm__lab_row_get(const pm__csv *table, size_t index, const int columns[PM__COLUMNS], pm__lab_row *row);

/* The cell of the column with that header, NULL if no column has it. */
const char *pm__lab_row_cell(const pm__lab_row *row, const char *title);

/* The number of a cell, NAN if there is none. */
double pm__lab_row_number(const pm__lab_row *row, pm__lab_column column);

/* "arXiv 2104.04473 (Narayanan et al. 2021)" -> "arXiv 2104.04473", "NVIDIA/NeMo" -> "NeMo" */
void pm__lab_source_name(const char *source, char *text, size_t size);

/* The catalogue's rules for reading published tables. */

enum { PM__VALUE_LONGEST = 200 };

typedef struct pm__lab_seen pm__lab_seen;

typedef struct pm__lab_readings {
  pm_reading *items;
  pm__lab_seen *seen; /* texts of rows before, and which conditions held for them */
  size_t count;
  size_t first[PM_DECISION_COUNT], *next; /* the first rule of a decision, and the next behind each; count: none */
} pm__lab_readings;

int pm__lab_readings_new(pm__lab_readings *readings, const pm_catalog *catalog, pm_error *error);
void pm__lab_readings_free(pm__lab_readings *readings);

/* Knows the texts of a row again, once its set is known: long tables have few of each column. */
void pm__lab_readings_know(const pm__lab_readings *readings, pm__lab_row *row);

/* What the first rule that holds for the row decides for, its columns put in; NULL if no rule holds. `value` has room
** for PM__VALUE_LONGEST bytes. */
const char *pm__lab_readings_decide(const pm__lab_readings *readings, pm_decision decision, const pm__lab_row *row,
                                    char *value);

/* The same for a number: a formula over the columns of the row. NAN if no rule holds. */
double pm__lab_readings_number(const pm__lab_readings *readings, pm_decision decision, const pm__lab_row *row,
                               pm_error *error);

/* Sets row->date: by a rule, by the tag of a container ("NGC 20.06"), or by the source's own date. */
void pm__lab_readings_date(const pm__lab_readings *readings, pm__lab_row *row);

#endif
