/* The kernels that perfmodel kernel knows by name, and their sizes as options. */
#ifndef KERNEL_FAMILY_H
#define KERNEL_FAMILY_H

#include "command.h"

/* Fills `kernel` from the options by the family's name; prints what is wrong and returns an exit code. */
int read_kernel_family(const cli_request *request, const char *name, pm_kernel *kernel);

#endif
