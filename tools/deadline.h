/* How many GPUs train a network within a time: perfmodel search --within. */
#ifndef PERFMODEL_DEADLINE_H
#define PERFMODEL_DEADLINE_H

#include "asked.h"

typedef struct cli_deadline {
  const pm_catalog *catalog;
  const pm_system *system;
  pm_study *study;
  const pm_given *given;
  const pm_run *base;
  double global_batch;
} cli_deadline;

/* The options of it, a line of the table of a command each. */
#define DEADLINE_OPTIONS \
  {OPTION_WITHIN, '\0', "within", "TIME",                                                                              \
    "how many nodes train on --tokens or --samples within that time, such as \"30 d\", instead"},                    \
  {OPTION_MAX_NODES, '\0', "max-nodes", "N", "most nodes that are tried with --within (default 1024)"}, \
  {OPTION_PRICE, '\0', "price", "SYSTEM=AMOUNT CURRENCY", "price of a node, with --within"}

/* Whether it is asked. */
bool deadline_wanted(const cli_request *request);

/* Answers; an exit code. */
int deadline_answer(const cli_request *request, const cli_deadline *deadline);

#endif
