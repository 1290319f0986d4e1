/*
** Runs that are every combination of networks, systems, frameworks, fields of the run and numbers of the hardware:
** perfmodel sweep has any number of systems, perfmodel compare two.
*/
#ifndef PERFMODEL_SWEEP_H
#define PERFMODEL_SWEEP_H

#include "runs.h"

enum { HARDWARE_MOST = 16 };

/* What was asked for, and what it leads to. */
typedef struct cli_sweep {
  texts network_names, system_names;
  pm_catalog *catalog;
  pm_network **networks;
  pm_system **systems; /* as many variants of each as the axes of the hardware say */
  size_t variants, system_count;
  size_t framework_count; /* that were named */
  pm_study *study;
  cli_runs runs;
  pm_hardware_axis hardware[HARDWARE_MOST];
  const char *paths[HARDWARE_MOST + 1];
  texts hardware_values[HARDWARE_MOST];
  size_t hardware_count;
} cli_sweep;

/* The options of them. */
#define SWEEP_OPTIONS \
  TASK_OPTION, \
  SERVE_OPTION, \
  {OPTION_FIELDS, '\0', "run", "many", NULL}, \
  {OPTION_FIELDS, '\0', "serving_run", "many", NULL}, \
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N,...", "samples per step over all GPUs, instead of --batch"}, \
  {OPTION_FRAMEWORK, '\0', "framework", "NAME,...", \
   "what runs it, such as pytorch-2.4-nhwc or tf1-nchw@cudnn6; none: kernels and collectives only (default: as " \
   "perfmodel predict); see perfmodel list frameworks"}, \
  {OPTION_AXIS, '\0', "axis", "PATH=VALUE,...", \
   "a number of the hardware: gpu.FIELD, kernels.FIELD, network.FIELD, link.TYPE.FIELD or calibration.TYPE.FIELD, " \
   "each value with its unit, or a factor such as x1.1; or a field of the run; may be repeated"}, \
  {OPTION_DATASET, '\0', "dataset", "NAME", "also say how long an epoch takes; see perfmodel list datasets"}, \
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the networks another value; may be repeated"}

/* Reads, opens, completes and predicts all; an exit code. A run without a prediction has its status. */
int sweep_predict(const cli_request *request, cli_sweep *sweep);
void sweep_free(cli_sweep *sweep);

/* Whether all names, options, conditions and columns are right, and how many runs there are; predicts none. An exit
** code. */
int sweep_check(const cli_request *request, double *runs);

/* What is done with the sweep of an experiment. */
typedef int experiment_user(const cli_request *sweep, void *to);

/* Reads an experiment file and uses its sweep (run.c). Options of `request`, if there is one, go before those of the
** file. An exit code. */
int experiment_use(const cli_request *request, const char *file, experiment_user *use, void *to);

#endif
