/* What perfmodel size is asked, and its answer. */
#ifndef PERFMODEL_SIZE_ANSWER_H
#define PERFMODEL_SIZE_ANSWER_H

#include "input_path.h"
#include "price.h"
#include "runs.h"

typedef struct size_question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system **systems;
  pm_study *study;
  cli_runs runs; /* the choices */
  texts names;
  size_t framework_count; /* that were named */
  pm_dataset dataset;
  cli_prices prices;
  pm_size_goal goal;
  double *price;
  pm_input_setup *inputs;
  pm_input_run *input_runs;
  pm_size_setup setup;
  pm_size_choice *choices;
} size_question;

/* What is asked, from the options: task, goal, systems, values of the run's fields. An exit code. */
int size_read_question(const cli_request *request, size_question *q);
void size_free(size_question *q);

/* Sizes, ranks and writes: the report for people, or all choices with all values; or the front. An exit code. */
int size_answer(const cli_request *request, size_question *q);

#endif
