/* The cost of serving, in any currency: whole nodes are paid for, and tokens share the price. */
#ifndef PM_SERVING_COST_H
#define PM_SERVING_COST_H

/* Of a million tokens at `rate` of them per second, where all GPUs cost `hour` in an hour. */
static inline double pm__serving_token_cost(double hour, double rate)
{
  return hour / 3600 / rate * 1e6;
}

#endif
