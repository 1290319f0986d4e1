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
  X(ACCUMULATION, "accumulation", "batches that a step accumulates, a formula likewise") \
  X(ABOUT, "about", "what its group is called first, if its unit does not say: speech")

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

#ifdef __cplusplus
}
#endif
#endif
