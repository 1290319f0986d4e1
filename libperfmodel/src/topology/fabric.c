/*
** Fat trees of one kind of switch. A switch of the first level gives d ports to nodes and u = d / oversubscription
** ports to the second level; a node's ports all end at the same switch. Every switch of the second level has one cable,
** or several, to each of the first; with a third level, it halves its ports between down and up, as the first does.
*/
#include <limits.h>
#include <math.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel/collective.h"
#include "record/count.h"

static int check(const pm_system *system, const pm_fabric_choice *c, pm_error *error)
{
  if (system == NULL ||
      c == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a fabric needs a system and a choice");
  if (system->network.count == 0)
    return pm__fail(error, PM_STATUS_NO_ROUTE, "system \"%s\" has no network between nodes", system->machine.id);
  int status = pm__count_check("nodes", c->nodes, 1, error);
  if (status != PM_OK) return status;
  if (c->switch_ports < 2 || c->switch_ports > 4096)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a switch with %d ports is out of range", c->switch_ports);
  if (!(c->oversubscription >= 1 && c->oversubscription <= 1000))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "oversubscription %g is not at least 1", c->oversubscription);
  if (!(c->coding > 0 && c->coding <= 1))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "coding %g is not within 0 and 1", c->coding);
  if (!(c->node_latency >= 0 && c->switch_latency >= 0 && isfinite(c->node_latency + c->switch_latency)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a latency is negative or not finite");
  if (system->network.count > c->switch_ports)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a node has %d ports, a switch %d", system->network.count,
                    c->switch_ports);
  return PM_OK;
}

static int round_up(double value)
{
  return (int)ceil(value - 1e-9);
}

/* One switch is enough. */
static void plan_one(const pm_fabric_choice *c, pm_fabric *f)
{
  f->levels = 1;
  f->first_switches = 1;
  f->nodes_per_switch = f->most_nodes = c->switch_ports / f->ports;
  f->cables = f->nodes * f->ports;
}

/* Ports of a first-level switch: down to whole nodes, and up. Returns false if a switch is too small for it. */
static bool split_ports(const pm_fabric_choice *c, pm_fabric *f, int *up)
{
  double ratio = c->oversubscription;
  f->nodes_per_switch = (int)floor(c->switch_ports * ratio / (1 + ratio) / f->ports + 1e-9);
  if (f->nodes_per_switch < 1) return false;
  *up = round_up(f->nodes_per_switch * f->ports / ratio);
  return *up >= 1 && f->nodes_per_switch * f->ports + *up <= c->switch_ports;
}

/* The cables, as a number that may be more than a field holds. */
static double plan_two(const pm_fabric_choice *c, pm_fabric *f, int up)
{
  f->levels = 2;
  f->first_switches = round_up((double)f->nodes / f->nodes_per_switch);
  f->second_switches = round_up((double)f->first_switches * up / c->switch_ports);
  /* every second-level switch must reach every first-level one with the same number of cables */
  while (up % f->second_switches != 0) f->second_switches++;
  return (double)f->nodes * f->ports + (double)f->first_switches * up;
}

static double plan_three(const pm_fabric_choice *c, pm_fabric *f, int up)
{
  int half = c->switch_ports / 2;
  f->levels = 3;
  f->first_switches = round_up((double)f->nodes / f->nodes_per_switch);
  f->second_switches = round_up((double)f->first_switches * up / half);
  f->third_switches = round_up((double)f->second_switches * half / c->switch_ports);
  return (double)f->nodes * f->ports + (double)f->first_switches * up + (double)f->second_switches * half;
}

static int choose_levels(const pm_fabric_choice *c, pm_fabric *f, pm_error *error)
{
  int up = 0;
  if (f->nodes * (double)f->ports <= c->switch_ports) {
    plan_one(c, f);
    return PM_OK;
  }
  if (!split_ports(c, f, &up))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "switches of %d ports are too small for nodes of %d",
                    c->switch_ports, f->ports);
  /* two levels: a second-level switch has a port for each first-level one */
  int two = c->switch_ports * f->nodes_per_switch;
  double three = (double)f->nodes_per_switch * c->switch_ports * (c->switch_ports / 2);
  if (f->nodes > three)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%d nodes are more than three levels can connect: %.0f", f->nodes,
                    three);
  f->most_nodes = f->nodes <= two ? two : (int)fmin(three, 2e9);
  double cables = f->nodes <= two ? plan_two(c, f, up) : plan_three(c, f, up);
  if (cables > INT_MAX)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%d nodes with %d ports need %.0f cables; the maximum is %d",
                    f->nodes, f->ports, cables, INT_MAX);
  f->cables = (int)cables;
  return PM_OK;
}

int pm_fabric_evaluate(const pm_system *system, const pm_fabric_choice *choice, pm_fabric *fabric, pm_error *error)
{
  int status = fabric == NULL ? pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no place for the fabric")
                              : check(system, choice, error);
  if (status != PM_OK) return status;
  memset(fabric, 0, sizeof *fabric);
  fabric->nodes = choice->nodes;
  fabric->ports = system->network.count;
  status = choose_levels(choice, fabric, error);
  if (status != PM_OK) return status;
  double through = fabric->levels > 1 ? choice->oversubscription : 1;
  fabric->node_bandwidth = system->network.count * system->network.link.bandwidth * choice->coding;
  fabric->bisection = fabric->nodes > 1 ? fabric->nodes * fabric->node_bandwidth / 2 / through : 0;
  fabric->bisection_both_ways = 2 * fabric->bisection;
  fabric->latency = choice->node_latency + (2 * fabric->levels - 1) * choice->switch_latency;
  return PM_OK;
}
