/*
** Runs of a task as a command is asked for them: the fields that were given, and every combination of lists.
*/
#ifndef PERFMODEL_TOOLS_RUNS_H
#define PERFMODEL_TOOLS_RUNS_H

#include "asked.h"

/* Runs that are possible at once. */
#define RUNS_MOST 1e6

typedef struct cli_runs {
  int32_t task;
  const pm_task_facts *facts;
  const pm_record_type *type, *answer;
  pm_given given;
  char framework[PM_TEXT_MAX]; /* whose settings --run reads; empty: nobody's */
  void *base; /* one run: defaults, and fields of which one value was given */
  cli_axes axes;
  void *runs, *answers; /* of `count` records */
  size_t count;
} cli_runs;

/* --task, --inference; -1 with the exit code in *code. */
int32_t read_task(const cli_request *request, int *code);

/* A base of defaults, and what was given, with `many` lists too; fields that the task does not have are refused. Exit
** codes. */
int start_runs(cli_runs *runs, const cli_request *request, int32_t task, bool many);

/* All combinations of the axes, with the networks, systems and frameworks (0: none was named); more than `most` are
** refused, as so many `what`. */
int make_runs(cli_runs *runs, size_t networks, size_t systems, size_t frameworks, double most, const char *what);

/* The first of them, and their number. */
int make_first_run(cli_runs *runs, size_t networks, size_t systems, size_t frameworks, double *count);

/* Completes them; a run that cannot be completed keeps its status, unless it is the only one and `rows` is false. */
int complete_all(cli_runs *runs, const cli_request *request, pm_study *study, bool rows);

/* Predicts them into `answers`. */
int predict_all(cli_runs *runs, const pm_plan *plan, unsigned columns);

/* Says how many have no answer, and why: a note, or, if none has one, an error. An exit code. */
int report_failed(const cli_request *request, const cli_runs *runs, pm_study *study);

/* One of them, and numbers of it and of its answer. */
void *run_at(const cli_runs *runs, size_t index);
double run_number(const cli_runs *runs, size_t index, const char *field);
double answer_number(const cli_runs *runs, size_t index, const char *field);

/* The sweep that they are. */
pm_sweep sweep_of(const cli_runs *runs);

void free_runs(cli_runs *runs);

#endif
