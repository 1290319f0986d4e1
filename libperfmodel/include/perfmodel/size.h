/*
** Sizing: from a rate or a deadline to the machines.
**
** For every choice (a system, a batch, a framework, ...) all node counts from 1 up are evaluated exactly, one after the
** other, until the target is reached. Nothing is interpolated, so it does not matter that efficiency falls with the
** nodes, or that more nodes may even be slower. If no count reaches the target, the answer is the fastest count, and
** its status reports this. If every GPU is a replica (inference), the number of GPUs is the rate over that of one GPU,
** rounded up to whole machines.
**
**     pm_size_setup setup = {.plan = plan, .task = PM_TASK_TRAINING, .choices = &run, .count = 1};
**     setup.run_size = sizeof run;
**     pm_size_goal goal = pm_size_goal_make();
**     goal.epochs = 90; goal.samples = 1281167; goal.within = 6 * 3600;
**     pm_size_choice choice;
**     pm_size_evaluate(&setup, &goal, &choice, &error);
**     printf("%d nodes, %.1f h\n", choice.nodes, choice.time / 3600);
**
** The caller gives prices of one node, all in the same currency; they only affect costs. Design power is that of the
** machines times the PUE; it is unknown if the catalogue does not state it, and so is rack space. Runs with a power
** budget use no more nodes than it feeds. With a budget and no target, the answer is the fastest count within the
** budget. Energy, carbon and their price are minimized from the predicted power: all counts are evaluated, and the
** answer is the one that reaches the target with the least.
*/
#ifndef PERFMODEL_SIZE_H
#define PERFMODEL_SIZE_H

#include "collective.h"
#include "inference.h"
#include "memory.h"
#include "input.h"
#include "predict.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The quantity to minimize among the choices that reach the target. */
#define PM_MINIMIZE_LIST(X)                                                                             \
  X(NODES, "nodes", "nodes")                                                                            \
  X(COST, "cost", "price of the nodes")                                                                 \
  X(POWER, "power", "design power of the nodes, cooling included")                                      \
  X(RACK_UNITS, "rack-units", "rack space of the nodes")                                                \
  X(ENERGY, "energy", "predicted energy of the site per sample")                                        \
  X(CARBON, "carbon", "carbon dioxide of that energy")                                                  \
  X(ENERGY_COST, "energy-cost", "price of that energy")

typedef enum pm_minimize {
#define PM_MINIMIZE_ENUM(name, text, doc) PM_MINIMIZE_##name,
  PM_MINIMIZE_LIST(PM_MINIMIZE_ENUM)
#undef PM_MINIMIZE_ENUM
  PM_MINIMIZE_COUNT
} pm_minimize;

/* Either a rate, or epochs within a time; neither for runs with a power budget. */
#define PM_SIZE_GOAL_FIELDS(X)                                                                                      \
  X(REAL, rate, "1/s", "required samples per second; unknown: epochs within a time")                                   \
  X(REAL, epochs, "1", "epochs to train")                                                                           \
  X(REAL, within, "s", "time limit for the epochs")                                                                    \
  X(REAL, samples, "1", "samples of an epoch; without them times are unknown")                                         \
  X(REAL, global_batch, "1", "samples per update over all GPUs; unknown: every choice keeps its batch per GPU")        \
  X(MINIMIZE, minimize, "", "quantity to minimize")                                                                 \
  X(INT, max_nodes, "1", "largest number of nodes to try", .otherwise = "1024")                                        \
  X(REAL, pue, "1", "power usage effectiveness (PUE), for all runs: power of the site over power of its nodes",        \
    .otherwise = "1")                                                                                          \
  X(REAL, sample_size, "B", "stored size of a sample; without it the required storage rate is unknown")                \
  X(INT, switch_ports, "1", "ports used of each switch between the nodes", .otherwise = "32")                       \
  X(REAL, oversubscription, "1", "ports down over ports up of the first level of switches", .otherwise = "1")          \
  X(REAL, latency, "s", "latency limit of a call: the largest batch within it is used; unknown: the run's batch")

typedef struct pm_size_goal { PM_SIZE_GOAL_FIELDS(PM_DECLARE) } pm_size_goal;

/* One choice with a number of nodes, and its time, power and cost. Values that were not given and are not in the
** catalogue are unknown. */
#define PM_SIZE_CHOICE_FIELDS(X)                                                                                    \
  X(STATUS, status, "", "ok; unreachable: no count is enough, and the numbers are of the fastest; or an error",        \
    .show = PM_SHOW_NONZERO)                                                                                         \
  X(INT, rank, "1", "rank among the choices, from 1; 0: does not reach the target", .show = PM_SHOW_MAIN)              \
  X(INT, choice, "1", "index of the choice, from 0")                                                                   \
  X(TEXT, system, "", "id of the system", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                      \
  X(TEXT, framework, "", "id of the framework; empty: none, kernels and collectives only",                             \
    .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                                                              \
  X(INT, nodes, "1", "smallest number of nodes that reaches the target", .show = PM_SHOW_MAIN)                         \
  X(INT, gpus, "1", "GPUs in total", .show = PM_SHOW_MAIN)                                                           \
  X(REAL, batch, "1", "samples per GPU per step or call", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                        \
  X(PRECISION, precision, "", "storage and arithmetic precision", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)              \
  X(REAL, throughput, "1/s", "samples per second over all GPUs", .show = PM_SHOW_MAIN)                               \
  X(REAL, latency, "s", "latency of a call, for inference", .show = PM_SHOW_MAIN)                                    \
  X(REAL, time, "s", "time for all epochs, in whole steps", .show = PM_SHOW_MAIN)                                      \
  X(REAL, gpu_hours, "1", "GPU-hours of all epochs: GPUs times hours", .show = PM_SHOW_MAIN)                         \
  X(REAL, reached, "1", "speed over that of the target; 1 or more reaches it", .show = PM_SHOW_MAIN)                   \
  X(INT, nodes_least, "1", "nodes needed at the upper end of the 80 % prediction interval; 0: unknown")                \
  X(INT, nodes_safe, "1", "nodes that suffice with 90 % probability; 0: unknown, or more than were tried")             \
  X(REAL, efficiency, "1", "weak scaling: throughput over that of the same number of independent "                     \
    "GPUs", .show = PM_SHOW_PERCENT)                                                                                   \
  X(BOTTLENECK, bottleneck, "", "bottleneck of the step", .show = PM_SHOW_MAIN)                                      \
  X(REAL, rack_units, "1", "rack space of the nodes")                                                               \
  X(REAL, design_power, "W", "design power of the nodes times the PUE", .show = PM_SHOW_MAIN)                        \
  X(REAL, gpu_design_power, "W", "the part of it that is the GPUs' design power")                                   \
  X(REAL, design_energy, "J", "design power times the time for all epochs")                                         \
  X(REAL, price, "1", "price of one node, as given")                                                                   \
  X(REAL, cost, "1", "price of the nodes, without switches, cables and storage", .show = PM_SHOW_MAIN)                 \
  X(REAL, storage_rate, "B/s", "rate that the storage must deliver, without caching")                                  \
  X(REAL, storage_nodes, "1", "nodes that the given storage can supply at this rate")                                  \
  X(INPUT_STAGE, input_bottleneck, "", "the slowest stage of the input path")                                        \
  X(REAL, switches, "1", "switches of a fat tree between the nodes")                                                \
  X(REAL, cables, "1", "cables of that fat tree")                                                                      \
  X(REAL, memory, "B", "memory of one GPU")                                                \
  X(VERDICT, verdict, "", "whether the batch fits")                                                                    \
  X(YES_NO, pareto, "", "whether no other choice is both faster and cheaper in the minimized quantity")                \
  X(CALIBRATION_STATUS, calibration, "", "basis of the numbers")                                                    \
  X(POWER_BASIS, power_basis, "", "basis of the machines' design power")                                            \
  X(REAL, power, "W", "predicted power of nodes and switches times the PUE")                                           \
  X(REAL, energy, "J", "predicted power times the time for all epochs")                                             \
  X(REAL, energy_per_sample, "J", "predicted energy of the site per sample", .show = PM_SHOW_MAIN)                     \
  X(REAL, carbon_per_sample, "g", "carbon dioxide of that energy; unknown without a carbon intensity")              \
  X(REAL, energy_cost_per_sample, "1", "price of that energy; unknown without energy_price")                           \
  X(REAL, budget_nodes, "1", "nodes whose design power is within the power budget", .show = PM_SHOW_MAIN)              \
  X(REAL, draw_nodes, "1", "nodes whose predicted power is within the power budget", .show = PM_SHOW_MAIN)             \
  X(REAL, power_limit, "W", "power limit of each GPU, if set", .show = PM_SHOW_MAIN)

typedef struct pm_size_choice { PM_SIZE_CHOICE_FIELDS(PM_DECLARE) } pm_size_choice;

/* The choices. Nothing is copied; all pointers except plan and choices may be NULL. */
typedef struct pm_size_setup {
  const pm_plan *plan;
  int32_t task;
  const void *choices;              /* runs of the task: system, batch, software, precision, ...; GPUs of each node */
  size_t run_size;                  /* bytes of one in the program */
  const double *prices;             /* of one node of each choice; NULL or NAN: unknown */
  size_t count;
  const pm_input_setup *inputs;     /* the input path of each choice; NULL: input never limits */
  const pm_input_run *input_runs;   /* how the path is used; nodes, GPUs and their rate are set; NULL: the defaults */
  size_t input_run_size;            /* bytes of one in the program */
} pm_size_setup;

/* At most 1024 nodes, fewest nodes, PUE 1, switches of 32 ports without oversubscription; the target unknown. */
PM_INLINE pm_size_goal pm_size_goal_make(void)
{
  pm_size_goal goal;
  pm_record_fill("size_goal", &goal, sizeof goal);
  return goal;
}

/* Writes the fewest nodes of every choice to choices[setup->count], ranked: the best first, then choices that miss the
** target, the nearest first; `choice` is the index in the setup. Returns PM_OK even if choices cannot reach the target
** (their status reports it). Cost: a prediction for each count tried, or for each choice if GPUs are replicas. For
** replicas, fields of training are unknown; choices whose call of one sample takes longer than goal->latency are
** unreachable, and so are those that need more nodes than goal->max_nodes, which are shown with those nodes. */
PM_API int pm_size_evaluate(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *choices,
                            pm_error *error);

/* The next cheaper choice: the fastest among all counts of all choices that take less than `than` of the minimized
** quantity. It misses the target by 1 - reached. PM_STATUS_UNREACHABLE if nothing takes less. Not for replicas. */
PM_API int pm_size_find_next(const pm_size_setup *setup, const pm_size_goal *goal, const pm_size_choice *than,
                             pm_size_choice *next, pm_error *error);

/* The Pareto front: counts of all choices for which no other is both faster and cheaper in the minimized quantity, from
** cheapest to fastest, in at most `capacity` rows. Counts are tried up to the most expensive answer of
** pm_size_evaluate. Returns the number of rows, or -1. Not for replicas. */
PM_API int pm_size_find_front(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *rows,
                              size_t capacity, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
