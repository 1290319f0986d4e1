/* The nodes that meet a deadline, and what training on them takes. */
#include <math.h>
#include <string.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

/* Of the last row: the fewest nodes that meet the deadline, or the fastest. */
static double last(const pm__study_subject *s, const char *name)
{
  const pm_table *table = s->asked->table;
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0)
      return pm_table_get_numbers(table, i)[pm_table_count_rows(table) - 1];
  return NAN;
}

static void add_nodes(const pm__study_subject *s, const pm_training_goal *goal, pm_report *r)
{
  char within[PM__REPORT_WORD], time[PM__REPORT_WORD], low[PM__REPORT_WORD], high[PM__REPORT_WORD];
  double nodes = last(s, "nodes");
  pm__report_quantity(within, goal->within, "s");
  pm__report_quantity(time, last(s, "time"), "s");
  if (last(s, "reached") >= 1)
    pm__report_add(r, "nodes", "%.0f nodes, %.0f GPUs (%s) train %s within %s: %s", nodes, last(s, "gpus"),
                   s->machine->name, s->totals.name, within, time);
  else
    pm__report_add(r, "nodes", "No count of at most %d nodes (%s) trains %s within %s", goal->max_nodes,
                   s->machine->name, s->totals.name, within);
  pm__report_set_value(r, nodes, "1");
  if (!isnan(last(s, "time_p10")))
    pm__report_add(r, "interval", "%s to %s (80 %% prediction interval)%s",
                   pm__report_quantity(low, last(s, "time_p10"), "s"),
                   pm__report_quantity(high, last(s, "time_p90"), "s"),
                   s->study->slots[0].named ? "" : ", in PyTorch, its FSDP or Megatron-LM, as each plan needs");
  pm__report_summarize(r, "%s on %.0f %s: %s, %s %s", s->totals.id, nodes, s->machine->id, time,
                       last(s, "reached") >= 1 ? "within" : "not within", within);
}

static void add_failures(const pm__study_subject *s, pm_report *r)
{
  char a[PM__REPORT_WORD], b[PM__REPORT_WORD], c[PM__REPORT_WORD];
  if (!isfinite(last(s, "mtbf"))) {
    pm__report_add(r, "failures",
                   "Failures and checkpoints are left out: give gpu_mtbf or node_mtbf, and checkpoint_rate");
    return;
  }
  pm__report_add(r, "goodput",
                 "A failure every %s, a checkpoint every %s that takes %s: %.1f %% of the time is training",
                 pm__report_quantity(a, last(s, "mtbf"), "s"), pm__report_quantity(b, last(s, "interval"), "s"),
                 pm__report_quantity(c, last(s, "checkpoint"), "s"), 100 * last(s, "goodput"));
  pm__report_set_value(r, last(s, "goodput"), "1");
}

/* As far as it is known. */
static void add_amounts(const pm__study_subject *s, pm_report *r)
{
  char text[PM__REPORT_WORD];
  pm__string line = {NULL, 0, 0, false};
  double energy = last(s, "energy"), cost = last(s, "cost"), hours = last(s, "gpu_hour_cost");
  pm__string_format(&line, "%.0f GPU-hours", last(s, "gpu_hours"));
  if (!isnan(energy)) pm__string_format(&line, ", %s", pm__report_quantity(text, energy, "J"));
  const char *currency = s->asked->currency != NULL ? s->asked->currency : "";
  if (!isnan(hours)) pm__string_format(&line, ", which cost %.0f%s%s", hours, currency[0] != '\0' ? " " : "", currency);
  if (!isnan(cost))
    pm__string_format(&line, "; nodes for %.0f %s", cost, s->asked->currency != NULL ? s->asked->currency : "");
  if (line.failed) r->failed = true;
  else pm__report_add(r, "amounts", "%s", line.text);
  pm_string_free(line.text);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  add_nodes(s, (const pm_training_goal *)s->asked->goal, r);
  add_failures(s, r);
  add_amounts(s, r);
}

const pm__study_block pm__study_block_deadline = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_DEADLINE] = fill}};
