/* The list of what is kept with a system. */
#include "hardware/kept.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* A user may try every one of 65,536 subsets of 16 GPUs; those beyond are not kept. */
enum { MOST = 1024 };

struct pm__keeper {
  _Atomic(pm__kept *) head;
  unsigned revision;
};

pm__keeper *pm__keeper_new(void)
{
  pm__keeper *keeper = (pm__keeper *)calloc(1, sizeof *keeper);
  if (keeper != NULL) atomic_init(&keeper->head, NULL);
  return keeper;
}

void pm__keeper_free(pm__keeper *keeper)
{
  if (keeper == NULL) return;
  pm__kept *next;
  for (pm__kept *entry = atomic_load(&keeper->head); entry != NULL; entry = next) {
    next = entry->next;
    entry->release(entry);
  }
  free(keeper);
}

void pm__keeper_change(pm__keeper *keeper)
{
  keeper->revision++;
}

static bool same(const pm__kept *entry, const int *gpu, int count)
{
  if (entry->count != count) return false;
  for (int i = 0; i < count; i++)
    if (entry->gpu[i] != (gpu != NULL ? gpu[i] : i)) return false;
  return true;
}

static pm__kept *scan(pm__kept *entry, unsigned revision, const int *gpu, int count)
{
  for (; entry != NULL; entry = entry->next)
    if (entry->revision == revision && same(entry, gpu, count)) return entry;
  return NULL;
}

const pm__kept *pm__keeper_find(const pm__keeper *keeper, const int *gpu, int count)
{
  return scan(atomic_load_explicit(&keeper->head, memory_order_acquire), keeper->revision, gpu, count);
}

const pm__kept *pm__keeper_add(pm__keeper *keeper, pm__kept *entry)
{
  pm__kept *head = atomic_load_explicit(&keeper->head, memory_order_acquire);
  entry->revision = keeper->revision;
  do {
    pm__kept *first = scan(head, entry->revision, entry->gpu, entry->count);
    if (first != NULL) {
      entry->release(entry);
      return first;
    }
    entry->next = head;
    entry->position = head != NULL ? head->position + 1 : 1;
    if (entry->position > MOST) {
      entry->position = 0;
      return entry;
    }
  } while (!atomic_compare_exchange_weak_explicit(&keeper->head, &head, entry, memory_order_release,
                                                  memory_order_acquire));
  return entry;
}
