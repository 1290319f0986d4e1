/* The stages of the input path, from storage to the GPUs of a node. */
#ifndef PM_INPUT_STAGES_H
#define PM_INPUT_STAGES_H

#include "base/base.h"
#include "perfmodel/input.h"

/* Rates of the stages of one node [1/s], unlimited where there is none, and what they rest on, beside each other. */
typedef struct pm__input_rates {
  double rate[PM_INPUT_STAGE_COUNT];
  int32_t calibration[PM_INPUT_STAGE_COUNT]; /* none of the GPUs, whose rate is given */
  double bytes;          /* stored, per sample */
  double storage, uplink, gateway; /* of the whole system, in samples per second that are really read */
  double cached, hits;
} pm__input_rates;

/* The run must have passed its check. */
void pm__input_stages(const pm_input_setup *setup, const pm_input_run *run, pm__input_rates *stages);

#endif
