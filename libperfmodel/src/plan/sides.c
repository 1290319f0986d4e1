/* Products whose sides tensor cores do not take as they are. */
#include "hardware/kernel_calibration.h"
#include "kernel/kernel.h"
#include "plan/plan.h"

static bool kernels_lose(const pm__plan_kernels *kernels, const pm__device *device)
{
  for (int i = 0; i < kernels->first[PM__GROUPS]; i++)
    if (pm__kernel_loses_to_sides(device, &kernels->shape[i])) return true;
  return false;
}

/* The kernels of a network that GPUs share are those of its shards, which only a prediction knows: they may. */
static bool loses_on(const pm_plan *plan, const pm_run *run, const pm__device *device)
{
  const pm__plan_network *network = pm__plan_network_of(plan, run, NULL);
  if (network == NULL) return true;
  if (!(device->unaligned > 1) && !device->wants_aligned) return false;
  if (run->tensor_parallel > 1 || run->context_parallel > 1 || run->expert_parallel > 1) return true;
  for (int mode = 0; mode < PM__INFERENCE_MODE; mode++)
    if (network->units[mode] != NULL && kernels_lose(&network->units[mode]->kernels, device)) return true;
  return false;
}

bool pm__plan_loses_to_sides(const pm_plan *plan, const pm_run *run)
{
  const pm__plan_framework *framework = pm__plan_framework_at(plan, run->framework_index, run->system_index);
  if (framework == NULL || run->kernel_model != PM_KERNEL_MODEL_CALIBRATED) return false;
  const pm__device *devices = plan->libraries[framework->library].devices[plan->systems[run->system_index].device];
  bool products = pm__precision_is_of_products(run->precision); /* all else is in 16 bits */
  return loses_on(plan, run, &devices[run->precision]) ||
         (products && loses_on(plan, run, &devices[PM_PRECISION_BF16]));
}
