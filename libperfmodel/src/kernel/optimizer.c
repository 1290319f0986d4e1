/*
** The optimizer update, element-wise over the parameters.
**
** The optimizer's descriptor states its accesses in FP32 (FP64: in FP64); where embeddings keep another state than
** other parameters, the difference is read and written. Storage of 2 bytes adds the master copy's conversions: gradient
** read at 2 and written at 4 bytes, weight read at 4 and written at 2, another 12 bytes; tables, whose rows are looked
** up and not multiplied, have no second copy. 4 FLOP per parameter.
*/
#include "kernel/kernel.h"
#include "kernel/models.h"

/* Of a parameter with a second copy in the precision of the run. */
static double copy_bytes(int precision)
{
  return pm_precision_get_bytes(precision) < 4 ? 12 : 0;
}

double pm__update_bytes(double accesses, int precision)
{
  return precision == PM_PRECISION_FP64 ? 8 * accesses : 4 * accesses + copy_bytes(precision);
}

double pm__update_time(double parameters, double tables, const pm_optimizer *optimizer, const pm__device *device,
                       int precision)
{
  double embedding = 2 * (optimizer->embedding_state - optimizer->state);
  double bytes = pm__update_bytes(optimizer->accesses, precision) * parameters -
                 (copy_bytes(precision) - embedding) * tables;
  if (!(parameters > 0) || !(optimizer->accesses > 0)) return 0;
  return device->power.slow * pm__most(4 * parameters / device->vector_peak, bytes * device->per_byte);
}
