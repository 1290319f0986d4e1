/*
** Sizing of serving: from a request rate and latency limits to the number of GPUs, and the layout that needs the
** fewest.
**
** For each run, its own layout, all degrees of tensor parallelism, or every layout is tried. For each layout the
** largest rate of one replica within the limits is found by bisection, since times to first token and per output token
** both grow with the rate; the replicas for the run's rate follow. Limits apply to the run's percentile. Without
** limits, the fullest layout would be the best, although its requests wait for minutes. An unknown limit is therefore
** that of MLPerf Inference for a served Llama 2 70B, with more time for long prompts.
**
**     pm_serving_goal goal = pm_serving_goal_make();
**     goal.ttft = 1; goal.tpot = 0.05;
**     run.rate = 50; run.percentile = 0.95;
**     const pm_serving_goal_setup setup = {plan, &given, &run, sizeof run, 1, NULL};
**     pm_table *rows = pm_study_tabulate_serving(study, &setup, &goal, &error); records of "serving_choice", best first
**
** The caller gives prices of a GPU for an hour, in any currency. Whole nodes are paid for, whether or not a replica
** uses all of their GPUs. The power budget of the run limits the nodes by their design power: layouts that need more
** are unreachable, and without a rate there are as many replicas as the budget feeds.
*/
#ifndef PERFMODEL_SERVING_GOAL_H
#define PERFMODEL_SERVING_GOAL_H

#include "serving.h"
#include "size.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which layouts of a run are tried. Given fields of the run are not varied. */
#define PM_SERVING_LAYOUTS_LIST(X)                                                                                 \
  X(GIVEN, "given", "the layout of the run")                                                                           \
  X(TENSOR, "tensor", "every power of two of tensor parallelism within a node")                                        \
  X(ALL, "all", "tensor, pipeline, attention data and expert parallelism, prefill workers, FP8")

typedef enum pm_serving_layouts {
#define PM_SERVING_LAYOUTS_ENUM(name, ...) PM_SERVING_LAYOUTS_##name,
  PM_SERVING_LAYOUTS_LIST(PM_SERVING_LAYOUTS_ENUM)
#undef PM_SERVING_LAYOUTS_ENUM
  PM_SERVING_LAYOUTS_COUNT
} pm_serving_layouts;

/* The default limits, in seconds: MLPerf Inference, rules, "llama2-70b" in the server scenario. */
#define PM_SERVING_GOAL_TTFT 2.0
/* Longest prompt, in tokens, to which the limit of the first token applies. */
#define PM_SERVING_GOAL_PROMPT 2048.0
/* Additional time for each further token of a prompt. */
#define PM_SERVING_GOAL_TOKEN 1e-3
/* The limit of each further output token. */
#define PM_SERVING_GOAL_TPOT 0.2

/* The goal. The rate and the percentile are those of the run; without a rate, one replica answers as many requests as
** it can. */
#define PM_SERVING_GOAL_FIELDS(X)                                                                                  \
  X(REAL, ttft, "s", "longest time to first token, at the percentile (default: 2 s, and 1 ms for each token of a "  \
    "prompt beyond 2,048; inf: any)")                                                                              \
  X(REAL, tpot, "s", "longest time per output token, at the percentile (default: 200 ms; inf: any)")                \
  X(SERVING_LAYOUTS, layouts, "", "which layouts are tried", .otherwise = "tensor")                                \
  X(YES_NO, front, "", "return the Pareto front of tokens/s/GPU and tokens/s/user, at any load within the limits")     \
  X(INT, max_gpus, "1", "largest number of GPUs of a replica or of a pair of pools", .otherwise = "32")                \
  X(INT, max_workers, "1", "largest number of workers of a pair of pools, up to 32; 1: no pools", .otherwise = "8")    \
  X(INT, top, "1", "number of best rows to return; 0: all")                                                        \
  X(MINIMIZE, minimize, "", "quantity to minimize; nodes: cost if there are prices, otherwise paid GPUs")

typedef struct pm_serving_goal { PM_SERVING_GOAL_FIELDS(PM_DECLARE) } pm_serving_goal;

/* One layout, and the machines that it needs. */
#define PM_SERVING_CHOICE_FIELDS(X)                                                                                \
  X(STATUS, status, "", "ok; unreachable: a single request exceeds the limits; or why there is no prediction",         \
    .show = PM_SHOW_NONZERO)                                                                                       \
  X(INT, rank, "1", "rank among the layouts within the limits, from 1; 0: not within the "                             \
    "limits", .show = PM_SHOW_MAIN)                                                                                    \
  X(INT, choice, "1", "index of the run, from 0")                                                                      \
  X(TEXT, system, "", "id of the system", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                    \
  X(TEXT, engine, "", "id of the engine", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                    \
  X(PRECISION, precision, "", "arithmetic precision of linear layers", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)       \
  X(STORED, weights, "", "storage format of weights", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                            \
  X(INT, tp, "1", "tensor parallelism", .show = PM_SHOW_MAIN)                                                          \
  X(INT, pp, "1", "pipeline stages", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                             \
  X(INT, attention_dp, "1", "attention DP: groups of GPUs with their own requests and common experts",                 \
    .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                                                          \
  X(INT, ep, "1", "expert parallelism", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                          \
  X(INT, prefill_workers, "1", "prefill workers; 0: none", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                       \
  X(INT, prefill_tp, "1", "GPUs of each prefill worker", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                         \
  X(INT, decode_workers, "1", "decode workers; 0: none", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                         \
  X(REAL, concurrency, "1", "concurrent requests, for rows of the front", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)        \
  X(INT, replica_gpus, "1", "GPUs of a replica, or of a pair of pools")                                            \
  X(REAL, replica_rate, "1/s", "requests per second that one replica answers within the limits", .show = PM_SHOW_MAIN) \
  X(INT, replicas, "1", "replicas needed for the rate", .show = PM_SHOW_MAIN)                                          \
  X(INT, gpus, "1", "GPUs of all replicas", .show = PM_SHOW_MAIN)                                                  \
  X(INT, nodes, "1", "nodes of all replicas", .show = PM_SHOW_MAIN)                                                    \
  X(REAL, request_rate, "1/s", "requests per second of all replicas")                                                  \
  X(REAL, ttft, "s", "time to first token at the percentile", .show = PM_SHOW_MAIN)                                    \
  X(REAL, tpot, "s", "time per output token at the percentile", .show = PM_SHOW_MAIN)                                  \
  X(REAL, user_rate, "1/s", "tokens per second that one user sees", .show = PM_SHOW_MAIN)                              \
  X(REAL, gpu_rate, "1/s", "output tokens per second per GPU at the limits", .show = PM_SHOW_MAIN)                     \
  X(SERVING_LIMIT, bottleneck, "", "the limiting resource", .show = PM_SHOW_MAIN)                                  \
  X(REAL, price, "1", "price of a GPU for an hour, as given")                                                          \
  X(REAL, hour_cost, "1", "price of all paid GPUs for an hour", .show = PM_SHOW_MAIN)                                  \
  X(REAL, output_cost, "1", "price of a million output tokens", .show = PM_SHOW_MAIN)                              \
  X(REAL, token_cost, "1", "price of a million tokens, input and output", .show = PM_SHOW_MAIN)                    \
  X(YES_NO, pareto, "", "whether no other layout has more tokens/s/GPU and more tokens/s/user")                    \
  X(CALIBRATION_STATUS, calibration, "", "basis of the numbers")                                                   \
  X(REAL, paid_gpus, "1", "GPUs of whole nodes; without a rate, a replica's part of the nodes that it fills",          \
    .show = PM_SHOW_MAIN)                                                                                          \
  X(INT, node_gpus, "1", "GPUs of a replica, or of a pair of pools, on each of its nodes")                          \
  X(REAL, design_power, "W", "design power of the nodes times the PUE")                                            \
  X(REAL, power, "W", "predicted power of the replicas' part of the nodes, at the wall, times the PUE")                \
  X(REAL, output_energy, "J", "energy of the site per output token", .show = PM_SHOW_MAIN)                             \
  X(REAL, output_carbon, "g", "carbon dioxide of the energy per million output tokens")                                \
  X(REAL, output_energy_cost, "1", "price of the energy per million output tokens")                                    \
  X(REAL, budget_nodes, "1", "nodes whose design power is within the power budget", .show = PM_SHOW_MAIN)              \
  /* the next field of a choice goes above this line */

typedef struct pm_serving_choice { PM_SERVING_CHOICE_FIELDS(PM_DECLARE) } pm_serving_choice;

/* The question. Nothing is copied. */
typedef struct pm_serving_goal_setup {
  const pm_plan *plan;
  const pm_given *given; /* fields of the runs that were given; they are not varied */
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
