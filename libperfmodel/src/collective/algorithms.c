/* Finds the descriptor of an algorithm, and decides whether a group can use it. */
#include "collective/algorithm.h"

const pm__collective_algorithm *pm__collective_algorithm_of(int algorithm)
{
  static const pm__collective_algorithm *const table[PM_ALGORITHM_COUNT] = {
#define ENTRY(name, text, doc) [PM_ALGORITHM_##name] = &pm__collective_algorithm_##name,
    PM_NAMED_ALGORITHM_LIST(ENTRY)
#undef ENTRY
  };
  return algorithm >= 0 && algorithm < PM_ALGORITHM_COUNT ? table[algorithm] : NULL;
}

static bool has(unsigned set, int number)
{
  return (set & PM__BIT(number)) != 0;
}

/* What the group offers, in the bits of what algorithms need. */
static unsigned offers(const pm__collective_parameters *group)
{
  unsigned offered = PM__NEEDS_NOTHING | (group->nodes == 1 ? PM__NEEDS_ONE_NODE : PM__NEEDS_SEVERAL_NODES);
  if (group->pair > 0) offered |= PM__NEEDS_PAIRS;
  if (group->capable && group->per_node > 1) offered |= PM__NEEDS_REDUCING_SWITCHES;
  return offered;
}

bool pm__collective_algorithm_serves(const pm__collective_algorithm *algorithm, const pm__collective_parameters *group,
                                     pm_collective collective)
{
  return has(algorithm->collectives, (int)collective) && has(algorithm->nccl, (int)group->nccl) &&
         (algorithm->needs & ~offers(group)) == 0;
}

bool pm__collective_algorithm_speaks(const pm__collective_algorithm *algorithm, const pm__collective_parameters *group,
                                     int protocol)
{
  return has(algorithm->protocols, protocol) && pm__collective_protocol_works(group, protocol);
}
