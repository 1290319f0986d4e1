/*
** Energy and power: what the boards draw while kernels run, while GPUs exchange, and while they wait; what their nodes
** draw at the wall, and a site. docs/energy.md has the law and what it rests on.
**
**     power of a kernel = min(margin x limit, running + energy of a FLOP x FLOP / time)
**     energy            = sum of power x time of kernels + exchanging x exposed exchanges + idle x waiting
**     node              = (boards + host) / efficiency of the supplies       site = (nodes + switches) x PUE
**
** A power limit (power_limit of a run) lowers the clock, and with it time and energy together. Without a design power
** of the GPU everything here is unknown, never 0.
**
** A power budget (power_budget of a run) is kept to by design power, which feeds and cooling are bought for: a run of
** more nodes is refused. How many nodes draw as much as it while they run is answered beside that.
*/
#ifndef PERFMODEL_ENERGY_H
#define PERFMODEL_ENERGY_H

#include "hardware.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What every task answers of energy: of a step of training, a call of inference, a request that is served. A sample is
** a request there, and its tokens are those that it gets. */
#define PM_ENERGY_FIELDS(X)                                                                                            \
  X(ORIGIN, energy_basis, "", "basis of the boards' power; none: unknown")                                             \
  X(YES_NO, power_in_range, "", "whether the power limit is one of those that the law was measured at")                \
  X(REAL, energy, "J", "energy of a step, call or request, all boards")                                                \
  X(REAL, energy_p10, "J", "lower end of its 80 % prediction interval")                                                \
  X(REAL, energy_p90, "J", "upper end of its 80 % prediction interval")                                                \
  X(REAL, gpu_power, "W", "mean draw of one board")                                                                    \
  X(REAL, power, "W", "mean draw of all nodes at the wall")                                                            \
  X(REAL, design_power, "W", "design power of the nodes, for power feeds and cooling")                                 \
  X(REAL, idle_energy_share, "1", "share of the energy that is drawn while waiting", .show = PM_SHOW_PERCENT)          \
  X(REAL, energy_per_sample, "J", "energy of the boards for a sample")                                                 \
  X(REAL, energy_per_token, "J", "energy of the boards for a token; unknown for samples without tokens")               \
  X(REAL, site_energy_per_sample, "J", "with hosts, supplies and the PUE")                                             \
  X(REAL, carbon_per_sample, "g", "carbon dioxide of that energy; unknown without a carbon intensity")                 \
  X(REAL, energy_cost_per_sample, "1", "price of that energy; unknown without one")                                    \
  X(REAL, budget_nodes, "1", "nodes that the power budget feeds, by their design power")                               \
  X(REAL, draw_nodes, "1", "nodes whose predicted draw is within the power budget")                                    \
  X(REAL, network_power, "W", "draw of the switches between the nodes; unknown: not in what the site draws")           \
  X(REAL, site_power, "W", "mean draw of the site: nodes and switches, times the PUE")

#ifdef __cplusplus
}
#endif
#endif
