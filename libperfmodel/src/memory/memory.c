/* (plan, run) -> memory of one GPU, its verdict, and the largest batch: the exact inverse. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "memory/plan.h"
#include "perfmodel/units.h"
#include "record/count.h"
#include "record/sized.h"

static const double margin = 0.08; /* of the usable memory, to both sides */

pm_verdict pm_memory_get_verdict(double total, double usable)
{
  if (isnan(total) || isnan(usable)) return PM_VERDICT_UNKNOWN;
  if (total <= (1 - margin) * usable) return PM_VERDICT_FITS;
  return total <= (1 + margin) * usable ? PM_VERDICT_TIGHT : PM_VERDICT_DOES_NOT_FIT;
}

/* ---- Checks. */

static int check_choices(const pm_memory_run *run, pm_error *error)
{
  double bytes = pm_precision_get_bytes(run->precision);
  if (isnan(bytes)) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", run->precision);
  if (!run->inference && bytes < 2)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "training with %.0f byte per number is not modelled; set inference",
                    bytes);
  if (run->recompute < 0 || run->recompute >= PM_RECOMPUTE_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no recomputation %d", run->recompute);
  if (run->inference < 0 || run->inference > 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "inference %d is neither 0 nor 1", run->inference);
  return PM_OK;
}

int pm__memory_check(const pm_memory_plan *plan, const pm_memory_run *run, pm_error *error)
{
  if (plan == NULL || run == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a memory run needs a plan");
  if (pm__batch_check_whole(run->batch, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (run->zero_stage < 0 || run->zero_stage > 3)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "zero_stage %d is not 0, 1, 2 or 3", run->zero_stage);
  if (!isnan(run->usable) && !(run->usable > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "usable memory %g is not above 0", run->usable);
  if (plan->profile.inference_only && !run->inference)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "memory profile \"%s\" cannot train; it is only for inference",
                    plan->profile.id);
  int status = pm__count_check("ranks", run->ranks, 1, error);
  return status == PM_OK ? check_choices(run, error) : status;
}

/* ---- Parts. */

double pm__memory_allocator(const pm__memory_question *q)
{
  const double reuse = 2; /* held over alive in inference, where blocks come and go, but never more than was written */
  const pm_memory_plan *plan = q->plan;
  if (q->run->inference) return fmin(reuse, plan->written_elements / plan->forward_elements);
  bool mixed = plan->attention && pm_precision_get_bytes(q->run->precision) < 4;
  return pm__given(mixed ? plan->profile.allocator_mixed : plan->profile.allocator, 1);
}

int pm__memory_class(int precision)
{
  double bytes = pm_precision_get_bytes(precision);
  return bytes >= 8 ? 0 : bytes >= 4 ? 1 : bytes >= 2 ? 2 : bytes >= 1 ? 3 : 4;
}

int pm__memory_whole_class(int precision)
{
  int found = pm__memory_class(precision);
  return found < PM__WHOLE_CLASSES ? found : PM__WHOLE_CLASSES - 1;
}

pm__alive pm__memory_alive(const pm__memory_question *q)
{
  double alive = q->plan->forward_elements * pm_precision_get_bytes(q->run->precision);
  if (q->run->inference) return (pm__alive){alive, alive};
  return q->plan->alive[pm__memory_whole_class(q->run->precision)][q->run->recompute];
}

double pm__memory_operations(const pm__memory_question *q)
{
  return q->plan->operations[pm__memory_whole_class(q->run->precision)];
}

/*
** Copies of gradients for their sum. From stage 2 of ZeRO on a block's gradients are given away as soon as they are
** summed, so only the largest block has copies; from stage 3 on the weights of the block that runs and of the next one
** are gathered (Rajbhandari et al., arXiv:1910.02054; Zhao et al., arXiv:2304.11277).
*/
static double communication(const pm__memory_question *q)
{
  const pm_memory_plan *plan = q->plan;
  const pm_memory_profile *profile = &plan->profile;
  bool copies = pm__given(profile->bucket, 0) > 0;
  if (q->run->ranks == 1 || q->run->inference) return 0;
  double summed = q->run->zero_stage >= 2 ? plan->largest_block : plan->parameters;
  double gathered = q->run->zero_stage >= 3 ? fmin(2 * plan->largest_block, plan->parameters) : 0;
  return (copies ? summed * pm__gradient_bytes(q) : 0) + gathered * pm_precision_get_bytes(q->run->precision) +
         pm__given(profile->fusion_buffer, 0);
}

pm__memory_parts pm__memory_parts_of(const pm__memory_question *q)
{
  double factor = pm__memory_allocator(q);
  pm__alive alive = pm__memory_alive(q);
  pm__parameter_bytes parameters = pm__parameters_take(q);
  return (pm__memory_parts){.context = pm__given(q->plan->profile.context, 0),
                            .weights = parameters.weights,
                            .gradients = parameters.gradients,
                            .optimizer = parameters.optimizer + parameters.replicated,
                            .workspace = pm__given(q->plan->profile.workspace, 0),
                            .communication = communication(q),
                            .activations = alive.saved,
                            .live_gradients = alive.peak - alive.saved,
                            .allocator = (factor - 1) * alive.peak,
                            .input = 4 * q->plan->input_elements}; /* as the loader gives it */
}

static void set_parts(const pm__memory_parts *p, double batch, pm_memory_use *use)
{
  use->context = p->context;
  use->weights = p->weights;
  use->gradients = p->gradients;
  use->optimizer = p->optimizer;
  use->workspace = p->workspace;
  use->communication = p->communication;
  use->activations = batch * p->activations;
  use->live_gradients = batch * p->live_gradients;
  use->allocator = batch * p->allocator;
  use->input = batch * p->input;
  use->sample = p->activations + p->live_gradients + p->allocator + p->input;
  use->total = pm__memory_total(p, batch);
  use->host = p->host;
  use->cache = use->reserve = 0;
}

/* ---- The inverse. */

/* The total never falls with the batch; rounding is put right at the end. */
double pm__memory_largest_batch(const pm__memory_parts *p, double limit)
{
  const double most = 9007199254740992.0;
  double sample = p->activations + p->live_gradients + p->allocator + p->input;
  if (isnan(limit)) return NAN;
  if (pm__memory_total(p, 1) > limit) return 0;
  if (!(sample > 0) || !isfinite(limit)) return INFINITY;
  double batch = fmin(fmax(floor((limit - pm__memory_total(p, 0)) / sample), 1), most);
  while (batch > 1 && pm__memory_total(p, batch) > limit) batch--;
  while (batch < most && pm__memory_total(p, batch + 1) <= limit) batch++;
  return batch;
}

enum { HELP = 256, QUANTITY = 40 };

/* A smaller batch; or, if no sample fits, what stands in its way. */
static const char *help_of(const pm__memory_parts *p, double usable, char *help)
{
  char text[QUANTITY];
  double batch = pm__memory_largest_batch(p, usable), parameters = p->weights + p->gradients + p->optimizer;
  const char *kinds = p->optimizer > 0   ? "weights, gradients and optimizer states"
                      : p->gradients > 0 ? "weights and gradients"
                                         : "weights";
  if (batch >= 1) snprintf(help, HELP, "the largest batch that fits is %.0f", batch);
  else if (parameters > usable)
    snprintf(help, HELP, "its %s alone take %s, what %.0f such GPUs have: split or shard them over GPUs", kinds,
             pm_quantity_format(text, sizeof text, parameters, "B"), ceil(parameters / usable));
  else
    snprintf(help, HELP, "not even one sample fits: its activations and all %s take %s", kinds,
             pm_quantity_format(text, sizeof text, pm__memory_total(p, 1), "B"));
  return help;
}

int pm__memory_check_fit(const pm__memory_parts *p, const pm__memory_case *asked, pm_error *error)
{
  char need[QUANTITY], more[QUANTITY], have[QUANTITY], help[HELP];
  double total = pm__memory_total(p, asked->batch), usable = asked->usable;
  if (pm_memory_get_verdict(total, usable) != PM_VERDICT_DOES_NOT_FIT) return PM_OK;
  return pm__fail(error, PM_STATUS_DOES_NOT_FIT, "%s at batch %.0f needs %s on each %s, %s more than its %s; %s",
                  asked->network,
                  asked->batch, pm_quantity_format(need, sizeof need, total, "B"), asked->gpu,
                  pm_quantity_format(more, sizeof more, total - usable, "B"),
                  pm_quantity_format(have, sizeof have, usable, "B"), help_of(p, usable, help));
}

static void fill_unknown(pm_memory_use *use, int status)
{
#define UNKNOWN_REAL(name) use->name = NAN;
#define UNKNOWN_STATUS(name) use->name = status;
#define UNKNOWN_VERDICT(name) use->name = PM_VERDICT_UNKNOWN;
#define UNKNOWN(kind, name, ...) UNKNOWN_##kind(name)
  PM_MEMORY_USE_FIELDS(UNKNOWN)
#undef UNKNOWN
}

void pm__memory_set_use(const pm__memory_parts *parts, double batch, double usable, pm_memory_use *use)
{
  memset(use, 0, sizeof *use);
  set_parts(parts, batch, use);
  use->usable = usable;
  use->verdict = pm_memory_get_verdict(use->total, usable);
  use->missing = isnan(usable) ? (double)NAN : fmax(use->total - usable, 0);
  use->largest_batch = pm__memory_largest_batch(parts, usable);
  use->safe_batch = pm__memory_largest_batch(parts, (1 - margin) * usable);
}

static void answer(const pm_memory_plan *plan, const pm_memory_run *run, pm_memory_use *use)
{
  int status = pm__memory_check(plan, run, NULL);
  if (status != PM_OK) {
    fill_unknown(use, status);
    return;
  }
  pm__memory_question question = {plan, run, &plan->optimizer};
  pm__memory_parts parts = pm__memory_parts_of(&question);
  pm__memory_set_use(&parts, run->batch, run->usable, use);
}

static int answer_all(const void *plan, const void *runs, void *uses, size_t count)
{
  for (size_t i = 0; i < count; i++)
    answer((const pm_memory_plan *)plan, (const pm_memory_run *)runs + i, (pm_memory_use *)uses + i);
  return PM_OK;
}

int pm_memory_evaluate_sized(const pm_memory_plan *plan, const pm_memory_run *runs, size_t run_size,
                             pm_memory_use *uses,
                    size_t use_size, size_t count)
{
  if (plan == NULL || (count > 0 && (runs == NULL || uses == NULL))) return PM_STATUS_BAD_ARGUMENT;
  if (run_size == sizeof *runs && use_size == sizeof *uses) return answer_all(plan, runs, uses, count);
  if (pm__record_size_check("memory_run", run_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("memory_use", use_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  return pm__record_each(answer_all, plan, (pm__record_array){"memory_run", runs, run_size},
                        (pm__record_array){"memory_use", uses, use_size}, count);
}
