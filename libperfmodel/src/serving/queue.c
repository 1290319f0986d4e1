/*
** Queues (Erlang 1917; Allen and Cunneen, in Allen, "Probability, Statistics and Queueing Theory", 1990) and
** speculative decoding (Leviathan et al. 2023, eq. 1).
*/
#include "serving/queue.h"
#include <math.h>

/* By the recursion of Erlang's B, which does not overflow; servers in between are interpolated. */
static double erlang_b(double servers, double load)
{
  double b = 1;
  for (double n = 1; n <= servers; n++) b = load * b / (n + load * b);
  return b;
}

double pm__serving_erlang_c(double servers, double load)
{
  if (!(load > 0)) return 0;
  if (!(load < servers)) return 1;
  double b = erlang_b(floor(servers), load), busy = load / servers;
  return b / (1 - busy * (1 - b));
}

double pm__serving_wait(double servers, double load, double service, double arrival_cv, double service_cv)
{
  if (!(load > 0)) return 0;
  if (!(load < servers)) return INFINITY;
  double varied = (arrival_cv * arrival_cv + service_cv * service_cv) / 2;
  return pm__serving_erlang_c(servers, load) * service / (servers - load) * varied;
}

/* Of the probabilities of n requests, over that of `places`, from there down: past their largest one they vanish. */
double pm__serving_full(double places, double alone, double each)
{
  double last = each + alone / places, term = 1, sum = 0;
  if (!(last < 1)) return 1;
  for (double n = places; n >= 1; n--) {
    double ratio = each + alone / n;
    term /= ratio;
    sum += term;
    if (sum > 1e12 || (ratio > 1 && term < 1e-9 * sum)) break; /* never full, or all of them */
  }
  return 1 / (1 + sum * (1 - last));
}

double pm__serving_wait_percentile(double percentile, double busy, double mean)
{
  double late = 1 - percentile;
  if (!(busy > late) || !(mean > 0)) return 0;
  return mean / busy * log(busy / late);
}

double pm__serving_accepted(double drafts, double acceptance)
{
  if (acceptance >= 1) return drafts + 1;
  return (1 - pow(acceptance, drafts + 1)) / (1 - acceptance);
}
