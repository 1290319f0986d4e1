/*
** Studies: questions by name. Networks on systems in frameworks, and runs with only some fields given.
**
** A study completes runs by one set of rules, so every command and language gives the same answer to the same question:
**
**     counts       none given: one whole node. `gpus` alone is the total, filled node by node; with `nodes` it is per
**                  node; `nodes` alone uses every GPU
**     degrees      the parallelism tensor-parallel, pipeline-parallel or hybrid is a name for tensor_parallel of all
**                  GPUs, pipeline_parallel of all GPUs, tensor_parallel of all GPUs of a node
**     framework    none named: zero 3 is FullyShardedDataParallel of PyTorch; other tensor, pipeline, context or expert
**                  parallelism is Megatron-LM; all else is PyTorch: the newest fitted release that runs on the GPU
**     precision    decoder-only language models: bf16, or fp16 where the GPU has no bf16; others: fp32
**     optimizer    decoder-only language models: adamw; others: momentum
**     batch        decoder-only language models: a micro-batch of 1, and one of them per rank; others: 32 per rank
**     attention    that leaves its kernels to the software (`flash` is auto): fused if the framework does that
**
** A network is a decoder-only language model if it reads tokens and all of its attention is causal. Parallelism is
** never completed.
**
**     const pm_study_setup setup = {catalog, &network, 1, &system, 1, NULL, 0, PM_TASK_TRAINING};
**     pm_study *study = pm_study_new(&setup, &error);
**     pm_run run = pm_run_make();
**     pm_given given = {0};
**     run.tensor_parallel = 8;
**     pm_given_add(&given, "run", "tensor_parallel");
**     pm_study_complete(study, &given, &run, &run, sizeof run, 1, &error);
**     pm_predict(pm_study_get_plan(study, &error), &run, &prediction, 1);
**     count = pm_study_get_assumptions(study, &given, &run, sizeof run, rows);
**     puts(pm_assumptions_format(rows, count, text, sizeof text));              "8 GPUs, bf16, adamw, ..."
**
** The report of an answer is the same in every command and language:
**
**     pm_report_question question = {.given = &given, .runs = &run, .run_size = sizeof run, .count = 1};
**     question.answers = &prediction; question.answer_size = sizeof prediction;
**     pm_report *report = pm_study_new_report(study, &question, &error);
**     char *page = pm_report_format(report, PM_RENDERING_TEXT, 80, &error);     "Training ResNet-50 on ..."
*/
#ifndef PERFMODEL_STUDY_H
#define PERFMODEL_STUDY_H

#include "catalog.h"
#include "inference.h"
#include "predict.h"
#include "report.h"
#include "search.h"
#include "sensitivity.h"
#include "serving.h"
#include "serving_goal.h"
#include "size.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle. One thread at a time may complete runs; the plans that it returns may be shared. */
typedef struct pm_study pm_study;

/* The setup of a study. The catalogue and systems must outlive it; names and networks are copied, so a network may get
** more layers while runs of the study are predicted. */
typedef struct pm_study_setup {
  const pm_catalog *catalog;
  const pm_network *const *networks;
  size_t network_count;
  const pm_system *const *systems;
  size_t system_count;
  const char *const *frameworks; /* by name, or inference profiles; "none": kernels and collectives only, of training */
  size_t framework_count;        /* 0: none named */
  int32_t task;                  /* pm_task */
} pm_study_setup;

/* Records of frameworks outside the catalogue. For each framework of the setup its record, which is copied, or NULL: by
** name. A profile that names no memory profile has the generic one. */
typedef struct pm_study_records {
  const pm_framework_profile *const *frameworks; /* of training; NULL: all by name */
  const pm_inference_profile *const *profiles;   /* of inference; NULL: all by name */
  const pm_engine_profile *const *engines;       /* of serving; NULL: all by name */
} pm_study_records;

/* A study with records instead of the names of some frameworks; NULL: none. Owned by the caller; NULL with an error: an
** unknown framework, no memory. */
PM_API pm_study *pm_study_new_with_records(const pm_study_setup *setup, const pm_study_records *records,
                                           pm_error *error);

/* A study of frameworks by name. */
PM_INLINE pm_study *pm_study_new(const pm_study_setup *setup, pm_error *error)
{
  return pm_study_new_with_records(setup, NULL, error);
}

/* Releases the study and its plans; NULL is none. */
PM_API void pm_study_free(pm_study *study);

/* The task of the study. */
PM_API int32_t pm_study_get_task(const pm_study *study);

/* Completes `count` runs of the study's task, records of `run_size` bytes. In `asked`, the indices of network, system
** and software are positions in the lists of the setup (the software's only if frameworks are named). In `runs` they
** are those of the study's plan; `runs` may be `asked`, and no run may be completed twice. A run that cannot be
** completed has no prediction; the others are completed. PM_OK, or the status of the first error, with its text in
** `error`. */
PM_API int pm_study_complete(pm_study *study, const pm_given *given, const void *asked, void *runs, size_t run_size,
                             size_t count, pm_error *error);

/* The plan of all runs that were completed so far. It lives as long as the study; runs that are completed later may
** need the plan of a later call, on which earlier runs are the same. NULL with an error. Cost: that of pm_plan_new
** after runs that need another network or framework, otherwise none. */
PM_API const pm_plan *pm_study_get_plan(pm_study *study, pm_error *error);

/* The network of a completed run by its index; NULL if there is none. It lives as long as the study. */
PM_API const pm_network *pm_study_get_network(const pm_study *study, int32_t network_index);

/* Software of completed runs on one system. NULL: none. */
typedef struct pm_study_software {
  const pm_framework_profile *framework; /* of training */
  const pm_inference_profile *profile;   /* of inference */
  const pm_engine_profile *engine;       /* of serving */
  const pm_memory_profile *memory;       /* its memory profile; without a framework the generic one */
} pm_study_software;

/* The software of a completed run by its index. The records live as long as the study. */
PM_API pm_study_software pm_study_get_software(const pm_study *study, int32_t software_index, int32_t system_index);

/* Notes on the frameworks of completed runs, such as that libraries do not run on the GPU; index from 0, NULL past the
** last. */
PM_API const char *pm_study_get_note(const pm_study *study, size_t index);

/* ---- What was assumed ---- */

/* Writes the assumptions of a completed run to at most PM_ASSUMPTIONS_MAX rows. Returns their number. */
PM_API int pm_study_get_assumptions(const pm_study *study, const pm_given *given, const void *run, size_t run_size,
                                    pm_assumption *rows);

/* ---- Tables, with a last column `assumed` ---- */

/* The table of pm_sweep_tabulate. */
PM_API pm_table *pm_study_tabulate(const pm_study *study, const pm_given *given, const pm_sweep *sweep,
                                   pm_error *error);

/* A view (pm_search_view) of the result of a search of the study. Without a study, and for choices, there is no column
** `assumed`. Owned by the caller; NULL with an error: PM_STATUS_NOT_FOUND if no plan has a prediction to compare. */
PM_API pm_table *pm_study_tabulate_search(const pm_study *study, const pm_given *given, const pm_search_result *result,
                                          pm_search_view view, pm_error *error);

/* Layouts that serve within limits: records of "serving_choice", best first. With a rate they are ranked by cost, or
** without prices by GPUs; without a rate by cost, or by tokens/s/GPU. Layouts beyond the limits follow, unless every
** layout is tried. Without a study there is no column `assumed`. Owned by the caller; NULL with an error:
** PM_STATUS_UNREACHABLE if every layout was tried and none is within the limits, PM_STATUS_BAD_ARGUMENT for a limit
** that is not positive. Cost: about thirty predictions per layout. */
PM_API pm_table *pm_study_tabulate_serving(const pm_study *study, const pm_serving_goal_setup *setup,
                                           const pm_serving_goal *goal, pm_error *error);

/* ---- Reports: everything about an answer, as a document (report.h) ----
**
** A report keeps no reference to its inputs and may outlive them. All numbers are also in the records.
*/

/* Kinds of reports. */
typedef enum pm_report_of {
  PM_REPORT_OF_ANSWERS,       /* completed runs and their predictions: of training one, of inference several too */
  PM_REPORT_OF_MEMORY,        /* the memory of a completed run, whether or not it fits */
  PM_REPORT_OF_SENSITIVITIES, /* rows of pm_sensitivity_evaluate of a completed run */
  PM_REPORT_OF_UPGRADES,      /* rows of pm_upgrade_evaluate of a completed run */
  PM_REPORT_OF_SIZES,         /* rows of pm_size_evaluate, whose choices are completed runs */
  PM_REPORT_OF_SEARCH,        /* the result of a search of the study */
  PM_REPORT_OF_DEADLINE,      /* the table of pm_study_tabulate_training of a run to search from */
  PM_REPORT_OF_INPUT,         /* rates of an input path; the run, if there is one, is that of the reading GPUs */
  PM_REPORT_OF_SERVING,       /* the table of pm_study_tabulate_serving of completed runs, and perhaps its front */
  PM_REPORT_OF_COMPARISON,    /* two completed runs and their predictions: from the time of one to that of the other */
  PM_REPORT_OF_FIELD,         /* a completed run, its prediction and one field of it: formula, inputs, uncertainty */
  PM_REPORT_OF_COUNT
} pm_report_of;

/* One part of the time of two runs, as a step of a waterfall from the first to the second. The first row is the time of
** the first run, the last that of the second; `reached` of a row is that of the row before it plus its difference. */
#define PM_COMPARISON_FIELDS(X)                                                                                        \
  X(TEXT, part, "", "part of a step, call or request", .show = PM_SHOW_MAIN)                                           \
  X(REAL, first, "s", "its time in the first run", .show = PM_SHOW_MAIN)                                               \
  X(REAL, second, "s", "its time in the second run", .show = PM_SHOW_MAIN)                                             \
  X(REAL, difference, "s", "time of the second run minus that of the first", .show = PM_SHOW_MAIN)                     \
  X(REAL, reached, "s", "time of the first run with all differences up to here", .show = PM_SHOW_MAIN)                 \
  X(REAL, share, "1", "share of the difference of the whole time", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)

typedef struct pm_comparison { PM_COMPARISON_FIELDS(PM_DECLARE) } pm_comparison;

/* The inputs of a report. Begins as {0}; members that its kind does not need stay 0. */
typedef struct pm_report_question {
  pm_report_of of;
  const pm_given *given;
  const void *runs;      /* completed, records of the study's task */
  size_t run_size;
  const void *answers;   /* predictions, as many as runs, or the rows or rates above */
  size_t answer_size;    /* bytes of one */
  size_t count;          /* of answers */
  const char *dataset;   /* name of the dataset of an epoch; NULL: not named */
  double latency;        /* latency limit for which the batches are the largest; 0: batches were given */
  const void *goal;      /* pm_size_goal, pm_training_goal of a deadline, or pm_serving_goal */
  const char *currency;  /* of prices; NULL: none are given */
  const char *price_date; /* date of the prices; NULL: not stated */
  const pm_size_setup *size;
  const pm_search_result *search;
  double global_batch;   /* of the search or deadline; NAN: it was not given */
  const pm_table *table; /* of the deadline, or of serving */
  const pm_input_setup *input;
  const pm_input_run *input_run;
  size_t input_run_size;
  pm_search_view view;   /* of the search: PM_SEARCH_VIEW_PLANS or PM_SEARCH_VIEW_FASTEST */
  const pm_table *front; /* of serving: the rows of a goal with `front`; NULL: none is shown */
  const char *field;     /* field of the prediction to explain */
} pm_report_question;

/* The report, owned by the caller; NULL with an error. `study` may be NULL only for input paths.
**
** Cost: for predictions, a prediction and a plan for each possible hint (pm_plan_new); for a run that does not fit, a
** search; for sizes, pm_size_find_next. */
PM_API pm_report *pm_study_new_report(const pm_study *study, const pm_report_question *question, pm_error *error);

/* ---- Searches ---- */

/* All plans of each of these runs, which are completed first; as pm_search_new. A global batch that is NAN is 4 Mi
** tokens for language models. If no framework is named, each plan runs in the default framework of its class. Bases are
** like those of pm_search_base_make: fields that are free are not given. */
PM_API pm_search *pm_study_new_search_sized(pm_study *study, const pm_given *given, const pm_run *bases, size_t count,
                                            size_t run_size, double global_batch, pm_error *error);
PM_INLINE pm_search *pm_study_new_search(pm_study *study, const pm_given *given, const pm_run *bases, size_t count,
                                         double global_batch, pm_error *error)
{
  return pm_study_new_search_sized(study, given, bases, count, sizeof *bases, global_batch, error);
}

/* The number of nodes for a deadline, as in pm_training_tabulate. `goal` has one element per system of the study. A
** study of several systems compares machines: one row for each, with the fewest nodes that meet the deadline, ranked by
** goal->minimize; then those that miss it, the fastest first, and those that cannot train the network, with the reason
** as status. A global batch that is NAN is 4 Mi tokens for language models. */
PM_API pm_table *pm_study_tabulate_training_sized(pm_study *study, const pm_given *given, const pm_run *base,
                                                  size_t run_size,
                                                  double global_batch, const pm_training_goal *goal, pm_error *error);
PM_INLINE pm_table *pm_study_tabulate_training(pm_study *study, const pm_given *given, const pm_run *base,
                                               double global_batch, const pm_training_goal *goal, pm_error *error)
{
  return pm_study_tabulate_training_sized(study, given, base, sizeof *base, global_batch, goal, error);
}

#ifdef __cplusplus
}
#endif
#endif
