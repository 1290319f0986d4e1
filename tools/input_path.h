/* The input path of a machine, from the options that name its parts: --storage, --loader, --cpu. */
#ifndef PERFMODEL_INPUT_PATH_H
#define PERFMODEL_INPUT_PATH_H

#include "command.h"

/* Fills dataset, storage, access, decoder and loader of a setup whose machine is known, and the run's bus. Prints what
** is wrong and returns an exit code. */
int find_input_path(const cli_request *request, const pm_catalog *catalog, const char *dataset, pm_input_setup *setup,
                    pm_input_run *run);

#endif
