/* Which machine of the catalogue a row of a published table was measured on. */
#ifndef PM_LAB_VALIDATE_MACHINE_H
#define PM_LAB_VALIDATE_MACHINE_H

#include "lab/validate/row.h"

typedef struct pm__machines pm__machines;

/* The machines of a catalogue, which must outlive them. */
pm__machines *pm__machines_new(const pm_catalog *catalog, pm_error *error);
void pm__machines_free(pm__machines *machines);

/* The id of the system that fits best: it has the GPU that the row names, and at least `gpus` of them; most of its name
** stands in the row, memory agrees. Without a system in the row the smallest such one. NULL with an error. */
const char *pm__machines_find(pm__machines *machines, const pm__row *row, int gpus, pm_error *error);

/* How the row's GPU is called in the catalogue, for groups: "v100" for any V100. */
void pm__machines_gpu_family(pm__machines *machines, const char *system, char *family, size_t size);

#endif
