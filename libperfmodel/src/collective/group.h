/* A group from the inside: its shape, its rings, and the cost of every way to do every collective. */
#ifndef PM_COLLECTIVE_GROUP_H
#define PM_COLLECTIVE_GROUP_H

#include "collective/algorithm.h"

enum { PM__CANDIDATES_MAX = 32 };

typedef struct pm__candidate {
  pm_algorithm algorithm;
  int protocol;
  bool automatic;
  pm__cost cost;
} pm__candidate;

typedef struct pm__candidates {
  int count;
  pm__candidate item[PM__CANDIDATES_MAX];
} pm__candidates;

struct pm_group {
  const pm_system *system;
  pm_group_choice choice;
  int *gpu;
  int count;
  pm__shape shape;
  double directed_rings;
  pm__cycles cycles;
  const char *over;
  pm__candidates candidates[PM_COLLECTIVE_COUNT];
};

/* Fills the shape of a group whose members, cycles and choice are known. */
int pm__shape_fill(pm_group *group, pm_error *error);

#endif
