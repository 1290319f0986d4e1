/* All-reduces of engines: those of the library, and their own in one kernel. */
#ifndef PM_LAB_VALIDATION_OPERATOR_COLLECTIVE_H
#define PM_LAB_VALIDATION_OPERATOR_COLLECTIVE_H

#include "validation/operator_row.h"

typedef struct pm__lab_operator_groups pm__lab_operator_groups;

/* The catalogue must outlive it. NULL with an error. */
pm__lab_operator_groups *pm__lab_operator_groups_new(const pm_catalog *catalog, pm_error *error);
void pm__lab_operator_groups_free(pm__lab_operator_groups *groups);

/* Time of the row's all-reduce, on the smallest system with so many of the GPU. */
int pm__lab_operator_groups_time(pm__lab_operator_groups *groups, const pm__lab_operator_row *row, const pm_gpu *gpu,
                                 double *time, pm_error *error);

#endif
