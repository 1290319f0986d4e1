/*
** A whole recurrent layer.
**
** Step by step, as libraries run it: the recurrent weights are read at every step, from the L2 if they fit half of it;
** the products with the input are done for all steps at once.
**
** Narrow: where the architecture states it (P100 with CUDA 8), the library gives a step's product of 17 to 32 columns,
** in two bytes of any more, to blocks that go along the whole contraction, waiting for the memory all the way. The time
** is of the contraction alone, so 32 samples may take longer than 64.
**
** Persistent: the recurrent weights stay in the registers of all SMs, which wait for one another after every step.
** Diamos and others, "Persistent RNNs", ICML 2016. Rule, no kernel row behind it: weights up to 0.85 of the registers.
*/
#include "kernel/models.h"

static const double REGISTERS = 0.85; /* share of them that weights may fill: their largest layer on a Titan X */
static const double NARROW_LEAST = 17, NARROW_MOST = 32; /* columns: DeepBench has 8 to 128 in powers of 2 */

typedef struct layer {
  double rows, hidden, batch, steps, weights; /* rows: gates x hidden; weights: bytes */
} layer;

static double input_time(const pm__device *d, const layer *l)
{
  pm__product all = {.count = 1, .m = l->rows, .n = l->batch * l->steps, .k = l->hidden};
  return d->k.rnn_input * pm__gemm_cost(d, &all).time + d->k.rnn_time;
}

static pm__kernel_cost weight_cost(const pm__device *d, const layer *l)
{
  pm__product product = {.count = 1, .m = l->rows, .n = l->hidden, .k = l->batch * l->steps};
  pm__kernel_cost cost = pm__gemm_cost(d, &product);
  cost.time = d->k.rnn_weight * cost.time + d->k.rnn_weight_time;
  cost.algorithm = PM_KERNEL_ALGORITHM_STEPWISE;
  return cost;
}

/* The contraction is over the hidden units forward, over all gates backward. */
static double narrow_time(const pm__device *d, const layer *l, pm__pass pass)
{
  bool half = d->bytes < 4, narrow = l->batch <= NARROW_MOST;
  if (!(d->k.rnn_narrow > 0) || l->batch < NARROW_LEAST || !(narrow || half)) return 0;
  if (pass != PM__FORWARD) return l->rows * d->k.rnn_narrow_backward / d->clock;
  return l->hidden * d->k.rnn_narrow * (narrow && half ? d->k.rnn_narrow_half : 1) / d->clock;
}

static pm__kernel_cost stepwise_cost(const pm__device *d, const layer *l, pm__pass pass)
{
  pm__kernel_cost cost = {0, PM_KERNEL_ALGORITHM_STEPWISE, PM_BOUND_COMPUTE};
  pm__product one = {.count = 1, .m = l->rows, .n = l->batch, .k = l->hidden};
  double read = l->weights * d->per_byte / (l->weights < d->l2 / 2 ? d->k.rnn_l2 : 1);
  double product = d->k.rnn_product * pm__gemm_cost(d, &one).time;
  double pointwise = d->k.rnn_pointwise * d->bytes * (l->rows + 2 * l->hidden) * l->batch * d->per_byte;
  double narrow = narrow_time(d, l, pass), share = pass == PM__FORWARD ? 1 : d->k.rnn_backward;
  double step = pm__most(pm__most(product, read), narrow) + d->k.rnn_step_time + pointwise;
  if (narrow > pm__most(product, read) || d->k.rnn_step_time > step / 2) cost.bound = PM_BOUND_LATENCY;
  else if (read > product) cost.bound = PM_BOUND_MEMORY_BANDWIDTH;
  cost.time = share * l->steps * step + input_time(d, l);
  return cost;
}

static pm__kernel_cost persistent_cost(const pm__device *d, const layer *l)
{
  pm__kernel_cost cost = {0, PM_KERNEL_ALGORITHM_PERSISTENT, PM_BOUND_COMPUTE};
  double product = l->rows * l->hidden * l->batch * d->gemm.multiply_add, wait = d->k.rnn_persistent_time;
  if (wait > product) cost.bound = PM_BOUND_LATENCY;
  cost.time = l->steps * (product + wait) + input_time(d, l);
  return cost;
}

pm__kernel_cost pm__rnn_cost(const pm__device *d, double gates, double hidden, double batch, double steps,
                             bool persistent,
                      pm__pass pass)
{
  double rows = gates * hidden;
  layer l = {rows, hidden, batch, steps, d->bytes * rows * hidden};
  if (pass == PM__WGRAD) return weight_cost(d, &l);
  if (persistent && l.weights <= REGISTERS * d->registers) return persistent_cost(d, &l);
  return stepwise_cost(d, &l, pass);
}
