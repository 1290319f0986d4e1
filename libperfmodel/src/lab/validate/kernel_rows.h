/* Tables of published kernel times that are read already. */
#ifndef PM_LAB_VALIDATE_KERNEL_ROWS_H
#define PM_LAB_VALIDATE_KERNEL_ROWS_H

#include "base/csv.h"
#include "perfmodel/validate.h"

/* As pm_kernel_rows_new. */
pm_kernel_rows *pm__kernel_rows_read(const pm_catalog *catalog, const pm__csv *sheet, const char *file, pm_error *error);

#endif
