/* One kernel of a layer: its family picks the formula. */
#include "kernel/kernel.h"
#include "kernel/models.h"

/* Of a power of 2. */
static bool is_multiple(double side, unsigned char by_batch, double of)
{
  return by_batch > 0 || ((int64_t)side & ((int64_t)of - 1)) == 0;
}

/* Sides that the network fixes. One along the batch is in no operand the one that is stored side by side. */
static bool is_aligned(const pm__gemm *g, double of)
{
  return is_multiple(g->m, g->by.m[PM__BATCH], of) && is_multiple(g->n, g->by.n[PM__BATCH], of) &&
         is_multiple(g->k, g->by.k[PM__BATCH], of);
}

bool pm__kernel_loses_to_sides(const pm__device *d, const pm__layer_kernel *kernel)
{
  bool slower = d->unaligned > 1 || d->wants_aligned;
  return slower && kernel->family == PM__GEMM && !is_aligned(&kernel->shape.gemm, d->align);
}

static pm__product product_of(const pm__device *d, const pm__gemm *g, double batch)
{
  const double variables[PM__VARIABLES] = {[PM__BATCH] = batch};
  return (pm__product){.count = pm__scaled_size(g->count, g->by.count, variables),
                       .m = pm__scaled_size(g->m, g->by.m, variables),
                       .n = pm__scaled_size(g->n, g->by.n, variables),
                       .k = pm__scaled_size(g->k, g->by.k, variables),
                       .odd = !is_aligned(g, d->align),
                       .samples_m = g->by.m[PM__BATCH] > 0,
                       .samples_n = g->by.n[PM__BATCH] > 0,
                       .samples_k = g->by.k[PM__BATCH] > 0};
}

/* Forward products of weights and samples; both operands are rows of features. */
static bool is_tn(const pm__layer_kernel *kernel)
{
  return kernel->pass == PM__FORWARD && kernel->shape.gemm.by.n[PM__BATCH] > 0;
}

static bool leaves_tensor_cores(const pm__device *d, const pm__layer_kernel *kernel)
{
  if (d->cores == NULL || !kernel->matrix || kernel->family == PM__CONV) return false;
  return d->convolutions_only || (d->wants_aligned && kernel->family == PM__GEMM &&
                                  !is_aligned(&kernel->shape.gemm, d->align));
}

static pm__kernel_cost cost_of(const pm__device *d, const pm__layer_kernel *kernel, double batch)
{
  const pm__work *work = &kernel->work;
  double flop = batch * work->flop, moved = batch * work->elements;
  double tensor = moved / (kernel->pass == PM__FORWARD ? 2 : 3); /* elements of one of the tensors moved */
  double bytes = d->bytes * (moved + work->fixed_elements);
  pm__product product;
  switch (kernel->family) {
  case PM__GEMM:
    product = product_of(d, &kernel->shape.gemm, batch);
    product.recurrent = kernel->part == PM__PART_RECURRENT;
    return is_tn(kernel) ? pm__gemm_tn_cost(d, &product) : pm__gemm_cost(d, &product);
  case PM__CONV: return pm__conv_cost(d, &kernel->shape.conv, kernel->pass, batch);
  case PM__ATTENTION: return pm__flash_cost(d, &kernel->shape.flash, kernel->pass, batch, flop, bytes);
  case PM__NORM: return pm__stream_cost(d, flop, bytes + d->bytes * tensor * pm__norm_reads(d, kernel->shape.row));
  case PM__SOFTMAX:
    return pm__stream_cost(d, flop, bytes + d->bytes * tensor * pm__softmax_reads(d, kernel->shape.row));
  case PM__OPERATOR: return pm__operator_cost(d, kernel->matrix, flop, bytes, kernel->shape.share);
  default: return kernel->framework_kernel ? pm__stream_cost(d, flop, bytes) : pm__image_pass_cost(d, flop, bytes);
  }
}

pm__kernel_powered pm__kernel_cost_of(const pm__device *d, const pm__layer_kernel *kernel, double batch)
{
  const pm__device *on = leaves_tensor_cores(d, kernel) ? d->cores : d;
  pm__kernel_powered cost = pm__powered(&on->power, cost_of(on, kernel, batch), batch * kernel->work.flop,
                                        kernel->matrix);
  cost.extra = pm__extra_over(on, d, cost.extra, cost.time);
  if (d->launch > cost.time) cost.bound = PM_BOUND_LATENCY;
  cost.time += d->launch;
  return cost;
}

bool pm__kernel_works(const pm__layer_kernel *kernel)
{
  return kernel->work.flop > 0 || kernel->work.elements > 0 || kernel->work.fixed_elements > 0;
}

double pm__kernel_price(const pm__device *d, const pm__layer_kernel *kernel, double batch)
{
  if (!pm__kernel_works(kernel)) return 0;
  if (d->calibrated) return pm__kernel_cost_of(d, kernel, batch).time - d->launch;
  double peak = kernel->matrix ? d->matrix_peak : d->vector_peak, moved = d->bytes * d->per_byte;
  double ideal = pm__most(kernel->work.flop * batch / peak,
                          kernel->work.elements * batch * moved + kernel->work.fixed_elements * moved);
  return d->power.slow * ideal / (kernel->family == PM__OPERATOR ? kernel->shape.share : 1);
}
