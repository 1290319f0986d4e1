/*
** A study: one network on one system, and all that the answer is made of.
*/
#ifndef PERFMODEL_TOOLS_STUDY_H
#define PERFMODEL_TOOLS_STUDY_H

#include "asked.h"

typedef struct cli_study {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  const pm_plan *plan; /* of the study */
  pm_given given;
  pm_run run;
  pm_prediction prediction;
  const pm_framework_profile *framework; /* NULL: none */
  pm_dataset dataset; /* its id is empty if none was named */
} cli_study;

/* Sentences on what one change would give: 16 bits where no precision was given, channels_last and padded products. */
void print_hints(FILE *stream, const cli_study *study, size_t width);

/* Why a run cannot be predicted, with what would help: 16 bits, or a plan that fits. An exit code. */
int refuse_run(const cli_study *study, const pm_error *error);

/* The same of a call of inference. */
typedef struct cli_call {
  const pm_catalog *catalog;
  const pm_study *study;
  const pm_plan *plan;
  const pm_given *given;
  const pm_system *system;
  const pm_inference_run *run;
  double throughput;
} cli_call;

void print_call_hints(FILE *stream, const cli_call *call, size_t width);
int refuse_call(const cli_call *call, const pm_error *error);

/* The answer for people. */
void print_report(FILE *stream, const cli_study *study, size_t width);

#endif
