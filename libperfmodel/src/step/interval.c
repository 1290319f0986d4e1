/*
** What a prediction rests on, and its interval of 80 %.
**
** The time of a step is split into classes of work: convolutions, other products, memory-bound kernels, what host and
** stragglers add, communication, offloading. Each has a status of its own: that of the GPU's kernels, of the software
** on such a GPU, of the links; offloading, for which there are no rows, none. The status of the step is the worst of
** those classes that take a tenth of it; software without a row on such a GPU, and a batch or GPUs beyond those of
** the rows, make it extrapolated at best; libraries that do not run there leave it not calibrated.
**
** Measured over predicted is taken as log-normal, and spreads add in squares: that of any rate, of the kind of
** network, of each class in proportion to its share, each times the factor of its status; and, in proportion to the
** logarithm of how far the run is outside, of batch and GPUs. Without a framework a prediction is a bound, and has no
** interval. Plans of several kinds of parallelism, of sharding and of recomputation are in none of the rows that
** frameworks were fitted to.
*/
#include <math.h>
#include "kernel/models.h"
#include "kernel/work.h"
#include "step/step.h"

enum { CONVOLUTION, PRODUCT, PASS, HOST, COMMUNICATION, OFFLOADING, CLASSES };

/* Logarithm of how far a value is outside; what is not known has no range. */
static double outside(double value, double least, double most)
{
  if (value < least) return log(least / value);
  return value > most ? log(value / most) : 0;
}

/* Rows of a software count where it runs; without a framework there is none. */
static pm__plan_rows rows_of(const pm__schedule *s)
{
  static const pm__plan_rows none = {PM_CALIBRATION_STATUS_CALIBRATED, PM_CALIBRATION_STATUS_CALIBRATED,
                                     PM_CALIBRATION_STATUS_CALIBRATED, true};
  return s->framework != NULL ? s->framework->rows[s->run->system_index] : none;
}

static int32_t links_status(const pm__schedule *s)
{
  bool known = s->ranks <= 1 || pm__exchange_calibrated(&s->group);
  return known ? PM_CALIBRATION_STATUS_CALIBRATED : PM_CALIBRATION_STATUS_NOT_CALIBRATED;
}

/* Gradients of groups in a layout that the library has few kernels for rest on rows of their own. */
static int32_t convolutions_status(const pm__schedule *s, const pm__plan_rows *rows)
{
  int32_t status = pm__worse_status(s->device->status[PM__CONVOLUTIONS], rows->convolutions);
  bool groups = s->device->group_gradient > 0 && (s->network->kinds & PM__KIND_GROUPS) != 0;
  return groups ? pm__worse_status(status, rows->groups) : status;
}

/* The spread of a class of kernels. The factor of what is not calibrated is fitted to rows left out, of GPUs whose
** neighbours have kernels. Where those have none either, as of AMD, it is at least that of single kernels. */
static double kernels_spread(const pm__device *d, pm__operator_class kind, double spread, double not_calibrated)
{
  double least = d->k.spread_not_calibrated, factor = pm__most(not_calibrated, 1e-300);
  return d->status[kind] == PM_CALIBRATION_STATUS_NOT_CALIBRATED && least > factor ? spread * least / factor : spread;
}

/* Kernels in the proportion in which one GPU alone would take them. */
static void split(const pm__schedule *s, const pm__part *all, const pm_prediction *p, pm__kernel_work *work)
{
  pm__plan_rows rows = rows_of(s);
  static const pm_prediction_interval none = {.rate = NAN};
  const pm_prediction_interval *i = s->framework != NULL ? &s->framework->profile.interval : &none;
  const pm__device *d = s->device;
  double conv = s->factor * all->conv, product = all->product, pass = s->framework_kernel * all->framework + all->other;
  double each = p->compute_time / pm__most(conv + product + pass, 1e-300);
  double products = kernels_spread(d, PM__PRODUCTS, i->product, i->not_calibrated);
  double passes = kernels_spread(d, PM__PASSES_OVER_MEMORY, i->passes, i->not_calibrated);
  work[CONVOLUTION] = (pm__kernel_work){conv * each, i->convolution, convolutions_status(s, &rows)};
  work[PRODUCT] = (pm__kernel_work){product * each, products, d->status[PM__PRODUCTS]};
  work[PASS] = (pm__kernel_work){pass * each, passes, d->status[PM__PASSES_OVER_MEMORY]};
  work[HOST] = (pm__kernel_work){p->launch_overhead_time + p->straggler_wait_time, i->host, rows.host};
  work[COMMUNICATION] = (pm__kernel_work){p->exposed_communication_time, i->communication, links_status(s)};
  work[OFFLOADING] = (pm__kernel_work){p->offload_time, i->communication, PM_CALIBRATION_STATUS_NOT_CALIBRATED};
}

static int32_t status_of(const pm__kernel_work *work, const pm__schedule *s, double beyond, double step)
{
  int32_t status = pm__kernel_work_status(work, CLASSES, step);
  pm__plan_rows rows = rows_of(s);
  if (!rows.runs) return PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  bool own = rows.host == PM_CALIBRATION_STATUS_CALIBRATED && beyond == 0;
  return own ? status : pm__worse_status(status, PM_CALIBRATION_STATUS_EXTRAPOLATED);
}

const char *const pm__step_spread_names[PM__STEP_SPREADS] = {
  "any rate", "this kind of network", "batch outside of the rows", "GPUs outside of the rows",
  "convolutions", "matrix multiplications", "memory-bound kernels", "host and stragglers", "exposed communication",
  "offloading"};

_Static_assert(PM__STEP_SPREADS == 4 + CLASSES, "a name for each");

double pm__step_set_interval(const pm__step *p, const pm__part *part, pm_prediction *out,
                             double squares[PM__STEP_SPREADS])
{
  const pm__schedule *s = &p->s;
  pm__kernel_work work[CLASSES];
  const pm_framework *f = s->framework != NULL ? &s->framework->profile.framework : NULL;
  double batch = f != NULL ? outside(s->batch, f->min_batch, f->max_batch) : 0;
  double gpus = f != NULL ? outside(s->ranks, 1, f->max_gpus) : 0;
  split(s, part, out, work);
  out->calibration = status_of(work, s, batch + gpus + pm__step_planned(p), out->step_time);
  out->throughput_p10 = out->throughput_p90 = NAN;
  if (f == NULL) return 0;
  const pm_prediction_interval *i = &s->framework->profile.interval;
  double word = pm__spread_factor(out->calibration, i->extrapolated, i->not_calibrated);
  squares[0] = pm__spread_square(i->rate * word);
  squares[1] = pm__spread_square(pm__plan_kinds_spread(s->network->kinds, i) * word);
  squares[2] = pm__spread_square(i->batch * batch);
  squares[3] = pm__spread_square(i->gpus * gpus);
  double variance = squares[0] + squares[1] + squares[2] + squares[3] +
                    pm__kernel_work_variance(work, CLASSES, out->step_time, i->extrapolated, i->not_calibrated,
                                             squares + 4);
  if (!(variance > 0)) return 0;
  double spread = pm__interval_log(variance), factor = exp(spread);
  out->throughput_p10 = out->throughput / factor;
  out->throughput_p90 = out->throughput * factor;
  return spread;
}
