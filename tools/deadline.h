/* Which machine, and how many of its nodes, train a network within a time: perfmodel size --tokens, search --within. */
#ifndef PERFMODEL_DEADLINE_H
#define PERFMODEL_DEADLINE_H

#include "command.h"

/* The options of it that search has no others for. */
#define DEADLINE_OPTIONS \
  {OPTION_WITHIN, '\0', "within", "TIME",                                                                              \
    "how many nodes train on --tokens or --samples within that time, such as \"30 d\", instead"},                    \
  {OPTION_MAX_NODES, '\0', "max-nodes", "N", "most nodes that are tried with --within (default 1024)"}, \
  {OPTION_PRICE, '\0', "price", "SYSTEM=AMOUNT CURRENCY", "price of a node, with --within"}

/* A time that is not for epochs. */
bool deadline_wanted(const cli_request *request);

/* Answers for these systems, NULL: all that could be meant; an exit code. */
int deadline_answer(const cli_request *request, const char *systems);

#endif
