/*
** The best parallel plan: predicts every plan for a number of GPUs and a global batch.
**
**     pm_run base = pm_search_base_make();                     everything free; fields that are set are kept
**     base.gpus = 8; base.nodes = 64; base.precision = PM_PRECISION_BF16;
**     pm_search *search = pm_search_new(plan, &base, 1, 1536, &error);
**     pm_search_result *best = pm_search_result_new(search, 10, PM_MINIMIZE_NODES, &error);
**     pm_search_evaluate(search, 0, pm_search_count(search), best);
**     pm_table *table = pm_study_tabulate_search(NULL, NULL, best, PM_SEARCH_VIEW_PLANS, &error);
**
** Plans are numbered, and merging the best plans of several ranges gives the best plans of all, so any number of
** threads gives the same answer: each thread evaluates a range into its own result, and pm_search_result_add merges
** them.
*/
#ifndef PERFMODEL_SEARCH_H
#define PERFMODEL_SEARCH_H

#include "predict.h"
#include "size.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle: all plans, numbered. Never changes: threads may share it. */
typedef struct pm_search pm_search;

/* An opaque handle: the best of the evaluated plans. */
typedef struct pm_search_result pm_search_result;

/* A run whose parallel degrees, micro-batch, ZeRO stage, recomputation and sequence parallelism are free: -1, or
** unknown. The schedule is 1f1b, or interleaved with virtual stages; -1 frees it too. All other fields are those of
** pm_run_make: a search of a study (study.h) completes them. */
PM_INLINE pm_run pm_search_base_make(void)
{
  pm_run run = pm_run_make();
  run.tensor_parallel = run.context_parallel = run.pipeline_parallel = run.virtual_pipeline = run.expert_parallel = -1;
  run.sequence_parallel = run.zero = run.recompute = -1;
  return run;
}

/* All plans of each of these runs for that global batch: several GPU counts, systems, frameworks, precisions, or
** values of a degree. The plan must outlive it. Owned by the caller; NULL with an error: an invalid run, no possible
** plan, or no memory. Cost: the network is sharded for each combination of degrees, 0.1 ms each, unless the plan has
** it already. */
PM_API pm_search *pm_search_new_sized(const pm_plan *plan, const pm_run *bases, size_t count, size_t run_size,
                                      double global_batch, pm_error *error);
PM_INLINE pm_search *pm_search_new(const pm_plan *plan, const pm_run *bases, size_t count, double global_batch,
                                   pm_error *error)
{
  return pm_search_new_sized(plan, bases, count, sizeof *bases, global_batch, error);
}
/* Releases the search; NULL is none. */
PM_API void pm_search_free(pm_search *search);

/* Number of plans. */
PM_API size_t pm_search_count(const pm_search *search);

/* The run of one plan. PM_STATUS_BAD_ARGUMENT if there is no plan of that number. */
PM_API int pm_search_get_run_sized(const pm_search *search, size_t number, pm_run *run, size_t run_size);
PM_INLINE int pm_search_get_run(const pm_search *search, size_t number, pm_run *run)
{
  return pm_search_get_run_sized(search, number, run, sizeof *run);
}

/* An empty result for the `top` best plans and as many of the fastest, the front of rate, memory and GPUs, and the best
** plan of every choice. Plans are ranked by the lower end of the 80 % interval of the rate (PM_MINIMIZE_NODES); by the
** predicted energy of the site per sample, its carbon dioxide or its price (ENERGY, CARBON, ENERGY_COST); or by the
** price of the GPU-hours per sample, without gpu_hour_price by GPU-hours (COST). Owned by the caller; NULL with an
** error, also if a run lacks the price or carbon intensity of its energy. */
PM_API pm_search_result *pm_search_result_new(const pm_search *search, size_t top, pm_minimize minimize,
                                              pm_error *error);
/* Releases the result; NULL is none. */
PM_API void pm_search_result_free(pm_search_result *result);

/* Predicts plans first .. last - 1 and keeps the best. PM_OK or PM_STATUS_BAD_ARGUMENT. Threads may evaluate ranges of
** one search, each into its own result. */
PM_API int pm_search_evaluate(const pm_search *search, size_t first, size_t last, pm_search_result *result);

/* Merges another result of the same search into this one. */
PM_API int pm_search_result_add(pm_search_result *result, const pm_search_result *other);

/* Number of predicted plans; with `fitting` 1, of those that fit in memory. */
PM_API size_t pm_search_result_count(const pm_search_result *result, int fitting);

/* The views of a result; pm_study_tabulate_search makes a table of one. */
typedef enum pm_search_view {
  PM_SEARCH_VIEW_PLANS,  /* plans by the minimized quantity, the best first; unknown ones last */
  PM_SEARCH_VIEW_FRONT,  /* the Pareto front of rate, memory and GPUs */
  PM_SEARCH_VIEW_WHY,    /* for every free field the best plan with another value: rows of pm_search_choice */
  PM_SEARCH_VIEW_CHOICES, /* for every value of every free field the best plan that has it: rows of pm_search_choice */
  PM_SEARCH_VIEW_FASTEST /* plans by their rate, the fastest first */
} pm_search_view;

/* The number of the plan at a position, from 0, among the plans or on the front. PM_STATUS_NOT_FOUND if fewer are kept,
** or none fits. */
PM_API int pm_search_result_get_plan(const pm_search_result *result, pm_search_view view, size_t place,
                                     size_t *number);

/* The best plan with a value of a field: the first that fits or, if none does, the one that needs the least memory. */
#define PM_SEARCH_CHOICE_FIELDS(X)                                                                                     \
  X(TEXT, choice, "", "field of the run", .show = PM_SHOW_MAIN)                                                        \
  X(TEXT, chosen, "", "its value in the best plan", .show = PM_SHOW_MAIN)                                              \
  X(TEXT, value, "", "its value in this plan", .show = PM_SHOW_MAIN)                                                   \
  X(STATUS, status, "", "ok, or does_not_fit: no plan with this value fits")                                           \
  X(REAL, step_time, "s", "time of a step")                                                                            \
  X(REAL, slowdown, "1", "step time over that of the best plan, minus 1", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)      \
  X(REAL, memory, "B", "memory of one GPU")                                                                            \
  X(REAL, extra_memory, "1", "memory over that of the best plan, minus 1", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)     \
  X(TEXT, cause, "", "memory, or the part of the step that grows most compared with the best "                         \
    "plan", .show = PM_SHOW_MAIN)                                                                                      \
  X(REAL, cause_time, "s", "growth of that part")                                                                      \
  X(BOTTLENECK, bottleneck, "", "the largest share of a step")                                                         \
  X(TEXT, plan, "", "the plan in short form", .show = PM_SHOW_MAIN)

typedef struct pm_search_choice { PM_SEARCH_CHOICE_FIELDS(PM_DECLARE) } pm_search_choice;

/* ---- How many GPUs for a deadline ---- */

/* Samples or tokens to train on within a time, on whole nodes of a system, within the run's power budget. */
#define PM_TRAINING_GOAL_FIELDS(X)                                                                                     \
  X(REAL, samples, "1", "samples to train on; alternative to tokens")                                                  \
  X(REAL, tokens, "1", "tokens to train on; alternative to samples")                                                   \
  X(REAL, within, "s", "time limit of the training")                                                                   \
  X(INT, max_nodes, "1", "largest number of nodes to try", .otherwise = "1024")                                        \
  X(MINIMIZE, minimize, "", "quantity to minimize over systems")                                                       \
  X(REAL, gpu_mtbf, "s", "mean time between failures of one GPU, including parts that fail with it; unknown: no "      \
    "failures")                                                                                                        \
  X(REAL, node_mtbf, "s", "mean time between failures of one node, not counting its GPUs; unknown: no failures")       \
  X(REAL, checkpoint_rate, "B/s", "write rate of checkpoints (weights and optimizer states) of all nodes; "            \
    "alternative to checkpoint")                                                                                       \
  X(REAL, checkpoint, "s", "time that training stops to write a checkpoint")                                           \
  X(REAL, restart, "s", "time from a failure until training resumes; unknown: none")                                   \
  X(REAL, interval, "s", "training time between checkpoints; unknown: the optimum")                                    \
  X(REAL, pue, "1", "power usage effectiveness (PUE): power of the site over power of its nodes", .otherwise = "1")    \
  X(REAL, price, "1", "price of one node")                                                                             \
  X(REAL, gpu_hour_price, "currency/h", "price of one GPU for an hour")

typedef struct pm_training_goal { PM_TRAINING_GOAL_FIELDS(PM_DECLARE) } pm_training_goal;

/* The best plan for a number of nodes, and time, energy and cost of training with it. */
#define PM_TRAINING_FIELDS(X)                                                                                          \
  X(STATUS, status, "", "ok; unreachable: no count is enough, and the numbers are of the fastest; or an error",        \
    .show = PM_SHOW_NONZERO)                                                                                           \
  X(INT, rank, "1", "rank among the systems that meet the deadline, from 1; 0: misses it, or one of several counts "   \
    "of a system", .show = PM_SHOW_NONZERO)                                                                            \
  X(INT, choice, "1", "index of the system in the study, from 0")                                                      \
  X(TEXT, system, "", "id of the system", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                        \
  X(TEXT, framework, "", "id of the framework of the plan; empty: none, kernels and collectives only",                 \
    .show = PM_SHOW_MAIN)                                                                                              \
  X(INT, nodes, "1", "nodes", .show = PM_SHOW_MAIN)                                                                    \
  X(INT, gpus, "1", "GPUs in total", .show = PM_SHOW_MAIN)                                                             \
  X(TEXT, plan, "", "the best plan in short form", .show = PM_SHOW_MAIN)                                               \
  X(REAL, step_time, "s", "time of one step")                                                                          \
  X(REAL, throughput, "1/s", "samples per second over all GPUs")                                                       \
  X(REAL, tokens_per_second, "1/s", "tokens per second over all GPUs; unknown for samples without tokens")             \
  X(REAL, mfu, "1", "MFU of the step", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                                         \
  X(REAL, memory, "B", "memory of one GPU")                                                                            \
  X(REAL, checkpoint_size, "B", "weights and optimizer states of the whole network")                                   \
  X(REAL, mtbf, "s", "mean time between failures of all nodes; unlimited without failures")                            \
  X(REAL, checkpoint, "s", "time that training stops to write a checkpoint")                                           \
  X(REAL, interval, "s", "training time between checkpoints")                                                          \
  X(REAL, goodput, "1", "share of the time spent on training that is not lost", .show = PM_SHOW_PERCENT)               \
  X(REAL, time, "s", "time for all samples, including failures and checkpoints", .show = PM_SHOW_MAIN)                 \
  X(REAL, reached, "1", "speed over that of the deadline; 1 or more meets it")                                         \
  X(REAL, gpu_hours, "1", "GPUs times hours", .show = PM_SHOW_MAIN)                                                    \
  X(REAL, design_power, "W", "design power of the nodes times the PUE")                                                \
  X(REAL, gpu_design_power, "W", "the part of it that is the GPUs' design power")                                      \
  X(REAL, energy, "J", "predicted energy of the site over the time", .show = PM_SHOW_MAIN)                             \
  X(REAL, price, "1", "price of one node, as given")                                                                   \
  X(REAL, cost, "1", "price of the nodes", .show = PM_SHOW_MAIN)                                                       \
  X(REAL, gpu_hour_cost, "1", "price of the GPU-hours", .show = PM_SHOW_MAIN)                                          \
  X(REAL, time_p10, "s", "lower end of the 80 % prediction interval of the time", .show = PM_SHOW_MAIN)                \
  X(REAL, time_p90, "s", "upper end of the 80 % prediction interval of the time", .show = PM_SHOW_MAIN)                \
  X(REAL, global_batch, "1", "samples of a step over all GPUs")                                                        \
  X(REAL, rack_units, "1", "rack space of the nodes")                                                                  \
  X(REAL, power, "W", "predicted power of nodes and switches times the PUE")                                           \
  X(REAL, carbon, "g", "carbon dioxide of the energy; unknown without a carbon intensity")                             \
  X(REAL, energy_cost, "1", "price of the energy; unknown without energy_price")

typedef struct pm_training { PM_TRAINING_FIELDS(PM_DECLARE) } pm_training;

/* At most 1024 nodes, PUE 1, the rest unknown. */
PM_INLINE pm_training_goal pm_training_goal_make(void)
{
  pm_training_goal goal;
  pm_record_fill("training_goal", &goal, sizeof goal);
  return goal;
}

/* The fewest nodes of the system of `base` whose best plan for that global batch meets the deadline. Counts are tried
** in order, from the fewest that could suffice at peak rate. Rows are the counts that are faster than all smaller ones;
** the last one meets the deadline, unless no count up to max_nodes does. `base` is like that of pm_search_new, with all
** GPUs of a node. Owned by the caller; NULL with an error: PM_STATUS_DOES_NOT_FIT or PM_STATUS_NOT_FOUND if there is no
** plan at all. Cost: a search for every count. */
PM_API pm_table *pm_training_tabulate_sized(const pm_plan *plan, const pm_run *base, size_t run_size,
                                            double global_batch,
                                            const pm_training_goal *goal, pm_error *error);
PM_INLINE pm_table *pm_training_tabulate(const pm_plan *plan, const pm_run *base, double global_batch,
                                         const pm_training_goal *goal, pm_error *error)
{
  return pm_training_tabulate_sized(plan, base, sizeof *base, global_batch, goal, error);
}

#ifdef __cplusplus
}
#endif
#endif
