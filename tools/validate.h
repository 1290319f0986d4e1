/* What the sets of measurements share. */
#ifndef PERFMODEL_VALIDATE_H
#define PERFMODEL_VALIDATE_H

#include "command.h"

/* Ascending. */
void sort_numbers(double *values, size_t count);

/* Quantile of sorted values, between neighbours in proportion. */
double quantile(const double *sorted, size_t count, double q);

pm_table *records_to_table(const pm_record_type *type, const void *records, size_t count, pm_error *error);

/* Measured kernels, built in or of --data. Returns an exit code. */
int validate_kernels(const cli_request *request, const pm_catalog *catalog);

#endif
