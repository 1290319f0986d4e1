/* Memory of a GPU for people: of a network by itself (memory.c), and shared out by a plan (memory_plan.c). */
#ifndef PERFMODEL_TOOLS_MEMORY_REPORT_H
#define PERFMODEL_TOOLS_MEMORY_REPORT_H

#include "command.h"

/* The total, and the largest batch, by what they are called. */
void print_memory_verdict(FILE *stream, const char *total_name, const char *batch_name, const pm_memory_use *use);
void print_memory_parts(FILE *stream, const pm_memory_use *use, bool inference);

/* Whether the request has options of a parallel plan, and its answer: an exit code. */
bool is_memory_of_plan(const cli_request *request);
int memory_of_plan(const cli_request *request);

#endif
