/*
** Counts in a record: GPUs, nodes, degrees of parallelism, micro-batches. Each is bounded, so products of two of them
** fit in 64 bits, those of a node's GPUs and nodes in 32, and every loop over one ends.
*/
#ifndef PM_RECORD_COUNT_H
#define PM_RECORD_COUNT_H

#include <stdint.h>
#include "perfmodel/record.h"

/* PM_OK, or an error if the field `name` is below `least` or above PM_COUNT_MAX. */
int pm__count_check(const char *name, double value, int32_t least, pm_error *error);

/* PM_OK, or that a batch is missing, less than 1 or more than whole numbers are exact. */
int pm__batch_check(double batch, pm_error *error);

/* The same, and that it is a whole number. */
int pm__batch_check_whole(double batch, pm_error *error);

#endif
