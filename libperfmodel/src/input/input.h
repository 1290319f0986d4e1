/* The input pipeline from the inside. */
#ifndef PM_INPUT_INPUT_H
#define PM_INPUT_INPUT_H

#include <math.h>
#include "base/base.h"
#include "perfmodel/pipeline.h"

static inline double pm__or(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* Rates of the stages of one node [1/s], unlimited where there is none, and what they rest on. */
typedef struct pm__stages {
  double rate[PM_INPUT_STAGE_COUNT];
  double bytes;          /* stored, per sample */
  double storage, uplink, gateway; /* of the whole system, in samples per second that are really read */
  double cached, hits;
} pm__stages;

/* The run must have passed its check. */
void pm__input_stages(const pm_input_setup *setup, const pm_input_run *run, pm__stages *stages);

#endif
