/* A hash table with open addressing, from a text to the number of its item. */
#ifndef PM_BASE_INDEX_H
#define PM_BASE_INDEX_H

#include <stdint.h>
#include "base/base.h"

#define PM__NO_ITEM ((size_t)-1)

typedef struct pm__text_index_place {
  uint64_t hash;
  size_t next; /* the item's number + 1; 0: free */
} pm__text_index_place;

/* Begins with zeros. */
typedef struct pm__text_index {
  pm__text_index_place *places;
  size_t count, capacity;
} pm__text_index;

/* The text of an item of `list`. */
typedef const char *pm__text_of_item(const void *list, size_t item);

/* The first item that was added with this text, or PM__NO_ITEM. */
size_t pm__text_index_find(const pm__text_index *index, const char *text, pm__text_of_item *text_of, const void *list);

/* False without memory, and then nothing is added. */
bool pm__text_index_add(pm__text_index *index, const char *text, size_t item);

void pm__text_index_free(pm__text_index *index);

#endif
