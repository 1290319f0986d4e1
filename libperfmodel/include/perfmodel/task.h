/*
** Tasks: training, inference and serving.
**
** A task has a record for its runs and one for its answers. pm_predict and pm_infer are the functions below with the
** records of one task. Functions for many runs take the task and its records: sweeps, studies, sizing, sensitivities,
** upgrades.
**
**     pm_inference_run run = pm_inference_run_make();
**     pm_inference answer;
**     pm_task_predict(plan, PM_TASK_INFERENCE, 0, &run, sizeof run, &answer, sizeof answer, 1);
*/
#ifndef PERFMODEL_TASK_H
#define PERFMODEL_TASK_H

#include "memory.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names of enumerators, and of descriptors in libperfmodel/src/task. */
#define PM_TASK_LIST(X)   \
  X(TRAINING, training)   \
  X(INFERENCE, inference) \
  X(SERVING, serving)     \
  /* the next task goes above this line */

typedef enum pm_task {
#define PM_TASK_ENUM(name, descriptor) PM_TASK_##name,
  PM_TASK_LIST(PM_TASK_ENUM)
#undef PM_TASK_ENUM
  PM_TASK_COUNT
} pm_task;

/* The facts of a task. */
typedef struct pm_task_facts {
  const char *name;     /* as users write it */
  const char *unit;     /* what one run predicts: "step" */
  const char *run;      /* record type of its runs */
  const char *answer;   /* record type of its answers */
  const char *software; /* field of a run: the index in the plan's frameworks, profiles or engines */
  const char *batch;    /* field of a run for the number of samples or requests: "batch", "concurrency" */
  int32_t replicas;     /* 1: every GPU runs the whole network, and GPUs exchange nothing */
} pm_task_facts;

/* The facts of a task; NULL for a number without a task. */
PM_API const pm_task_facts *pm_task_get(int32_t task);

/* The task of that name; -1 with PM_STATUS_NOT_FOUND. */
PM_API int32_t pm_task_find(const char *name, pm_error *error);

/* An opaque handle: networks on systems, and everything that can be computed ahead. Only _add_ changes it; otherwise
** threads may share it. */
typedef struct pm_plan pm_plan;

/* Predicts `count` runs; `columns` as in pm_predict_columns. A run that cannot be predicted yields its status and NAN;
** the others are predicted. Returns PM_OK, or PM_STATUS_BAD_ARGUMENT if a pointer is missing or a record is longer than
** the library's. Allocates nothing once the wiring of the runs' GPUs is known; threads may share the plan. */
PM_API int pm_task_predict(const pm_plan *plan, int32_t task, unsigned columns, const void *runs, size_t run_size,
                           void *answers, size_t answer_size, size_t count);

/* PM_OK, or the reason why this run cannot be predicted (batch 0, more GPUs than the system has, ...). */
PM_API int pm_task_check(const pm_plan *plan, int32_t task, const void *run, size_t run_size, pm_error *error);

/* Sets the batch of the run to the largest that takes at most `time` seconds and fits in memory; the answer is for that
** batch. PM_STATUS_UNREACHABLE if not even batch 1 is fast enough, PM_STATUS_BAD_ARGUMENT for a task without such a
** batch. */
PM_API int pm_task_find_batch(const pm_plan *plan, int32_t task, double time, void *run, size_t run_size, void *answer,
                              size_t answer_size, pm_error *error);

/* Memory of the fullest rank, part by part, whether or not it fits. PM_OK, or the reason. */
PM_API int pm_task_get_memory(const pm_plan *plan, int32_t task, const void *run, size_t run_size, pm_memory_use *use,
                              size_t use_size, pm_error *error);

/* Runs of a task and their answers, for a table. */
typedef struct pm_sweep {
  int32_t task;
  const void *runs;
  size_t run_size; /* bytes of a run in the program */
  const void *answers;
  size_t answer_size;
  size_t count;
  const char *const *paths; /* hardware parameters that are also columns (predict.h); NULL: none */
  size_t path_count;
} pm_sweep;

/* The table: network, system and software by id, the fields of the runs, a column for each path, the fields of the
** answers. The columns are the same for every table of a task. Owned by the caller; NULL with an error. */
PM_API pm_table *pm_sweep_tabulate(const pm_plan *plan, const pm_sweep *sweep, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
