/* One kernel by its sizes: the same formulas that the layers of a network go through. */
#include <math.h>
#include <string.h>
#include "hardware/system.h"
#include "record/sized.h"
#include "base/base.h"
#include "kernel/kernel.h"
#include "kernel/operators.h"
#include "kernel/work.h"
#include "perfmodel/kernel.h"

/* No size is larger: whole numbers up to it are exact. */
static const double MOST = 1e15;

static int positive(const char *name, double value, double least, pm_error *error)
{
  if (value >= least && value <= MOST) return PM_OK;
  if (isnan(value)) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s of a kernel is missing (nan)", name);
  if (value > MOST)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g of a kernel is more than %g, the most that is modelled", name,
                    value, MOST);
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g of a kernel is not at least %g", name, value, least);
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
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a window of %g x %g does not fit", k->kernel_height, k->kernel_width);
}

/* Of attention, where they are given. */
static int check_keys(const pm_kernel *k, pm_error *error)
{
  if (k->kv_count > k->count || k->kv_count < 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "kv_count %g of a kernel is not 1 to its %g heads", k->kv_count,
                    k->count);
  if (k->kv_bytes > 8 || k->kv_bytes < 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "kv_bytes %g of a kernel is not a valid size", k->kv_bytes);
  if (k->window < 0 || (k->window > 0 && k->window < 1))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "window %g of a kernel is not a number of keys", k->window);
  if (k->value_size < 0 || (k->value_size > 0 && k->value_size < 1))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "value_size %g of a kernel is not a number of features",
                    k->value_size);
  return PM_OK;
}

static int check_operand(const pm_kernel *k, pm_error *error)
{
  if (k->operand_bytes > 8 || k->operand_bytes < 0)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "operand_bytes %g of a kernel is not a valid size",
                    k->operand_bytes);
  return PM_OK;
}

static int check_update(const pm_kernel *k, pm_error *error)
{
  if (pm_optimizer_get(k->optimizer) != NULL) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no optimizer %d", k->optimizer);
}

static int check_size(const pm_kernel *k, char letter, pm_error *error)
{
  switch (letter) {
  case 'c': return positive("count", k->count, 1, error);
  case 'm': return positive("m", k->m, 1, error);
  case 'n': return positive("n", k->n, 1, error);
  case 'h': return check_keys(k, error);
  case 'o': return check_operand(k, error);
  case 'u': return check_update(k, error);
  case 'l': return positive("link_bandwidth", k->link_bandwidth, 1, error);
  default: return positive("k", k->k, 1, error);
  }
}

static int check(const pm_kernel *k, pm_error *error)
{
  if (k->operation < 0 || k->operation >= PM_OPERATOR_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no operator %d", k->operation);
  if (isnan(pm_precision_get_bytes(k->precision)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", k->precision);
  const char *sizes = pm__operator_of(k->operation)->sizes;
  if (sizes[0] == 'w') return is_good_conv(k) ? PM_OK : check_conv(k, error);
  int status = PM_OK;
  for (; *sizes != '\0' && status == PM_OK; sizes++) status = check_size(k, *sizes, error);
  return status;
}

static double spread_of(const pm_kernel_calibration *c, pm__operator_class kind)
{
  const double spreads[PM__OPERATOR_CLASSES] = {
    [PM__PRODUCTS] = c->product_spread,         [PM__CONVOLUTIONS] = c->convolution_spread,
    [PM__RECURRENT] = c->recurrent_spread,      [PM__FUSED_ATTENTION] = c->attention_spread,
    [PM__PASSES_OVER_MEMORY] = c->pass_spread,
  };
  return spreads[kind];
}

static void fill_interval(const pm__device *d, pm__operator_class kind, pm_kernel_time *t)
{
  t->calibration = d->status[kind];
  t->time_p10 = t->time_p90 = NAN;
  double spread = d->calibrated ? spread_of(&d->k, kind) : 0;
  if (!(spread > 0)) return;
  spread *= pm__spread_factor(t->calibration, d->k.spread_extrapolated, d->k.spread_not_calibrated);
  double factor = pm__interval_factor(pm__spread_square(spread));
  t->time_p10 = t->time / factor;
  t->time_p90 = t->time * factor;
}

static void fill(const pm__device *d, const pm__kernel_board *power, const pm_kernel *k, pm_kernel_time *t)
{
  const pm__operator *op = pm__operator_of(k->operation);
  pm__amount a = op->amount(k);
  double bandwidth = k->operation == PM_OPERATOR_COPY ? k->link_bandwidth : d->bandwidth;
  t->flop = a.flop;
  t->bytes = d->bytes * a.elements;
  t->peak = a.matrix ? d->matrix_peak : d->vector_peak;
  t->intensity = t->flop / t->bytes;
  t->attainable = pm__roofline_get_attainable(t->intensity, t->peak, bandwidth);
  t->roofline_time = pm__roofline_get_time(t->flop, t->bytes, t->peak, bandwidth);
  pm__kernel_cost cost = {t->roofline_time, PM_KERNEL_ALGORITHM_ROOFLINE,
                   pm__roofline_get_bound(t->flop, t->bytes, t->peak, bandwidth)};
  if (d->calibrated) cost = op->cost(d, k, &a);
  pm__kernel_powered powered = pm__powered(power, cost, t->flop, a.matrix);
  t->time = powered.time;
  t->energy = power->drawn * powered.time + powered.extra;
  t->power = t->energy / powered.time;
  t->energy_basis = power->basis;
  t->algorithm = cost.algorithm;
  t->bound = cost.bound;
  t->achieved = t->flop / t->time;
  t->memory_bandwidth = bandwidth;
  t->l2_bandwidth = d->l2_rate;
  t->power_rate = d->power_rate;
  fill_interval(d, op->rows_of, t);
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

/* FP32 with convolutions in TF32 is one or the other of a single kernel. */
static int precision_of(const pm_kernel *k)
{
  bool convolution = pm__operator_of(k->operation)->rows_of == PM__CONVOLUTIONS;
  if (k->precision != PM_PRECISION_TF32_CONV) return k->precision;
  return convolution ? PM_PRECISION_TF32 : PM_PRECISION_FP32;
}

/* The board under a limit; 0 is none, as in every other field. */
static int limit(const pm__device *device, const pm_gpu *gpu, double limit, pm__kernel_board *power, pm_error *error)
{
  *power = device->power;
  if (limit == 0 || isnan(limit)) return PM_OK;
  int status = pm__power_check_limit(power, gpu, limit, error);
  if (status == PM_OK) pm__power_set_limit(power, limit);
  return status;
}

static int predict(asked *of, const pm_kernel *k, pm_kernel_time *t, pm_error *error)
{
  memset(t, 0, sizeof *t);
  int status = check(k, error);
  const pm__device *device = status == PM_OK ? device_of(of, precision_of(k)) : NULL;
  if (status == PM_OK && !device->usable)
    status = pm__kernel_refuse_precision(of->gpu, k->precision, error);
  pm__kernel_board power;
  if (status == PM_OK) status = limit(device, of->gpu, k->power_limit, &power, error);
  if (status == PM_OK) fill(device, &power, k, t);
  else pm_record_clear(pm_record_type_find("kernel_time"), t);
  return status;
}

/* All on one GPU; the first error. */
typedef struct timing {
  asked *of;
  pm_error *error;
} timing;

static int predict_all(const void *context, const void *kernels, void *times, size_t count)
{
  const timing *how = (const timing *)context;
  int first = PM_OK;
  for (size_t i = 0; i < count; i++) {
    pm_error *error = first == PM_OK ? how->error : NULL;
    int status = predict(how->of, (const pm_kernel *)kernels + i, (pm_kernel_time *)times + i, error);
    if (first == PM_OK) first = status;
  }
  return first;
}

int pm_kernel_predict_sized(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_kernel *kernels,
                            size_t kernel_size, pm_kernel_time *times, size_t time_size, size_t count,
                            pm_error *error)
{
  asked of;
  if (gpu == NULL || (count > 0 && (kernels == NULL || times == NULL)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "kernel times need a gpu, kernels and a place");
  int first = pm__gpu_check(gpu, error);
  if (first == PM_OK && calibration != NULL) first = pm_kernel_calibration_check(calibration, error);
  if (first != PM_OK) return first;
  of.gpu = gpu;
  of.calibration = calibration;
  for (int i = 0; i < PM_PRECISION_COUNT; i++) of.ready[i] = false;
  timing how = {&of, error};
  if (kernel_size == sizeof *kernels && time_size == sizeof *times) return predict_all(&how, kernels, times, count);
  if (pm__record_size_check("kernel", kernel_size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("kernel_time", time_size, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  return pm__record_each(predict_all, &how, (pm__record_array){"kernel", kernels, kernel_size},
                        (pm__record_array){"kernel_time", times, time_size}, count);
}
