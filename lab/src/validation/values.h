/*
** What a formula may name, for a row that says what was run: "network=resnet50, system=dgx1-p100, gpus=8, batch=64".
**
**     rate, step_time, gpu_busy, ...        a field of the prediction of a training run (rate is throughput)
**     infer_latency, infer_throughput, ...  a field of the prediction of an inference run
**     input_storage, input_max_nodes, ...  a field of the rates of an input path
**     pair_bandwidth, ...                   a field of copies between GPUs 0 and 1
**     fabric_bisection, ...                 a field of a fat tree of many nodes
**
** all of them of the row's run, or of that with other settings: rate(gpus=1) / rate. Settings are the fields of a run,
** and: network (with parameters), system, framework, profile; workers, processes for each GPU that read and decode,
** which limit a training run; dataset, storage, loader, cpu, fields of these as loader.library, and the fields of an
** input run for an input path; the fields of a fabric's choice; access=none for a storage whose reads take no time of
** their own.
*/
#ifndef PM_LAB_VALIDATION_VALUES_H
#define PM_LAB_VALIDATION_VALUES_H

#include "validation/predictor.h"

typedef struct pm__lab_values {
  const pm_catalog *catalog;
  pm__lab_predictor *predictor;
  const char *run; /* of the row */
  pm__lab_holdout out; /* whose constants are not used */
  bool predicted;  /* before, runs are gathered and values are unknown */
  char constants[256]; /* what the row's own prediction rests on, once predicted */
} pm__lab_values;

/* Of the type of pm__lab_formula_value; `values` is a pm__lab_values. PM_STATUS_NOT_FOUND for a name that is none of
** these. */
int pm__lab_values_resolve(void *values, const char *name, const char *arguments, double *value, pm_error *error);

#endif
