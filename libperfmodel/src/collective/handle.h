/* A group as a handle: its wiring, its parameters, and the candidates for every collective. */
#ifndef PM_COLLECTIVE_HANDLE_H
#define PM_COLLECTIVE_HANDLE_H

#include "collective/interval.h"
#include "collective/candidates.h"
#include "hardware/system.h"

/* Copies of the group's system and wiring with other constants; vertices and links are the system's. */
typedef struct pm__collective_changed {
  pm_system system;
  pm__wiring wiring;
} pm__collective_changed;

struct pm_group {
  const pm_system *system;
  const pm__wiring *wiring;
  /* NULL: the constants are the system's. Else the candidates below are not those of the group */
  pm__collective_changed *changed;
  pm_group_choice choice;
  int count;
  const int *gpu; /* the wiring's */
  const pm__ring_cycles *cycles;
  double directed_rings;
  pm__collective_parameters parameters;
  double interval[PM__INTERVAL_SIZES]; /* upper end of the prediction interval over the time; NAN: unknown */
  pm__collective_candidates candidates[PM_COLLECTIVE_COUNT]; /* by the fastest algorithm and protocol */
};

#endif
