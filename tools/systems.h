/* Which systems a question is about: those that were named, or all of the catalogue that could be meant. */
#ifndef PERFMODEL_SYSTEMS_TOOL_H
#define PERFMODEL_SYSTEMS_TOOL_H

#include "command.h"

/* Opens the systems of these names; of no names all with 16-bit tensor cores, which for training can be joined to more
** of them, and names->count is how many those are. The list is to be freed, and each of it. An exit code. */
int open_systems(const cli_request *request, const pm_catalog *catalog, bool training, texts *names,
                 pm_system ***systems);

/* Prints that nothing is good enough, and why the first choice has no prediction, if it has none. An exit code. */
int fail_goal(const pm_plan *plan, int32_t task, const void *run, size_t run_size, int status, const char *missed);

#endif
