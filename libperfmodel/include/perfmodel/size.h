/*
** Sizing backwards: from a rate or a deadline to the machines.
**
** For every choice (a system, a batch, a framework, ...) all node counts from 1 up are evaluated exactly, one after the
** other, until the target is reached. Nothing is interpolated, so it does not matter that efficiency falls with the
** nodes, or that more nodes may even be slower. Where no count reaches the target the answer is the fastest count, and
** says so. Where every GPU is a replica (inference), the GPUs are the rate over that of one, in whole machines.
**
**     pm_size_setup setup = {.plan = plan, .task = PM_TASK_TRAINING, .choices = &run, .count = 1};
**     setup.run_size = sizeof run;
**     pm_size_goal goal = pm_size_goal_make();
**     goal.epochs = 90; goal.samples = 1281167; goal.within = 6 * 3600;
**     pm_size_choice choice;
**     pm_size_evaluate(&setup, &goal, &choice, &error);
**     printf("%d nodes, %.1f h\n", choice.nodes, choice.time / 3600);
**
** Prices are the caller's, of one node, in any currency, the same for all; they change nothing but costs. Design power
** is that of the machines times the PUE; where the catalogue does not know it, it stays unknown, as rack space does.
** Runs with a power budget take no more nodes than it feeds. Where they have one and nothing is aimed at, the answer is
** what fits: the fastest count within it. Least energy, carbon or its price are those of the predicted draw: there all
** counts are evaluated, and the one that reaches the target with least is the answer.
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

/* What is to be least among the choices that reach the target. */
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

/* Either a rate, or epochs within a time; or neither, of runs with a power budget. */
#define PM_SIZE_GOAL_FIELDS(X)                                                                                      \
  X(REAL, rate, "1/s", "samples per second that are wanted; unknown: epochs within a time are")                     \
  X(REAL, epochs, "1", "epochs to train")                                                                           \
  X(REAL, within, "s", "time for them")                                                                             \
  X(REAL, samples, "1", "samples of an epoch; unknown: times stay unknown")                                         \
  X(REAL, global_batch, "1", "samples of an update over all GPUs; unknown: every choice keeps its batch per GPU")      \
  X(MINIMIZE, minimize, "", "quantity to minimize")                                                                 \
  X(INT, max_nodes, "1", "most nodes that are tried", .otherwise = "1024")                  \
  X(REAL, pue, "1", "power usage effectiveness of the site: all power over that of the machines; of all runs",  \
    .otherwise = "1")                                                                                          \
  X(REAL, sample_size, "B", "stored size of a sample; unknown: what storage must give stays so")                    \
  X(INT, switch_ports, "1", "ports used of each switch between the nodes", .otherwise = "32")                       \
  X(REAL, oversubscription, "1", "ports down over ports up of their first level", .otherwise = "1")                 \
  X(REAL, latency, "s", "longest that a call may take: the batch is the largest within it; unknown: the run's batch")

typedef struct pm_size_goal { PM_SIZE_GOAL_FIELDS(PM_DECLARE) } pm_size_goal;

/* So many nodes of one choice, and what they take. What nobody stated or the catalogue does not know is unknown. */
#define PM_SIZE_CHOICE_FIELDS(X)                                                                                    \
  X(STATUS, status, "", "ok; unreachable: no count is enough, and the numbers are of the fastest; or what is wrong", \
    .show = PM_SHOW_NONZERO)                                                                                         \
  X(INT, rank, "1", "place among the choices, from 1; 0 if it does not reach the target", .show = PM_SHOW_MAIN)      \
  X(INT, choice, "1", "which choice, from 0")                                                                       \
  X(TEXT, system, "", "id of the system", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                      \
  X(TEXT, framework, "", "id of the framework; empty: none, kernels and collectives only",                             \
    .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                                                                              \
  X(INT, nodes, "1", "least nodes that reach the target", .show = PM_SHOW_MAIN)                                      \
  X(INT, gpus, "1", "GPUs in total", .show = PM_SHOW_MAIN)                                                           \
  X(REAL, batch, "1", "samples per GPU and step or call", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)                      \
  X(PRECISION, precision, "", "storage and arithmetic precision", .show = PM_SHOW_MAIN | PM_SHOW_GIVEN)              \
  X(REAL, throughput, "1/s", "samples per second over all GPUs", .show = PM_SHOW_MAIN)                               \
  X(REAL, latency, "s", "latency of a call, for inference", .show = PM_SHOW_MAIN)                                    \
  X(REAL, time, "s", "for all epochs, whole steps", .show = PM_SHOW_MAIN)                                            \
  X(REAL, gpu_hours, "1", "GPU-hours of all epochs: GPUs times hours", .show = PM_SHOW_MAIN)                         \
  X(REAL, reached, "1", "speed over that of the target: 1 or more reaches it", .show = PM_SHOW_MAIN)                 \
  X(INT, nodes_least, "1", "nodes by the upper end of the 80 % prediction interval; 0 unknown")              \
  X(INT, nodes_safe, "1", "nodes enough in nine cases of ten; 0 unknown, or beyond those tried")                    \
  X(REAL, efficiency, "1", "weak scaling: throughput over that of as many GPUs alone", .show = PM_SHOW_PERCENT)      \
  X(BOTTLENECK, bottleneck, "", "bottleneck of the step", .show = PM_SHOW_MAIN)                                      \
  X(REAL, rack_units, "1", "rack space of the nodes")                                                               \
  X(REAL, design_power, "W", "design power of the nodes times the PUE", .show = PM_SHOW_MAIN)                        \
  X(REAL, gpu_design_power, "W", "the part of it that is the GPUs' design power")                                   \
  X(REAL, design_energy, "J", "design power times the time for all epochs")                                         \
  X(REAL, price, "1", "price of one node, as it was given")                                                         \
  X(REAL, cost, "1", "price of the nodes; switches, cables and storage are not in it", .show = PM_SHOW_MAIN)         \
  X(REAL, storage_rate, "B/s", "rate that the storage must deliver, nothing cached")                                \
  X(REAL, storage_nodes, "1", "nodes that the given storage can supply at their rate")                                 \
  X(INPUT_STAGE, input_bottleneck, "", "the slowest stage of the input path")                                        \
  X(REAL, switches, "1", "switches of a fat tree between the nodes")                                                \
  X(REAL, cables, "1", "its cables")                                                                                \
  X(REAL, memory, "B", "memory of one GPU")                                                \
  X(VERDICT, verdict, "", "whether the batch fits it")                                                              \
  X(YES_NO, pareto, "", "whether no other choice is both faster and less")                                          \
  X(CALIBRATION_STATUS, calibration, "", "basis of the numbers")                                                    \
  X(POWER_BASIS, power_basis, "", "basis of the machines' design power")                                            \
  X(REAL, power, "W", "predicted draw of nodes and switches times the PUE")                                         \
  X(REAL, energy, "J", "predicted power times the time for all epochs")                                             \
  X(REAL, energy_per_sample, "J", "predicted energy of the site for a sample", .show = PM_SHOW_MAIN)                \
  X(REAL, carbon_per_sample, "g", "carbon dioxide of that energy; unknown without a carbon intensity")              \
  X(REAL, energy_cost_per_sample, "1", "price of that energy; unknown without one")                                 \
  X(REAL, budget_nodes, "1", "nodes that the power budget feeds, by their design power", .show = PM_SHOW_MAIN)      \
  X(REAL, draw_nodes, "1", "nodes whose predicted draw is within the power budget", .show = PM_SHOW_MAIN)           \
  X(REAL, power_limit, "W", "power limit of each GPU, where one is set", .show = PM_SHOW_MAIN)

typedef struct pm_size_choice { PM_SIZE_CHOICE_FIELDS(PM_DECLARE) } pm_size_choice;

/* What there is to choose from. Nothing is copied; pointers may be NULL but for plan and choices. */
typedef struct pm_size_setup {
  const pm_plan *plan;
  int32_t task;
  const void *choices;              /* runs of the task: system, batch, software, precision, ...; GPUs of each node */
  size_t run_size;                  /* bytes of one in the program */
  const double *prices;             /* of one node of each choice; NULL or NAN: unknown */
  size_t count;
  const pm_input_setup *inputs;     /* the input path of each choice; NULL: input never limits */
  const pm_input_run *input_runs;   /* how it is used, but for nodes, GPUs and their rate; NULL: the defaults */
  size_t input_run_size;            /* bytes of one in the program */
} pm_size_setup;

/* At most 1024 nodes, least nodes, PUE 1, switches of 32 ports without oversubscription; the target unknown. */
PM_INLINE pm_size_goal pm_size_goal_make(void)
{
  pm_size_goal goal;
  pm_record_fill("size_goal", &goal, sizeof goal);
  return goal;
}

/* The least nodes of every choice into choices[setup->count], ranked: the best first, then what misses the target, the
** nearest first; `choice` is which of the setup's it is. Returns PM_OK, also if some or all
** choices cannot reach the target (their status says so). Cost: a prediction for each count tried, or for each choice
** where GPUs are replicas. There, fields that only training has stay unknown; choices whose call of one sample takes
** longer than goal->latency are unreachable, and so are those that need more nodes than goal->max_nodes, which are
** shown with those nodes. */
PM_API int pm_size_evaluate(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *choices,
                            pm_error *error);

/* The next cheaper: of all counts of all choices that take less than `than` of what is to be least, the fastest. It
** misses the target by 1 - reached. PM_STATUS_UNREACHABLE if nothing takes less. Not of replicas. */
PM_API int pm_size_find_next(const pm_size_setup *setup, const pm_size_goal *goal, const pm_size_choice *than,
                             pm_size_choice *next, pm_error *error);

/* The counts of all choices for which no other is both faster and less, from least to fastest: the Pareto front, into
** at most `capacity` rows. Every choice is tried as far as it takes no more than the dearest answer of
** pm_size_evaluate. Returns how many rows there are, or -1. Not of replicas. */
PM_API int pm_size_find_front(const pm_size_setup *setup, const pm_size_goal *goal, pm_size_choice *rows,
                              size_t capacity, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
