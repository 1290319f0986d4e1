/* The plain roofline: Williams, Waterman, Patterson, CACM 52(4), 2009. */
#include "kernel/kernel.h"
#include "perfmodel/kernel.h"

double pm__roofline_get_time(double flop, double bytes, double peak, double bandwidth)
{
  double compute = flop / peak, memory = bytes / bandwidth;
  return compute > memory ? compute : memory;
}

pm_bound pm__roofline_get_bound(double flop, double bytes, double peak, double bandwidth)
{
  if (!(flop > 0) && !(bytes > 0)) return PM_BOUND_NONE;
  return flop / peak > bytes / bandwidth ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY_BANDWIDTH;
}

double pm__roofline_get_attainable(double intensity, double peak, double bandwidth)
{
  double limited = intensity * bandwidth;
  return limited < peak ? limited : peak;
}
