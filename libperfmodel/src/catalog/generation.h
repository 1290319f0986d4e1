/* The entry for a framework's name: a release, the nearest earlier release with an entry, or that of a month or a
** GPU. */
#ifndef PM_CATALOG_GENERATION_H
#define PM_CATALOG_GENERATION_H

#include "catalog/entry.h"

/* A name and its GPU. */
typedef struct pm__catalog_software_name {
  const char *name;         /* "pytorch", "pytorch-2.5-nhwc", "pytorch@2024-06", "tf1-nchw@cudnn6" */
  const char *architecture; /* NULL or "": of any GPU */
} pm__catalog_software_name;

/* The ids that it stands for; `cudnn` is empty for the framework's own generation. */
typedef struct pm__catalog_software_ids {
  char id[PM_TEXT_MAX], cudnn[PM_TEXT_MAX];
  bool dated; /* of a month, with all libraries of it */
} pm__catalog_software_ids;

/* Finds both among frameworks or inference profiles (kind). An unknown name is copied to `id`, and the look-up reports
** it. PM_OK, or an error that lists the known releases. */
int pm__software_find(const pm_catalog *catalog, int kind, const pm__catalog_software_name *asked,
                      pm__catalog_software_ids *ids,
                      pm_error *error);

#endif
