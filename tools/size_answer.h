/* What perfmodel size is asked, and its answer. */
#ifndef PERFMODEL_SIZE_ANSWER_H
#define PERFMODEL_SIZE_ANSWER_H

#include "input_path.h"
#include "price.h"

typedef struct size_question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system **systems;
  pm_plan *plan;
  pm_memory_plan *memory;
  texts names;
  double *batches;
  int32_t *precisions;
  size_t batch_count, precision_count, framework_count;
  pm_framework_profile *frameworks;
  pm_dataset dataset;
  cli_prices prices;
  pm_size_goal goal;
  pm_run usual;
  pm_run *runs;
  double *price, *usable;
  pm_input_setup *inputs;
  pm_input_run *input_runs;
  pm_size_setup setup;
  pm_size_choice *choices;
} size_question;

/* Sizes, and writes the choices or the front. Prints what is wrong and returns an exit code. */
int size_answer(const cli_request *request, size_question *q);

#endif
