/* Memory of one GPU in a training step, and whether that is enough: the model is that of `pm_memory_evaluate`. */
#include <math.h>
#include "step/step.h"

pm__memory_parts pm__step_memory_parts(const pm__schedule *s)
{
  const pm_memory_plan *plan = s->network->memory[s->framework != NULL ? s->framework->memory : 0];
  pm_memory_run run = {.batch = s->run->batch, .precision = s->run->precision, .ranks = s->run->gpus * s->run->nodes};
  pm_optimizer optimizer;
  optimizer.state = optimizer.embedding_state = s->optimizer->state;
  optimizer.scratch = s->optimizer->scratch;
  pm__memory_question question = {plan, &run, &optimizer, pm__schedule_split_parameters(s)};
  return pm__memory_parts_of(&question);
}

static void compute(const pm__schedule *s, double usable, pm__memo_memory *memory)
{
  memory->parts = pm__step_memory_parts(s);
  memory->largest_batch = pm__memory_largest_batch(&memory->parts, usable);
}

/* How many there are matters where the model is split; else whether there are others. */
static int ranks_of(const pm__schedule *s)
{
  int ranks = s->run->gpus * s->run->nodes;
  return pm__schedule_split_parameters(s) > 0 || ranks < 2 ? ranks : 2;
}

/* In `own`, or where it is remembered: nothing of it depends on the batch. */
static const pm__memo_memory *memory_of(const pm__schedule *s, double usable, pm__memo_memory *own)
{
  bool found = false;
  pm__memo_memory *memory = own;
  if (s->memo != NULL) {
    pm__memo_key key = {{pm__memo_pair(s->run->network_index, s->framework != NULL ? s->framework->memory : 0),
                         pm__memo_number(usable), pm__memo_pair(ranks_of(s), s->parallelism),
                         pm__memo_pair(s->run->precision, s->run->optimizer)}};
    memory = &s->memo->memory[pm__memo_find(&s->memo->memory_index, &key, &found)];
  }
  if (!found) compute(s, usable, memory);
  return memory;
}

void pm__step_memory(const pm__schedule *s, pm_prediction *out)
{
  pm__memo_memory own;
  double usable = isnan(s->run->usable_memory) ? s->system->system->usable_memory : s->run->usable_memory;
  const pm__memo_memory *memory = memory_of(s, usable, &own);
  out->gpu_memory = usable;
  out->memory = pm__memory_total(&memory->parts, s->run->batch);
  out->verdict = pm_memory_get_verdict(out->memory, usable);
  out->largest_batch = memory->largest_batch;
  out->host_memory = 0;
}

int pm__step_fits(const pm__schedule *s, pm_error *error)
{
  double usable = isnan(s->run->usable_memory) ? s->system->system->usable_memory : s->run->usable_memory;
  pm__memory_parts parts = pm__step_memory_parts(s);
  pm__memory_case asked = {s->network->network->id, s->system->system->gpu.id, s->run->batch, usable};
  return s->run->ignore_memory ? PM_OK : pm__memory_check_fit(&parts, &asked, error);
}
