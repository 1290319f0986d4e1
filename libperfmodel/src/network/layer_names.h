/* Which layer has which name: a hash table. The names live elsewhere, longer than the table. All zero is empty. */
#ifndef PM_NETWORK_LAYER_NAMES_H
#define PM_NETWORK_LAYER_NAMES_H

#include "base/base.h"

typedef struct pm__layer_name {
  const char *name; /* NULL: a free place */
  int number, line;
} pm__layer_name;

typedef struct pm__layer_names {
  pm__layer_name *places;
  size_t count, capacity; /* capacity is a power of 2 */
} pm__layer_names;

const pm__layer_name *pm__layer_names_find(const pm__layer_names *names, const char *name);

/* Adds a name that is not there yet. */
int pm__layer_names_add(pm__layer_names *names, const char *name, int number, int line, pm_error *error);

void pm__layer_names_free(pm__layer_names *names);

#endif
