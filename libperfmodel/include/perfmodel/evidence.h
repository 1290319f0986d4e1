/*
** Records about measurements: how rows of published tables are read, and what a fit of constants found. The catalogue
** holds the first; the laboratory (perfmodel-lab.h) makes the others.
*/
#ifndef PERFMODEL_EVIDENCE_H
#define PERFMODEL_EVIDENCE_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- How published tables are read ------------------------------------------------------------------------------ */

/* What a reading decides of a row of a published table. */
#define PM_DECISION_LIST(X)                                                                          \
  X(SKIP, "skip", "leaves the row out; the value is the reason")                                     \
  X(DATE, "date", "when the software was released, as 2018-06")                                      \
  X(FRAMEWORK, "framework", "the framework's profile")                                               \
  X(CUDNN, "cudnn", "the cuDNN generation")                                               \
  X(NETWORK, "network", "the network, with parameters after it: bert-large seq=384")                 \
  X(SYSTEM, "system", "the system; -: that the row names none")                                                        \
  X(GPUS, "gpus", "GPUs over all nodes, a formula over the row's columns")                           \
  X(PRECISION, "precision", "the precision")                                                         \
  X(BATCH, "batch", "samples per GPU and step, a formula likewise")                                 \
  X(ITEMS, "items", "counted items (tokens) per sample, as a formula likewise")                      \
  X(OPTIMIZER, "optimizer", "the optimizer")                                                         \
  X(ACCUMULATION, "accumulation", "batches that a step accumulates, a formula likewise")               \
  X(PEERS, "peers", "the share of one GPU's rate below which several on the same host have no peer access") \
  X(ABOUT, "about", "first word of its group's name, if the unit does not imply it: speech")           \
  X(MICRO_BATCH, "micro-batch", "sizes of a micro-batch where the row says none: the fastest of them counts; " \
                                "stages: as many micro-batches as stages")                               \
  X(RUN, "run", "other settings of a run of large models: stage_layers=balanced gradient_bytes=4")      \
  X(LOADER, "loader",                                                                                                  \
    "the loader that prepares its samples on the host, in a process for each GPU on its share of the cores")           \
  X(MEMORY, "memory", "the memory profile, where a script handles memory otherwise than its framework does")           \
  X(UNFIT, "unfit", "the row is predicted, but no constant is fitted to it; the value is the reason")

typedef enum pm_decision {
#define PM_DECISION_ENUM(name, ...) PM_DECISION_##name,
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
  X(DECISION, decides, "", "quantity that it decides")                              \
  X(TEXT, value, "", "value that it gives")                                         \
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
  X(TEXT, serving, "", "condition on how inference is served")                      \
  X(TEXT, origin, "", "condition on where the row is from: repository and path")    \
  X(TEXT, remark, "", "condition on the note")                                      \
  X(TEXT, schedule, "", "condition on the schedule of a pipeline")                  \
  X(TEXT, since, "", "holds for software released in this month (2018-06) or later") \
  X(TEXT, until, "", "holds for software released in this month or before")

typedef struct pm_reading { PM_READING_FIELDS(PM_DECLARE) } pm_reading;

/* ---- What a fit of constants found ------------------------------------------------------------------------------- */

/* What measurements say of a constant. */
#define PM_FIT_STATE_LIST(X)                                                                      \
  X(FIXED, "fixed", "not fitted")                                                                 \
  X(FITTED, "fitted", "the measurements determine it")                                            \
  X(UNIDENTIFIED, "not identifiable", "the measurements do not determine it, or only with others") \
  X(AT_LOWER, "at lower bound", "the measurements want less than the bound allows")               \
  X(AT_UPPER, "at upper bound", "the measurements want more than the bound allows")

typedef enum pm_fit_state {
#define PM_FIT_STATE_ENUM(name, text, doc) PM_FIT_STATE_##name,
  PM_FIT_STATE_LIST(PM_FIT_STATE_ENUM)
#undef PM_FIT_STATE_ENUM
  PM_FIT_STATE_COUNT
} pm_fit_state;

/* A constant to fit: where the search starts, its bounds, and what came of it. */
#define PM_FIT_PARAMETER_FIELDS(X)                                                                         \
  X(TEXT, name, "", "name of the constant")                                                                \
  X(REAL, start, "1", "value that the search starts from")                                                 \
  X(REAL, lower, "1", "least value; above 0: the search is in the logarithm")                              \
  X(REAL, upper, "1", "largest value; equal to the least: not fitted")                                     \
  X(REAL, value, "1", "value found")                                                                       \
  X(REAL, uncertainty, "1", "standard error, as a share of the value")                                     \
  X(FIT_STATE, state, "", "whether the measurements determine it")                                         \
  X(TEXT, correlated, "", "the constant that it can be exchanged with most")                               \
  X(REAL, correlation, "1", "correlation of the errors of the two")

typedef struct pm_fit_parameter { PM_FIT_PARAMETER_FIELDS(PM_DECLARE) } pm_fit_parameter;

/* What rows of measurements are to a fit. */
#define PM_FIT_USE_LIST(X)                                                                                           \
  X(FITTED, "fitted", "the constants were fitted on them")                                                           \
  X(HOLD_OUT_SHAPE, "hold-out-shape", "sizes that no row of the fit has")                \
  X(HOLD_OUT_GPU, "hold-out-gpu", "a GPU that no row of the fit is of")                    \
  X(OLDER_LIBRARY, "older-library", "the same source with an older library")                                         \
  X(LEFT_OUT_SOURCE, "left-out-source", "predicted with constants fitted without their source")                        \
  X(LEFT_OUT_NETWORK, "left-out-network", "predicted with constants fitted without their network")                     \
  X(EXCLUDED, "excluded", "a rule of the catalogue excludes them from the fit")        \
  X(LEFT_OUT_MACHINE, "left-out-machine", "predicted with constants fitted without their machine")

typedef enum pm_fit_use {
#define PM_FIT_USE_ENUM(name, ...) PM_FIT_USE_##name,
  PM_FIT_USE_LIST(PM_FIT_USE_ENUM)
#undef PM_FIT_USE_ENUM
  PM_FIT_USE_COUNT
} pm_fit_use;

/* One constant of the catalogue after a calibration. */
#define PM_FITTED_CONSTANT_FIELDS(X)                                                                       \
  X(TEXT, entry, "", "id of the catalogue's entry that it is of; default: of every architecture")          \
  X(TEXT, stage, "", "stage of the calibration")                                                           \
  X(TEXT, constant, "", "name of the constant")                                                            \
  X(TEXT, unit, "", "unit of its values")                                                                  \
  X(REAL, value, "1", "value found")                                                                       \
  X(REAL, uncertainty, "1", "standard error, as a share of the value")                                     \
  X(FIT_STATE, state, "", "whether the measurements determine it")                                         \
  X(REAL, start, "1", "value that the search started from")                                                \
  X(REAL, lower, "1", "least value")                                                                       \
  X(REAL, upper, "1", "largest value")                                                                     \
  X(TEXT, correlated, "", "the constant that it can be exchanged with most")                               \
  X(REAL, correlation, "1", "correlation of the errors of the two")                                        \
  X(INT, rows, "1", "measurements that it was fitted on")

typedef struct pm_fitted_constant { PM_FITTED_CONSTANT_FIELDS(PM_DECLARE) } pm_fitted_constant;

/* Errors of one group of rows: (predicted - measured) / measured. */
#define PM_FIT_ERROR_FIELDS(X)                                                                             \
  X(TEXT, stage, "", "stage of the calibration")                                                           \
  X(TEXT, group, "", "common property of the rows: their GPU, or the key by which rates are grouped")      \
  X(FIT_USE, use, "", "role of the rows in the fit")                                                       \
  X(INT, rows, "1", "measurements")                                                                        \
  X(REAL, mape, "%", "mean of the absolute errors")                                                        \
  X(REAL, median, "%", "median of the absolute errors")                                                    \
  X(REAL, p90, "%", "90th percentile of the absolute errors")                                              \
  X(REAL, bias, "%", "mean of the signed errors; above 0: predicted too much, of times too slow, of rates too fast")

typedef struct pm_fit_error { PM_FIT_ERROR_FIELDS(PM_DECLARE) } pm_fit_error;

#ifdef __cplusplus
}
#endif
#endif
