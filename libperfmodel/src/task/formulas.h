/* Words that the formulas of several tasks share. */
#ifndef PM_TASK_FORMULAS_H
#define PM_TASK_FORMULAS_H

#include "task/formula.h"

/* What decides the time of kernels. */
#define KERNELS \
  "peak gpu.memory_bandwidth gpu.sms gpu.clock kernels.launch kernels.tensor_efficiency kernels.simt_efficiency "     \
  "kernels.hbm_efficiency kernels.gddr_efficiency kernels.pass_elements"

#define EACH_KERNEL "each the longer of its arithmetic and its memory traffic at the rates that such kernels reach"

#define INTERVAL_ENDS(name)                                                                                            \
  name "_p10|= " name " * " name " / " name "_p90||model.md#efficiency-prediction-interval|" name,                     \
    name "_p90|" name " times e to the power of 1.2816 times the root of the variance|" name                           \
         "|model.md#efficiency-prediction-interval|" name

#define STATUS "status|the first check that fails: the run, the system, the network, memory||model.md#step"

#endif
