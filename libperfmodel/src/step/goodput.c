/*
** Failures and checkpoints. With M the mean time between failures, C what a checkpoint takes, R what a restart takes:
**
**     Young  tau = sqrt(2 C M)
**     Daly   tau = sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + C / 18M) - C        C < 2 M, else M
**     goodput = tau / (M e^(R/M) (e^((tau + C)/M) - 1))
*/
#include <math.h>
#include "base/base.h"
#include "perfmodel/predict.h"

static int check(const char *name, double value, bool zero, pm_error *error)
{
  if (isfinite(value) && (value > 0 || (zero && value == 0))) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g s is not %s", name, value, zero ? "at least 0" : "above 0");
}

static double daly(double c, double m)
{
  if (c >= 2 * m) return m;
  double ratio = c / (2 * m);
  return sqrt(2 * c * m) * (1 + sqrt(ratio) / 3 + ratio / 9) - c;
}

int pm_goodput_evaluate(pm_goodput *g, pm_error *error)
{
  if (g == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "goodput needs a record");
  int status = check("mtbf", g->mtbf, false, error);
  if (status == PM_OK) status = check("checkpoint", g->checkpoint, false, error);
  if (status == PM_OK) status = check("restart", g->restart, true, error);
  if (status == PM_OK && !isnan(g->interval)) status = check("interval", g->interval, false, error);
  if (status != PM_OK) return status;
  double m = g->mtbf;
  g->young = sqrt(2 * g->checkpoint * m);
  if (isnan(g->interval)) g->interval = daly(g->checkpoint, m);
  g->goodput = g->interval / (m * exp(g->restart / m) * expm1((g->interval + g->checkpoint) / m));
  return PM_OK;
}
