/* What perfmodel size is asked, and its answer. */
#ifndef PERFMODEL_SIZE_ANSWER_H
#define PERFMODEL_SIZE_ANSWER_H

#include "asked.h"
#include "input_path.h"
#include "price.h"

typedef struct size_question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system **systems;
  pm_study *study;
  const pm_plan *plan; /* of the study */
  pm_given given;
  texts names;
  cli_axes axes; /* what the choices differ in, besides system and framework */
  size_t framework_count; /* that were named */
  pm_dataset dataset;
  cli_prices prices;
  pm_size_goal goal;
  pm_run usual;
  pm_run *runs;
  double *price;
  pm_input_setup *inputs;
  pm_input_run *input_runs;
  pm_size_setup setup;
  pm_size_choice *choices;
} size_question;

enum { LABEL = 18, QUANTITY = 80 };

/* Reads what is aimed at, and what there is to choose from; exit codes. */
int size_read_goal(const cli_request *request, pm_size_goal *goal);
int size_read_choices(const cli_request *request, size_question *q);
void size_free(size_question *q);

/* The whole command, for inference. */
int size_service_run(const cli_request *request);

/* Lines of the reports. */
const char *size_quantity(char *buffer, double value, const char *unit);
const char *size_amount(char *buffer, double value);
void size_print_price(FILE *stream, const cli_request *request, const size_question *q, const pm_size_choice *best);
void size_print_power(FILE *stream, const size_question *q, const pm_size_choice *best);
void size_print_memory(FILE *stream, const pm_size_choice *best);

/* Best first, then those that miss, nearest first. */
void size_sort(pm_size_choice *rows, size_t count);

/* Sizes, ranks and writes: the report for people, or all choices with all values; or the front. An exit code. */
int size_answer(const cli_request *request, size_question *q);

#endif
