/* A group as a handle: its wiring, its parameters, and the candidates for every collective. */
#ifndef PM_COLLECTIVE_HANDLE_H
#define PM_COLLECTIVE_HANDLE_H

#include "collective/interval.h"
#include "collective/candidates.h"

struct pm_group {
  const pm_system *system;
  const pm__wiring *wiring;
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
