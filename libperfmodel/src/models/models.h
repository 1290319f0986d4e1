/* The list of model types that are no decoder-only families: who builds each. */
#ifndef PM_MODELS_MODELS_H
#define PM_MODELS_MODELS_H

#include "models/body.h"

typedef struct pm__model {
  const char *types; /* parted by blanks */
  void (*build)(pm__body *body, const pm__config *config);
} pm__model;

/* NULL: no such type. */
const pm__model *pm__model_find(const char *type);

#endif
