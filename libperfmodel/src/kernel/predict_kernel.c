/* One kernel by its sizes: the same formulas that the layers of a network go through. */
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "kernel/models.h"
#include "perfmodel/kernel.h"

/* No size is larger: whole numbers up to it are exact. */
static const double MOST = 1e15;

/* Arithmetic [FLOP] and elements moved, at least, and whether the arithmetic is matrix products. */
typedef struct amount {
  double flop, elements;
  bool matrix;
} amount;

static bool is_conv(int operation)
{
  return operation >= PM_OPERATOR_CONV_FORWARD && operation <= PM_OPERATOR_CONV_BACKWARD_WEIGHT;
}

static bool is_rnn(int operation)
{
  return operation >= PM_OPERATOR_RNN_FORWARD && operation <= PM_OPERATOR_RNN_BACKWARD_WEIGHT;
}

static pm__pass pass_of(int operation)
{
  if (operation == PM_OPERATOR_CONV_BACKWARD_DATA || operation == PM_OPERATOR_RNN_BACKWARD_DATA)
    return PM__BACKWARD_DATA;
  if (operation == PM_OPERATOR_CONV_BACKWARD_WEIGHT || operation == PM_OPERATOR_RNN_BACKWARD_WEIGHT)
    return PM__BACKWARD_WEIGHT;
  return PM__FORWARD;
}

static double outputs(double size, double kernel, double padding, double stride)
{
  return pm__floor((size + 2 * padding - kernel) / stride) + 1;
}

static pm__conv conv_of(const pm_kernel *k)
{
  pm__conv c = {k->channels,
                k->out_channels,
                k->groups,
                {1, k->height, k->width},
                {1, outputs(k->height, k->kernel_height, k->padding_height, k->stride_height),
                 outputs(k->width, k->kernel_width, k->padding_width, k->stride_width)},
                {1, k->kernel_height, k->kernel_width},
                {1, k->stride_height, k->stride_width},
                {0, k->padding_height, k->padding_width},
                {0, k->padding_height, k->padding_width},
                {1, 1, 1},
                false};
  return c;
}

static amount conv_amount(const pm_kernel *k, const pm__conv *c)
{
  double window = k->kernel_height * k->kernel_width * k->channels / k->groups;
  double positions = c->out_size[1] * c->out_size[2];
  double tensors = k->n * (k->channels * k->height * k->width + k->out_channels * positions);
  return (amount){2 * k->n * k->out_channels * positions * window, tensors + k->out_channels * window, true};
}

/* `conv`: of a convolution, else not there. */
static amount amount_of(const pm_kernel *k, const pm__conv *conv)
{
  double gates = k->count * k->m;
  if (is_conv(k->operation)) return conv_amount(k, conv);
  if (is_rnn(k->operation))
    return (amount){2 * gates * k->m * k->n * k->k, k->k * (gates * k->m + (gates + k->m) * k->n), true};
  switch (k->operation) {
  case PM_OPERATOR_GEMM:
    return (amount){2 * k->count * k->m * k->n * k->k, k->count * (k->m * k->k + k->n * k->k + k->m * k->n), true};
  case PM_OPERATOR_ELEMENTWISE: return (amount){k->m, k->count * k->m, false};
  case PM_OPERATOR_LAYER_NORM: return (amount){7 * k->m * k->n, 2 * k->m * k->n, false};
  default: return (amount){5 * k->m * k->n, 2 * k->m * k->n, false};
  }
}

static pm__cost cost_of(const pm__device *d, const pm_kernel *k, const pm__conv *conv, const amount *a)
{
  double bytes = d->bytes * a->elements, numbers = d->bytes * k->m * k->n;
  pm__product product = {k->count, k->m, k->n, k->k};
  if (is_rnn(k->operation)) return pm__rnn_cost(d, k->count, k->m, k->n, k->k, pass_of(k->operation));
  if (is_conv(k->operation)) return pm__conv_cost(d, conv, pass_of(k->operation), k->n);
  switch (k->operation) {
  case PM_OPERATOR_GEMM: return k->tn ? pm__gemm_tn_cost(d, &product) : pm__gemm_cost(d, &product);
  case PM_OPERATOR_LAYER_NORM: return pm__stream_cost(d, a->flop, bytes + numbers * pm__norm_reads(d, k->n));
  case PM_OPERATOR_SOFTMAX: return pm__stream_cost(d, a->flop, bytes + numbers * pm__softmax_reads(d, k->n));
  default: return pm__stream_cost(d, a->flop, bytes);
  }
}

static int positive(const char *name, double value, double least, pm_error *error)
{
  if (value >= least && value <= MOST) return PM_OK;
  return pm__fail(error, PM_BAD_ARGUMENT, "%s %g of a kernel is not at least %g", name, value, least);
}

/* The quick answer; check_conv says what is wrong. */
static bool is_good_conv(const pm_kernel *k)
{
  const double sizes[] = {k->n, k->channels, k->out_channels, k->groups, k->height, k->width,
                          k->kernel_height, k->kernel_width, k->stride_height, k->stride_width};
  bool good = k->padding_height >= 0 && k->padding_width >= 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) good = good && sizes[i] >= 1 && sizes[i] <= MOST;
  return good && k->padding_height <= MOST && k->padding_width <= MOST &&
         k->kernel_height <= k->height + 2 * k->padding_height && k->kernel_width <= k->width + 2 * k->padding_width;
}

static int check_conv(const pm_kernel *k, pm_error *error)
{
  const struct {
    const char *name;
    double value, least;
  } sizes[] = {{"n", k->n, 1}, {"channels", k->channels, 1}, {"out_channels", k->out_channels, 1},
               {"groups", k->groups, 1},
               {"height", k->height, 1}, {"width", k->width, 1}, {"kernel_height", k->kernel_height, 1},
               {"kernel_width", k->kernel_width, 1}, {"padding_height", k->padding_height, 0},
               {"padding_width", k->padding_width, 0}, {"stride_height", k->stride_height, 1},
               {"stride_width", k->stride_width, 1}};
  int status = PM_OK;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == PM_OK; i++)
    status = positive(sizes[i].name, sizes[i].value, sizes[i].least, error);
  if (status != PM_OK) return status;
  if (k->kernel_height <= k->height + 2 * k->padding_height && k->kernel_width <= k->width + 2 * k->padding_width)
    return PM_OK;
  return pm__fail(error, PM_BAD_ARGUMENT, "a window of %g x %g does not fit", k->kernel_height, k->kernel_width);
}

static int check(const pm_kernel *k, pm_error *error)
{
  if (k->operation < 0 || k->operation >= PM_OPERATOR_COUNT)
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no operator %d", k->operation);
  if (isnan(pm_precision_bytes(k->precision)))
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no precision %d", k->precision);
  if (is_conv(k->operation)) return is_good_conv(k) ? PM_OK : check_conv(k, error);
  bool rows = k->operation == PM_OPERATOR_LAYER_NORM || k->operation == PM_OPERATOR_SOFTMAX;
  bool element = k->operation == PM_OPERATOR_ELEMENTWISE;
  int status = positive("m", k->m, 1, error);
  if (status == PM_OK && !rows) status = positive("count", k->count, 1, error);
  if (status == PM_OK && !element) status = positive("n", k->n, 1, error);
  return status != PM_OK || element || rows ? status : positive("k", k->k, 1, error);
}

static void fill(const pm__device *d, const pm_kernel *k, pm_kernel_time *t)
{
  pm__conv conv;
  if (is_conv(k->operation)) conv = conv_of(k);
  amount a = amount_of(k, &conv);
  t->flop = a.flop;
  t->bytes = d->bytes * a.elements;
  t->peak = a.matrix ? d->matrix_peak : d->vector_peak;
  t->intensity = t->flop / t->bytes;
  t->attainable = pm_roofline_attainable(t->intensity, t->peak, d->bandwidth);
  t->roofline_time = pm_roofline_time(t->flop, t->bytes, t->peak, d->bandwidth);
  pm__cost cost = {t->roofline_time, PM_KERNEL_ALGORITHM_ROOFLINE,
                   pm_roofline_bound(t->flop, t->bytes, t->peak, d->bandwidth)};
  if (d->calibrated) cost = cost_of(d, k, &conv, &a);
  t->time = cost.time;
  t->algorithm = cost.algorithm;
  t->bound = cost.bound;
  t->achieved = t->flop / t->time;
}

/* A GPU at the precisions that were asked for. */
typedef struct asked {
  const pm_gpu *gpu;
  const pm_kernel_calibration *calibration;
  bool ready[PM_PRECISION_COUNT];
  pm__device device[PM_PRECISION_COUNT];
} asked;

static const pm__device *device_of(asked *of, int precision)
{
  pm__device *device = &of->device[precision];
  if (!of->ready[precision]) pm__device_init(device, of->gpu, of->calibration, precision);
  of->ready[precision] = true;
  return device;
}

static int predict(asked *of, const pm_kernel *k, pm_kernel_time *t, pm_error *error)
{
  int status = check(k, error);
  const pm__device *device = status == PM_OK ? device_of(of, k->precision) : NULL;
  if (status == PM_OK && !device->usable)
    status = pm__fail(error, PM_NO_PRECISION, "gpu \"%s\" has no rate for this precision", of->gpu->id);
  if (status == PM_OK) fill(device, k, t);
  else pm_record_init(pm_record_type_find("kernel_time"), t);
  return status;
}

int pm_kernel_predict(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_kernel *kernels,
                      pm_kernel_time *times, size_t count, pm_error *error)
{
  asked of;
  if (gpu == NULL || (count > 0 && (kernels == NULL || times == NULL)))
    return pm__fail(error, PM_BAD_ARGUMENT, "kernel times need a gpu, kernels and a place");
  int first = pm_gpu_check(gpu, error);
  if (first == PM_OK && calibration != NULL) first = pm_kernel_calibration_check(calibration, error);
  if (first != PM_OK) return first;
  of.gpu = gpu;
  of.calibration = calibration;
  for (int i = 0; i < PM_PRECISION_COUNT; i++) of.ready[i] = false;
  for (size_t i = 0; i < count; i++) {
    int status = predict(&of, &kernels[i], &times[i], first == PM_OK ? error : NULL);
    if (first == PM_OK) first = status;
  }
  return first;
}
