/*
** Things found out about some of a system's GPUs, kept with the system so that each is found once.
**
** A system that is only read may be shared between threads, so entries are only ever added, at the head of a list, by
** one compare-and-swap; an entry never changes and lives as long as the system. Two threads that miss at the same time
** both do the work, and the second takes the first's entry. Changing the system makes older entries stale: they are no
** longer found, but stay, since groups may still hold them.
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

/* Adds it and returns it, or an equal one that was there first: then the given one is released. A full keeper returns it
** as it is, with position 0: it belongs to the caller. */
const pm__kept *pm__keeper_add(pm__keeper *keeper, pm__kept *entry);

#endif
