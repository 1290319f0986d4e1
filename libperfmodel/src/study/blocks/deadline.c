/* The nodes that meet a deadline, and what training on them takes. */
#include <math.h>
#include <string.h>
#include "perfmodel/units.h"
#include "plan/energy.h"
#include "study/blocks/blocks.h"

/* The column of that name in the row that answers: the last of the counts of one system, the fewest nodes that meet the
** deadline or the fastest; the first of several systems. */
static const pm_column *column_of(const pm__study_subject *s, const char *name, size_t *at)
{
  const pm_table *table = s->asked->table;
  for (*at = 0; *at < pm_table_count_columns(table); (*at)++)
    if (strcmp(pm_table_get_column(table, *at)->name, name) == 0) return pm_table_get_column(table, *at);
  return NULL;
}

static size_t answer(const pm__study_subject *s)
{
  return s->study->system_count > 1 ? 0 : pm_table_count_rows(s->asked->table) - 1;
}

static double number(const pm__study_subject *s, const char *name)
{
  size_t at;
  return column_of(s, name, &at) != NULL ? pm_table_get_numbers(s->asked->table, at)[answer(s)] : (double)NAN;
}

static const char *word(const pm__study_subject *s, const char *name, char text[PM_TEXT_MAX])
{
  size_t at;
  return column_of(s, name, &at) != NULL ? pm_table_get_text(s->asked->table, at, answer(s), text) : "";
}

static void add_nodes(const pm__study_subject *s, const pm_training_goal *goal, pm_report *r)
{
  char within[PM__REPORT_WORD], time[PM__REPORT_WORD], amount[PM__REPORT_WORD];
  double nodes = number(s, "nodes");
  bool met = number(s, "reached") >= 1, alone = !(pm_system_get_network_bandwidth(s->system) > 0);
  double fed = floor(s->run.power_budget / (pm__energy_node_design(s->system, s->run.power_limit) * goal->pue));
  int most = alone ? 1 : fed < goal->max_nodes ? (int)fed : goal->max_nodes;
  pm__report_quantity(within, goal->within, "s");
  pm__report_quantity(time, number(s, "time"), "s");
  pm__study_amount(goal->tokens, goal->samples, amount);
  if (met)
    pm__report_add(r, "nodes", "%.0f node%s, %.0f GPUs (%s) train %s on %s within %s: %s", nodes, nodes == 1 ? "" : "s",
                   number(s, "gpus"), s->machine->name, s->totals.name, amount, within, time);
  else
    pm__report_add(r, "nodes", "No count of at most %d node%s (%s%s) trains %s on %s within %s; %.0f node%s %s",
                   most, most == 1 ? "" : "s", s->machine->name,
                   alone ? ", which has no network between nodes"
                   : fed < goal->max_nodes ? ", as many as the power budget feeds" : "",
                   s->totals.name, amount, within, nodes,
                   nodes == 1 ? " takes" : "s take", time);
  pm__report_set_value(r, nodes, "1");
  pm__report_summarize(r, "%s on %.0f %s: %s, %s %s", s->totals.id, nodes, s->machine->id, time,
                       met ? "within" : "not within", within);
}

/* With which plan, in which framework, and how certain that is. */
static void add_plan(const pm__study_subject *s, pm_report *r)
{
  char plan[PM_TEXT_MAX], framework[PM_TEXT_MAX], low[PM__REPORT_WORD], high[PM__REPORT_WORD];
  const char *in = word(s, "framework", framework);
  pm__report_add(r, "plan", "Plan %s in %s, the best of all for a global batch of %.0f", word(s, "plan", plan),
                 in[0] != '\0' ? in : "no framework: kernels and collectives only", number(s, "global_batch"));
  if (!isnan(number(s, "time_p10")))
    pm__report_add(r, "interval", "%s to %s (80 %% prediction interval)",
                   pm__report_quantity(low, number(s, "time_p10"), "s"),
                   pm__report_quantity(high, number(s, "time_p90"), "s"));
}

static void add_failures(const pm__study_subject *s, pm_report *r)
{
  char a[PM__REPORT_WORD], b[PM__REPORT_WORD], c[PM__REPORT_WORD];
  if (!isfinite(number(s, "mtbf"))) {
    pm__report_add(r, "failures",
                   "Failures and checkpoints are not included: give gpu_mtbf or node_mtbf, and checkpoint_rate");
    return;
  }
  pm__report_add(r, "goodput",
                 "A failure every %s, a checkpoint every %s that takes %s: %.1f %% of the time is training",
                 pm__report_quantity(a, number(s, "mtbf"), "s"), pm__report_quantity(b, number(s, "interval"), "s"),
                 pm__report_quantity(c, number(s, "checkpoint"), "s"), 100 * number(s, "goodput"));
  pm__report_set_value(r, number(s, "goodput"), "1");
}

/* As far as it is known. */
static void add_amounts(const pm__study_subject *s, pm_report *r)
{
  char text[PM__REPORT_WORD];
  pm__string line = {NULL, 0, 0, false};
  double energy = number(s, "energy"), cost = number(s, "cost"), hours = number(s, "gpu_hour_cost");
  pm__string_format(&line, "%s GPU-hours", pm__report_quantity(text, number(s, "gpu_hours"), "1"));
  if (!isnan(energy)) pm__string_format(&line, ", %s", pm__report_quantity(text, energy / 3600, "Wh"));
  if (!isnan(number(s, "carbon")))
    pm__string_format(&line, ", %s t of carbon dioxide", pm__report_quantity(text, number(s, "carbon") / 1e6, "1"));
  if (!isnan(number(s, "energy_cost")))
    pm__string_format(&line, ", energy for %s", pm__report_quantity(text, number(s, "energy_cost"), "1"));
  const char *currency = s->asked->currency != NULL ? s->asked->currency : "";
  if (!isnan(hours))
    pm__string_format(&line, ", which cost %s%s%s", pm__report_quantity(text, hours, "1"),
                      currency[0] != '\0' ? " " : "", currency);
  if (!isnan(cost))
    pm__string_format(&line, "; nodes for %s %s", pm__report_quantity(text, cost, "1"), currency);
  if (line.failed) r->failed = true;
  else pm__report_add(r, "amounts", "%s", line.text);
  pm_string_free(line.text);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  add_nodes(s, (const pm_training_goal *)s->asked->goal, r);
  add_plan(s, r);
  add_failures(s, r);
  add_amounts(s, r);
}

const pm__study_block pm__study_block_deadline = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_DEADLINE] = fill}};
