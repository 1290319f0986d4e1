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
    "how many nodes train within that time, such as \"30 d\", instead: --tokens or --samples, and"},                   \
  {OPTION_TOKENS, '\0', "tokens", "N", "tokens to train on, such as 15e12"}, \
  {OPTION_SAMPLES, '\0', "samples", "N", "samples to train on"}, \
  {OPTION_MAX_NODES, '\0', "max-nodes", "N", "most nodes that are tried (default 1024)"}, \
  {OPTION_GPU_MTBF, '\0', "gpu-mtbf", "TIME",                                                                          \
    "mean time between failures of one GPU and what fails with it (default: none fails)"},                             \
  {OPTION_NODE_MTBF, '\0', "node-mtbf", "TIME", "mean time between failures of one node, beside those of its GPUs"}, \
  {OPTION_CHECKPOINT_RATE, '\0', "checkpoint-rate", "RATE",                                                            \
    "rate at which weights and optimizer are written, such as \"100 GB/s\"; or"},                                      \
  {OPTION_CHECKPOINT, '\0', "checkpoint", "TIME", "time that writing a checkpoint stops training"}, \
  {OPTION_RESTART, '\0', "restart", "TIME", "time from a failure until training goes on (default none)"}, \
  {OPTION_INTERVAL, '\0', "interval", "TIME", "training between checkpoints (default: the best)"}, \
  {OPTION_PUE, '\0', "pue", "X", "power usage effectiveness of the site (default 1)"}, \
  {OPTION_PRICE, '\0', "price", "SYSTEM=AMOUNT CURRENCY", "price of a node"}, \
  {OPTION_GPU_HOUR_PRICE, '\0', "gpu-hour-price", "AMOUNT", "price of one GPU for an hour"}

/* Whether it is asked. */
bool deadline_wanted(const cli_request *request);

/* Answers; an exit code. */
int deadline_answer(const cli_request *request, const cli_deadline *deadline);

#endif
