/* Frameworks and inference profiles: their checks, the GPUs they run on, and the values that one provides for the
** other. */
#ifndef PM_SOFTWARE_PROFILE_H
#define PM_SOFTWARE_PROFILE_H

#include "perfmodel/framework.h"

/* PM_OK, or a value that is implausible or missing for training; a framework that only runs inference is refused. */
int pm__framework_check(const pm_framework_profile *profile, pm_error *error);

/* PM_OK, or PM_STATUS_NOT_MODELLED: its libraries do not run on that GPU, so what is predicted is not calibrated. */
int pm__framework_check_gpu(const pm_framework_profile *profile, const pm_gpu *gpu, pm_error *error);

/* The same of a way to run inference. */
int pm__inference_profile_check_gpu(const pm_inference_profile *profile, const pm_gpu *gpu, pm_error *error);

/* Fills what the profile does not give from a framework's constants of training: host time of a kernel times the share
** above, host time of a step, factors of the cuDNN generation, conversions of layout. A NULL framework changes
** nothing. */
void pm__inference_profile_fill(pm_inference_profile *profile, const pm_framework_profile *framework);

#endif
