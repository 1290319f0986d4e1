/* What a row of training of a large model says besides a rate: the shape of the network, and how it was shared out. */
#ifndef PM_LAB_VALIDATION_PARALLEL_ROW_H
#define PM_LAB_VALIDATION_PARALLEL_ROW_H

#include "validation/rate.h"

/* The network of the catalogue that has the row's shape: "llama layers=32 hidden=4096 ..."; false if the row has none.
** `name` has room for PM__VALUE_LONGEST bytes. A rule may name another one, which gets the sizes. */
bool pm__lab_parallel_network(const pm__lab_readings *readings, const pm__lab_row *row, char *name);

/* Degrees of parallelism, what is sharded and computed again, micro-batches, the batch of a replica. GPUs and nodes of
** the rate are known. */
int pm__lab_parallel_read(const pm__lab_readings *readings, const pm__lab_row *row, pm__lab_rate *rate,
                          pm_error *error);

/* "arXiv 2104.04473 (Narayanan et al. 2021)" -> "arXiv 2104.04473", "NVIDIA/NeMo" -> "NeMo" */
void pm__lab_parallel_source(const char *source, char *text, size_t size);

/* "dense h100 interleaved zero-1 Megatron-Bridge" */
void pm__lab_parallel_group(const pm__lab_rate *rate, const pm__lab_row *row, char *group, size_t size);

#endif
