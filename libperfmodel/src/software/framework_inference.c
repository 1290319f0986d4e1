/* A framework's constants of training as those of its inference. */
#include <math.h>
#include <stddef.h>
#include "perfmodel/framework.h"

static void fill(double *place, double value)
{
  if (isnan(*place)) *place = value;
}

void pm_inference_profile_fill(pm_inference_profile *profile, const pm_framework_profile *framework)
{
  if (profile == NULL || framework == NULL) return;
  const pm_framework *f = &framework->framework;
  fill(&profile->own_factor, f->own_factor);
  fill(&profile->launch, PM_INFERENCE_LAUNCH_SHARE * f->kernel_time);
  fill(&profile->step_time, f->step_time);
  fill(&profile->simt_factor, isnan(f->simt_factor) ? framework->era.simt_factor : f->simt_factor);
  fill(&profile->tensor_factor, isnan(f->tensor_factor) ? framework->era.tensor_factor : f->tensor_factor);
  if (framework->era.no_winograd) profile->no_winograd = 1;
  if (!framework->era.grouped_kernels) profile->no_grouped = 1;
  if (!framework->era.odd_channels_padded) profile->no_padding = 1;
  if (f->fused) profile->fused = 1;
  if (f->composed) profile->composed = 1;
  if (f->layout_fp32) profile->convert_simt = 1;
  if (f->layout_tf32) profile->convert_tf32 = 1;
  if (f->layout_fp16) profile->convert_tensor = 1;
}
