/* One pass on one GPU, and what the host does for it: calls that launch kernels, copies of inputs. */
#include <math.h>
#include "schedule/schedule.h"

double pm__schedule_pass_time(const pm__schedule *s, const pm__units *units, const pm__costs *costs, pm__pass pass,
                              double batch)
{
  const pm__fixed *fixed = &units->pass[pass];
  return pm__schedule_part(s, &costs->pass[pass]) + fixed->launches * s->launch +
         (fixed->layout * batch - costs->pass[pass].spared) * s->layout;
}

double pm__schedule_calls(const pm__schedule *s, const pm__fixed *fixed)
{
  bool each = s->framework != NULL && s->framework->profile.framework.launches_experts == 1;
  return fixed->host_calls + (each ? fixed->expert_calls : 0);
}

double pm__schedule_pass_calls(const pm__schedule *s)
{
  double calls = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) calls += pm__schedule_calls(s, &s->units->pass[pass]);
  return s->accumulation * calls;
}

/* Inputs are copied as FP32. */
double pm__schedule_host_copy(const pm__schedule *s, double batch)
{
  return batch * s->network->input_elements * 4 / s->framework->profile.framework.host_copy_bandwidth;
}
