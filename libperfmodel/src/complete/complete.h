/*
** The completion of a run: missing fields follow from the network, the GPU, the plan and the given fields.
** docs/defaults.md has the rules. No other code has a default for these fields. Nothing here computes times.
*/
#ifndef PM_COMPLETE_COMPLETE_H
#define PM_COMPLETE_COMPLETE_H

#include "network/network.h"
#include "perfmodel/catalog.h"
#include "perfmodel/run.h"
#include "software/class.h"

/* The name of the framework of that class, as the catalogue takes it. */
const char *pm__complete_framework(pm__software_class which);

/* The inputs of completion: a framework or an inference profile, and the rest of the question. */
typedef struct pm__complete_question {
  const pm__network_traits *traits;
  const pm_machine *machine;
  const pm_gpu *gpu;
  const pm_given *given;
  const char *framework; /* its id, or NULL: none */
  bool named;            /* a user named it */
  int32_t attention;     /* a pm_attention_choice */
  bool tf32_convolutions;
} pm__complete_question;

/* Counts, and the degrees that names of parallelism represent, which the choice of a framework needs. After an error
** the counts are unchanged, and the prediction of the run has the status of the error. */
int pm__complete_counts(const pm_system *system, const pm_given *given, pm_run *run, pm_error *error);
int pm__complete_inference_counts(const pm_system *system, const pm_given *given, pm_inference_run *run,
                                  pm_error *error);

int pm__complete_serving_counts(const pm_system *system, const pm_given *given, pm_serving_run *run, pm_error *error);

/* The other fields. A global batch that does not divide evenly is an error, and the batch is unknown. */
int pm__complete_run(const pm__complete_question *question, pm_run *run, pm_error *error);
void pm__complete_inference_run(const pm__complete_question *question, pm_inference_run *run);

void pm__complete_serving_run(const pm__complete_question *question, pm_serving_run *run);

/* Precision and optimizer alone: of the runs that a search starts from. */
void pm__complete_numbers(const pm__complete_question *question, pm_run *run);

/* Samples of a step over all GPUs, of a search for plans: a decoder-only language model's have 4 Mi tokens, as a power
** of two; NAN for others. `tokens` are those of a sample. */
double pm__complete_global_batch(const pm__network_traits *traits, double tokens);

/* What was assumed of a completed run. Returns how many rows of at most PM_ASSUMPTIONS_MAX. */
int pm__complete_list(const pm__complete_question *question, const pm_run *run, pm_assumption *rows);
int pm__complete_inference_list(const pm__complete_question *question, const pm_inference_run *run,
                                pm_assumption *rows);

int pm__complete_serving_list(const pm__complete_question *question, const pm_serving_run *run, pm_assumption *rows);

/* Places of the fields of these records. */
#define PM__RUN_AT(kind, name, ...) PM__RUN_AT_##name,
#define PM__SERVING_AT(kind, name, ...) PM__SERVING_AT_##name,
#define PM__INFERENCE_AT(kind, name, ...) PM__INFERENCE_AT_##name,
enum { PM_RUN_FIELDS(PM__RUN_AT) PM__RUN_AT_END };
enum { PM_INFERENCE_RUN_FIELDS(PM__INFERENCE_AT) PM__INFERENCE_AT_END };
enum { PM_SERVING_RUN_FIELDS(PM__SERVING_AT) PM__SERVING_AT_END };

/* Whether the field at a place was given. */
static inline bool pm__complete_has(const pm_given *given, int place)
{
  return pm_given_has(given, place) != 0;
}

/* Whether one has a field that the other has. */
static inline bool pm__given_meet(const pm_given *a, const pm_given *b)
{
  return (a->fields & b->fields) != 0 || (a->more & b->more) != 0;
}

#endif
