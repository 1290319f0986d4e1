/* A hash table from texts to the numbers of the items that have them, with open addresses. */
#include "base/index.h"
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
  uint64_t hash = 14695981039346656037u;
  for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash ^ hash >> 32;
}

static void put(pm__text_index_place *places, size_t capacity, pm__text_index_place item)
{
  size_t i = (size_t)item.hash & (capacity - 1);
  while (places[i].next != 0) i = (i + 1) & (capacity - 1);
  places[i] = item;
}

static bool make_larger(pm__text_index *index)
{
  size_t capacity = index->capacity == 0 ? 64 : index->capacity * 2;
  pm__text_index_place *places = (pm__text_index_place *)calloc(capacity, sizeof *places);
  if (places == NULL) return false;
  for (size_t i = 0; i < index->capacity; i++)
    if (index->places[i].next != 0) put(places, capacity, index->places[i]);
  free(index->places);
  index->places = places;
  index->capacity = capacity;
  return true;
}

size_t pm__text_index_find(const pm__text_index *index, const char *text, pm__text_of_item *text_of, const void *list)
{
  if (index->capacity == 0) return PM__NO_ITEM;
  const uint64_t hash = hash_of(text);
  const size_t mask = index->capacity - 1;
  for (size_t i = (size_t)hash & mask; index->places[i].next != 0; i = (i + 1) & mask) {
    size_t item = index->places[i].next - 1;
    if (index->places[i].hash == hash && strcmp(text_of(list, item), text) == 0) return item;
  }
  return PM__NO_ITEM;
}

bool pm__text_index_add(pm__text_index *index, const char *text, size_t item)
{
  if ((index->count + 1) * 2 > index->capacity && !make_larger(index)) return false;
  put(index->places, index->capacity, (pm__text_index_place){hash_of(text), item + 1});
  index->count++;
  return true;
}

void pm__text_index_free(pm__text_index *index)
{
  free(index->places);
  memset(index, 0, sizeof *index);
}
