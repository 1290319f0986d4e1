/* What energy comes from, in the answers of every task. */
#include "task/formulas.h"

const char *const pm__task_formulas_of_energy[] = {
  "energy_basis|that of the constants of the board; a rule where a limit is outside of those that were measured|"
  "gpu.architecture|energy.md#one-board",
  "power_in_range|whether the power limit is at least half of the design power|power_limit gpu.power|"
  "energy.md#power-limits",
  "energy|boards times the sum of what each kernel draws, of exchanges that nothing hides, and of idle power while a "
  "board waits|gpu.power kernels.idle_power kernels.simt_power kernels.tensor_power kernels.tensor_flop_energy "
  "kernels.simt_flop_energy total_gpus|energy.md#one-board|energy",
  INTERVAL_ENDS("energy"),
  "gpu_power|= energy_per_sample * whole.rate / total_gpus||energy.md#one-board",
  "power|boards and hosts, over the efficiency of the power supplies; a host draws what its machine says, or "
  "so much for each CPU socket and a share of the design power of its boards, and no more than the design power of the "
  "node leaves it|gpu_power total_gpus machine.host_power machine.cpu_sockets machine.power kernels.host_cpu_power "
  "kernels.host_power_air kernels.host_power_liquid gpu.power gpu.module_power kernels.supply_efficiency|"
  "energy.md#nodes-and-sites",
  "design_power|nodes times the design power of one, less what a power limit keeps its boards from|nodes machine.power "
  "machine.gpus gpu.power power_limit|energy.md#nodes-and-sites",
  "idle_energy_share|idle power times the time in which boards wait, over the energy|kernels.idle_power gpu.power "
  "gpu_power|energy.md#one-board",
  "energy_per_sample|= energy / whole.samples||energy.md#one-board|energy",
  "energy_per_token|= energy_per_sample / whole.tokens||energy.md#one-board|energy",
  "site_energy_per_sample|= site_power / whole.rate||energy.md#nodes-and-sites",
  "carbon_per_sample|= site_energy_per_sample / 3600000 * carbon||energy.md#nodes-and-sites",
  "energy_cost_per_sample|= site_energy_per_sample / 3600000 * energy_price||energy.md#nodes-and-sites",
  "budget_nodes|whole nodes whose design power, times the PUE, the power budget feeds|power_budget machine.power pue|"
  "energy.md#least-energy-and-power-budgets",
  "draw_nodes|whole nodes whose share of what the site draws is within the power budget|power_budget site_power nodes|"
  "energy.md#least-energy-and-power-budgets",
  "network_power|ports of switches, of as many levels of a fat tree as the nodes need, times the draw of a port|nodes "
  "link.switch_ports link.switch_power|energy.md#nodes-and-sites",
  "site_power|nodes and the switches between them, if these are known, times the PUE|power network_power pue|"
  "energy.md#nodes-and-sites",
  NULL,
};
