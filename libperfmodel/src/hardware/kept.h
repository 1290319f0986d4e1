/*
** Results about sets of a system's GPUs, cached with the system.
**
** A system that is only read may be shared between threads, so entries are only ever added, at the head of a list, by
** one compare-and-swap; an entry never changes and lives as long as the system. Two threads that miss at the same time
** both do the work, and the second takes the first's entry. Changing the system makes older entries stale: they are no
** longer found, but stay, since groups may still hold them.
**
** Regular lists of GPUs (first, first + stride, ...), which every prediction asks for, have a slot each: an atomic
** pointer to the entry, or why there is none. A slot is found by two additions instead of a search.
*/
#ifndef PM_HARDWARE_KEPT_H
#define PM_HARDWARE_KEPT_H

#include <stdbool.h>

/* The head of what is kept; made by a floor above, which knows what follows. */
typedef struct pm__kept {
  struct pm__kept *next;
  void (*release)(struct pm__kept *entry);
  int *gpu; /* the key: these GPUs, in this order */
  int count;
  unsigned revision; /* of the system that it belongs to */
  int position;      /* in the list, from 1 at its end; 0: not in it */
} pm__kept;

typedef struct pm__keeper pm__keeper;

pm__keeper *pm__keeper_new(void); /* NULL if there is no memory */
void pm__keeper_free(pm__keeper *keeper);

/* From now on nothing that was kept is found. Not while others read. */
void pm__keeper_change(pm__keeper *keeper);

/* NULL if there is none. `gpu` NULL means 0 .. count-1. */
const pm__kept *pm__keeper_find(const pm__keeper *keeper, const int *gpu, int count);

/* Adds it and returns it, or an equal one that was there first: then the given one is released. A full keeper returns
** it as it is, with position 0: it belongs to the caller. With `always` no keeper is full. */
const pm__kept *pm__keeper_add(pm__keeper *keeper, pm__kept *entry, bool always);

/* ---- Slots ---- */

/* What is known of a regular list of GPUs. */
typedef struct pm__keeper_slot pm__keeper_slot;

/* The slot of GPUs first, first + stride, ... first + (count-1) stride of `gpus`, which the system has. NULL if there
** is no memory. Valid until the system changes. Cost: 2 ns. */
pm__keeper_slot *pm__keeper_slot_of(pm__keeper *keeper, int gpus, int first, int stride, int count);

/* The entry, NULL if none was put there; `status` is then 0, or what pm__keeper_slot_fail said. */
const pm__kept *pm__keeper_slot_entry(const pm__keeper_slot *slot, int *status);

/* The entry must be in the keeper. Several threads may do the same. */
void pm__keeper_slot_fill(pm__keeper_slot *slot, const pm__kept *entry);
void pm__keeper_slot_fail(pm__keeper_slot *slot, int status);

#endif
