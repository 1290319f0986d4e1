/* The best layout that serves within limits: its GPUs, what requests see of it, what it costs, how many fit at once. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/units.h"
#include "search/serving_goal.h"
#include "study/blocks/blocks.h"

enum { LINE = 256 };

/* Lengths, beside that of the request, with which people ask what fits. */
static const double lengths[] = {32768, 131072};

static void add_degree(char text[LINE], const char *name, int degree)
{
  size_t used = strlen(text);
  if (degree > 1) snprintf(text + used, LINE - used, ", %s %d", name, degree);
}

/* "TP 4, EP 2, fp8"; with pools "2 workers of TP 2 read prompts, 3 of TP 4 decode". */
static const char *format_layout(const pm_serving_choice *c, char text[LINE])
{
  snprintf(text, LINE, "TP %d", c->tp);
  add_degree(text, "PP", c->pp);
  add_degree(text, "attention DP", c->attention_dp);
  add_degree(text, "EP", c->ep);
  size_t used = strlen(text);
  snprintf(text + used, LINE - used, ", %s", pm__study_choice("serving_choice", "precision", c->precision)->name);
  used = strlen(text);
  if (c->prefill_workers > 0)
    snprintf(text + used, LINE - used, "; %d workers of TP %d read prompts for %d that decode", c->prefill_workers,
             c->prefill_tp, c->decode_workers);
  return text;
}

static void add_gpus(const pm__study_subject *s, const pm_serving_choice *c, pm_report *r)
{
  char layout[LINE], gpus[PM__REPORT_WORD], nodes[PM__REPORT_WORD], replicas[PM__REPORT_WORD];
  pm__report_count(gpus, c->gpus, "GPU");
  pm__report_count(nodes, c->nodes, "node");
  pm__report_count(replicas, c->replicas, c->prefill_workers > 0 ? "pair of pools" : "replica");
  pm__report_add(r, "system", "%s", s->machine->name);
  pm__report_add(r, "engine", "%s", s->software.engine->engine.name);
  pm__report_add(r, "GPUs", "%s", gpus);
  pm__report_set_value(r, c->gpus, "1");
  if (c->paid_gpus > c->gpus) pm__report_note(r, "on %s, whose %.0f GPUs are all paid for", nodes, c->paid_gpus);
  else pm__report_note(r, "on %s", nodes);
  pm__report_add(r, "layout", "%s of %d GPU%s", replicas, c->replica_gpus, c->replica_gpus > 1 ? "s" : "");
  pm__report_note(r, ": %s", format_layout(c, layout));
  pm__report_summarize(r, "%s of %s, %s", gpus, s->machine->id, layout);
}

/* Of a limit; INFINITY: there is none. */
static void add_time(pm_report *r, const char *label, double time, double limit, double percentile)
{
  char most[PM__REPORT_WORD];
  pm__report_add_quantity(r, label, time, "s");
  if (isinf(limit)) pm__report_note(r, "at p%g", 100 * percentile);
  else pm__report_note(r, "at p%g, of at most %s", 100 * percentile, pm__report_quantity(most, limit, "s"));
}

static void add_service(const pm__study_subject *s, const pm_serving_choice *c, pm_report *r)
{
  char most[PM__REPORT_WORD];
  const pm_serving_run *run = (const pm_serving_run *)(const void *)&s->record;
  const pm_serving_goal limits = pm__serving_goal_of((const pm_serving_goal *)s->asked->goal, run);
  pm__report_add_quantity(r, "request rate", c->request_rate, "requests/s");
  pm__report_note(r, "; each answers up to %s within the limits",
                  pm__report_quantity(most, c->replica_rate, "requests/s"));
  add_time(r, "TTFT", c->ttft, limits.ttft, run->percentile);
  add_time(r, "TPOT", c->tpot, limits.tpot, run->percentile);
}

static void add_cost(const pm__study_subject *s, const pm_serving_choice *c, pm_report *r)
{
  const char *currency = s->asked->currency != NULL ? s->asked->currency : "";
  const char *between = currency[0] != '\0' ? " " : "";
  if (isnan(c->hour_cost)) return;
  char output[PM__REPORT_WORD], all[PM__REPORT_WORD], hour[PM__REPORT_WORD];
  pm__report_quantity(output, c->output_cost, "1");
  pm__report_add(r, "cost", "%s%s%s", output, between, currency);
  pm__report_set_value(r, c->output_cost, "1");
  pm__report_note(r, "per million output tokens; %s per million tokens in total; %s per hour",
                  pm__report_quantity(all, c->token_cost, "1"), pm__report_quantity(hour, c->hour_cost, "1"));
  pm__report_summarize(r, "%s%s%s for a million output tokens", output, between, currency);
}

/* What is predicted, of the part of the nodes that replicas use. */
static void add_energy(const pm_serving_choice *c, pm_report *r)
{
  char draw[PM__REPORT_WORD], design[PM__REPORT_WORD], more[LINE] = "";
  if (isnan(c->output_energy)) return;
  if (!isnan(c->output_carbon))
    snprintf(more, sizeof more, "; %s g of carbon dioxide per million",
             pm__report_quantity(draw, c->output_carbon, "1"));
  size_t used = strlen(more);
  if (!isnan(c->output_energy_cost))
    snprintf(more + used, sizeof more - used, "; %s for the energy per million",
             pm__report_quantity(draw, c->output_energy_cost, "1"));
  pm__report_add_quantity(r, "energy", c->output_energy, "J");
  pm__report_note(r, "of the site per output token, at a predicted power of %s; nodes with %s design power%s",
                  pm__report_quantity(draw, c->power, "W"), pm__report_quantity(design, c->design_power, "W"), more);
  if (isnan(c->budget_nodes)) return;
  pm__report_add(r, "power budget", "supplies %s node%s at their design power",
                 pm__report_quantity(design, c->budget_nodes, "1"), c->budget_nodes == 1 ? "" : "s");
  pm__report_set_value(r, c->budget_nodes, "1");
}

/* Requests of a replica at once that have so many tokens. */
static double room_for(const pm__study_subject *s, const pm_serving_run *run, double tokens)
{
  pm_serving answer;
  pm_serving_run longer = *run;
  longer.isl = fmax(1, tokens - run->osl);
  longer.ignore_memory = 1;
  return pm_serve(s->plan, &longer, &answer, 1) == PM_OK ? answer.largest_concurrency : (double)NAN;
}

/* "105 of 2304 tokens, 7 of 32768, none of 131072" */
static void add_room(const pm__study_subject *s, const pm_serving_choice *c, pm_report *r)
{
  char text[LINE], count[PM_NUMBER_MAX], tokens[PM_NUMBER_MAX];
  const pm_serving_run run = pm__serving_goal_run((const pm_serving_run *)(const void *)&s->record, c);
  double asked = run.isl + run.osl, here = room_for(s, &run, asked);
  snprintf(text, sizeof text, "of %s tokens", pm_number_format(tokens, asked));
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    size_t used = strlen(text);
    double others = room_for(s, &run, lengths[i]);
    if (lengths[i] <= asked || isnan(others)) continue;
    snprintf(text + used, sizeof text - used, "%s%s of %s", i == 0 ? "; " : ", ",
             others >= 1 ? pm_number_format(count, others) : "none", pm_number_format(tokens, lengths[i]));
  }
  pm__report_add(r, "requests at once", "%s", pm_number_format(count, here));
  pm__report_set_value(r, here, "1");
  pm__report_note(r, "%s fit %s", text, c->prefill_workers > 0 ? "a worker that decodes" : "a replica");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_serving_choice *best = s->served;
  if (best->rank == 0) {
    pm__report_add(r, "GPUs", "none of these layouts answers within the limits%s",
                   isnan(best->budget_nodes) ? "" : " and the power budget");
    pm__report_summarize(r, "no layout is within the limits");
    return;
  }
  add_gpus(s, best, r);
  add_service(s, best, r);
  add_cost(s, best, r);
  add_energy(best, r);
  add_room(s, best, r);
  pm__report_add(r, "bottleneck", "%s", pm__study_choice("serving_choice", "bottleneck", best->bottleneck)->name);
  pm__report_add(r, "calibration", "%s", pm__study_choice("serving_choice", "calibration", best->calibration)->name);
}

const pm__study_block pm__study_block_served_choice = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_SERVING] = fill}};
