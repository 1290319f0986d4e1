/*
** A study: one network on one system, and all that the answer is made of.
*/
#ifndef PERFMODEL_TOOLS_STUDY_H
#define PERFMODEL_TOOLS_STUDY_H

#include "command.h"

typedef struct cli_study {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
  pm_run run;
  pm_prediction prediction;
  pm_framework_profile framework; /* if run.framework_index is 0 */
  bool assumed;         /* nobody said which release of it */
  double channels_last; /* samples/s of that framework with channels_last; NAN if not known */
  double padded;        /* samples/s if its products were padded to multiples of 16 bytes; NAN where software does so */
  int32_t half;         /* the 16 bits that the network is mostly trained in, if nobody named a precision; else fp32 */
  double half_tokens;   /* tokens/s in it; NAN if not known */
  pm_dataset dataset; /* its id is empty if none was named */
} cli_study;

/* The answer for people. */
void print_report(FILE *stream, const cli_study *study, size_t width);

#endif
