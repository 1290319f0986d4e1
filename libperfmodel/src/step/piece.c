/*
** Time of one piece on one GPU, for one micro-batch.
**
**     forward  = join(kernels, host) + exchanges of the forward pass          join(a, b) = sqrt(a^2 + b^2)
**     dgrad, wgrad likewise; what only gradients of parameters wait for hides behind those of activations
**     recompute = none; selective: the kernels of attention that keeps its scores; full: forward, without its last
**     reduction; operations: forward, without attention and every other product
*/
#include <math.h>
#include "kernel/models.h"
#include "step/parallel.h"

static double join(double gpu, double host)
{
  return host > 0 ? sqrt(gpu * gpu + host * host) : gpu;
}

/* ---- Attention ---- */

/* Kernels of the forward pass of one unit on a device, without their launches. */
static double forward_kernels(const pm__device *device, const pm__units *units, const pm__unit *unit, double batch)
{
  const pm__plan_kernels *kernels = &units->kernels;
  double time = 0;
  for (int i = unit->first; i < unit->first + unit->count; i++) {
    const pm__unit_kernel *entry = &units->entry[i];
    if (entry->kernel >= kernels->first[PM__SORTS]) continue; /* the forward pass comes first */
    time += entry->repeats * pm__kernel_price(device, &kernels->shape[entry->kernel], batch);
  }
  return time;
}

/* Attention whose scores are kept, or of any kind. */
static double attention_time(const pm__parallel *p, const pm__plan_piece *piece, bool kept)
{
  const pm_network *network = piece->shard->network;
  double time = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    int unit = piece->units->order[i];
    bool wanted = layer->kind != NULL && layer->kind->role == PM__ROLE_ATTENTION && unit >= 0;
    if (!wanted || (kept && !pm__keeps_scores(network, layer))) continue;
    time += forward_kernels(p->s.device, piece->units, &piece->units->unit[unit], p->batch);
  }
  return time;
}

/* ---- Exchanges ---- */

static double exchange_time(const pm__parallel *p, const pm__sharding_exchange *e)
{
  static const int collectives[PM__SHARDING_COLLECTIVES] = {
    [PM__SHARDING_ALL_REDUCE] = PM_COLLECTIVE_ALL_REDUCE, [PM__SHARDING_REDUCE_SCATTER] = PM_COLLECTIVE_REDUCE_SCATTER,
    [PM__SHARDING_ALL_GATHER] = PM_COLLECTIVE_ALL_GATHER, [PM__SHARDING_ALL_TO_ALL] = PM_COLLECTIVE_ALL_TO_ALL,
    [PM__SHARDING_SEND_RECEIVE] = PM_COLLECTIVE_SEND_RECEIVE};
  double bytes = p->batch * e->elements * (e->element_bytes > 0 ? e->element_bytes : p->s.device->bytes);
  return e->repeats * pm__schedule_exchange_on(&p->s, &p->group[e->axis], collectives[e->collective], bytes);
}

/* Keys and values that go round hide behind attention on those that came before. */
static double exposed_ring(const pm__parallel *p, const pm__plan_piece *piece, const pm__sharding_exchange *e, double time)
{
  double context = p->s.run->context_parallel, work = attention_time(p, piece, false) * (context - 1) / context;
  if (e->pass != PM__FORWARD) work *= 2;
  return pm__most(0, time - work);
}

/* What is left of it behind products that run at the same time. */
static double not_overlapped(const pm__parallel *p, const pm__sharding_exchange *e, double time)
{
  if (p->s.framework == NULL || e->axis != PM__AXIS_TENSOR) return time;
  return time * (1 - p->s.framework->profile.framework.tensor_overlap);
}

static void add_exchange(const pm__parallel *p, const pm__plan_piece *piece, const pm__sharding_exchange *e, bool again,
                         pm__parallel_piece *out)
{
  double time = exchange_time(p, e);
  if (e->axis == PM__AXIS_CONTEXT && e->collective == PM__SHARDING_SEND_RECEIVE) time = exposed_ring(p, piece, e, time);
  time = not_overlapped(p, e, time);
  out->exchange[e->axis] += time;
  if (e->pass == PM__FORWARD) out->forward += time;
  else if (e->pass == PM__DGRAD) out->dgrad += time;
  else out->wgrad += time;
  if (!again || !e->recomputed) return;
  out->recompute += time;
  out->exchange[e->axis] += time;
}

/* ---- All of it ---- */

static const pm__costs *costs_of(const pm__parallel *p, const pm__units *units, pm__costs *own)
{
  bool found = false;
  pm__costs *costs = own;
  if (p->s.memo != NULL) {
    pm__memo_key key = {{pm__memo_pointer(units), 0, pm__memo_pointer(p->s.device), pm__memo_number(p->batch)}};
    costs = &p->s.memo->costs[pm__memo_find(&p->s.memo->cost_index, &key, &found)];
  }
  if (!found) pm__plan_kernels_price(&units->kernels, NULL, p->s.device, p->batch, costs);
  return costs;
}

/* ---- FP8 ---- */

/* Bytes moved to cast an operand: read in two bytes, written in one, and once more transposed. */
enum { CAST_BYTES = 4 };

/* Casts of a product's input, before the forward pass, and of its output's gradient, before the others. */
static double cast_time(const pm__parallel *p, const pm__layer_kernel *kernel, int pass)
{
  const pm__gemm *g = &kernel->shape.gemm;
  double m = pm__scaled_size(g->m, g->by.m, &p->batch), operand = pass == PM__FORWARD ? g->k : g->n;
  double count = pm__scaled_size(g->count, g->by.count, &p->batch);
  return pass == PM__WGRAD ? 0 : CAST_BYTES * count * m * operand * p->s.device->pass_byte;
}

/* What a pass takes longer, or less, with linear layers in FP8. */
static double narrowed(const pm__parallel *p, const pm__plan_piece *piece, int pass)
{
  const pm__plan_kernels *kernels = &piece->units->kernels;
  int group = pass * PM__SORTS + PM__MATRIX;
  double time = 0;
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    const pm__layer_kernel *kernel = &kernels->shape[i];
    if (!piece->linear[i] || kernels->repeats[i] == 0) continue;
    double wide = pm__kernel_price(p->s.device, kernel, p->batch), narrow = pm__kernel_price(p->s.linear, kernel, p->batch);
    time += kernels->repeats[i] * (narrow - wide + cast_time(p, kernel, pass));
  }
  return time;
}

static double attention_factor(const pm__parallel *p)
{
  if (p->s.framework == NULL) return 1;
  const pm_framework *f = &p->s.framework->profile.framework;
  bool wide = p->s.system->system->gpu.tensor_core_flop > f->attention_width;
  return f->attention_factor * (wide ? f->wide_attention_factor : 1);
}

/* What attention in one kernel takes longer than in the generation that the kernel model has. */
static double older_attention(const pm__parallel *p, const pm__plan_piece *piece, int pass)
{
  const pm__plan_kernels *kernels = &piece->units->kernels;
  double factor = attention_factor(p), time = 0;
  int group = pass * PM__SORTS + PM__MATRIX;
  for (int i = kernels->first[group]; factor != 1 && i < kernels->first[group + 1]; i++)
    if (kernels->shape[i].family == PM__ATTENTION)
      time += (factor - 1) * kernels->repeats[i] * pm__kernel_price(p->s.device, &kernels->shape[i], p->batch);
  return time;
}

/* Host time of one pass. */
static double host_time(const pm__schedule *s, const pm__units *units, int pass)
{
  if (s->framework == NULL) return 0;
  return s->framework->profile.framework.kernel_time * pm__schedule_calls(s, &units->pass[pass]);
}

/* Attention and the products whose outputs recomputation by operation keeps. */
static double operations_time(const pm__parallel *p, const pm__plan_piece *piece)
{
  const pm_network *network = piece->shard->network;
  double time = 0;
  int products = 0;
  for (size_t i = 0; i < network->count; i++) {
    int unit = piece->units->order[i];
    if (!pm__keeps_operation(&network->layers[i], &products) || unit < 0) continue;
    bool narrow = p->s.linear != NULL && network->layers[i].kind->role == PM__ROLE_DENSE;
    time += forward_kernels(narrow ? p->s.linear : p->s.device, piece->units, &piece->units->unit[unit], p->batch);
  }
  return time;
}

static void set_recompute(const pm__parallel *p, const pm__plan_piece *piece, double forward, pm__parallel_piece *out)
{
  int how = p->s.run->recompute;
  if (how == PM_RECOMPUTE_OPERATIONS) {
    out->again = pm__most(0, out->gpu[PM__FORWARD] - operations_time(p, piece));
    out->recompute = out->again > 0 ? forward * out->again / out->gpu[PM__FORWARD] : 0;
  }
  if (how == PM_RECOMPUTE_SELECTIVE) out->again = out->recompute = attention_time(p, piece, true);
  if (how != PM_RECOMPUTE_FULL) return;
  out->again = out->gpu[PM__FORWARD];
  out->recompute = forward;
}

void pm__parallel_piece_times(const pm__parallel *p, int kind, pm__parallel_piece *out)
{
  pm__costs own;
  const pm__plan_piece *piece = &p->sharded->piece[kind];
  const pm__costs *costs = costs_of(p, piece->units, &own);
  double joined[PM__PASSES];
  *out = (pm__parallel_piece){.bound = pm__schedule_part(&p->s, &costs->bound)};
  for (int pass = 0; pass < PM__PASSES; pass++) {
    double host = host_time(&p->s, piece->units, pass);
    out->gpu[pass] = pm__schedule_pass_time(&p->s, piece->units, costs, (pm__pass)pass, p->batch);
    if (p->s.linear != NULL && pm__parallel_is_layer(p, kind)) out->gpu[pass] += narrowed(p, piece, pass);
    out->gpu[pass] += older_attention(p, piece, pass);
    joined[pass] = join(out->gpu[pass], host);
    out->host += host;
  }
  out->forward = joined[PM__FORWARD];
  out->dgrad = joined[PM__DGRAD];
  out->wgrad = joined[PM__WGRAD];
  bool again = pm__parallel_again(p, kind), full = again && p->s.run->recompute == PM_RECOMPUTE_FULL;
  if (again) set_recompute(p, piece, joined[PM__FORWARD], out);
  for (int i = 0; i < piece->shard->count; i++) add_exchange(p, piece, &piece->shard->exchange[i], full, out);
}
