/* GPUs by the names that tables give them. */
#ifndef PM_LAB_VALIDATION_GPU_NAMES_H
#define PM_LAB_VALIDATION_GPU_NAMES_H

#include "perfmodel.h"

/* What the GPUs of a catalogue, which must outlive it, are called, cut into words once. */
typedef struct pm__lab_gpu_names pm__lab_gpu_names;

pm__lab_gpu_names *pm__lab_gpu_names_new(const pm_catalog *catalog, pm_error *error);
void pm__lab_gpu_names_free(pm__lab_gpu_names *names);

/* The id of the GPU that a table calls `name` ("Tesla V100-PCIE-32GB", "NVIDIA A100 80GB PCIe"); `memory` in GB as the
** table has it, "" if it does not. NULL if it is none of the catalogue. */
const char *pm__lab_gpu_names_find(const pm__lab_gpu_names *names, const char *name, const char *memory);

#endif
