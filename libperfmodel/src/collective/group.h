/* A group from the inside: its wiring, its shape, and the ways to do every collective. */
#ifndef PM_COLLECTIVE_GROUP_H
#define PM_COLLECTIVE_GROUP_H

#include "collective/candidates.h"

struct pm_group {
  const pm_system *system;
  const pm__wiring *wiring;
  pm_group_choice choice;
  int count;
  const int *gpu;              /* the wiring's */
  const pm__cycles *cycles;
  double directed_rings;
  pm__collective_group shape;
  pm__candidates ways[PM_COLLECTIVE_COUNT]; /* by the fastest algorithm and protocol */
};

#endif
