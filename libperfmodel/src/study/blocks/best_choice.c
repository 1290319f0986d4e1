/* The best of what was sized: its rate, what limits it, what it draws, costs and needs. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

/* "12", or "unknown". */
static const char *amount(char text[PM__REPORT_WORD], double value)
{
  return pm__report_quantity(text, value, "1");
}

static void add_nodes(const pm_size_choice *c, pm_report *r)
{
  if (c->nodes_least <= 0) return;
  pm__report_add_quantity(r, "nodes", c->nodes, "1");
  if (c->nodes_safe > 0) pm__report_note(r, "(80 %% prediction interval: %d to %d)", c->nodes_least, c->nodes_safe);
  else pm__report_note(r, "(80 %% prediction interval: from %d to more than was tried)", c->nodes_least);
}

static void add_rate(const pm_size_choice *c, pm_report *r)
{
  char time[PM__REPORT_WORD], hours[PM__REPORT_WORD], target[PM__REPORT_WORD] = "";
  bool timed = !isnan(c->time);
  if (!isnan(c->reached))
    snprintf(target, sizeof target, "; %s times the target", pm__report_quantity(time, c->reached, "1"));
  pm__report_add_quantity(r, "throughput", c->throughput, "samples/s");
  pm__report_note(r, "%s%s%s%s%s%s", timed ? ", " : "", timed ? pm__report_quantity(time, c->time, "s") : "",
                  timed ? ", " : "", timed ? pm__report_quantity(hours, c->gpu_hours, "1") : "",
                  timed ? " GPU-hours" : "", target);
}

static void add_limits(const pm__study_subject *s, const pm_size_choice *c, pm_report *r)
{
  if (s->task->facts.replicas) {
    pm__report_add_quantity(r, s->task->time, c->latency, "s");
    pm__report_note(r, "for a %s of %.0f samples, without queues and copies", s->task->facts.unit, c->batch);
    return;
  }
  pm__report_add(r, "bottleneck", "%s", pm__study_choice("size_choice", "bottleneck", c->bottleneck)->name);
  if (isnan(c->efficiency)) return;
  pm__report_add_ratio(r, "scaling", c->efficiency);
  pm__report_note(r, "of as many GPUs alone");
}

static void add_power(const pm__study_subject *s, const pm_size_choice *c, pm_report *r)
{
  char gpus[PM__REPORT_WORD], units[PM__REPORT_WORD], pue[PM_NUMBER_MAX];
  pm__report_add_quantity(r, "power and space", c->design_power, "W");
  pm__report_note(r, "%sdesign power at PUE %s (GPUs alone %s), %s rack units",
                  c->power_basis == PM_POWER_BASIS_PARTS ? "summed from parts, " : "",
                  pm_number_format(pue, ((const pm_size_goal *)s->asked->goal)->pue),
                  pm__report_quantity(gpus, c->gpu_design_power, "W"), amount(units, c->rack_units));
}

/* Of the several that there may be. */
static void add_limit(const pm__study_subject *s, pm_report *r)
{
  double limit = pm__study_run_number(s, "power_limit");
  if (!isnan(limit)) pm__report_add_quantity(r, "power limit", limit, "W");
}

/* What is predicted, beside what feeds and cooling are bought for. */
static void add_energy(const pm_size_choice *c, pm_report *r)
{
  char draw[PM__REPORT_WORD], all[PM__REPORT_WORD];
  bool timed = !isnan(c->energy);
  if (isnan(c->energy_per_sample)) return;
  pm__report_add_quantity(r, "energy", c->energy_per_sample, "J");
  pm__report_note(r, "per sample, a predicted power of %s with hosts, supplies and PUE%s%s",
                  pm__report_quantity(draw, c->power, "W"), timed ? "; for all epochs " : "",
                  timed ? pm__report_quantity(all, c->energy, "J") : "");
}

static void add_budget(const pm_size_choice *c, pm_report *r)
{
  char draw[PM__REPORT_WORD];
  if (isnan(c->budget_nodes)) return;
  pm__report_add(r, "power budget", "supplies %s node%s at their design power", amount(draw, c->budget_nodes),
                 c->budget_nodes == 1 ? "" : "s");
  pm__report_set_value(r, c->budget_nodes, "1");
  pm__report_note(r, "; %s at the predicted power", amount(draw, c->draw_nodes));
}

static void add_price(const pm__study_subject *s, const pm_size_choice *c, pm_report *r)
{
  char cost[PM__REPORT_WORD];
  const char *currency = s->asked->currency, *date = s->asked->price_date;
  if (currency == NULL && isnan(c->cost)) return;
  pm__report_add(r, "price", "%s%s%s", amount(cost, c->cost), currency != NULL ? " " : "",
                 currency != NULL ? currency : "");
  pm__report_set_value(r, c->cost, currency != NULL ? currency : "1");
  pm__report_note(r, "for the nodes, prices %s%s", date != NULL ? "of " : "without a date", date != NULL ? date : "");
}

static void add_storage(const pm__study_subject *s, const pm_size_choice *c, pm_report *r)
{
  char nodes[PM__REPORT_WORD];
  const pm_input_setup *inputs = s->asked->size->inputs;
  pm__report_add_quantity(r, "storage", c->storage_rate, "B/s");
  if (inputs == NULL) pm__report_note(r, "must be read, without caching");
  else
    pm__report_note(r, "must be read, without caching; %s can supply %s nodes; slowest: %s",
                    inputs[c->choice].storage.name, amount(nodes, c->storage_nodes),
                    pm__study_choice("size_choice", "input_bottleneck", c->input_bottleneck)->doc);
}

static void add_network(const pm_size_choice *c, pm_report *r)
{
  char switches[PM__REPORT_WORD], cables[PM__REPORT_WORD];
  pm__report_add(r, "network", "%s switch%s, %s cables", amount(switches, c->switches), c->switches == 1 ? "" : "es",
                 amount(cables, c->cables));
}

static void add_memory(const pm_size_choice *c, pm_report *r)
{
  char verdict[PM_TEXT_MAX];
  pm__report_add_quantity(r, "memory", c->memory, "B");
  pm__report_note(r, "of a GPU with batch %.0f: %s", c->batch, pm__study_verdict(c->verdict, verdict));
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  char rate[PM__REPORT_WORD];
  const pm_size_choice *c = (const pm_size_choice *)s->asked->answers;
  if (c->nodes <= 0) return;
  pm__report_set_title(r, "%d x %s", c->nodes, s->machine->name);
  pm__report_summarize(r, "%d x %s: %s", c->nodes, c->system, pm__report_quantity(rate, c->throughput, "samples/s"));
  add_nodes(c, r);
  add_rate(c, r);
  add_limits(s, c, r);
  add_power(s, c, r);
  add_limit(s, r);
  add_budget(c, r);
  add_energy(c, r);
  add_price(s, c, r);
  if (!s->task->facts.replicas) add_storage(s, c, r);
  if (!s->task->facts.replicas) add_network(c, r);
  add_memory(c, r);
}

const pm__study_block pm__study_block_best_choice = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_SIZES] = fill}};
