/* Memory of one GPU in a training step, and whether that is enough: the model is that of `pm_memory`. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "step/step.h"

static pm__memory_line line_of(const pm__step *s)
{
  const pm_memory_plan *plan = s->network->memory[s->framework != NULL ? s->framework->memory : 0];
  pm_memory_run run = {.batch = s->run->batch, .precision = s->run->precision, .ranks = s->run->gpus * s->run->nodes};
  pm_optimizer optimizer;
  optimizer.state = optimizer.embedding_state = s->optimizer->state;
  optimizer.scratch = s->optimizer->scratch;
  pm__memory_question question = {plan, &run, &optimizer, pm__step_split_parameters(s)};
  return pm__memory_line_of(&question);
}

void pm__step_memory(const pm__step *s, pm_prediction *out)
{
  double usable = s->run->usable_memory;
  pm__memory_line line = line_of(s);
  out->gpu_memory = isnan(usable) ? s->system->system->usable_memory : usable;
  out->memory = line.fixed + s->run->batch * line.sample;
  out->verdict = pm_memory_verdict(out->memory, out->gpu_memory);
  out->largest_batch = pm__memory_largest_batch(line, out->gpu_memory);
}

int pm__step_fits(const pm__step *s, pm_error *error)
{
  enum { QUANTITY = 64 };
  char need[QUANTITY], have[QUANTITY], help[128];
  pm_prediction p;
  if (s->run->ignore_memory) return PM_OK;
  pm__step_memory(s, &p);
  if (p.verdict != PM_VERDICT_DOES_NOT_FIT) return PM_OK;
  if (p.largest_batch >= 1) snprintf(help, sizeof help, "the largest batch that fits is %.0f", p.largest_batch);
  else snprintf(help, sizeof help, "not even one sample fits");
  return pm__fail(error, PM_DOES_NOT_FIT, "%s at batch %.0f needs %s on each %s, which has %s; %s",
                  s->network->network->id, s->run->batch, pm_quantity_format(need, sizeof need, p.memory, "B"),
                  s->system->system->gpu.id, pm_quantity_format(have, sizeof have, p.gpu_memory, "B"), help);
}
