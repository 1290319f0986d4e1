/* Memory in blocks that are freed at once, and arrays that grow. */
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

struct pm__arena_block {
  struct pm__arena_block *next;
  size_t used, size;
  /* the bytes follow */
};

#define BLOCK_SIZE ((size_t)16384)
#define ALIGNMENT alignof(max_align_t)
#define HEADER ((sizeof(struct pm__arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static struct pm__arena_block *new_block(size_t size)
{
  struct pm__arena_block *block = (struct pm__arena_block *)calloc(1, HEADER + size);
  if (block != NULL) block->size = size;
  return block;
}

void *pm__arena_alloc(pm__arena *arena, size_t size)
{
  if (size > SIZE_MAX - ALIGNMENT - HEADER) return NULL;
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  struct pm__arena_block *block = arena->block;
  if (block == NULL || block->size - block->used < size) {
    block = new_block(size > BLOCK_SIZE ? size : BLOCK_SIZE);
    if (block == NULL) return NULL;
    block->next = arena->block;
    arena->block = block;
  }
  void *piece = (char *)block + HEADER + block->used;
  block->used += size;
  return piece;
}

char *pm__arena_copy(pm__arena *arena, const char *text, size_t length)
{
  char *copy = (char *)pm__arena_alloc(arena, length + 1);
  if (copy != NULL) memcpy(copy, text, length);
  return copy;
}

void pm__arena_free(pm__arena *arena)
{
  while (arena->block != NULL) {
    struct pm__arena_block *next = arena->block->next;
    free(arena->block);
    arena->block = next;
  }
}

void *pm__grow(void *array, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity) return array;
  size_t wanted = *capacity == 0 ? 8 : *capacity * 2;
  if (*capacity > SIZE_MAX / 2 / size) return NULL;
  void *larger = realloc(array, wanted * size);
  if (larger != NULL) *capacity = wanted;
  return larger;
}

void pm_string_free(char *text)
{
  free(text);
}
