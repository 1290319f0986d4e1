/* Constants of kernels: what makes them usable. */
#include <math.h>
#include "base/base.h"
#include "perfmodel/hardware.h"

static int check(const char *id, const char *what, double value, double most, pm_error *error)
{
  if (value > 0 && value <= most) return PM_OK;
  return pm__fail(error, PM_BAD_VALUE, "kernel calibration \"%s\": %s %g is not above 0 and at most %g", id, what,
                  value, most);
}

/* GeForce boards boost above the clock on their datasheet, so an efficiency may be a little above 1. */
static const double EFFICIENCY_MOST = 1.25, THREADS_MOST = 1e5;

static int check_simt(const pm_kernel_calibration *c, pm_error *error)
{
  if (c->simt_basis == PM_ORIGIN_NONE)
    return pm__fail(error, PM_BAD_VALUE, "kernel calibration \"%s\" does not say what it rests on (simt_basis)", c->id);
  int status = check(c->id, "simt_efficiency", c->simt_efficiency, EFFICIENCY_MOST, error);
  if (status == PM_OK) status = check(c->id, "simt_latency_threads", c->simt_latency_threads, THREADS_MOST, error);
  if (status == PM_OK) status = check(c->id, "simt_split_threads", c->simt_split_threads, THREADS_MOST, error);
  return status == PM_OK ? check(c->id, "simt_energy", c->simt_energy, 1e-6, error) : status;
}

static int check_tensor(const pm_kernel_calibration *c, pm_error *error)
{
  if (c->tensor_basis == PM_ORIGIN_NONE) return PM_OK;
  int status = check(c->id, "tensor_efficiency", c->tensor_efficiency, EFFICIENCY_MOST, error);
  if (status == PM_OK) status = check(c->id, "tensor_latency_threads", c->tensor_latency_threads, THREADS_MOST, error);
  if (status == PM_OK) status = check(c->id, "tensor_split_threads", c->tensor_split_threads, THREADS_MOST, error);
  return status == PM_OK ? check(c->id, "tensor_energy", c->tensor_energy, 1e-6, error) : status;
}

int pm_kernel_calibration_check(const pm_kernel_calibration *c, pm_error *error)
{
  if (c == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "no kernel calibration");
  int status = check_simt(c, error);
  if (status == PM_OK) status = check_tensor(c, error);
  if (status == PM_OK) status = check(c->id, "hbm_efficiency", c->hbm_efficiency, 1, error);
  if (status == PM_OK) status = check(c->id, "gddr_efficiency", c->gddr_efficiency, 1, error);
  if (status == PM_OK) status = check(c->id, "threads", c->threads, THREADS_MOST, error);
  if (status == PM_OK && !(c->launch >= 0 && c->launch < 1))
    return pm__fail(error, PM_BAD_VALUE, "kernel calibration \"%s\": launch %g is no time", c->id, c->launch);
  return status;
}
