/* Strides and members of the groups of a parallel run. */
#include "schedule/placement.h"
#include "perfmodel/parallel.h"

static int least(int a, int b)
{
  return a < b ? a : b;
}

static int most(int a, int b)
{
  return a > b ? a : b;
}

static int axis_of(char letter)
{
  switch (letter) {
  case 't': return PM__PLACE_TENSOR;
  case 'c': return PM__PLACE_CONTEXT;
  case 'd': return PM__PLACE_DATA;
  default: return PM__PLACE_PIPELINE;
  }
}

pm__placement pm__placement_of(int order, int tensor, int context, int data, int pipeline, int gpus)
{
  static const char *const words[] = {
#define WORD(name, text, doc) text,
    PM_RANK_ORDER_LIST(WORD)
#undef WORD
  };
  enum { LETTERS = 3 }; /* "tp-" */
  const int degrees[] = {[PM__PLACE_TENSOR] = tensor, [PM__PLACE_CONTEXT] = context, [PM__PLACE_DATA] = data,
                         [PM__PLACE_PIPELINE] = pipeline};
  pm__placement placement = {.gpus = gpus};
  for (int i = 0; i < PM__PLACE_AXES; i++) {
    placement.axis[i] = axis_of(words[order][LETTERS * i]);
    placement.degree[i] = degrees[placement.axis[i]];
  }
  return placement;
}

/* The largest number of members, of so many that there are and so many that a node has room for, which leaves whole
** nodes. */
static int members_in(int degree, int room)
{
  int members = most(1, least(degree, room));
  while (degree % members != 0) members--;
  return members;
}

static double ranks_of(const pm__placement *p)
{
  double ranks = 1;
  for (int i = 0; i < PM__PLACE_AXES; i++) ranks *= p->degree[i];
  return ranks;
}

/* Of a run on one node all members are there, also both ends of its pipeline. */
static pm__placement_group group_at(const pm__placement *p, int stride, int degree)
{
  int members = members_in(degree, ranks_of(p) <= p->gpus ? degree : p->gpus / stride);
  return (pm__placement_group){
    .stride = members > 1 ? stride : 1, .members = members, .nodes = degree / members,
      .at_once = most(1, p->gpus / members)};
}

/* The members of axes that lie apart are counted axis by axis; those of the first set the stride. */
pm__placement_group pm__placement_group_of(const pm__placement *p, unsigned axes)
{
  pm__placement_group group = {.stride = 1, .members = 1, .nodes = 1};
  int step = 1;
  for (int i = 0; i < PM__PLACE_AXES; i++) {
    bool in = ((unsigned)p->axis[i] & axes) != 0 && p->degree[i] > 1;
    pm__placement_group one = group_at(p, step, in ? p->degree[i] : 1);
    if (one.members > 1 && group.members == 1) group.stride = one.stride;
    group.members *= one.members;
    group.nodes *= one.nodes;
    step *= p->degree[i];
  }
  group.at_once = most(1, p->gpus / group.members);
  return group;
}

pm__placement_group pm__placement_group_on_line(const pm__placement *p, unsigned axes, int apart, int degree)
{
  int step = 1;
  for (int i = 0; i < PM__PLACE_AXES && ((unsigned)p->axis[i] & axes) == 0; i++) step *= p->degree[i];
  return group_at(p, step * apart, degree);
}

int pm__placement_connect(const pm__placement_group *at, const pm_system *system, int nccl, pm__collective_group *group)
{
  int status = pm__collective_group_init(group, system, 0, at->stride, at->members, at->nodes);
  if (status != PM_OK) return status;
  group->groups_at_once = at->nodes > 1 ? at->at_once : 1;
  group->nccl = nccl;
  return PM_OK;
}
