/* What the host of a published run brings to its GPUs. */
#ifndef PM_LAB_VALIDATION_HOST_H
#define PM_LAB_VALIDATION_HOST_H

#include "perfmodel.h"

/* The decoder of that name; without one that of the machine's CPU, or of Skylake if that is not known. */
int pm__lab_host_decoder(const pm_catalog *catalog, const char *name, pm_input_setup *setup, pm_error *error);

/* Storage that does not limit. */
void pm__lab_host_no_storage(pm_input_setup *setup);

/* Samples per second that a loader gives `gpus` GPUs of a node, and whether it does so between the steps. Its threads
** are the loader's, or the cores that are the GPUs' share; between steps no more than a step has samples. The rate is
** unlimited if the cores of the machine are not known. */
int pm__lab_host_rate(const pm_catalog *catalog, const char *loader, const pm_machine *machine, int gpus, double batch,
                      pm_run *run, pm_error *error);

#endif
