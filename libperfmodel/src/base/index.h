/* Finds one of many texts: a table with open addresses, from a text to the number of what has it. */
#ifndef PM_BASE_INDEX_H
#define PM_BASE_INDEX_H

#include <stdint.h>
#include "base/base.h"

#define PM__NO_ITEM ((size_t)-1)

typedef struct pm__index_place {
  uint64_t hash;
  size_t next; /* the item's number + 1; 0: free */
} pm__index_place;

/* Begins with zeros. */
typedef struct pm__index {
  pm__index_place *places;
  size_t count, capacity;
} pm__index;

/* The text of an item of `list`. */
typedef const char *pm__index_text(const void *list, size_t item);

/* The first item that was added with this text, or PM__NO_ITEM. */
size_t pm__index_find(const pm__index *index, const char *text, pm__index_text *text_of, const void *list);

/* False without memory, and then nothing is added. */
bool pm__index_add(pm__index *index, const char *text, size_t item);

void pm__index_free(pm__index *index);

#endif
