/* The table of all kinds of layers, from the list in kinds.h. */
#include <string.h>
#include "network/kinds/kinds.h"

#define ENTRY(name) &pm__kind_##name,
static const pm__layer_kind *const kinds[] = {PM__LAYER_KINDS(ENTRY)};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const pm__layer_kind *pm__layer_kind_find(const char *name)
{
  for (size_t i = 0; name != NULL && i < KINDS; i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const pm__layer_kind *pm__layer_kind_at(size_t index)
{
  return index < KINDS ? kinds[index] : NULL;
}
