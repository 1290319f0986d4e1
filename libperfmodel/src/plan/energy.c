/* Boards, nodes, site: energy from what kernels draw and the times in which they do not run. */
#include "plan/energy.h"
#include <math.h>
#include "base/base.h"
#include "perfmodel/units.h"

static const double KWH = 3.6e6; /* J */

/* ---- Boards ---- */

typedef struct board {
  double energy, waiting; /* J; the part of it while waiting */
} board;

static board board_of(const pm__kernel_board *p, const pm__plan_energy_work *w)
{
  double rest = w->time - w->busy - w->exchange, most = p->limited ? p->most : p->top;
  double waiting = p->idle * (rest > 0 ? rest : 0);
  double exchanging = (p->exchange < most ? p->exchange : most) * w->exchange;
  return (board){w->kernels + exchanging + waiting, waiting};
}

/* The limits were measured on FP32 cores. */
static int32_t basis_of(const pm__kernel_board *p)
{
  bool measured = !p->limited || !p->tensor;
  return p->basis == PM_ORIGIN_FITTED && !measured ? PM_ORIGIN_RULE : p->basis;
}

/* ---- Nodes ---- */

/* Behind the supplies, for CPUs [W]: those on the modules of the boards take no more than these leave them. Machines
** without a list of theirs have one socket for a board and two for several. */
static double cpus_of(const pm_machine *m, const pm_gpu *gpu, double each)
{
  int sockets = m->cpu_sockets > 0 ? m->cpu_sockets : m->gpus > 1 ? 2 : 1;
  double room = (m->gpus > 0 ? m->gpus : 1) * (gpu->module_power - gpu->power);
  return sockets * each > room ? room : sockets * each;
}

/* Of one board's share of its node, behind the supplies [W]. With boards at their design power the node draws its own
** at most, and so it does under every limit. */
static double host_of(const pm_system *system)
{
  const pm_machine *m = &system->machine;
  const pm_kernel_calibration *k = &system->kernels;
  double boards = m->gpus > 0 ? m->gpus : 1, all = boards * system->gpu.power;
  double host = cpus_of(m, &system->gpu, pm__or(k->host_cpu_power, 0)) +
                (m->liquid_cooled ? k->host_power_liquid : k->host_power_air) * all;
  if (!isnan(m->host_power)) host = m->host_power;
  double most = k->supply_efficiency * m->power - all;
  return (host > most ? fmax(0, most) : host) / boards;
}

/* ---- The network between nodes ---- */

/* Ports of switches for so many links: of a fat tree each of whose levels passes on all that the one below it gets. */
static double ports_of(double ends, double radix)
{
  int levels = 1;
  for (double most = radix; most < ends && radix > 2; most *= radix / 2) levels++;
  return ends * (2 * levels - 1);
}

static double network_of(const pm_system *system, double nodes)
{
  const pm_link *link = &system->network.link;
  if (nodes < 2) return 0;
  if (system->network.count == 0 || link->switch_ports < 2) return NAN;
  return ports_of(nodes * system->network.count, link->switch_ports) * link->switch_power / link->switch_ports;
}

/* ---- Both ---- */

/* Draw and rate are off by factors of their own. */
static void set_interval(double draw, double rate, pm__plan_energy *out)
{
  double factor = exp(sqrt(draw * draw + rate * rate));
  out->energy_p10 = out->energy / factor;
  out->energy_p90 = out->energy * factor;
}

static void set_site(const pm__plan_energy_work *w, pm__plan_site site, pm__plan_energy *out)
{
  out->site_power = (out->power + pm__or(out->network_power, 0)) * site.pue;
  double sample = out->site_power * w->time / w->samples;
  out->site_energy_per_sample = sample;
  out->carbon_per_sample = sample / KWH * site.carbon;
  out->energy_cost_per_sample = sample / KWH * site.price;
  out->budget_nodes = out->draw_nodes = NAN;
}

/* ---- Budgets ---- */

double pm__energy_budget_nodes(const pm_system *system, pm__plan_site site)
{
  return pm__energy_whole_nodes(site.budget, pm__energy_node_design(system, site.limit) * site.pue);
}

static void set_budget(const pm_system *system, const pm__plan_energy_work *w, pm__plan_site site,
                       pm__plan_energy *out)
{
  out->budget_nodes = pm__energy_budget_nodes(system, site);
  out->draw_nodes = pm__energy_whole_nodes(site.budget, out->site_power / w->nodes);
}

static int check_budget(const pm_system *system, int32_t nodes, pm__plan_site site, pm_error *error)
{
  char budget[PM_TEXT_MAX], node[PM_TEXT_MAX];
  double most = pm__energy_budget_nodes(system, site);
  if (site.budget <= 0 || isinf(site.budget))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "power_budget %g W is not positive and finite", site.budget);
  if (isnan(site.budget) || nodes <= most) return PM_OK;
  pm_quantity_format(budget, sizeof budget, site.budget, "W");
  if (isnan(most))
    return pm__fail(error, PM_STATUS_UNREACHABLE, "power_budget %s: the design power of a %s is not known", budget,
                    system->machine.id);
  pm_quantity_format(node, sizeof node, pm__energy_node_design(system, site.limit) * site.pue, "W");
  return pm__fail(error, PM_STATUS_UNREACHABLE, "%d node%s of %s, %s design power each with the PUE, need more than "
                  "the power budget of %s, which supplies %.0f", nodes, nodes == 1 ? "" : "s", system->machine.id, node,
                  budget, most);
}

pm__plan_energy pm__energy_of(const pm_system *system, const pm__kernel_board *p, const pm__plan_energy_work *w,
                              pm__plan_site site)
{
  pm__plan_energy out;
  board one = board_of(p, w);
  out.energy_basis = basis_of(p);
  out.power_in_range = p->in_range;
  out.energy = w->gpus * one.energy;
  out.gpu_power = one.energy / w->time;
  out.power = w->gpus * (out.gpu_power + host_of(system)) / system->kernels.supply_efficiency;
  out.network_power = network_of(system, w->nodes);
  out.design_power = w->nodes * pm__energy_node_design(system, site.limit);
  out.idle_energy_share = one.waiting / one.energy;
  out.energy_per_sample = out.energy / w->samples;
  out.energy_per_token = out.energy_per_sample / w->tokens;
  set_interval(out.energy_basis == p->basis ? p->band : p->rule_band, w->rate_spread, &out);
  set_site(w, site, &out);
  if (!isnan(site.budget)) set_budget(system, w, site, &out);
  return out;
}

static int fail_site(pm__plan_site site, pm_error *error)
{
  if (!(site.pue >= 1 && site.pue <= 10))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "pue %g is not from 1 to 10", site.pue);
  if (site.carbon < 0 || site.carbon > 5000)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "carbon %g g/kWh is not from 0 to 5000", site.carbon);
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "energy_price %g is not at least 0 and finite", site.price);
}

/* What a board draws while it waits is the same at every precision. */
int pm__energy_check_all(const pm_plan *plan, pm__plan_power power, pm__plan_site site, pm_error *error)
{
  const pm__plan_system *of = &plan->systems[power.system];
  const pm__device *device = &plan->systems[of->device].devices[PM_KERNEL_MODEL_ROOFLINE][PM_PRECISION_FP32];
  if (!pm__energy_site_is_good(site)) return fail_site(site, error);
  int status = check_budget(of->system, power.nodes, site, error);
  return status == PM_OK ? pm__power_check_limit(&device->power, &of->system->gpu, power.limit, error) : status;
}
