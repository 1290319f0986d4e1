/* What a step draws: kernels of all stages, exchanges that nothing hides, and waiting for all else. */
#include "plan/energy.h"
#include "step/step.h"

void pm__step_set_energy(const pm__step *p, const pm__step_walk *w, double rate_spread, pm_prediction *out)
{
  const pm_run *run = p->s.run;
  const pm__kernel_board *power = &p->s.device->power;
  double each = 1.0 / p->at.stages;
  const pm__plan_energy_work work = {.time = out->step_time, .busy = w->busy * each,
                                .exchange = out->exposed_communication_time,
                                .kernels = (power->drawn * w->busy + w->extra) * each,
                                .gpus = p->s.ranks, .nodes = run->nodes, .samples = p->s.samples,
                                .tokens = p->s.network->tokens,
                                .rate_spread = rate_spread};
  const pm__plan_site site = PM__PLAN_SITE(run);
  const pm__plan_energy energy = pm__energy_of(p->s.system->system, power, &work, site);
  PM_ENERGY_FIELDS(PM__ENERGY_COPY)
}
