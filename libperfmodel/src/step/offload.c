/*
** What is kept in the memory of the host, as ZeRO-Offload and ZeRO-Infinity describe it (their schedules are general
** knowledge). Of a step, where a GPU has to update P parameters, g bytes of a gradient, w of a weight, u bytes that the
** update of one reads and writes:
**
**     optimizer    g P / L, u P / B and w P / L in turn, after the backward pass
**     gradients    g P / L behind every backward pass, in buckets; then the larger of u P / B and w P / L, since
**                  weights go up while others are updated. Shards of weights send gradients piece by piece (data.c)
**     parameters   u P / B; weights come up before every use of a piece, during the piece before (likewise)
**
** B is the GPU's share of the host's memory bandwidth, L of the links to the host that it shares with others behind the
** same switch, in each direction, and no more than B. Both are data sheets', nothing is fitted. CPUs are taken to be
** bound by memory.
*/
#include <math.h>
#include <stdio.h>
#include "kernel/kernel.h"
#include "kernel/models.h"
#include "perfmodel/units.h"
#include "step/step.h"

static double memory_rate(const pm__step *p)
{
  return p->s.system->system->machine.host_memory_bandwidth / p->s.run->gpus;
}

double pm__step_host_copy(const pm__step *p, double bytes)
{
  double link = pm__exchange_host(&p->s.group), memory = memory_rate(p);
  return isnan(memory) ? (double)NAN : bytes / pm__least(link, memory);
}

/* All but what is left of the last bucket, as gradients between GPUs. */
static double behind_backward(const pm__step *p, double bytes, const pm__step_times *t)
{
  double most = p->s.framework != NULL ? p->s.framework->profile.framework.bucket : (double)INFINITY;
  double all = pm__step_host_copy(p, bytes), last = all / pm__most(1, ceil(bytes / most));
  if (p->s.overlap == PM_OVERLAP_NONE) return all;
  return pm__most(last, all - (pm__step_backward(t)));
}

double pm__step_offload_time(const pm__step *p, const pm__step_stage *stage, const pm__step_times *times)
{
  const pm_run *r = p->s.run;
  const pm_offloading *offload = pm__step_offload(p);
  double own = pm__step_own_parameters(p, stage), down = own * p->s.gradient;
  if (!offload->optimizer) return 0;
  double update = own * pm__update_bytes(p->s.optimizer->accesses, r->precision) / memory_rate(p);
  double up = pm__step_host_copy(p, own * p->s.device->bytes);
  if (!offload->gradients) return pm__step_host_copy(p, down) + update + up;
  if (offload->weights) return update;
  double behind = p->at.zero == 3 ? 0 : p->s.accumulation * behind_backward(p, down, times);
  return behind + (isnan(update) ? update : pm__most(update, up));
}

/* ---- Memory ---- */

static bool uses_host(const pm__step *p)
{
  return p->s.run->offload != PM_OFFLOAD_NONE || p->s.run->offload_activations;
}

/* Weights that are kept in the precision of their update are their own master copy. */
void pm__step_offload_memory(const pm__step *p, const pm__step_stage *stage, double largest,
                                 const pm__memory_question *q, pm__memory_parts *parts)
{
  const pm_offloading *offload = pm__step_offload(p);
  const pm__parameter_bytes each = pm__parameter_bytes_each(q);
  double own = pm__step_own_parameters(p, stage);
  bool master = pm_precision_get_bytes(q->run->precision) < 4 && pm__given(q->plan->profile.mixed_master, 0) > 0;
  if (!offload->optimizer) return;
  parts->host = parts->optimizer + own * (each.gradients + (master ? 0 : each.weights));
  parts->optimizer = 0;
  if (offload->gradients) parts->gradients = pm__least(parts->gradients, largest * each.gradients);
  if (!offload->weights) return;
  parts->host += master ? parts->weights : 0;
  parts->weights = 0;
}

/* Of a node; unknown if the machine does not say what it has. */
pm_verdict pm__step_verdict(const pm__step *p, double memory, double host)
{
  pm_verdict gpu = pm_memory_get_verdict(memory, pm__step_usable_memory(p));
  if (!uses_host(p)) return gpu;
  pm_verdict other = pm_memory_get_verdict(p->s.run->gpus * host, p->s.system->system->machine.host_memory);
  if (gpu == PM_VERDICT_DOES_NOT_FIT || other == PM_VERDICT_DOES_NOT_FIT) return PM_VERDICT_DOES_NOT_FIT;
  if (gpu == PM_VERDICT_UNKNOWN || other == PM_VERDICT_UNKNOWN) return PM_VERDICT_UNKNOWN;
  return gpu > other ? gpu : other;
}

/* ---- Checks ---- */

int pm__step_offload_check(const pm__step *p, pm_error *error)
{
  const pm_machine *machine = &p->s.system->system->machine;
  if (p->s.run->offload == PM_OFFLOAD_NONE || !isnan(machine->host_memory_bandwidth)) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_MODELLED,
                  "the time of offloading needs host_memory_bandwidth, which \"%s\" does not state: give it in a "
                  "catalogue file", machine->id);
}

int pm__step_host_fits(const pm__step *p, double host, pm_error *error)
{
  enum { QUANTITY = 40 };
  char need[QUANTITY], have[QUANTITY];
  const pm_machine *machine = &p->s.system->system->machine;
  double all = p->s.run->gpus * host;
  if (!uses_host(p)) return PM_OK;
  if (pm_memory_get_verdict(all, machine->host_memory) != PM_VERDICT_DOES_NOT_FIT) return PM_OK;
  return pm__fail(error, PM_STATUS_DOES_NOT_FIT,
                  "offloading %s of %s needs %s of host memory per %s, which has %s; more nodes or GPUs would "
                  "help", p->s.network->network->id,
                  pm__step_offload(p)->gradients ? "training" : p->s.run->offload_activations ? "activations"
                                                                                               : "the optimizer",
                  pm_quantity_format(need, sizeof need, all, "B"), machine->id,
                  pm_quantity_format(have, sizeof have, machine->host_memory, "B"));
}
