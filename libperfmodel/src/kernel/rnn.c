/*
** A whole recurrent layer, step by step, as libraries run it: the recurrent weights are read at every step, from the L2 if
** they fit half of it; the products with the input are done for all steps at once.
*/
#include "kernel/models.h"

pm__cost pm__rnn_cost(const pm__device *d, double gates, double hidden, double batch, double steps, pm__pass pass)
{
  double rows = gates * hidden, weights = d->bytes * rows * hidden;
  pm__product all = {1, rows, batch * steps, hidden}, one = {1, rows, batch, hidden};
  pm__product weight = {1, rows, hidden, batch * steps};
  pm__cost cost = {0, PM_KERNEL_ALGORITHM_STEPWISE, PM_BOUND_COMPUTE};
  if (pass == PM__BACKWARD_WEIGHT) {
    cost.time = pm__gemm_cost(d, &weight).time + d->k.rnn_time;
    return cost;
  }
  double read = weights * d->per_byte / (weights < d->l2 / 2 ? d->k.rnn_l2 : 1);
  double product = d->k.rnn_product * pm__gemm_cost(d, &one).time;
  double pointwise = d->k.rnn_pointwise * d->bytes * (gates + 2) * hidden * batch * d->per_byte;
  double step = pm__most(product, read) + d->k.rnn_step_time + pointwise;
  if (d->k.rnn_step_time > step / 2) cost.bound = PM_BOUND_LATENCY;
  else if (read > product) cost.bound = PM_BOUND_MEMORY;
  double share = pass == PM__FORWARD ? 1 : d->k.rnn_backward;
  cost.time = share * steps * step + d->k.rnn_input * pm__gemm_cost(d, &all).time + d->k.rnn_time;
  return cost;
}
