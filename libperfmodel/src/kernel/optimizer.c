/*
** The optimizer update, element-wise over the parameters.
**
** SGD with momentum reads gradient, weight and momentum and writes weight and momentum: 5 accesses in FP32 (FP64: in
** FP64). Storage of 2 bytes adds the master copy's conversions: gradient read at 2 and written at 4 bytes, weight read
** at 4 and written at 2, another 12 bytes. 4 FLOP per parameter.
*/
#include "kernel/kernel.h"
#include "kernel/models.h"

double pm__update_bytes(double accesses, int precision)
{
  double copies = pm_precision_get_bytes(precision) < 4 ? 12 : 0;
  return precision == PM_PRECISION_FP64 ? 8 * accesses : 4 * accesses + copies;
}

double pm__update_time_of(double parameters, double accesses, const pm__device *device, int precision)
{
  double bytes = pm__update_bytes(accesses, precision);
  if (!(parameters > 0) || !(accesses > 0)) return 0;
  return pm__most(4 * parameters / device->vector_peak, bytes * parameters * device->per_byte);
}

double pm__update_time(double parameters, const pm__device *device, int precision)
{
  return pm__update_time_of(parameters, 5, device, precision);
}
