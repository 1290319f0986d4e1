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
** Tensor cores take channels by 8. Libraries of 2019 and before run other ones, and dilated windows, on the FP32 cores,
** padded all the same.
*/
#include "kernel/conv_window.h"

static pm__window window_of(const pm__device *d, const pm__window_shape *s, double batch)
{
  double element = d->bytes * d->per_byte * s->groups;
  return (pm__window){s, d->conv.tensor ? &s->wide : &s->channels, batch, batch * s->positions,
                      element * (batch * s->tensors), element * s->channels.k * s->channels.c * s->rs};
}

/* On the FP32 cores, libraries have slower kernels for gradients of volumes than for those of images. */
static inline double volume_factor(const pm__device *d, const pm__window_shape *s)
{
  return s->volume && !d->conv.tensor && s->pass != PM__FORWARD ? d->volume : 1;
}

static inline pm__window_implicit implicit_of(const pm__device *d, pm__window w)
{
  const pm__window_shape *s = w.shape;
  bool back = s->pass == PM__DGRAD;
  double m = back && !s->strided ? w.n * s->size : w.p, n = w.channels->to;
  double slow = back && s->strided ? d->k.conv_tensor_strided : volume_factor(d, s);
  return (pm__window_implicit){m, n, w.channels->depth, slow, w.tensors + w.weights, pm__window_flop(w),
                               2 * d->bytes * s->groups * m * n * d->per_byte, 0};
}

static inline pm__window_implicit weight_gradient_of(const pm__device *d, pm__window w)
{
  bool tensor = d->conv.tensor;
  const pm__window_shape *s = w.shape;
  double m = w.channels->crs, n = w.channels->k;
  double windows = s->rs > 1 ? d->bytes * d->per_byte * s->groups * w.p * m : 0;
  double memory = (tensor ? d->k.conv_tensor_input : d->k.conv_simt_input) * w.tensors +
                  (tensor ? d->k.conv_tensor_windows : d->k.conv_simt_windows) * windows + w.weights;
  return (pm__window_implicit){m, n, w.p, volume_factor(d, s), memory, pm__window_flop(w),
                               2 * d->bytes * s->groups * m * n * d->per_byte,
                               (tensor ? d->k.conv_tensor_result : d->k.conv_simt_result) * w.weights};
}

static inline pm__kernel_cost implicit_cost(const pm__device *d, const pm__window_implicit *p, double compute)
{
  pm__kernel_cost cost = pm__limited(d, compute * p->slow, p->memory, p->flop, PM_KERNEL_ALGORITHM_IMPLICIT_GEMM);
  cost.time += p->besides;
  return cost;
}

/* Full waves of the largest tiles are the least that a product can take. */
static pm__kernel_cost try_implicit(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  bool weight = w.shape->pass == PM__WGRAD;
  const pm__engine *e = weight ? &d->weight : &d->conv;
  pm__window_implicit p = weight ? weight_gradient_of(d, w) : implicit_of(d, w);
  double least = w.shape->groups * p.m * p.n * p.k * e->multiply_add * p.slow;
  if (pm__cannot_win(least, p.memory, best.time - p.besides)) return best;
  return pm__faster(best, implicit_cost(d, &p, pm__tiles_time(e, w.shape->groups, p.m, p.n, p.k, p.result).time));
}

/* The columns are written and read, and what no window sees with a stride is cleared. */
static pm__kernel_cost try_columns(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  const pm__window_shape *s = w.shape;
  double slow = d->gemm.tensor ? d->k.conv_tensor_column : volume_factor(d, s) * d->k.conv_simt_column / d->k.conv_rate;
  double element = d->bytes * d->per_byte * s->groups, columns = 2 * element * w.p * w.channels->crs;
  double cleared = s->strided ? element * w.n * w.channels->c * s->size : 0, memory = w.tensors + w.weights;
  double least = s->groups * w.channels->crs * w.p * w.channels->k * d->gemm.multiply_add;
  if (pm__cannot_win(least * slow + columns + cleared, memory, best.time)) return best;
  double products = pm__window_compute_time(d, &d->gemm, s->groups, w.channels->crs, w.p, w.channels->k);
  return pm__faster(best, pm__limited(d, slow * products + columns + cleared, memory, pm__window_flop(w),
                                      PM_KERNEL_ALGORITHM_COLUMN_GEMM));
}

static pm__kernel_cost try_products(const pm__device *d, pm__window w, pm__kernel_cost best)
{
  bool tensor = d->conv.tensor, strided = w.shape->strided;
  if (w.shape->pass != PM__DGRAD || tensor || !strided) best = try_implicit(d, w, best);
  return w.shape->pass == PM__DGRAD && (!tensor || strided) ? try_columns(d, w, best) : best;
}

/* Seconds per FLOP of channels that tensor cores do not take, where libraries do not round them up, and of dilated
** windows where they have no kernels for these; 0: they do. */
static inline double refused(const pm__device *d, const pm__window_shape *s)
{
  return s->odd && d->odd > 0 ? d->odd : s->dilated ? d->dilated : 0;
}

static pm__kernel_cost on_fp32_cores(const pm__device *d, pm__window w, double per_flop)
{
  double slow = w.shape->pass == PM__WGRAD ? d->k.conv_tensor_odd_weight : 1;
  return pm__limited(d, pm__window_flop(w) * per_flop * slow, w.tensors + w.weights, 0, PM_KERNEL_ALGORITHM_DIRECT);
}

/* Its channels are never rounded up. */
static pm__kernel_cost direct(const pm__device *d, pm__window w, double per_flop)
{
  double flop = 2 * (w.n * w.shape->channels.multiply_adds);
  return pm__limited(d, flop * per_flop, w.tensors + w.weights, 0, PM_KERNEL_ALGORITHM_DIRECT);
}

/* Whether the library takes the kernel of last resort for a gradient of groups that lie side by side: it has others for
** channels that are no multiple of 8, and for some of these. */
static bool lacks_group_kernel(const pm__device *d, const pm__window_shape *s)
{
  const double width = s->channels.to;
  if (s->pass == PM__FORWARD || s->groups == 1 || width != 8 * pm__ceil(width / 8)) return false;
  if (width == 8 || width == 16 || width == 32) return false;
  return s->pass == PM__WGRAD || width > d->group_data_width;
}

/* Whether groups run as channels alone do, without reuse of their inputs. */
static bool runs_apart(const pm__device *d, const pm__window_shape *s)
{
  return d->single_channels && s->groups > 1 && s->pass == PM__FORWARD;
}

/* Where it has none, each group is a product of its own on the FP32 cores, whose tiles are wider than most groups. */
static pm__kernel_cost group_gradient(const pm__device *d, pm__window w)
{
  const double width = w.shape->channels.to, tiles = 128 * pm__ceil(width / 128) / width;
  const double flop = 2 * (w.n * w.shape->channels.multiply_adds);
  return pm__limited(d, flop * tiles * d->group_gradient, w.tensors + w.weights, 0, PM_KERNEL_ALGORITHM_DIRECT);
}

pm__kernel_cost pm__conv_cost(const pm__device *d, const pm__conv *conv, pm__pass pass, double batch)
{
  pm__window_shape shape;
  pm__window_shape_make(&shape, conv, pass);
  return pm__window_shape_cost(d, &shape, batch, INFINITY);
}

/* Winograd first: it is quick to price and mostly makes the rest superfluous. */
pm__kernel_cost pm__window_shape_cost(const pm__device *d, const pm__window_shape *s, double batch, double most)
{
  bool grouped = s->groups > 1;
  pm__kernel_cost best = {grouped ? (double)INFINITY : most, PM_KERNEL_ALGORITHM_NONE, PM_BOUND_NONE};
  pm__window w = window_of(d, s, batch);
  if (s->depthwise) return direct(d, w, s->pass == PM__FORWARD ? d->depthwise_forward : d->depthwise_gradient);
  if (runs_apart(d, s)) return direct(d, w, d->depthwise);
  if (d->group_gradient > 0 && lacks_group_kernel(d, s)) return group_gradient(d, w);
  if (d->transforms && !grouped) best = pm__conv_transformed(d, w, best);
  double per_flop = refused(d, s);
  best = per_flop > 0 ? on_fp32_cores(d, w, per_flop) : try_products(d, w, best);
  if (grouped) best.time /= d->k.group_rate;
  return grouped && d->has_grouped ? pm__faster(best, direct(d, w, d->direct)) : best;
}

/* Convolutions that are one implicit product each, and their places among all. */
typedef struct list {
  pm__product_list products;
  pm__window_implicit implicit[PM__AT_ONCE];
  int place[PM__AT_ONCE];
} list;

static inline void add_window(list *l, int place, pm__window_implicit p)
{
  int i = l->products.count++;
  l->place[i] = place;
  l->implicit[i] = p;
  l->products.m[i] = p.m;
  l->products.n[i] = p.n;
  l->products.k[i] = p.k;
  l->products.result[i] = p.result;
}

/* The others are priced at once. */
static inline void fill(list *l, const pm__device *d, const pm__window_shape *shapes, int count, double batch,
                        pm__kernel_cost *costs)
{
  l->products.count = 0;
  for (int i = 0; i < count; i++) {
    const pm__window_shape *s = &shapes[i];
    if (d->conv.tensor && s->plain && refused(d, s) == 0) {
      pm__window w = window_of(d, s, batch);
      add_window(l, i, s->pass == PM__WGRAD ? weight_gradient_of(d, w) : implicit_of(d, w));
    } else if (s->groups > 0) costs[i] = pm__window_shape_cost(d, s, batch, INFINITY);
  }
}

void pm__window_shapes_cost(const pm__device *d, const pm__window_shape *shapes, int count, double batch,
                            pm__kernel_cost *costs)
{
  list l;
  double compute[PM__AT_ONCE];
  fill(&l, d, shapes, count, batch, costs);
  if (l.products.count == 0) return;
  pm__product_list_times(shapes[l.place[0]].pass == PM__WGRAD ? &d->weight : &d->conv, &l.products, compute);
  for (int i = 0; i < l.products.count; i++) costs[l.place[i]] = implicit_cost(d, &l.implicit[i], compute[i]);
}

/* Transforms count for nothing, as they do in the limits of conv_transformed.c. */
double pm__window_shape_executed(const pm__window_shape *s, double batch, int algorithm)
{
  double pairs = 2 * s->channels.c * s->channels.k * batch;
  switch (algorithm) {
  case PM_KERNEL_ALGORITHM_WINOGRAD_2X2: return pairs * s->rs * s->positions / 2.25;
  case PM_KERNEL_ALGORITHM_WINOGRAD_4X4: return pairs * s->winograd.numbers * s->winograd.tiles;
  case PM_KERNEL_ALGORITHM_FFT: return pairs * 2 * s->fourier.numbers * s->fourier.tiles;
  default: return NAN;
  }
}
