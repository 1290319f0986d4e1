/*
** Sizing of serving: from a request rate and limits of latency to GPUs, and which layout does it with the least.
**
** Each run is asked with one layout, all degrees of tensor parallelism, or every layout. For each layout the largest
** rate of one replica within the limits is found by bisection, since times to first token and per output token both
** grow with the rate; the replicas for the run's rate follow. Limits apply to the run's percentile. Without a limit
** the fullest layout would be the best, whose requests wait for minutes: a limit that is unknown is that of MLPerf
** inference for a served Llama 2 70B, with more time for long prompts.
**
**     pm_serving_goal goal = pm_serving_goal_make();
**     goal.ttft = 1; goal.tpot = 0.05;
**     run.rate = 50; run.percentile = 0.95;
**     const pm_serving_goal_setup setup = {plan, &given, &run, sizeof run, 1, NULL};
**     pm_table *rows = pm_study_tabulate_serving(study, &setup, &goal, &error); records of "serving_choice", best first
**
** Prices are the caller's, of a GPU for an hour, in any currency. Whole nodes are paid for, whether or not a replica
** uses all of their GPUs. A power budget of the run feeds so many nodes by their design power: what needs more is
** unreachable, and without a rate there are as many replicas as it feeds.
*/
#ifndef PERFMODEL_SERVING_GOAL_H
#define PERFMODEL_SERVING_GOAL_H

#include "serving.h"
#include "size.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which layouts of a run are tried. What was given of the run stays as it is. */
#define PM_SERVING_LAYOUTS_LIST(X)                                                                                 \
  X(GIVEN, "given", "the rate of the run")                                                                         \
  X(TENSOR, "tensor", "every power of two of GPUs of a node that share each layer")                                \
  X(ALL, "all", "tensor, pipeline, attention data and expert parallelism, pools that read prompts, FP8")

typedef enum pm_serving_layouts {
#define PM_SERVING_LAYOUTS_ENUM(name, ...) PM_SERVING_LAYOUTS_##name,
  PM_SERVING_LAYOUTS_LIST(PM_SERVING_LAYOUTS_ENUM)
#undef PM_SERVING_LAYOUTS_ENUM
  PM_SERVING_LAYOUTS_COUNT
} pm_serving_layouts;

/* The limits that are assumed, in seconds: MLPerf Inference, rules, "llama2-70b" in the server scenario. */
#define PM_SERVING_GOAL_TTFT 2.0
/* Tokens of a prompt that has this long to its first token. */
#define PM_SERVING_GOAL_PROMPT 2048.0
/* More for each token beyond. */
#define PM_SERVING_GOAL_TOKEN 1e-3
/* Of each further token. */
#define PM_SERVING_GOAL_TPOT 0.2

/* What is aimed at. The rate that is wanted and the percentile are those of the run; without a rate one replica
** answers as much as it can. */
#define PM_SERVING_GOAL_FIELDS(X)                                                                                  \
  X(REAL, ttft, "s", "longest time to first token, at the percentile (default: 2 s, and 1 ms for each token of a "  \
    "prompt beyond 2,048; inf: any)")                                                                              \
  X(REAL, tpot, "s", "longest time per output token, at the percentile (default: 200 ms; inf: any)")                \
  X(SERVING_LAYOUTS, layouts, "", "which layouts are tried", .otherwise = "tensor")                                \
  X(YES_NO, front, "", "rows are the front of tokens/s/GPU over tokens/s/user at any load within the limits")      \
  X(INT, max_gpus, "1", "most GPUs of a replica or of a pair of pools", .otherwise = "32")                         \
  X(INT, max_workers, "1", "most workers of a pair of pools; 1: no pools", .otherwise = "8")                       \
  X(INT, top, "1", "number of best rows to return; 0: all")                                                        \
  X(MINIMIZE, minimize, "", "quantity to minimize; nodes: cost if there are prices, else GPUs that are paid for")

typedef struct pm_serving_goal { PM_SERVING_GOAL_FIELDS(PM_DECLARE) } pm_serving_goal;

/* One layout, and what it takes. */
#define PM_SERVING_CHOICE_FIELDS(X)                                                                                \
  X(STATUS, status, "", "ok; unreachable: beyond the limits even alone; or why there is no prediction",            \
    .show = PM_SHOW_NONZERO)                                                                                       \
  X(INT, rank, "1", "place among the layouts within the limits, from 1; 0 for others", .show = PM_SHOW_MAIN)       \
  X(INT, choice, "1", "which run, from 0")                                                                         \
  X(TEXT, system, "", "id of the system", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                    \
  X(TEXT, engine, "", "id of the engine", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                    \
  X(PRECISION, precision, "", "arithmetic precision of linear layers", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)       \
  X(STORED, weights, "", "how weights are stored", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                           \
  X(INT, tp, "1", "GPUs that share each layer", .show = PM_SHOW_MAIN)                                              \
  X(INT, pp, "1", "stages of layers", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                        \
  X(INT, attention_dp, "1", "groups with requests of their own that share experts",                                \
    .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                                                          \
  X(INT, ep, "1", "GPUs that have different experts", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                        \
  X(INT, prefill_workers, "1", "workers that only read prompts; 0: none", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)    \
  X(INT, prefill_tp, "1", "GPUs of each of them", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                            \
  X(INT, decode_workers, "1", "workers that decode for them; 0: none", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)       \
  X(REAL, concurrency, "1", "requests at once, for rows of the front", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)       \
  X(INT, replica_gpus, "1", "GPUs of a replica, or of a pair of pools")                                            \
  X(REAL, replica_rate, "1/s", "requests per second that one answers within the limits", .show = PM_SHOW_MAIN)     \
  X(INT, replicas, "1", "replicas for the rate", .show = PM_SHOW_MAIN)                                             \
  X(INT, gpus, "1", "GPUs of all replicas", .show = PM_SHOW_MAIN)                                                  \
  X(INT, nodes, "1", "nodes that hold them", .show = PM_SHOW_MAIN)                                                 \
  X(REAL, request_rate, "1/s", "requests per second that they get")                                                \
  X(REAL, ttft, "s", "time to first token then, at the percentile", .show = PM_SHOW_MAIN)                          \
  X(REAL, tpot, "s", "time per output token then, at the percentile", .show = PM_SHOW_MAIN)                        \
  X(REAL, user_rate, "1/s", "tokens per second that one user sees then", .show = PM_SHOW_MAIN)                     \
  X(REAL, gpu_rate, "1/s", "output tokens per second and GPU at the limits", .show = PM_SHOW_MAIN)                 \
  X(SERVING_LIMIT, bottleneck, "", "the limiting resource", .show = PM_SHOW_MAIN)                                  \
  X(REAL, price, "1", "price of a GPU for an hour, as it was given")                                               \
  X(REAL, hour_cost, "1", "price of all GPUs that are paid for, for an hour", .show = PM_SHOW_MAIN)                \
  X(REAL, output_cost, "1", "price of a million output tokens", .show = PM_SHOW_MAIN)                              \
  X(REAL, token_cost, "1", "price of a million tokens, input and output", .show = PM_SHOW_MAIN)                    \
  X(YES_NO, pareto, "", "whether no other layout has more tokens/s/GPU and more tokens/s/user")                    \
  X(CALIBRATION_STATUS, calibration, "", "basis of the numbers")                                                   \
  X(REAL, paid_gpus, "1", "GPUs of their nodes; without a rate a replica's part of those that it fills",            \
    .show = PM_SHOW_MAIN)                                                                                          \
  X(INT, node_gpus, "1", "GPUs of a replica, or of a pair of pools, on each of its nodes")                          \
  X(REAL, design_power, "W", "design power of the nodes times the PUE")                                            \
  X(REAL, power, "W", "predicted draw of the replicas' part of the nodes, at the wall, times the PUE")             \
  X(REAL, output_energy, "J", "energy of the site for an output token", .show = PM_SHOW_MAIN)                      \
  X(REAL, output_carbon, "g", "carbon dioxide of the energy for a million output tokens")                          \
  X(REAL, output_energy_cost, "1", "price of the energy for a million output tokens")                              \
  X(REAL, budget_nodes, "1", "nodes that the power budget feeds, by their design power", .show = PM_SHOW_MAIN)     \
  /* the next field of a choice goes above this line */

typedef struct pm_serving_choice { PM_SERVING_CHOICE_FIELDS(PM_DECLARE) } pm_serving_choice;

/* What is asked. Nothing is copied. */
typedef struct pm_serving_goal_setup {
  const pm_plan *plan;
  const pm_given *given; /* fields of the runs that were given: they are not varied */
  const void *runs;      /* completed runs of serving */
  size_t run_size;       /* bytes of one in the program */
  size_t count;
  const double *prices;  /* of a GPU of each run for an hour; NULL or NAN: its gpu_hour_price */
} pm_serving_goal_setup;

/* No limits, every degree of tensor parallelism. */
PM_INLINE pm_serving_goal pm_serving_goal_make(void)
{
  pm_serving_goal goal;
  pm_record_fill("serving_goal", &goal, sizeof goal);
  return goal;
}

#ifdef __cplusplus
}
#endif
#endif
