/* The input path of a run from its settings. */
#ifndef PM_LAB_VALIDATE_PATH_H
#define PM_LAB_VALIDATE_PATH_H

#include "perfmodel/catalog.h"
#include "perfmodel/pipeline.h"
#include "lab/validate/settings.h"

/* The rates of the path: dataset, system, storage (without one unlimited), loader, cpu, and the fields of an input run. */
int pm__path_rates(const pm_catalog *catalog, const pm__settings *settings, pm_input_rates *rates, pm_error *error);

/* What `workers` processes for each of the GPUs bring to a node, storage apart [samples/s]. */
int pm__path_workers(const pm_catalog *catalog, const pm__settings *settings, const char *loader, int gpus,
                     double workers, double *rate, pm_error *error);

#endif
