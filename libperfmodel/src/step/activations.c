/*
** Activations offloaded to host memory. In every micro-batch A bytes are copied out during the forward pass and
** copied back during the backward pass, as torchtune's second stream has it; what the passes do not hide is
**
**     max(0, A / L - forward) + max(0, A / L - backward)
**
** L is as for offloading (offload.c), of the link alone where the host's memory is not known.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

double pm__step_activation_time(const pm__step *p, const pm__step_stage *stage, const pm__step_times *t)
{
  if (!p->s.run->offload_activations) return 0;
  double bytes = p->s.batch * pm__step_waiting_on_host(p, stage), copy = pm__step_host_copy(p, bytes);
  if (isnan(copy)) copy = bytes / pm__exchange_host(&p->s.group);
  return p->s.accumulation * (pm__most(0, copy - t->forward) + pm__most(0, copy - pm__step_backward(t)));
}
