/*
** Records about measurements: rules for reading rows of published tables, and results of fits. The catalogue contains
** the rules; the laboratory (perfmodel-lab.h) produces the results.
*/
#ifndef PERFMODEL_EVIDENCE_H
#define PERFMODEL_EVIDENCE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- How published tables are read ------------------------------------------------------------------------------ */

/* The quantity of a published row that a reading determines. */
#define PM_DECISION_LIST(X)                                                                          \
  X(SKIP, "skip", "the row is left out; the value is the reason")                                                      \
  X(DATE, "date", "release date of the software, such as 2018-06")                                                     \
  X(FRAMEWORK, "framework", "the framework's profile")                                               \
  X(CUDNN, "cudnn", "the cuDNN generation")                                               \
  X(NETWORK, "network", "the network, with parameters after it: bert-large seq=384")                 \
  X(SYSTEM, "system", "the system; -: the row does not name one")                                                      \
  X(GPUS, "gpus", "GPUs on all nodes, as a formula over the row's columns")                                            \
  X(PRECISION, "precision", "the precision")                                                         \
  X(BATCH, "batch", "samples per GPU per step, as a formula")                                                          \
  X(ITEMS, "items", "counted items (tokens) per sample, as a formula")                                                 \
  X(OPTIMIZER, "optimizer", "the optimizer")                                                         \
  X(ACCUMULATION, "accumulation", "batches that a step accumulates, as a formula")                                     \
  X(PEERS, "peers", "share of one GPU's rate: below it, several GPUs of a host have no peer access")                   \
  X(ABOUT, "about", "first word of the row's group, if not implied by the unit: speech")                               \
  X(MICRO_BATCH, "micro-batch", "micro-batch sizes if the row does not state one: the fastest is used; stages: as "    \
    "many micro-batches as stages")                                                                                    \
  X(RUN, "run", "other settings of a run of large models: stage_layers=balanced gradient_bytes=4")      \
  X(LOADER, "loader",                                                                                                  \
    "the loader that prepares its samples on the host, in a process for each GPU on its share of the cores")           \
  X(MEMORY, "memory", "the memory profile, if a script does not use its framework's")                                  \
  X(UNFIT, "unfit", "the row is predicted but not fitted; the value is the reason")

typedef enum pm_decision {
#define PM_DECISION_ENUM(name, ...) PM_DECISION_##name,
  PM_DECISION_LIST(PM_DECISION_ENUM)
#undef PM_DECISION_ENUM
  PM_DECISION_COUNT
} pm_decision;

/* A rule applies if all its conditions hold. A condition is a list of words that must all be in the cell of that
** column, in any order and case. '|' separates alternatives, '!' negates one, "-" means that the cell is empty, and a
** quoted alternative must be in the cell literally. Among rules for the same quantity, the first that applies is used.
** {column} in the value is replaced by the cell, and the rule does not apply if that is empty. */
#define PM_READING_FIELDS(X)                                                        \
  X(TEXT, id, "", "short stable name")                                              \
  X(DECISION, decides, "", "quantity that it determines")                                                              \
  X(TEXT, value, "", "value of the quantity")                                                                          \
  X(TEXT, set, "", "condition on the set: training, inference or large-models")                   \
  X(TEXT, model, "", "condition on the model")                                      \
  X(TEXT, framework, "", "condition on the framework")                              \
  X(TEXT, version, "", "condition on the framework's version")                      \
  X(TEXT, gpu, "", "condition on the GPU")                                          \
  X(TEXT, system, "", "condition on the system")                                    \
  X(TEXT, precision, "", "condition on the precision")                              \
  X(TEXT, unit, "", "condition on the unit")                                        \
  X(TEXT, sequence, "", "condition on the sequence length")                         \
  X(TEXT, batch, "", "condition on the batch per GPU")                              \
  X(TEXT, serving, "", "condition on the mode of serving")                                                             \
  X(TEXT, origin, "", "condition on the origin of the row: repository and path")                                       \
  X(TEXT, remark, "", "condition on the note")                                      \
  X(TEXT, schedule, "", "condition on the pipeline schedule")                                                          \
  X(TEXT, since, "", "applies to software released in this month (2018-06) or later")                                  \
  X(TEXT, until, "", "applies to software released in this month or earlier")

typedef struct pm_reading { PM_READING_FIELDS(PM_DECLARE) } pm_reading;

/* ---- What a fit of constants found ------------------------------------------------------------------------------- */

/* Whether measurements determine a constant. */
#define PM_FIT_STATE_LIST(X)                                                                      \
  X(FIXED, "fixed", "not fitted")                                                                 \
  X(FITTED, "fitted", "the measurements determine it")                                            \
  X(UNIDENTIFIED, "not identifiable", "the measurements do not determine it, or only in combination with others")      \
  X(AT_LOWER, "at lower bound", "the measurements favour a value below the bound")                                     \
  X(AT_UPPER, "at upper bound", "the measurements favour a value above the bound")

typedef enum pm_fit_state {
#define PM_FIT_STATE_ENUM(name, text, doc) PM_FIT_STATE_##name,
  PM_FIT_STATE_LIST(PM_FIT_STATE_ENUM)
#undef PM_FIT_STATE_ENUM
  PM_FIT_STATE_COUNT
} pm_fit_state;

/* A constant to fit: its start, its bounds, and the result. */
#define PM_FIT_PARAMETER_FIELDS(X)                                                                         \
  X(TEXT, name, "", "name of the constant")                                                                \
  X(REAL, start, "1", "start of the search")                                                                           \
  X(REAL, lower, "1", "lower bound; above 0: the search uses the logarithm")                                           \
  X(REAL, upper, "1", "upper bound; equal to the lower bound: not fitted")                                             \
  X(REAL, value, "1", "fitted value")                                                                                  \
  X(REAL, uncertainty, "1", "standard error, as a share of the value")                                     \
  X(FIT_STATE, state, "", "whether the measurements determine it")                                         \
  X(TEXT, correlated, "", "the constant that it trades off with most")                                                 \
  X(REAL, correlation, "1", "correlation of the errors of the two")

typedef struct pm_fit_parameter { PM_FIT_PARAMETER_FIELDS(PM_DECLARE) } pm_fit_parameter;

/* The role of measured rows in a fit. */
#define PM_FIT_USE_LIST(X)                                                                                           \
  X(FITTED, "fitted", "the constants were fitted to them")                                                             \
  X(HOLD_OUT_SHAPE, "hold-out-shape", "sizes without a row in the fit")                                                \
  X(HOLD_OUT_GPU, "hold-out-gpu", "a GPU without a row in the fit")                                                    \
  X(OLDER_LIBRARY, "older-library", "the same source with an older library")                                         \
  X(LEFT_OUT_SOURCE, "left-out-source", "held-out source: predicted with constants fitted without it")                 \
  X(LEFT_OUT_NETWORK, "left-out-network", "held-out network: predicted with constants fitted without it")              \
  X(EXCLUDED, "excluded", "excluded from the fit by a rule of the catalogue")                                          \
  X(LEFT_OUT_MACHINE, "left-out-machine", "held-out machine: predicted with constants fitted without it")

typedef enum pm_fit_use {
#define PM_FIT_USE_ENUM(name, ...) PM_FIT_USE_##name,
  PM_FIT_USE_LIST(PM_FIT_USE_ENUM)
#undef PM_FIT_USE_ENUM
  PM_FIT_USE_COUNT
} pm_fit_use;

/* One constant of the catalogue after a calibration. */
#define PM_FITTED_CONSTANT_FIELDS(X)                                                                       \
  X(TEXT, entry, "", "id of its catalogue entry; default: shared by all architectures")                                \
  X(TEXT, stage, "", "stage of the calibration")                                                           \
  X(TEXT, constant, "", "name of the constant")                                                            \
  X(TEXT, unit, "", "unit of its values")                                                                  \
  X(REAL, value, "1", "fitted value")                                                                                  \
  X(REAL, uncertainty, "1", "standard error, as a share of the value")                                     \
  X(FIT_STATE, state, "", "whether the measurements determine it")                                         \
  X(REAL, start, "1", "start of the search")                                                                           \
  X(REAL, lower, "1", "lower bound")                                                                                   \
  X(REAL, upper, "1", "upper bound")                                                                                   \
  X(TEXT, correlated, "", "the constant that it trades off with most")                                                 \
  X(REAL, correlation, "1", "correlation of the errors of the two")                                        \
  X(INT, rows, "1", "measurements that it was fitted to")

typedef struct pm_fitted_constant { PM_FITTED_CONSTANT_FIELDS(PM_DECLARE) } pm_fitted_constant;

/* Errors of one group of rows: (predicted - measured) / measured. */
#define PM_FIT_ERROR_FIELDS(X)                                                                             \
  X(TEXT, stage, "", "stage of the calibration")                                                           \
  X(TEXT, group, "", "common property of the rows: their GPU, or the key of their group")                              \
  X(FIT_USE, use, "", "role of the rows in the fit")                                                       \
  X(INT, rows, "1", "measurements")                                                                        \
  X(REAL, mape, "%", "mean of the absolute errors")                                                        \
  X(REAL, median, "%", "median of the absolute errors")                                                    \
  X(REAL, p90, "%", "90th percentile of the absolute errors")                                              \
  X(REAL, bias, "%", "mean of the signed errors; above 0: predicted values are too large (times too slow, rates too "  \
    "fast)")

typedef struct pm_fit_error { PM_FIT_ERROR_FIELDS(PM_DECLARE) } pm_fit_error;

#ifdef __cplusplus
}
#endif
#endif
