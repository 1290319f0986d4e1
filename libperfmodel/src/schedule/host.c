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

pm__schedule_pace pm__schedule_pace_of(const pm__schedule *s, const pm__schedule_times *t)
{
  double both = sqrt(t->gpu * t->gpu + t->host * t->host);
  if (s->framework == NULL) return (pm__schedule_pace){1, 0};
  return (pm__schedule_pace){t->gpu / both, t->host / both * s->framework->profile.framework.kernel_time};
}

double pm__schedule_waited_calls(const pm__schedule *s, double batch)
{
  const pm_framework *f = &s->framework->profile.framework;
  return f->kernel_time * s->system->host * s->units->pass[PM__FORWARD].waited * batch;
}

/* Inputs are copied as FP32. */
double pm__schedule_host_copy(const pm__schedule *s, double batch)
{
  return batch * s->network->input_elements * 4 / s->framework->profile.framework.host_copy_bandwidth;
}
