/*
** Work of one piece on one GPU, for one micro-batch: kernels and host apart, exchanges as far as nothing hides them.
**
**     recompute = none; selective: the kernels of attention that keeps its scores; full: forward, without its last
**     reduction; operations: forward, without attention and every other product
**
** With FP8 the products of linear layers run on a narrower device, and casts are added. Older generations of fused
** attention take a factor longer.
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

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
static double attention_time(const pm__step *p, const pm__plan_piece *piece, bool kept)
{
  const pm_network *network = piece->network;
  double time = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    int unit = piece->units->order[i];
    bool wanted = layer->kind != NULL && layer->kind->role == PM__ROLE_ATTENTION && unit >= 0;
    if (!wanted || (kept && !pm__keeps_scores(network, layer))) continue;
    time += forward_kernels(p->s.device, piece->units, &piece->units->unit[unit], p->s.batch);
  }
  return time;
}

/* ---- Exchanges ---- */

static double exchange_time(const pm__step *p, const pm__sharding_exchange *e)
{
  static const int collectives[PM__SHARDING_COLLECTIVES] = {
    [PM__SHARDING_ALL_REDUCE] = PM_COLLECTIVE_ALL_REDUCE, [PM__SHARDING_REDUCE_SCATTER] = PM_COLLECTIVE_REDUCE_SCATTER,
    [PM__SHARDING_ALL_GATHER] = PM_COLLECTIVE_ALL_GATHER, [PM__SHARDING_ALL_TO_ALL] = PM_COLLECTIVE_ALL_TO_ALL,
    [PM__SHARDING_SEND_RECEIVE] = PM_COLLECTIVE_SEND_RECEIVE};
  double bytes = p->s.batch * e->elements * (e->element_bytes > 0 ? e->element_bytes : p->s.device->bytes);
  if (e->axis == PM__AXIS_TABLES) return pm__step_table_exchange(p, collectives[e->collective], bytes);
  if (e->picks > 0) return pm__step_dispatch(p, e, bytes);
  return e->repeats * pm__schedule_exchange_on(&p->s, p->group[e->axis], collectives[e->collective], bytes);
}

/* Keys and values that go round overlap with attention on those that came before. */
static double exposed_ring(const pm__step *p, const pm__plan_piece *piece, const pm__sharding_exchange *e, double time)
{
  double context = p->at.context, work = attention_time(p, piece, false) * (context - 1) / context;
  if (e->pass != PM__FORWARD) work *= 2;
  return pm__most(0, time - work);
}

/* What is left of it behind products that run at the same time. */
static double not_overlapped(const pm__step *p, const pm__sharding_exchange *e, double time)
{
  if (p->s.framework == NULL || e->axis != PM__AXIS_TENSOR) return time;
  return time * (1 - p->s.framework->profile.framework.tensor_overlap);
}

/* A call of the communication library for each, unless a graph of the layer has it. */
static void add_exchange(const pm__step *p, const pm__plan_piece *piece, const pm__sharding_exchange *e, bool recompute,
                         bool graphs, pm__step_work *out)
{
  double time = exchange_time(p, e);
  if (!graphs) out->host[e->pass] += e->repeats * pm__schedule_host_time(&p->s);
  if (e->axis == PM__AXIS_CONTEXT && e->collective == PM__SHARDING_SEND_RECEIVE) time = exposed_ring(p, piece, e, time);
  time = not_overlapped(p, e, time);
  out->axis[e->axis] += time;
  out->exchange[e->pass] += time;
  if (!recompute || !e->recomputed) return;
  out->exchange_recompute += time;
  out->axis[e->axis] += time;
}

/* ---- FP8 ---- */

/* Bytes moved to cast an operand: read in two bytes, written in one, and once more transposed. */
enum { CAST_BYTES = 4 };

/* Casts of a product's input, before the forward pass, and of its output's gradient, before the others. */
static double cast_time(const pm__step *p, const pm__layer_kernel *kernel, int pass)
{
  const pm__gemm *g = &kernel->shape.gemm;
  double m = pm__scaled_size(g->m, g->by.m, &p->s.batch), operand = pass == PM__FORWARD ? g->k : g->n;
  double count = pm__scaled_size(g->count, g->by.count, &p->s.batch);
  double byte = p->s.device->pass_byte * p->s.device->power.slow;
  return pass == PM__WGRAD ? 0 : CAST_BYTES * count * m * operand * byte;
}

static bool is_bound(int bound)
{
  return bound == PM_BOUND_COMPUTE || bound == PM_BOUND_POWER;
}

/* Of a kernel: its time, the part of it that the arithmetic rate limits, and J beyond what the device draws anyway. */
typedef struct bound_time {
  double time, bound, extra;
} bound_time;

static bound_time price(const pm__step *p, const pm__device *device, const pm__layer_kernel *kernel)
{
  const pm__kernel_board *power = &device->power;
  double flop = kernel->work.flop * p->s.batch, drawn = p->s.device->power.drawn;
  if (!device->calibrated) {
    double time = pm__kernel_price(device, kernel, p->s.batch), extra = pm__extra_energy(power, time, flop);
    return (bound_time){time, flop / device->matrix_peak >= time ? time : 0, extra + time * (power->drawn - drawn)};
  }
  pm__plan_way way = pm__plan_way_of(device, kernel, p->s.batch);
  return (bound_time){way.time, is_bound(way.bound) ? way.time : 0,
                      way.extra + way.time * (power->drawn - drawn)};
}

/* Linear layers in FP8: their products move to the narrow device. */
static void narrow(const pm__step *p, const pm__plan_piece *piece, int pass, pm__step_work *out)
{
  const pm__plan_kernels *kernels = &piece->units->kernels;
  int group = pass * PM__SORTS + PM__MATRIX;
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    const pm__layer_kernel *kernel = &kernels->shape[i];
    if (!piece->linear[i] || kernels->repeats[i] == 0) continue;
    bound_time wide = price(p, p->s.device, kernel), own = price(p, p->s.linear, kernel);
    double cast = cast_time(p, kernel, pass), changed = kernels->repeats[i] * (own.time - wide.time);
    out->gpu[pass] += changed + kernels->repeats[i] * cast;
    out->bound += kernels->repeats[i] * (own.bound - wide.bound);
    out->extra += kernels->repeats[i] * (own.extra - wide.extra);
    out->part.product += changed;
    out->part.other += kernels->repeats[i] * cast;
  }
}

double pm__step_attention_factor(const pm__step *p)
{
  if (p->s.framework == NULL || !p->s.device->calibrated) return 1;
  const pm_framework *f = &p->s.framework->profile.framework;
  bool wide = p->s.system->system->gpu.tensor_core_flop > f->attention_width;
  return f->attention_factor * (wide ? f->wide_attention_factor : 1);
}

/* What attention in one kernel takes longer than in the generation that the kernel model has. */
static void slow_attention(const pm__step *p, const pm__plan_piece *piece, double factor, int pass, pm__step_work *out)
{
  const pm__plan_kernels *kernels = &piece->units->kernels;
  int group = pass * PM__SORTS + PM__MATRIX;
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    if (kernels->shape[i].family != PM__ATTENTION) continue;
    bound_time one = price(p, p->s.device, &kernels->shape[i]);
    double more = (factor - 1) * kernels->repeats[i];
    out->gpu[pass] += more * one.time;
    out->bound += more * one.bound;
    out->extra += more * one.extra;
    out->part.product += more * one.time;
  }
}

/* ---- Frozen weights ---- */

static void unpack(const pm__step *p, int kind, int pass, pm__step_work *out)
{
  double time = pm__step_unpacking(p, kind, pass);
  out->gpu[pass] += time;
  out->part.other += time;
}

/* ---- Divided tables ---- */

static void look_up(const pm__step *p, int kind, int pass, pm__step_work *out)
{
  double time = pm__step_table_time(p, kind, pass);
  out->gpu[pass] += time;
  out->part.other += time;
  if (time > 0) out->host[pass] += pm__schedule_host_time(&p->s);
}

/* ---- Recomputation ---- */

/* Attention and the products whose outputs recomputation by operation keeps. */
static double operations_time(const pm__step *p, const pm__plan_piece *piece)
{
  const pm_network *network = piece->network;
  double time = 0;
  int products = 0;
  for (size_t i = 0; i < network->count; i++) {
    int unit = piece->units->order[i];
    if (!pm__keeps_operation(&network->layers[i], &products) || unit < 0) continue;
    bool narrow = p->s.linear != NULL && network->layers[i].kind->role == PM__ROLE_DENSE;
    time += forward_kernels(narrow ? p->s.linear : p->s.device, piece->units, &piece->units->unit[unit], p->s.batch);
  }
  return time;
}

/* What is recomputed is launched again, and limited as what it repeats. */
static void set_recompute(const pm__step *p, const pm__plan_piece *piece, const pm__costs *costs, pm__step_work *out)
{
  double forward = out->gpu[PM__FORWARD];
  const pm_recomputation *how = pm_recomputation_get(p->at.recompute);
  if (!how->layers) out->recompute = attention_time(p, piece, true);
  else out->recompute = how->operations ? pm__most(0, forward - operations_time(p, piece)) : forward;
  if (!how->layers || !(forward > 0)) return;
  out->saved_again = costs->saved[PM__FORWARD];
  out->host_recompute = out->host[PM__FORWARD] * (out->recompute / forward);
}

/* ---- Accumulation ---- */

/* Calls that add the gradients of a micro-batch to those before, where software has buffers of its own for these: a
** hook and a kernel for each tensor, unless products of gradients of weights add what they have. What autograd itself
** adds takes its host no time to speak of. */
static double accumulating_calls(const pm__step *p, const pm__plan_piece *piece)
{
  if (p->s.framework == NULL || p->s.framework->profile.framework.fuses_accumulation != 1) return 0;
  return piece->tensors - (p->s.run->unfused_accumulation ? 0 : piece->matrices);
}

/* ---- All of it ---- */

static double layout_time(const pm__step *p, const pm__units *units, const pm__costs *costs)
{
  double elements = 0, spared = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) {
    elements += units->pass[pass].layout;
    spared += costs->pass[pass].spared;
  }
  return (elements * p->s.batch - spared) * p->s.layout;
}

static void add_kernels(const pm__step *p, const pm__plan_piece *piece, int kind, const pm__costs *costs,
                        pm__step_work *out)
{
  double call = pm__schedule_host_time(&p->s), factor = pm__step_attention_factor(p);
  bool layer = pm__step_is_layer(p, kind), narrows = p->s.linear != NULL && layer;
  bool graphs = layer && p->s.run->cuda_graphs == PM_CUDA_GRAPHS_LAYERS; /* one call for each pass of a layer */
  for (int pass = 0; pass < PM__PASSES; pass++) {
    out->gpu[pass] = pm__schedule_pass_time(&p->s, piece->units, costs, (pm__pass)pass, p->s.batch);
    if (narrows) narrow(p, piece, pass, out);
    if (factor != 1) slow_attention(p, piece, factor, pass, out);
    if (p->s.run->lora_rank > 0) unpack(p, kind, pass, out);
    double calls = pm__schedule_calls(&p->s, &piece->units->pass[pass]);
    if (pass == PM__WGRAD) calls += accumulating_calls(p, piece);
    out->host[pass] = call * (graphs ? pm__least(calls, 1) : calls);
    if (p->at.tables > 1) look_up(p, kind, pass, out);
  }
}

/* Of two boxes, on this host; s. */
static double comparison(const pm__schedule *s)
{
  return s->framework != NULL ? s->framework->profile.framework.comparison * s->system->host : 0;
}

void pm__step_piece_work(const pm__step *p, int kind, const pm__costs *costs, pm__step_work *out)
{
  const pm__plan_piece *piece = pm__step_piece(p, kind);
  out->bound = pm__schedule_part(&p->s, &costs->bound);
  out->extra = pm__schedule_part(&p->s, &costs->extra);
  out->saved = costs->saved[PM__FORWARD] + costs->saved[PM__DGRAD] + costs->saved[PM__WGRAD];
  out->saved_again = 0;
  out->part = costs->all;
  out->layout = p->s.layout > 0 ? layout_time(p, piece->units, costs) : 0;
  out->recompute = out->host_recompute = out->exchange_recompute = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) out->exchange[pass] = 0;
  for (int axis = 0; axis < PM__SHARDING_AXES; axis++) out->axis[axis] = 0;
  out->waited = pm__schedule_host_time(&p->s) * piece->units->pass[PM__FORWARD].waited * p->s.batch;
  out->compared = comparison(&p->s) * piece->units->pass[PM__FORWARD].compared * p->s.batch;
  add_kernels(p, piece, kind, costs, out);
  const pm_recomputation *how = pm_recomputation_get(p->at.recompute);
  bool graphs = pm__step_is_layer(p, kind) && p->s.run->cuda_graphs == PM_CUDA_GRAPHS_LAYERS;
  bool recompute = pm__step_recomputes(p, kind), full = recompute && how->layers && !how->operations;
  if (recompute) set_recompute(p, piece, costs, out);
  for (int i = 0; i < piece->exchanges; i++) add_exchange(p, piece, &piece->exchange[i], full, graphs, out);
  if (p->s.run->expert_overlap) pm__step_hide_dispatch(p, out);
}

const pm__costs *pm__step_costs(const pm__schedule *s, const pm__units *units, const pm__segments *segments,
                                double batch,
                                pm__costs *own)
{
  bool found = false;
  pm__costs *costs = own;
  if (s->memo != NULL) {
    pm__memo_key key = {{pm__memo_pointer(units), pm__memo_pointer(segments), pm__memo_pointer(s->device),
                         pm__memo_number(batch)}};
    costs = &s->memo->costs[pm__memo_find(&s->memo->cost_index, &key, &found)];
  }
  if (!found) pm__plan_kernels_price(&units->kernels, segments, s->device, batch, costs);
  return costs;
}

const pm__step_waits *pm__step_waits_price(const pm__step *p, pm__step_waits *out)
{
  pm__costs own;
  const pm__schedule *s = &p->s;
  const pm__segments *cut = s->units->waits;
  if (cut == NULL || !p->at.whole) return NULL;
  const pm__costs *costs = pm__step_costs(s, s->units, cut, s->batch, &own);
  out->count = cut->count - 1;
  for (int i = 0; i < out->count; i++) {
    out->gpu[i] = pm__schedule_segment_time(s, cut, costs, i);
    out->host[i] = pm__schedule_host_time(s) * pm__schedule_calls(s, &cut->fixed[i]);
  }
  return out;
}

/* All that a GPU alone depends on, where it updates the whole network. */
static pm__memo_key alone_key(const pm__step *p)
{
  const pm_run *r = p->s.run;
  return (pm__memo_key){{pm__memo_pair(pm__plan_network_number(p->s.network), r->framework_index),
                         pm__memo_pair(r->system_index * PM_KERNEL_MODEL_COUNT + r->kernel_model,
                                       p->s.limited * PM_PRECISION_COUNT + r->precision),
                         pm__memo_number(p->s.batch),
                         pm__memo_pair((int32_t)p->s.accumulation, 128 * r->optimizer + 64 * r->unfused_accumulation +
                                         8 * r->gradient_bytes + r->cuda_graphs)}};
}

static void price_alone(const pm__step *p, const pm__costs *whole, const pm__step_waits *waits, pm__step_alone *out)
{
  pm__costs own;
  const pm__costs *costs = whole != NULL ? whole : pm__step_costs(&p->s, p->s.units, NULL, p->s.batch, &own);
  pm__step_piece_work(p, 0, costs, &out->work);
  pm__step_times_of(p, &out->work, waits, p->one.whole, &out->times);
}

static pm__step_kinds price_whole(const pm__step *p, const pm__costs *whole, const pm__step_waits *waits)
{
  bool found = false;
  const pm__memo_key key = alone_key(p);
  pm__step_alone *alone = &p->memo->alone[pm__memo_find(&p->memo->index, &key, &found)];
  if (!found) price_alone(p, whole, waits, alone);
  return (pm__step_kinds){&alone->work, whole, waits, &alone->times};
}

pm__step_kinds pm__step_kinds_price(const pm__step *p, pm__step_room *room)
{
  pm__costs own;
  const pm__costs *whole = NULL;
  const pm__step_waits *waits = pm__step_waits_price(p, &room->waits);
  if (p->s.segments != NULL) whole = pm__step_costs(&p->s, p->s.units, p->s.segments, p->s.batch, &room->costs);
  if (p->memo != NULL && p->pieces == NULL && p->at.zero == 0) return price_whole(p, whole, waits);
  for (int k = 0; k < p->kinds; k++) {
    const pm__units *units = pm__step_piece(p, k)->units;
    const pm__costs *costs = units == p->s.units &&
      whole != NULL ? whole : pm__step_costs(&p->s, units, NULL, p->s.batch, &own);
    pm__step_piece_work(p, k, costs, &room->work[k]);
  }
  return (pm__step_kinds){room->work, whole, waits, NULL};
}
