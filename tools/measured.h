/* Measurements that travel with the command, compressed. */
#ifndef PERFMODEL_MEASURED_H
#define PERFMODEL_MEASURED_H

#include <stddef.h>

extern const unsigned char cli_kernels[];
extern const size_t cli_kernels_size;

#endif
