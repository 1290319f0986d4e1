/*
** A task is one descriptor: the records of its runs and answers, how a run is completed, checked and predicted, and its
** use in sizing and sensitivities. Functions for many runs take a descriptor and refer to no task by name. The list is
** PM_TASK_LIST in perfmodel/task.h.
*/
#ifndef PM_TASK_TASK_H
#define PM_TASK_TASK_H

#include "complete/complete.h"
#include "perfmodel/task.h"
#include "plan/plan.h"

/* Which list of a plan has the software of runs. */
typedef enum pm__task_software { PM__TASK_FRAMEWORKS = 1, PM__TASK_PROFILES, PM__TASK_ENGINES } pm__task_software;

/* Where a run has the numbers that every run has. */
typedef struct pm__task_places {
  size_t size, network, system, software, gpus, nodes, precision, batch, pue, budget, limit;
} pm__task_places;

#define PM__TASK_PLACES(type, index)                                                                                \
  {sizeof(type),          offsetof(type, network_index), offsetof(type, system_index), offsetof(type, index),      \
   offsetof(type, gpus),  offsetof(type, nodes),         offsetof(type, precision),    offsetof(type, batch),       \
   offsetof(type, pue),   offsetof(type, power_budget),  offsetof(type, power_limit)}

/* One of the parts that add up to the time of a run. */
typedef struct pm__task_part {
  const char *label;
  double time;
} pm__task_part;

enum { PM__TASK_PARTS = 16 };

/* A cause of uncertainty of a rate: a variance of its logarithm. */
typedef struct pm__task_spread {
  const char *label;
  double square;
} pm__task_spread;

/* What every answer says. */
typedef struct pm__task_outcome {
  int32_t status, verdict, bottleneck, calibration;
  double time, throughput, throughput_p10, throughput_p90, memory;
  double efficiency; /* weak scaling */
  double most;       /* samples/s, or the most that there can be of requests */
  double first;      /* time to first token; NAN: there is none */
  double power;      /* of the site */
  double energy, carbon, energy_cost; /* of the site, for a sample or a request */
} pm__task_outcome;

/* Of any answer. */
#define PM__TASK_ENERGY(p)                                                                                          \
  .power = (p)->site_power, .energy = (p)->site_energy_per_sample, .carbon = (p)->carbon_per_sample,                \
  .energy_cost = (p)->energy_cost_per_sample

typedef struct pm__task {
  pm_task_facts facts;
  pm__task_software software;
  pm__task_places at;
  size_t answer_size;

  /* Completion: counts of GPUs first, then the class of software where nobody named one, then the rest,
  ** which is told the status of the counts. */
  int (*complete_counts)(const pm_system *system, const pm_given *given, void *run, pm_error *error);
  int32_t classes;
  int32_t (*class_of)(const void *run, bool experts);
  int (*complete)(const pm__complete_question *question, int counts, void *run, pm_error *error);
  int (*list_assumptions)(const pm__complete_question *question, const void *run, pm_assumption *rows);

  /* Predictions, of the library's own records. */
  int (*check)(const pm_plan *plan, const void *run, pm_error *error);
  int (*predict)(const pm_plan *plan, unsigned columns, const void *runs, void *answers, size_t count);
  int (*get_memory)(const pm_plan *plan, const void *run, pm_memory_use *use, pm_error *error);
  pm__task_outcome (*read)(const void *answer);

  /* Reports: what the time of a run is called; what the parts are of, and the parts, as many as are returned; which
  ** memory of activations is counted. */
  const char *time, *whole, *activations;
  int (*list_parts)(const void *answer, pm__task_part parts[PM__TASK_PARTS]);

  /* Explanations: what each field of an answer comes from (formula.h), and what makes the variance of the rate of a
  ** run; of fields that are like `field`. */
  const char *const *formulas;
  int (*list_spreads)(const pm_plan *plan, const void *run, const char *field,
                      pm__task_spread spreads[PM__TASK_PARTS]);

  /* Sizing and sensitivities. The largest batch within a time (NULL: none is looked for), batches of a step over all
  ** ranks, and the samples of an epoch and, where it is limited, what input reaches a node (NULL: neither matters). */
  int (*find_batch)(const pm_plan *plan, void *run, double time, void *answer, pm_error *error);
  double (*count_batches)(const void *run);
  void (*set_input)(void *run, double epoch_samples, bool limited, double rate, bool no_prefetch);
} pm__task;

#define PM__TASK_DECLARE(name, descriptor) extern const pm__task pm__task_##descriptor;
PM_TASK_LIST(PM__TASK_DECLARE)
#undef PM__TASK_DECLARE

/* Room for a run or an answer of any task. */
enum { PM__TASK_ROOM = 1024 };
typedef union pm__task_record {
  double aligned;
  char bytes[PM__TASK_ROOM];
} pm__task_record;

/* NULL for a number that is no task's. */
const pm__task *pm__task_at(int32_t task);

/* The id of the software of a run; "" without. */
const char *pm__task_software_id(const pm__task *task, const pm_plan *plan, const void *run);

/* Whole numbers, and the batch, at their places. */
static inline int32_t *pm__task_int(void *run, size_t place)
{
  return (int32_t *)(void *)((char *)run + place);
}

static inline int32_t pm__task_get(const void *run, size_t place)
{
  return *(const int32_t *)(const void *)((const char *)run + place);
}

static inline double *pm__task_real(void *run, size_t place)
{
  return (double *)(void *)((char *)run + place);
}

static inline double pm__task_get_real(const void *run, size_t place)
{
  return *(const double *)(const void *)((const char *)run + place);
}

static inline double *pm__task_batch(const pm__task *task, void *run)
{
  return pm__task_real(run, task->at.batch);
}

#endif
