/*
** Convolutions: the fastest of the algorithms that apply.
**
**     N samples, C -> K channels, windows of RS elements, P = N x positions of the output
**
**     implicit product   forward P x K x C RS; gradient of data N HW x C x K RS
**     column product     gradient of data: columns C RS x P x K, written and added up; every stride
**     gradient of weights  C RS x K x P: the contraction is long and is split; the tensors are read several times, the
**                        windows partly unfolded, and the result is initialised, added to by every part and converted
**     Winograd, FFT      conv_transformed.c
**     direct             one channel per group, and groups of more where the library has kernels for them: no reuse of
**                        channels, by memory and by the arithmetic of the FP32 cores
**
** Tensor cores take channels by 8. Libraries of 2019 and before run other ones on the FP32 cores, padded all the same.
*/
#include "kernel/conv_window.h"

static void set_sizes(pm__window *s, const pm__conv *conv, pm__pass pass, double batch)
{
  s->groups = conv->groups;
  s->n = batch;
  s->c = conv->channels / conv->groups;
  s->k = conv->out_channels / conv->groups;
  s->rs = pm__volume(conv->kernel);
  s->positions = pm__volume(conv->out_size);
  s->size = pm__volume(conv->size);
  s->p = batch * s->positions;
  s->strided = pm__volume(conv->stride) > 1;
  s->target = pass == PM__DGRAD ? conv->size : conv->out_size;
  s->conv = conv;
  s->pass = pass;
}

/* Input elements that no window sees are not read. */
static void set_traffic(pm__window *s, const pm__device *d)
{
  double element = d->bytes * d->per_byte * s->groups;
  s->tensors = element * (s->n * s->c * pm__least(s->size, s->positions * s->rs) + s->p * s->k);
  s->weights = element * s->k * s->c * s->rs;
}

static void set_products(pm__window *s, const pm__device *d)
{
  bool back = s->pass == PM__DGRAD;
  double c = s->c, k = s->k;
  if (d->conv.tensor) s->c = pm__multiple(c, 8), s->k = pm__multiple(k, 8);
  s->odd = s->c != c || s->k != k;
  s->crs = s->c * s->rs;
  s->multiply_adds = s->groups * s->crs * s->k * s->p;
  s->from = back ? s->k : s->c;
  s->to = back ? s->c : s->k;
}

/* Full waves of the largest tiles are the least that a product can take. */
static double least_time(const pm__engine *e, const pm__product *p)
{
  return p->count * p->m * p->n * p->k * e->multiply_add;
}

/* On the FP32 cores, libraries have slower kernels for gradients of volumes than for those of images. */
static double volume_factor(const pm__device *d, const pm__window *s)
{
  bool slow = !d->conv.tensor && s->pass != PM__FORWARD && s->conv->kernel[0] > 1;
  return slow ? d->volume : 1;
}

static void try_implicit(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  double positions = s->pass == PM__DGRAD && !s->strided ? s->n * s->size : s->p;
  double slow = s->pass == PM__DGRAD && s->strided ? d->k.conv_tensor_strided : volume_factor(d, s);
  pm__product p = {s->groups, positions, s->to, s->from * s->rs, 0, false, 0, false};
  if (least_time(&d->conv, &p) * slow >= best->time) return;
  double compute = pm__products_time(d, &d->conv, &p);
  pm__keep(best, pm__limited(d, compute * slow, s->tensors + s->weights, 2 * s->multiply_adds,
                             PM_KERNEL_ALGORITHM_IMPLICIT_GEMM));
}

/* The columns are written and read, and what no window sees with a stride is cleared. */
static void try_columns(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  double slow = d->gemm.tensor ? d->k.conv_tensor_column : volume_factor(d, s) * d->k.conv_simt_column / d->k.conv_rate;
  double element = d->bytes * d->per_byte * s->groups, columns = 2 * element * s->p * s->crs;
  double cleared = s->strided ? element * s->n * s->c * s->size : 0, moved = s->tensors + s->weights;
  pm__product p = {s->groups, s->crs, s->p, s->k, 0, false, 0, false};
  if (least_time(&d->gemm, &p) * slow + columns + cleared >= best->time) return;
  double compute = slow * pm__products_time(d, &d->gemm, &p) + columns + cleared;
  pm__keep(best, pm__limited(d, compute, moved, 2 * s->multiply_adds, PM_KERNEL_ALGORITHM_COLUMN_GEMM));
}

static void try_gradient_of_weights(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  bool tensor = d->conv.tensor;
  pm__product p = {s->groups, s->crs, s->k, s->p, 0, false, 0, false};
  double windows = s->rs > 1 ? d->bytes * d->per_byte * s->groups * s->p * s->crs : 0;
  double memory = (tensor ? d->k.conv_tensor_input : d->k.conv_simt_input) * s->tensors +
                  (tensor ? d->k.conv_tensor_windows : d->k.conv_simt_windows) * windows + s->weights;
  double result = (tensor ? d->k.conv_tensor_result : d->k.conv_simt_result) * s->weights, slow = volume_factor(d, s);
  if (pm__most(least_time(&d->weight, &p), memory) + result >= best->time) return;
  pm__kernel_cost cost = pm__limited(d, pm__products_time(d, &d->weight, &p) * slow, memory, 2 * s->multiply_adds,
                              PM_KERNEL_ALGORITHM_IMPLICIT_GEMM);
  cost.time += result;
  pm__keep(best, cost);
}

static pm__kernel_cost on_fp32_cores(const pm__device *d, const pm__window *s)
{
  double slow = s->pass == PM__WGRAD ? d->k.conv_tensor_odd_weight : 1;
  return pm__limited(d, 2 * s->multiply_adds * d->odd * slow, s->tensors + s->weights, 0, PM_KERNEL_ALGORITHM_DIRECT);
}

static void try_products(const pm__device *d, const pm__window *s, pm__kernel_cost *best)
{
  bool tensor = d->conv.tensor;
  if (s->pass == PM__WGRAD) {
    try_gradient_of_weights(d, s, best);
    return;
  }
  if (s->pass == PM__FORWARD || tensor || !s->strided) try_implicit(d, s, best);
  if (s->pass == PM__DGRAD && (!tensor || s->strided)) try_columns(d, s, best);
}

/* Its channels are never rounded up. */
static pm__kernel_cost direct(const pm__device *d, const pm__window *s, double per_flop)
{
  double flop = 2 * s->conv->channels * (s->conv->out_channels / s->groups) * s->rs * s->p;
  return pm__limited(d, flop * per_flop, s->tensors + s->weights, 0, PM_KERNEL_ALGORITHM_DIRECT);
}

/* A transposed one is the gradient of data of the convolution that describes it, and the other way round. */
static pm__pass seen_from(const pm__conv *conv, pm__pass pass)
{
  if (!conv->transposed || pass == PM__WGRAD) return pass;
  return pass == PM__FORWARD ? PM__DGRAD : PM__FORWARD;
}

/* Groups of one channel in or out: nothing to multiply as matrices. */
static bool is_depthwise(const pm__conv *conv)
{
  return conv->groups > 1 && (conv->channels == conv->groups || conv->out_channels == conv->groups);
}

pm__kernel_cost pm__conv_cost(const pm__device *d, const pm__conv *conv, pm__pass pass, double batch)
{
  return pm__conv_cost_within(d, conv, pass, batch, INFINITY);
}

/* Winograd first: it is quick to price and mostly makes the rest superfluous. */
pm__kernel_cost pm__conv_cost_within(const pm__device *d, const pm__conv *conv, pm__pass pass, double batch, double most)
{
  pm__window s;
  pm__kernel_cost best = {conv->groups > 1 ? (double)INFINITY : most, PM_KERNEL_ALGORITHM_NONE, PM_BOUND_NONE};
  bool transformed = conv->groups == 1 && !d->conv.tensor && (d->bytes == 4 || d->bytes == 2); /* a byte is too small */
  set_sizes(&s, conv, seen_from(conv, pass), batch);
  set_traffic(&s, d);
  if (is_depthwise(conv)) return direct(d, &s, d->depthwise);
  set_products(&s, d);
  if (transformed) pm__conv_transformed(d, &s, &best);
  if (d->conv.tensor && s.odd && d->odd > 0) best = on_fp32_cores(d, &s);
  else try_products(d, &s, &best);
  if (s.groups > 1) best.time /= d->k.group_rate;
  if (s.groups > 1 && d->has_grouped) pm__keep(&best, direct(d, &s, d->direct));
  return best;
}

double pm__conv_transformed_flop(const pm__conv *conv, pm__pass pass, double batch, int algorithm)
{
  pm__window s;
  set_sizes(&s, conv, seen_from(conv, pass), batch);
  return pm__conv_transformed_executed(&s, algorithm);
}
