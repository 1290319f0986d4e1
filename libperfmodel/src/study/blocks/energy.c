/* What boards, nodes and the site draw, for a sample, a token, an epoch, and where it goes; what is not in it. */
#include <math.h>
#include <stdbool.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

typedef struct numbers {
  double board, node, network, all, design, sample, token, low, high, waiting, site, carbon, cost, pue, fed, drawing;
} numbers;

static numbers numbers_of(const pm__study_subject *s)
{
  double energy = pm__study_number(s, "energy"), sample = pm__study_number(s, "energy_per_sample");
  double each = sample / energy;
  return (numbers){.board = pm__study_number(s, "gpu_power"), .node = pm__study_number(s, "power"),
                   .network = pm__study_number(s, "network_power"), .all = pm__study_number(s, "site_power"),
                   .design = pm__study_number(s, "design_power"), .sample = sample,
                   .token = pm__study_number(s, "energy_per_token"), .low = each * pm__study_number(s, "energy_p10"),
                   .high = each * pm__study_number(s, "energy_p90"),
                   .waiting = pm__study_number(s, "idle_energy_share"),
                   .site = pm__study_number(s, "site_energy_per_sample"),
                   .carbon = pm__study_number(s, "carbon_per_sample"),
                   .cost = pm__study_number(s, "energy_cost_per_sample"), .pue = pm__study_run_number(s, "pue"),
                   .fed = pm__study_number(s, "budget_nodes"), .drawing = pm__study_number(s, "draw_nodes")};
}

static const char *unit_of(const pm__study_subject *s)
{
  return pm__study_serves(s) ? "request" : "sample";
}

static void add_boards(const pm__study_subject *s, const numbers *n, pm_report *r)
{
  char watts[PM__REPORT_WORD], joules[PM__REPORT_WORD], low[PM__REPORT_WORD], high[PM__REPORT_WORD];
  int32_t basis = (int32_t)pm__study_number(s, "energy_basis");
  pm__report_add(r, "boards", "%s each, %s per %s", pm__report_quantity(watts, n->board, "W"),
                 pm__report_quantity(joules, n->sample, "J"), unit_of(s));
  pm__report_set_value(r, n->sample, "J");
  pm__report_note(r, "\n%s to %s (80 %% prediction interval, %s)%s", pm__report_quantity(low, n->low, "J"),
                  pm__report_quantity(high, n->high, "J"), basis == PM_ORIGIN_FITTED ? "fitted" : "by rule",
                  pm__study_number(s, "power_in_range") == 0 ? "; no measurement has so low a limit" : "");
  if (!isnan(n->token)) pm__report_add_quantity(r, "per token", n->token, "J");
  pm__report_add(r, "waiting", "%.1f %% of that energy", 100 * n->waiting);
  pm__report_set_value(r, n->waiting, "1");
}

static void add_nodes(const numbers *n, pm_report *r)
{
  char watts[PM__REPORT_WORD], design[PM__REPORT_WORD];
  pm__report_add(r, "nodes", "%s at the wall", pm__report_quantity(watts, n->node, "W"));
  pm__report_set_value(r, n->node, "W");
  if (!isnan(n->design)) pm__report_note(r, "\n%s design power", pm__report_quantity(design, n->design, "W"));
}

/* Which part of what the site draws goes where. */
static void add_parts(const pm__study_subject *s, const numbers *n, pm_report *r)
{
  double boards = n->board * pm__study_gpus(s);
  double behind = n->node * s->system->kernels.supply_efficiency, all = n->all;
  pm__report_add(r, "of the site", "%.1f %% boards, %.1f %% hosts, %.1f %% supplies, %.1f %% cooling",
                 100 * boards / all, 100 * (behind - boards) / all, 100 * (n->node - behind) / all,
                 100 * (1 - 1 / n->pue));
  pm__report_set_value(r, boards / all, "1");
  if (n->network > 0) pm__report_note(r, "\n%.1f %% switches between the nodes", 100 * n->network / all);
}

/* What people count in: an epoch, a million tokens. */
static void add_totals(const pm__study_subject *s, const numbers *n, pm_report *r)
{
  double epoch = s->trains ? pm__study_number(s, "epoch_time") * n->all : (double)NAN;
  if (!isnan(epoch)) pm__report_add_quantity(r, "per epoch", epoch, "J");
  if (!isnan(n->token)) pm__report_add_quantity(r, "per million tokens", 1e6 * n->site * n->token / n->sample, "J");
}

static void add_budget(const numbers *n, pm_report *r)
{
  if (isnan(n->fed)) return;
  char fed[PM__REPORT_WORD], drawing[PM__REPORT_WORD];
  pm__report_add(r, "power budget", "supplies %s node%s at their design power", pm__report_quantity(fed, n->fed, "1"),
                 n->fed == 1 ? "" : "s");
  pm__report_set_value(r, n->fed, "1");
  pm__report_note(r, "\n%s at the predicted power of this run",
                  pm__report_quantity(drawing, n->drawing, "1"));
}

static void add_site(const pm__study_subject *s, const numbers *n, pm_report *r)
{
  char joules[PM__REPORT_WORD], grams[PM__REPORT_WORD];
  bool named = s->asked->currency != NULL && s->asked->currency[0] != '\0';
  pm__report_add(r, "site", "%s per %s with hosts, supplies and a PUE of %.4g",
                 pm__report_quantity(joules, n->site, "J"), unit_of(s), n->pue);
  pm__report_set_value(r, n->site, "J");
  pm__report_note(r, "\nwithout %sstorage and manufacturing", isnan(n->network) ? "the network between nodes, " : "");
  if (!isnan(n->carbon)) {
    pm__report_add(r, "carbon", "%s per million %ss", pm__report_quantity(grams, 1e6 * n->carbon, "g"), unit_of(s));
    pm__report_set_value(r, n->carbon, "g");
  }
  if (isnan(n->cost)) return;
  char price[PM__REPORT_WORD];
  pm__report_add(r, "price", "%s%s%s per million %ss", pm__report_quantity(price, 1e6 * n->cost, "1"), named ? " " : "",
                 named ? s->asked->currency : "", unit_of(s));
  pm__report_set_value(r, n->cost, "1");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (!pm__study_predicted(s) || isnan(pm__study_number(s, "energy"))) return;
  const numbers n = numbers_of(s);
  add_boards(s, &n, r);
  add_nodes(&n, r);
  add_budget(&n, r);
  add_site(s, &n, r);
  add_parts(s, &n, r);
  add_totals(s, &n, r);
}

const pm__study_block pm__study_block_energy = {
  .title = "Energy", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
