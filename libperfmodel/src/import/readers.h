/* The readers of other programs' descriptions of a machine: each fills a sketch, or fails with the line. */
#ifndef PM_IMPORT_READERS_H
#define PM_IMPORT_READERS_H

#include "import/sketch.h"

int pm__import_topo(pm__sketch *w, const char *text, pm_error *error);
int pm__import_nccl(pm__sketch *w, const char *text, pm_error *error);
int pm__import_hwloc(pm__sketch *w, const char *text, pm_error *error);

#endif
