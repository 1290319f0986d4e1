/* Sizing and search of serving: perfmodel size --serve, perfmodel search --serve. */
#ifndef PERFMODEL_SERVING_GOAL_TOOL_H
#define PERFMODEL_SERVING_GOAL_TOOL_H

#include "runs.h"

/* Whether the command is asked about serving. */
bool serving_wanted(const cli_request *request);

/* GPUs for a rate within limits, of systems by name; `layouts` are those that are tried without more degrees. An exit
** code. */
int serving_goal_answer(const cli_request *request, const char *systems, int32_t layouts);

#define SERVING_GOAL_OPTIONS                                                                                     \
  {OPTION_TTFT, '\0', "ttft", "TIME",                                                                            \
   "of serving: longest time to first token at the percentile, such as \"1 s\"; inf: any (default 2 s, and 1 ms " \
   "for each token of a prompt beyond 2,048)"},                                                                   \
  {OPTION_TPOT, '\0', "tpot", "TIME",                                                                            \
   "of serving: longest time per output token, such as \"50 ms\"; inf: any (default 200 ms)"},                    \
  {OPTION_MAX_GPUS, '\0', "max-gpus", "N", "of serving: most GPUs of a replica or a pair of pools (default 32)"}, \
  {OPTION_MAX_WORKERS, '\0', "max-workers", "N", "of serving: most workers of a pair of pools (default 8)"}

#endif
