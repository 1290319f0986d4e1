/* The list of what is kept with a system, and the slots that point into it. */
#include "hardware/kept.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* A user may try every one of 65,536 subsets of 16 GPUs; those beyond are not kept. */
enum { MOST = 1024 };

struct pm__keeper_slot {
  _Atomic(const pm__kept *) entry;
  atomic_int status;
};

/* Slots by count of the lists that begin at one GPU with one stride. */
typedef _Atomic(pm__keeper_slot *) slot_row;

struct pm__keeper {
  _Atomic(pm__kept *) head;
  unsigned revision;
  slot_row prefixes;         /* of first 0, stride 1 */
  _Atomic(slot_row *) rows;  /* of all others, [(stride - 1) x gpus + first] */
  atomic_int gpus;           /* of the system when `rows` was made */
};

pm__keeper *pm__keeper_new(void)
{
  pm__keeper *keeper = (pm__keeper *)calloc(1, sizeof *keeper);
  if (keeper == NULL) return NULL;
  atomic_init(&keeper->head, NULL);
  atomic_init(&keeper->prefixes, NULL);
  atomic_init(&keeper->rows, NULL);
  return keeper;
}

static void free_slots(pm__keeper *keeper)
{
  slot_row *rows = atomic_load(&keeper->rows);
  size_t gpus = (size_t)atomic_load(&keeper->gpus), count = rows != NULL ? gpus * gpus : 0;
  for (size_t i = 0; i < count; i++) free(atomic_load(&rows[i]));
  free(rows);
  free(atomic_load(&keeper->prefixes));
  atomic_store(&keeper->rows, NULL);
  atomic_store(&keeper->prefixes, NULL);
}

void pm__keeper_free(pm__keeper *keeper)
{
  if (keeper == NULL) return;
  pm__kept *next;
  for (pm__kept *entry = atomic_load(&keeper->head); entry != NULL; entry = next) {
    next = entry->next;
    entry->release(entry);
  }
  free_slots(keeper);
  free(keeper);
}

void pm__keeper_change(pm__keeper *keeper)
{
  keeper->revision++;
  free_slots(keeper);
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

const pm__kept *pm__keeper_add(pm__keeper *keeper, pm__kept *entry, bool always)
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
    if (entry->position > MOST && !always) {
      entry->position = 0;
      return entry;
    }
  } while (!atomic_compare_exchange_weak_explicit(&keeper->head, &head, entry, memory_order_release,
                                                  memory_order_acquire));
  return entry;
}

/* ---- Slots ---- */

/* Zeroed memory for what `place` points to, made by whichever thread comes first; NULL without memory. */
static pm__keeper_slot *row_at(slot_row *place, int gpus)
{
  pm__keeper_slot *row = atomic_load_explicit(place, memory_order_acquire), *none = NULL;
  if (row != NULL) return row;
  row = (pm__keeper_slot *)calloc((size_t)gpus, sizeof *row);
  if (row == NULL || atomic_compare_exchange_strong(place, &none, row)) return row;
  free(row);
  return none;
}

static slot_row *rows_of(pm__keeper *keeper, int gpus)
{
  slot_row *rows = atomic_load_explicit(&keeper->rows, memory_order_acquire), *none = NULL;
  if (rows != NULL) return rows;
  atomic_store(&keeper->gpus, gpus); /* every thread stores the same */
  rows = (slot_row *)calloc((size_t)gpus * (size_t)gpus, sizeof *rows);
  if (rows == NULL || atomic_compare_exchange_strong(&keeper->rows, &none, rows)) return rows;
  free(rows);
  return none;
}

pm__keeper_slot *pm__keeper_slot_of(pm__keeper *keeper, int gpus, int first, int stride, int count)
{
  slot_row *place = &keeper->prefixes;
  if (first != 0 || stride != 1) {
    slot_row *rows = rows_of(keeper, gpus);
    if (rows == NULL) return NULL;
    place = &rows[(size_t)(stride - 1) * (size_t)gpus + (size_t)first];
  }
  pm__keeper_slot *row = row_at(place, gpus);
  return row != NULL ? &row[count - 1] : NULL;
}

const pm__kept *pm__keeper_slot_entry(const pm__keeper_slot *slot, int *status)
{
  const pm__kept *entry = atomic_load_explicit(&((pm__keeper_slot *)slot)->entry, memory_order_acquire);
  *status = entry != NULL ? 0 : atomic_load_explicit(&((pm__keeper_slot *)slot)->status, memory_order_relaxed);
  return entry;
}

void pm__keeper_slot_fill(pm__keeper_slot *slot, const pm__kept *entry)
{
  atomic_store_explicit(&slot->entry, entry, memory_order_release);
}

void pm__keeper_slot_fail(pm__keeper_slot *slot, int status)
{
  atomic_store_explicit(&slot->status, status, memory_order_relaxed);
}
