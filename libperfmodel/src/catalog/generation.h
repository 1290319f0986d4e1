/* Which entry a framework's name means: a release, the release before it that has an entry, or that of a month or a
** GPU. */
#ifndef PM_CATALOG_GENERATION_H
#define PM_CATALOG_GENERATION_H

#include "catalog/entry.h"

/* A name and the GPU that it is wanted for. */
typedef struct pm__catalog_software_name {
  const char *name;         /* "pytorch", "pytorch-2.5-nhwc", "pytorch@2024-06", "tf1-nchw@cudnn6" */
  const char *architecture; /* NULL or "": of any GPU */
} pm__catalog_software_name;

/* The ids that it stands for; `cudnn` is empty for the framework's own generation. */
typedef struct pm__catalog_software_ids {
  char id[PM_TEXT_MAX], cudnn[PM_TEXT_MAX];
  bool dated; /* of a month, with all libraries of it */
} pm__catalog_software_ids;

/* Finds both among frameworks or inference profiles (kind). A name that is none's is left in `id` as it was written,
** for the look-up to say so. PM_OK, or an error that lists the releases there are. */
int pm__software_find(const pm_catalog *catalog, int kind, const pm__catalog_software_name *asked,
                      pm__catalog_software_ids *ids,
                      pm_error *error);

#endif
