/*
** Energy of a run: its boards, their nodes at the wall, the site.
**
**     board  kernels + exchanging x exposed exchanges + idle x the rest of the time
**     node   ( boards + host ) / efficiency of the supplies       host: what the machine says, or shares of its
**                                                                   CPUs and boards
**     site   ( nodes + switches between them ) x PUE                carbon and price: of its energy
**
** Hosts count in proportion to the boards that a run uses.
*/
#ifndef PM_PLAN_ENERGY_H
#define PM_PLAN_ENERGY_H

#include <float.h>
#include <math.h>
#include "perfmodel/energy.h"
#include "perfmodel/run.h"
#include "plan/plan.h"

/* As every task answers it. */
typedef struct pm__plan_energy { PM_ENERGY_FIELDS(PM_DECLARE) } pm__plan_energy;

/* Fields of the same name in the answer of a task. */
#define PM__ENERGY_COPY(kind, name, ...) out->name = energy.name;

/* What boards do in `time` [s]: the mean of all that a run has. */
typedef struct pm__plan_energy_work {
  double time, busy, exchange; /* s: of all; in kernels; in exchanges that nothing hides */
  double kernels;              /* J of the kernels of one board */
  double gpus, nodes;          /* boards in all */
  double samples, tokens;      /* in that time, of all boards; of one of these */
  double rate_spread;          /* logarithm of the factor within which eight of ten measured rates lie; 0: unknown */
} pm__plan_energy_work;

/* What the site makes of it. */
typedef struct pm__plan_site {
  double pue, carbon, price, budget; /* budget [W]; NAN: any */
  double limit;                      /* W, of a board; NAN: none */
} pm__plan_site;

/* The energy fields of a run of any task. */
#define PM__PLAN_SITE(run) {(run)->pue, (run)->carbon, (run)->energy_price, (run)->power_budget, (run)->power_limit}

pm__plan_energy pm__energy_of(const pm_system *system, const pm__kernel_board *power, const pm__plan_energy_work *work,
                         pm__plan_site site);

/* The power limits of a run. */
typedef struct pm__plan_power {
  int32_t system, nodes;
  double limit; /* W, of a board; NAN: none */
} pm__plan_power;

#define PM__PLAN_POWER(run) {(run)->system_index, (run)->nodes, (run)->power_limit}

/* PM_OK, or what is wrong with what a run says: a PUE from 1 to 10, at most 5,000 g/kWh, no price below 0; a power
** limit that boards of the system can have; a budget that its nodes are within. */
int pm__energy_check_all(const pm_plan *plan, pm__plan_power power, pm__plan_site site, pm_error *error);

/* Design power of a board under a limit [W] (NAN: none), and of a node of such boards: feeds and cooling are sized for
** it. */
static inline double pm__energy_board_design(const pm_system *system, double limit)
{
  return isnan(limit) ? system->gpu.power : limit;
}

static inline double pm__energy_node_design(const pm_system *system, double limit)
{
  const pm_machine *node = &system->machine;
  if (isnan(limit) || isnan(node->power)) return node->power;
  double less = node->power - node->gpus * (system->gpu.power - limit), boards = node->gpus * limit;
  return fmax(less, fmin(node->power, boards)); /* it feeds its boards, whatever its maker says */
}

/* Nodes of so many watts within a budget; it may round a little. */
static inline double pm__energy_whole_nodes(double budget, double node)
{
  return floor(budget / node * (1 + 1e-12));
}

/* Nodes that a budget feeds, by their design power; NAN where either is unknown. */
double pm__energy_budget_nodes(const pm_system *system, pm__plan_site site);

static inline bool pm__energy_site_is_good(pm__plan_site site)
{
  bool power = site.pue >= 1 && site.pue <= 10, carbon = !(site.carbon < 0) && !(site.carbon > 5000);
  return power && carbon && !(site.price < 0) && !(site.price > DBL_MAX);
}

/* The same, with a fast path for runs without these fields. */
static inline int pm__energy_check(const pm_plan *plan, pm__plan_power power, pm__plan_site site, pm_error *error)
{
  if (isnan(power.limit) && isnan(site.budget) && pm__energy_site_is_good(site)) return PM_OK;
  return pm__energy_check_all(plan, power, site, error);
}

/* ---- Power limits: limited.c ---- */

/* Devices of a system (`devices`: at every precision) under a power limit; NAN, or the design power: as they are. */
typedef struct pm__plan_limited {
  const pm__device *devices; /* NULL with an error */
  int number;                /* tells limits apart; 0: none */
} pm__plan_limited;

pm__plan_limited pm__plan_limit(const pm_plan *plan, const pm__device *devices, double limit, pm_error *error);

#endif
