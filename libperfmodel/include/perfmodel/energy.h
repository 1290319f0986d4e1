/*
** Energy and power of the boards while kernels run, while GPUs exchange, and while they wait; power of the nodes at the
** wall, and of the site. docs/energy.md has the formulas and their basis.
**
**     power of a kernel = min(margin x limit, running + energy of a FLOP x FLOP / time)
**     energy            = sum of power x time of kernels + exchanging x exposed exchanges + idle x waiting
**     node              = (boards + host) / efficiency of the supplies       site = (nodes + switches) x PUE
**
** A power limit (power_limit of a run) lowers the clock, and with it time and energy together. Without a design power
** of the GPU all values are unknown, never 0.
**
** A power budget (power_budget of a run) limits the design power, for which feeds and cooling are bought: a run with
** more nodes is refused. The number of nodes whose predicted power reaches the budget is reported separately.
*/
#ifndef PERFMODEL_ENERGY_H
#define PERFMODEL_ENERGY_H

#include "hardware.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Energy in every task: of a training step, an inference call, or a served request. In serving, a sample is a request,
** and its tokens are its output tokens. */
#define PM_ENERGY_FIELDS(X)                                                                                            \
  X(ORIGIN, energy_basis, "", "basis of the boards' power; none: unknown")                                             \
  X(YES_NO, power_in_range, "", "whether the power limit is within the measured range")                                \
  X(REAL, energy, "J", "energy of a step, call or request, on all boards")                                             \
  X(REAL, energy_p10, "J", "lower end of the 80 % prediction interval of energy")                                      \
  X(REAL, energy_p90, "J", "upper end of the 80 % prediction interval of energy")                                      \
  X(REAL, gpu_power, "W", "mean power of one board")                                                                   \
  X(REAL, power, "W", "mean power of all nodes at the wall")                                                           \
  X(REAL, design_power, "W", "design power of the nodes, for power feeds and cooling")                                 \
  X(REAL, idle_energy_share, "1", "share of the energy used while waiting", .show = PM_SHOW_PERCENT)                   \
  X(REAL, energy_per_sample, "J", "energy of the boards per sample")                                                   \
  X(REAL, energy_per_token, "J", "energy of the boards per token; unknown for samples without tokens")                 \
  X(REAL, site_energy_per_sample, "J", "energy of the site per sample: boards, hosts, power supplies and PUE")         \
  X(REAL, carbon_per_sample, "g", "carbon dioxide of that energy; unknown without a carbon intensity")                 \
  X(REAL, energy_cost_per_sample, "1", "price of that energy; unknown without energy_price")                           \
  X(REAL, budget_nodes, "1", "nodes whose design power is within the power budget")                                    \
  X(REAL, draw_nodes, "1", "nodes whose predicted power is within the power budget")                                   \
  X(REAL, network_power, "W", "power of the switches between the nodes; unknown: not part of the site's power")        \
  X(REAL, site_power, "W", "mean power of the site: nodes and switches, times the PUE")

#ifdef __cplusplus
}
#endif
#endif
