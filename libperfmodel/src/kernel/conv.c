/*
** Convolutions: the fastest of the algorithms that apply.
**
**     N samples, C -> K channels, windows of RS elements, P = N x positions of the output
**
**     implicit product   forward K x P x C RS; gradient of weights K x C RS x P; gradient of data C x P x K RS, or
**                        columns C RS x P x K that are added up
**     Winograd 4x4       3 x 3, stride 1, FP32: 36 products K x tiles x C, a quarter of the multiplications
**     Winograd 2x2       the same in one kernel, 1 / 2.25 of the multiplications
**     FFT                large windows, stride 1, FP32
**     direct             groups: no reuse of channels, by memory and by the arithmetic of the FP32 cores
**
** Winograd: Lavin, Gray, "Fast algorithms for convolutional neural networks", CVPR 2016.
*/
#include <math.h>
#include "kernel/models.h"

/* One group of a convolution, in the letters of above. */
typedef struct shape {
  double groups, n, c, k, rs, positions, p, size; /* size: positions of the input */
  bool strided, odd;
  const pm__conv *conv;
  pm__pass pass;
  double traffic; /* s */
} shape;

static double product_of(const double *sizes)
{
  return sizes[0] * sizes[1] * sizes[2];
}

static double rounded(double channels, double multiple)
{
  return multiple * pm__ceil(channels / multiple);
}

/* Input elements that no window sees are not read. */
static shape shape_of(const pm__device *d, const pm__conv *conv, pm__pass pass, double batch)
{
  shape s;
  bool tensor = d->conv.tensor;
  s.groups = conv->groups;
  s.n = batch;
  s.c = conv->channels / conv->groups;
  s.k = conv->out_channels / conv->groups;
  s.odd = !tensor && (s.c != rounded(s.c, 4) || s.k != rounded(s.k, 4));
  s.rs = product_of(conv->kernel);
  s.positions = product_of(conv->out_size);
  s.size = product_of(conv->size);
  s.p = batch * s.positions;
  s.strided = product_of(conv->stride) > 1;
  s.conv = conv;
  s.pass = pass;
  s.traffic = d->bytes * d->per_byte * s.groups *
              (batch * s.c * pm__least(s.size, s.positions * s.rs) + s.p * s.k + s.k * s.c * s.rs);
  if (tensor) s.c = rounded(s.c, 8), s.k = rounded(s.k, 8);
  return s;
}

static double multiply_adds(const shape *s)
{
  return s->groups * s->c * s->k * s->rs * s->p;
}

static void keep(pm__cost *best, pm__cost other)
{
  if (other.time < best->time) *best = other;
}

static pm__cost implicit(const pm__device *d, const shape *s, double m, double n, double k, double factor,
                         int algorithm)
{
  bool split;
  pm__product p = {s->groups, m, n, k};
  double result = 2 * d->bytes * s->groups * m * n * d->per_byte;
  double compute = pm__tiles_time(&d->conv, &p, result, &split);
  return pm__limited(d, compute * factor, s->traffic, 2 * multiply_adds(s), algorithm);
}

static pm__cost implicit_cost(const pm__device *d, const shape *s)
{
  bool tensor = d->conv.tensor;
  double odd = s->odd ? d->k.conv_simt_odd : 1, crs = s->c * s->rs;
  if (s->pass == PM__FORWARD) return implicit(d, s, s->k, s->p, crs, odd, PM_KERNEL_ALGORITHM_IMPLICIT_GEMM);
  if (s->pass == PM__BACKWARD_WEIGHT)
    return implicit(d, s, s->k, crs, s->p, odd * (tensor ? d->k.conv_tensor_weight : d->k.conv_simt_weight),
                    PM_KERNEL_ALGORITHM_IMPLICIT_GEMM);
  double strided = s->strided ? (tensor ? d->k.conv_tensor_strided : d->k.conv_simt_strided) : 1;
  pm__cost best = implicit(d, s, s->c, s->p, s->k * s->rs, odd * strided, PM_KERNEL_ALGORITHM_IMPLICIT_GEMM);
  double column = tensor ? d->k.conv_tensor_column : d->k.conv_simt_column;
  double least = multiply_adds(s) * d->conv.multiply_add * odd * column; /* at full waves */
  if (s->rs > 1 && least < best.time)
    keep(&best, implicit(d, s, crs, s->p, s->k, odd * column, PM_KERNEL_ALGORITHM_COLUMN_GEMM));
  return best;
}

static bool is_3x3(const pm__conv *c)
{
  return c->kernel[0] == 1 && c->kernel[1] == 3 && c->kernel[2] == 3 && product_of(c->stride) == 1 &&
         product_of(c->dilation) == 1;
}

/* The gradient of data is the convolution from the outputs to the inputs. */
static void ends(const shape *s, double *from, double *to, const double **size)
{
  bool back = s->pass == PM__BACKWARD_DATA;
  *from = back ? s->k : s->c;
  *to = back ? s->c : s->k;
  *size = back ? s->conv->size : s->conv->out_size;
}

static pm__cost winograd_4x4(const pm__device *d, const shape *s)
{
  bool split;
  double from, to;
  const double *size;
  ends(s, &from, &to, &size);
  double tiles = s->n * pm__ceil(size[1] / 4) * pm__ceil(size[2] / 4);
  pm__product p = {36, to, tiles, from};
  if (s->pass == PM__BACKWARD_WEIGHT) p = (pm__product){36, s->k, s->c, tiles};
  double result = 2 * d->bytes * p.count * p.m * p.n * d->per_byte;
  double compute = pm__tiles_time(&d->gemm, &p, result, &split);
  double operands = p.count * (p.m * p.k + p.n * p.k + p.m * p.n) * d->bytes * d->per_byte;
  double moved = s->n * s->c * s->size + 36 * tiles * (s->c + s->k) + s->p * s->k + 45 * s->k * s->c;
  pm__cost cost = pm__limited(d, compute, operands, 2 * p.count * p.m * p.n * p.k, PM_KERNEL_ALGORITHM_WINOGRAD_4X4);
  cost.time += d->k.winograd_traffic * d->bytes * moved * d->per_byte + 3 * d->k.transform_time;
  return cost;
}

/* A block makes 32 channels of 32 tiles of 2 x 2 outputs. */
static pm__cost winograd_2x2(const pm__device *d, const shape *s)
{
  double from, to;
  const double *size;
  ends(s, &from, &to, &size);
  double tiles = s->n * rounded(pm__ceil(size[1] / 2), 4) * rounded(pm__ceil(size[2] / 2), 4);
  double x = pm__ceil(to / 32) * pm__ceil(tiles / 32) * d->conv.inverse_sms;
  double waves = pm__most(1, x + d->k.wave * (pm__ceil(x - 1e-9) - x));
  double compute = waves * (from + d->k.prologue) * d->winograd;
  if (s->pass == PM__BACKWARD_WEIGHT) compute *= d->k.winograd_fused_weight;
  return pm__limited(d, compute, s->traffic, 2 * multiply_adds(s) / 2.25, PM_KERNEL_ALGORITHM_WINOGRAD_2X2);
}

static pm__cost fft(const pm__device *d, const shape *s)
{
  bool split;
  double l = 1;
  for (int i = 0; i < PM__SPACE; i++) l *= s->conv->size[i] + s->conv->padding[i] + s->conv->padding_end[i];
  pm__product p = s->pass == PM__BACKWARD_WEIGHT ? (pm__product){l / 2, s->k, s->c, 4 * s->n}
                                                 : (pm__product){l / 2, s->k, s->n, 4 * s->c};
  if (s->pass == PM__BACKWARD_DATA) p.m = s->c, p.k = 4 * s->k;
  double result = 2 * d->bytes * p.count * p.m * p.n * d->per_byte;
  double compute = pm__tiles_time(&d->gemm, &p, result, &split);
  double operands = p.count * (p.m * p.k + p.n * p.k + p.m * p.n) * d->bytes * d->per_byte;
  double moved = 3 * d->k.fft_traffic * d->bytes * l * (s->n * s->c + s->n * s->k + s->k * s->c);
  pm__cost cost = pm__limited(d, compute, operands, 2 * p.count * p.m * p.n * p.k, PM_KERNEL_ALGORITHM_FFT);
  cost.time += moved * d->per_byte + 4 * d->k.transform_time;
  return cost;
}

static pm__cost direct(const pm__device *d, const shape *s)
{
  double c = s->conv->channels / s->conv->groups, k = s->conv->out_channels / s->conv->groups; /* never rounded up */
  double compute = 2 * s->groups * c * k * s->rs * s->p * d->direct;
  double time = sqrt(compute * compute + s->traffic * s->traffic);
  return (pm__cost){time, PM_KERNEL_ALGORITHM_DIRECT, compute > s->traffic ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY};
}

/* A transposed one is the gradient of data of the convolution that describes it, and the other way round. */
static pm__pass seen_from(const pm__conv *conv, pm__pass pass)
{
  if (!conv->transposed || pass == PM__BACKWARD_WEIGHT) return pass;
  return pass == PM__FORWARD ? PM__BACKWARD_DATA : PM__FORWARD;
}

pm__cost pm__conv_cost(const pm__device *d, const pm__conv *conv, pm__pass pass, double batch)
{
  shape s = shape_of(d, conv, seen_from(conv, pass), batch);
  if (s.groups > 1 && (conv->channels == s.groups || conv->out_channels == s.groups)) return direct(d, &s);
  pm__cost best = implicit_cost(d, &s);
  if (s.groups > 1) {
    keep(&best, direct(d, &s));
    return best;
  }
  if (d->conv.tensor || d->bytes > 4 || d->bytes < 2) return best; /* transforms do not fit whole numbers of a byte */
  if (is_3x3(conv)) {
    keep(&best, winograd_4x4(d, &s));
    keep(&best, winograd_2x2(d, &s));
  }
  if (s.rs >= 25 && !s.strided && product_of(conv->dilation) == 1) keep(&best, fft(d, &s));
  return best;
}
