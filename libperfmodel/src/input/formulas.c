/* The closed forms: page cache over epochs, prefetch buffer, decoding on cores, a step that is fed. */
#include <math.h>
#include "base/base.h"
#include "input/stages.h"
#include "perfmodel/input.h"

/* H = ((1 - e^-x) / x)^2 with x = (1 - H) / f. The right side grows with H, from below 1; H = 1 always solves it, the
** other solution is the steady state. Bisection, since f x + ((1 - e^-x) / x)^2 = 1 crosses once for x > 0. */
static double random_hits(double f)
{
  double low = 0, high = 1 / f; /* H = 0 at the high end */
  if (f >= 1) return 1;
  for (int i = 0; i < 200; i++) {
    double x = 0.5 * (low + high), kept = x > 0 ? -expm1(-x) / x : 1;
    if (f * x + kept * kept > 1) high = x;
    else low = x;
  }
  return fmin(fmax(1 - f * 0.5 * (low + high), 0), f);
}

double pm__cache_get_hits(double cached, int policy)
{
  if (!(cached >= 0 && cached <= 1)) return NAN;
  if (cached == 0 || cached == 1) return cached;
  switch (policy) {
  case PM_CACHE_POLICY_LRU: return fmax(cached + (1 - cached) * log1p(-cached), 0);
  case PM_CACHE_POLICY_RANDOM: return random_hits(cached);
  case PM_CACHE_POLICY_KEEP: return cached;
  case PM_CACHE_POLICY_SEQUENTIAL: return 0;
  default: return NAN;
  }
}

/* Diffusion of a queue between two ends; exact for exponential times at ratio 1. */
double pm__prefetch_get_efficiency(double ratio, double input_variation, double gpu_variation, double prefetch)
{
  if (!(ratio >= 0 && input_variation >= 0 && gpu_variation >= 0 && prefetch >= 0)) return NAN;
  double variation = ratio * input_variation + gpu_variation, most = fmin(1, ratio);
  if (!(variation > 0) || ratio == 0 || isinf(ratio)) return most;
  double room = prefetch + 1 + variation / 2, drift = 1 - ratio;
  if (drift == 0) return 1 - 1 / (1 + 2 * room / variation);
  double full = -expm1(-2 * fabs(drift) * room / variation); /* for a fast producer, divided by its own exponential */
  return fmin(ratio * full / (drift > 0 ? drift + ratio * full : full - drift), most);
}

double pm__decode_get_time(const pm_decoder *decoder, const pm_loader *loader, double pixels, double bytes)
{
  if (decoder == NULL || loader == NULL || !(pixels > 0) || !(bytes >= 0)) return NAN;
  double reference = pm__or(decoder->pixel_time, 0) * pixels + pm__or(decoder->byte_time, 0) * bytes;
  return pm__or(decoder->scale, 1) * (pm__or(loader->library, 1) * reference + pm__or(loader->augment_time, 0));
}

double pm__decode_get_cores(const pm_decoder *decoder, double workers, double cores)
{
  if (decoder == NULL || !(workers > 0) || !(cores >= 1)) return NAN;
  double busy = fmin(workers, cores), threads = cores * pm__or(decoder->threads_per_core, 1);
  double further = fmax(fmin(workers, threads) - cores, 0) * pm__or(decoder->thread_yield, 0);
  double one = decoder->one_core_clock, all = decoder->all_core_clock, clock = 1;
  if (one > 0 && all > 0 && cores > 1) clock = 1 - (1 - all / one) * fmax(busy - 1, 0) / (cores - 1);
  return (busy + further) * clock;
}

double pm__input_get_step_time(const pm_loader *loader, double memory_bandwidth, double parameters, double sample_time,
                   double batch)
{
  if (loader == NULL || !(memory_bandwidth > 0) || !(parameters >= 0) || !(sample_time >= 0) || !(batch > 0))
    return NAN;
  double update = pm__or(loader->update_passes, 0) * 4 * parameters / memory_bandwidth;
  return pm__or(loader->step_time, 0) + update + batch * sample_time;
}
