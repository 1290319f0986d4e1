/* The readers of other programs' descriptions of a machine: each fills a sketch, or fails with the line. */
#ifndef PM_IMPORT_READERS_H
#define PM_IMPORT_READERS_H

#include "import/sketch.h"

/* Whether a line is the heading of nvidia-smi's matrix. */
bool pm__import_is_topo(const char *text);

/* Whether it is what rocm-smi --showtopo prints. */
bool pm__import_is_rocm(const char *text);

int pm__import_rocm(pm__sketch *w, const char *text, pm_error *error);
int pm__import_topo(pm__sketch *w, const char *text, pm_error *error);
int pm__import_nccl(pm__sketch *w, const char *text, pm_error *error);
int pm__import_hwloc(pm__sketch *w, const char *text, pm_error *error);

typedef struct pm__import_format {
  const char *name;
  int (*read)(pm__sketch *w, const char *text, pm_error *error);
} pm__import_format;

/* The formats; NULL past the last. */
const pm__import_format *pm__import_format_at(size_t index);

#endif
