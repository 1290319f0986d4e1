/*
** All blocks of reports, in the order of reading. A block is a file of this folder with its descriptor,
** pm__study_block_<name>, and its line here.
*/
#ifndef PM_STUDY_BLOCKS_H
#define PM_STUDY_BLOCKS_H

#include "study/report.h"

#define PM__STUDY_BLOCK_LIST(X) \
  X(setting) \
  X(deadline) \
  X(comparison) \
  X(assumptions) \
  X(failure) \
  X(fitting_precision) \
  X(fitting_plan) \
  X(explained) \
  X(explained_parts) \
  X(explained_spread) \
  X(explained_inputs) \
  X(outcome) \
  X(requests) \
  X(calls) \
  X(capacity) \
  X(training) \
  X(time) \
  X(communication) \
  X(parallelism) \
  X(efficiency) \
  X(energy) \
  X(memory) \
  X(memory_parts) \
  X(cache) \
  X(memory_stages) \
  X(memory_advice) \
  X(bottleneck) \
  X(hints) \
  X(calibration) \
  X(software) \
  X(explained_more) \
  X(choices) \
  X(best_choice) \
  X(next_choice) \
  X(plans) \
  X(served_choice) \
  X(served_choices) \
  X(served_front) \
  X(why) \
  X(counts) \
  X(waterfall) \
  X(sensitivities) \
  X(elasticity) \
  X(upgrades) \
  X(input_rate) \
  X(input_stages) \
  X(input_supply) \
  /* the next block goes above this line */

#define PM__STUDY_BLOCK_DECLARE(name) extern const pm__study_block pm__study_block_##name;
PM__STUDY_BLOCK_LIST(PM__STUDY_BLOCK_DECLARE)
#undef PM__STUDY_BLOCK_DECLARE

#endif
