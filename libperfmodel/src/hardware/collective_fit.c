/* What is not known of a system's collectives, set so that it changes nothing. */
#include "hardware/collective_fit.h"
#include <math.h>
#include "hardware/system.h"

static double known(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

void pm__system_fit_complete(pm_collective_fit *fit, const pm_system *system)
{
  pm_record_clear(pm_record_type_find("fit"), fit);
  if (system->has_fit) *fit = system->fit;
  double *plain[] = {&fit->launch,          &fit->knee,              &fit->part_knee,         &fit->chain_knee,
                     &fit->network_knee,    &fit->network_base,      &fit->network_hop,       &fit->in_switch_latency,
                     &fit->in_switch_network, &fit->pairs_latency,   &fit->pairs_rank,        &fit->chain_rank,
                     &fit->chain_fill,      &fit->channel_launch,    &fit->pairs_launch,
                     &fit->chunk,           &fit->old_chunk,         &fit->old_launch};
  double *shares[] = {&fit->in_switch_efficiency, &fit->pairs_efficiency,
                      &fit->ll_share,             &fit->ll128_share,      &fit->odd_share,
                      &fit->step_share,           &fit->base_share};
  fit->in_switch_knee = known(fit->in_switch_knee, known(fit->network_knee, 0));
  fit->local_rate = known(fit->local_rate, INFINITY);
  fit->old_most = known(fit->old_most, INFINITY);
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) *plain[i] = known(*plain[i], 0);
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) *shares[i] = known(*shares[i], 1);
}

