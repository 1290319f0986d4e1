/*
** The band: where eight of ten measured rates lie around a prediction, from the residuals of the calibrations.
**
** Measured over predicted is taken as log-normal. Spreads add in squares: that of the framework's evidence, of kernel
** constants by rule or none at all, of links at line rate, and, in proportion to the logarithm of how far the run is
** outside, of batch and GPUs beyond those of the rows that the constants were fitted on. Without a framework a
** prediction is a bound, and has no band.
*/
#include <math.h>
#include "kernel/spread.h"
#include "step/step.h"

/* Logarithm of how far a value is outside; what is not known has no range. */
static double outside(double value, double least, double most)
{
  if (value < least) return log(least / value);
  return value > most ? log(value / most) : 0;
}

static double spread_of(const pm_band *band, int32_t evidence)
{
  if (evidence == PM_EVIDENCE_FITTED) return band->fitted;
  return evidence == PM_EVIDENCE_DOCUMENTS ? band->documents : band->uncalibrated;
}

static double hardware_variance(const pm__schedule *s, const pm_band *band)
{
  double variance = pm__device_variance(s->device, band->kernel_rule, band->roofline);
  if (s->ranks > 1 && !pm__exchange_calibrated(&s->group))
    variance += pm__spread_square(band->line_rate);
  return variance;
}

void pm__step_band(const pm__schedule *s, pm_prediction *out)
{
  out->evidence = PM_EVIDENCE_NONE;
  out->throughput_p10 = out->throughput_p90 = NAN;
  out->in_range = 0;
  if (s->framework == NULL) return;
  const pm_framework *f = &s->framework->profile.framework;
  const pm_band *band = &s->framework->profile.band;
  double batch = outside(s->run->batch, f->batch_least, f->batch_most), gpus = outside(s->ranks, 1, f->gpus_most);
  double hardware = hardware_variance(s, band);
  double variance = pm__spread_square(spread_of(band, f->evidence)) + hardware + pm__spread_square(band->batch * batch) +
                    pm__spread_square(band->gpus * gpus);
  double factor = pm__band_factor(variance);
  out->evidence = f->evidence;
  out->throughput_p10 = out->throughput / factor;
  out->throughput_p90 = out->throughput * factor;
  out->in_range = f->evidence != PM_EVIDENCE_UNCALIBRATED && batch == 0 && gpus == 0 && hardware == 0;
}
