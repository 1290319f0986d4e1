/* A hash table from the names of layers to their numbers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "network/layer_names.h"

/* FNV-1a. */
static size_t hash(const char *name)
{
  uint64_t value = 14695981039346656037u;
  for (; *name != '\0'; name++) value = (value ^ (unsigned char)*name) * 1099511628211u;
  return (size_t)(value ^ value >> 32);
}

/* The place of that name, or the free place where it belongs. The table is never full. */
static pm__layer_name *slot_of(const pm__layer_names *names, const char *name)
{
  size_t mask = names->capacity - 1, i = hash(name) & mask;
  while (names->places[i].name != NULL && strcmp(names->places[i].name, name) != 0) i = (i + 1) & mask;
  return &names->places[i];
}

const pm__layer_name *pm__layer_names_find(const pm__layer_names *names, const char *name)
{
  if (names->capacity == 0) return NULL;
  const pm__layer_name *place = slot_of(names, name);
  return place->name != NULL ? place : NULL;
}

static int make_larger(pm__layer_names *names, pm_error *error)
{
  pm__layer_names larger = {NULL, names->count, names->capacity == 0 ? 64 : names->capacity * 2};
  larger.places = (pm__layer_name *)calloc(larger.capacity, sizeof *larger.places);
  if (larger.places == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < names->capacity; i++)
    if (names->places[i].name != NULL) *slot_of(&larger, names->places[i].name) = names->places[i];
  free(names->places);
  *names = larger;
  return PM_OK;
}

int pm__layer_names_add(pm__layer_names *names, const char *name, int number, int line, pm_error *error)
{
  if ((names->count + 1) * 2 > names->capacity && make_larger(names, error) != PM_OK) return PM_STATUS_NO_MEMORY;
  pm__layer_name *place = slot_of(names, name);
  place->name = name;
  place->number = number;
  place->line = line;
  names->count++;
  return PM_OK;
}

void pm__layer_names_free(pm__layer_names *names)
{
  free(names->places);
  memset(names, 0, sizeof *names);
}
