/* Which function builds which model type. */
#include <string.h>
#include "models/models.h"

static const pm__model models[] = {
  {NULL, NULL},
};

const pm__model *pm__model_find(const char *type)
{
  for (const pm__model *m = models; m->types != NULL; m++)
    if (pm__list_has(m->types, type, strlen(type))) return m;
  return NULL;
}
