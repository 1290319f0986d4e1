/* What training on all tokens or samples takes: days, GPU-hours, energy, cost, failures. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

static void add_time(const pm_run *run, const pm_prediction *p, pm_report *r)
{
  char time[PM__REPORT_WORD], low[PM__REPORT_WORD], high[PM__REPORT_WORD], amount[PM__REPORT_WORD];
  pm__report_quantity(time, p->training_time, "s");
  pm__report_add(r, "time", "%s for %s", time, pm__study_amount(run->tokens, run->samples, amount));
  pm__report_set_value(r, p->training_time, "s");
  pm__report_summarize(r, "training %s", time);
  if (isnan(p->training_time_p10)) return;
  pm__report_note(r, "\n%s to %s (80 %% prediction interval)", pm__report_quantity(low, p->training_time_p10, "s"),
                  pm__report_quantity(high, p->training_time_p90, "s"));
}

static void add_amounts(const pm__study_subject *s, const pm_run *run, const pm_prediction *p, pm_report *r)
{
  char text[PM__REPORT_WORD];
  const char *currency = s->asked->currency;
  pm__report_add_quantity(r, "GPU-hours", p->training_gpu_hours, "1");
  if (!isnan(p->training_cost)) {
    bool named = currency != NULL && currency[0] != '\0';
    pm__report_add(r, "cost", "%s %s", pm__report_quantity(text, p->training_cost, "1"),
                   named ? currency : "at the price of a GPU-hour");
    pm__report_set_value(r, p->training_cost, "1");
  }
  if (isnan(p->training_energy)) {
    pm__report_add(r, "energy", "unknown: the power of %s is not known", s->gpu->id);
    return;
  }
  pm__report_add(r, "energy", "%s of the site", pm__report_quantity(text, p->training_energy / 3600, "Wh"));
  pm__report_set_value(r, p->training_energy, "J");
  if (!isnan(p->training_design_energy))
    pm__report_note(r, "\n%s at the design power of %d node%s%s",
                    pm__report_quantity(text, p->training_design_energy / 3600, "Wh"), run->nodes,
                    run->nodes == 1 ? "" : "s",
                    s->machine->power_basis == PM_POWER_BASIS_PARTS ? ", the sum of their parts" : "");
  if (!isnan(p->training_carbon))
    pm__report_add(r, "carbon", "%s t of carbon dioxide", pm__report_quantity(text, p->training_carbon / 1e6, "1"));
  if (!isnan(p->training_energy_cost)) pm__report_add_quantity(r, "energy price", p->training_energy_cost, "1");
}

static void add_failures(const pm_prediction *p, pm_report *r)
{
  char a[PM__REPORT_WORD], b[PM__REPORT_WORD], c[PM__REPORT_WORD];
  if (!isfinite(p->mtbf) && isnan(p->checkpoint_interval)) {
    pm__report_add(r, "failures", "not included, nor checkpoints: give gpu_mtbf or node_mtbf, and checkpoint_rate");
    return;
  }
  pm__report_quantity(a, p->mtbf, "s");
  pm__report_add(r, "failures", "%s%s, a checkpoint every %s that takes %s", isfinite(p->mtbf) ? "one every " : "none",
                 isfinite(p->mtbf) ? a : "", pm__report_quantity(b, p->checkpoint_interval, "s"),
                 pm__report_quantity(c, p->checkpoint_time, "s"));
  pm__report_add(r, "goodput", "%.1f %% of the time is training that is not lost", 100 * p->goodput);
  pm__report_set_value(r, p->goodput, "1");
}

static void add(const pm__study_subject *s, const pm_run *run, const pm_prediction *p, pm_report *r)
{
  if (isnan(p->training_time)) return;
  add_time(run, p, r);
  add_amounts(s, run, p, r);
  add_failures(p, r);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (s->trains && pm__study_predicted(s)) add(s, &s->run, &s->step, r);
}

/* With the first plan. */
static void fill_search(const pm__study_subject *s, pm_report *r)
{
  pm_prediction p;
  if (pm_predict(s->study->plans[s->study->plan_count - 1], &s->run, &p, 1) == PM_OK) add(s, &s->run, &p, r);
}

const pm__study_block pm__study_block_training = {
  .title = "Training", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill, [PM_REPORT_OF_SEARCH] = fill_search}};
