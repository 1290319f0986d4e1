/* The time of a step or call in classes of work: the basis of the whole, and its uncertainty. */
#ifndef PM_KERNEL_WORK_H
#define PM_KERNEL_WORK_H

#include "hardware/spread.h"
#include "kernel/device.h"

/* A class of work of a step or call: its time, its spread, and its basis. */
typedef struct pm__kernel_work {
  double time, spread;
  int32_t status;
} pm__kernel_work;

/* The worst of those that take a tenth of the whole. */
static inline int32_t pm__kernel_work_status(const pm__kernel_work *work, int count, double whole)
{
  int32_t status = PM_CALIBRATION_STATUS_CALIBRATED;
  for (int i = 0; i < count; i++)
    if (work[i].time >= 0.1 * whole) status = pm__worse_status(status, work[i].status);
  return status;
}

/* What they add to the variance, each in proportion to its share: the sum, and each in squares[count]. */
static inline double pm__kernel_work_variance(const pm__kernel_work *work, int count, double whole, double extrapolated,
                                       double not_calibrated, double *squares)
{
  double variance = 0;
  for (int i = 0; i < count; i++) {
    double spread = work[i].spread * pm__spread_factor(work[i].status, extrapolated, not_calibrated);
    squares[i] = pm__spread_square(spread * work[i].time / whole);
    variance += squares[i];
  }
  return variance;
}

#endif
