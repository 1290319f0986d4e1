/*
** The GPUs of each group of a parallel run. Ranks are numbered with one kind of parallelism changing fastest, then the
** next; nodes have consecutive ranks. A group's members are those that differ in its own kinds alone:
**
**     tensor 4, data 4, 8 GPUs a node, order tp-cp-dp-pp: the data-parallel group of rank 0 is 0, 4, 8, 12: two GPUs, 4
**     apart, of each of two nodes; four such groups use the adapters of a node at once
*/
#ifndef PM_SCHEDULE_PLACEMENT_H
#define PM_SCHEDULE_PLACEMENT_H

#include "collective/group.h"

/* The kinds of parallelism that ranks are numbered by, as bits of a set. */
typedef enum pm__placement_axis {
  PM__PLACE_TENSOR = 1,
  PM__PLACE_CONTEXT = 2,
  PM__PLACE_DATA = 4,
  PM__PLACE_PIPELINE = 8
} pm__placement_axis;

enum { PM__PLACE_AXES = 4 };

typedef struct pm__placement {
  int axis[PM__PLACE_AXES];   /* from the one that changes fastest */
  int degree[PM__PLACE_AXES]; /* of these */
  int gpus;                   /* of a node */
} pm__placement;

/* Members in a node, `stride` ranks apart, over some nodes; so many such groups meet on a node's adapters. */
typedef struct pm__placement_group {
  int stride, members, nodes, at_once;
} pm__placement_group;

/* `order` is a pm_rank_order. */
pm__placement pm__placement_of(int order, int tensor, int context, int data, int pipeline, int gpus);

/* The group of the GPUs that differ in a set of axes. */
pm__placement_group pm__placement_group_of(const pm__placement *placement, unsigned axes);

/* `degree` GPUs of a set of axes taken as a line, `apart` places from each other on it: experts. */
pm__placement_group pm__placement_group_on_line(const pm__placement *placement, unsigned axes, int apart, int degree);

/* The group with its wires; a status as pm__collective_group_init. */
int pm__placement_connect(const pm__placement_group *at, const pm_system *system, int nccl,
                          pm__collective_group *group);

#endif
