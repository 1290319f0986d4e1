/* The catalogue as the laboratory uses it. */
#ifndef PM_LAB_SHIPPED_CATALOG_H
#define PM_LAB_SHIPPED_CATALOG_H

#include "perfmodel-lab.h"

/* Opens every entry, so that looking one up later cannot fail for want of memory. Some milliseconds. */
int pm__lab_catalog_open(const pm_catalog *catalog, pm_error *error);

#endif
