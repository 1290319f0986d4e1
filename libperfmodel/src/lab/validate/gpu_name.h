/* GPUs by the names that tables give them. */
#ifndef PM_LAB_VALIDATE_GPU_NAME_H
#define PM_LAB_VALIDATE_GPU_NAME_H

#include "perfmodel/catalog.h"

/* The id of the GPU that a table calls `name` ("Tesla V100-PCIE-32GB", "NVIDIA A100 80GB PCIe"); `memory` in GB as the
** table has it, "" if it does not. NULL if it is none of the catalogue. */
const char *pm__gpu_of_name(const pm_catalog *catalog, const char *name, const char *memory);

#endif
