/* What a board draws whose times are known: the law of energy.c over kernels and waiting. */
#include <math.h>
#include "base/base.h"
#include "kernel/device.h"
#include "perfmodel/kernel.h"

static int check_value(const char *name, double value, double most, pm_error *error)
{
  if (isnan(value) || (value >= 0 && value <= most)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g of a board is not from 0 to %g", name, value, most);
}

static int check(const pm_board_load *load, pm_error *error)
{
  int status = check_value("busy", load->busy, 1, error);
  if (status == PM_OK) status = check_value("flop_rate", load->flop_rate, 1e18, error);
  return status == PM_OK ? check_value("drawn", load->drawn, 1e6, error) : status;
}

/* The share of the time in which kernels run that draws so much, where these draw what the law says. */
static double busy_of(const pm__kernel_board *p, const pm_board_load *load)
{
  if (!isnan(load->busy) || isnan(load->drawn)) return pm__or(load->busy, 1);
  return fmin(1, fmax(0, (load->drawn - p->idle) / (p->run - p->idle)));
}

/* Of kernels, under the board's own limit. */
static double running_of(const pm__kernel_board *p, const pm_board_load *load, double busy)
{
  if (!(busy > 0)) return p->run;
  if (isnan(load->drawn)) return fmin(p->top, p->run + p->energy * pm__or(load->flop_rate, 0) / busy);
  return fmin(p->top, fmax((load->drawn - (1 - busy) * p->idle) / busy, p->idle));
}

int pm_board_predict(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm_board_load *load,
                     pm_board_draw *draw, pm_error *error)
{
  pm__device device;
  pm__kernel_board *p = &device.power;
  if (draw != NULL) *draw = (pm_board_draw){PM_ORIGIN_NONE, NAN, NAN, NAN, NAN};
  if (gpu == NULL || load == NULL || draw == NULL || load->precision < 0 || load->precision >= PM_PRECISION_COUNT)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the power of a board needs a gpu, a load and a place");
  int status = check(load, error);
  if (status != PM_OK) return status;
  pm__device_init(&device, gpu, calibration, load->precision);
  status = pm__power_check_limit(p, gpu, load->limit, error);
  if (status != PM_OK || !p->known) return status;
  double busy = busy_of(p, load), running = running_of(p, load, busy);
  if (!isnan(load->limit)) pm__power_set_limit(p, load->limit);
  pm__kernel_draw at = p->limited ? pm__power_at_limit(p, running) : (pm__kernel_draw){running, 1};
  draw->basis = p->basis;
  draw->slowdown = busy * at.slow + 1 - busy;
  draw->power = (busy * at.slow * at.power + (1 - busy) * fmin(p->idle, at.power)) / draw->slowdown;
  draw->p10 = draw->power * exp(-p->band);
  draw->p90 = draw->power * exp(p->band);
  return PM_OK;
}
