/* The class of software that runs a plan if no framework is named. */
#ifndef PM_SOFTWARE_CLASS_H
#define PM_SOFTWARE_CLASS_H

#include <stdbool.h>
#include "perfmodel/run.h"

typedef enum pm__software_class {
  PM__SOFTWARE_DATA,    /* every GPU has the whole network */
  PM__SOFTWARE_SHARDED, /* weights are sharded over data-parallel ranks */
  PM__SOFTWARE_MODEL,   /* layers, tokens or experts are distributed */
  PM__SOFTWARE_CLASSES
} pm__software_class;

/* `experts`: whether the network has some. */
static inline pm__software_class pm__software_class_of(const pm_run *run, bool experts)
{
  bool model = run->tensor_parallel > 1 || run->pipeline_parallel > 1 || run->context_parallel > 1 ||
               (experts && run->expert_parallel > 1);
  if (run->zero == 3 && pm_run_get_data_parallel(run) * run->context_parallel > 1) return PM__SOFTWARE_SHARDED;
  return model ? PM__SOFTWARE_MODEL : PM__SOFTWARE_DATA;
}

#endif
