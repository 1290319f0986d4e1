/* Whether the target is reached, and what less would give. */
#include <math.h>
#include <stdio.h>
#include "study/blocks/blocks.h"

static void add_missed(const pm__study_subject *s, const pm_size_choice *best, pm_report *r)
{
  int most = ((const pm_size_goal *)s->asked->goal)->max_nodes;
  bool fed = best->budget_nodes < most;
  const char *budget = fed ? ", as many as the power budget feeds" : "";
  if (fed) most = (int)best->budget_nodes;
  if (best->budget_nodes < 1)
    pm__report_add(r, "missed", "The power budget does not feed one node of any of these systems.");
  else if (best->nodes <= 0 && s->task->facts.replicas)
    pm__report_add(r, "missed", "Nothing reaches the target: no %s of one sample is within the latency.",
                   s->task->facts.unit);
  else if (best->nodes > 0 && s->task->facts.replicas)
    pm__report_add(r, "missed", "The target is not reached with up to %d nodes%s.", most, budget);
  else if (best->nodes > 0)
    pm__report_add(r, "missed", "The target is not reached: this is the fastest of up to %d nodes%s.", most, budget);
  pm__report_summarize(r, "misses the target");
}

static void add_next(const pm_size_choice *next, pm_report *r)
{
  char time[PM__REPORT_WORD] = "", rate[PM__REPORT_WORD], miss[PM__REPORT_WORD] = "reaches it too";
  if (next->reached < 1) snprintf(miss, sizeof miss, "misses by %.1f %%", 100 * (1 - next->reached));
  pm__report_add(r, "next cheaper", "Next cheaper: %d x %s, batch %.0f: %s samples/s%s%s; %s", next->nodes,
                 next->system, next->batch, pm__report_quantity(rate, next->throughput, "1"),
                 isnan(next->time) ? "" : ", ", isnan(next->time) ? "" : pm__report_quantity(time, next->time, "s"),
                 miss);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm_size_choice next;
  const pm_report_question *q = s->asked;
  const pm_size_choice *best = (const pm_size_choice *)q->answers;
  if (isnan(best->reached) && best->nodes > 0) return; /* nothing is aimed at but to fill a power budget */
  if (best->rank == 0) add_missed(s, best, r);
  if (best->rank > 0) pm__report_summarize(r, "reaches the target");
  if (best->rank == 0 || s->task->facts.replicas) return;
  int status = pm_size_find_next(q->size, (const pm_size_goal *)q->goal, best, &next, NULL);
  pm__report_check(r, status);
  if (status == PM_OK) add_next(&next, r);
  else pm__report_add(r, "next cheaper", "Nothing takes less.");
}

const pm__study_block pm__study_block_next_choice = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_SIZES] = fill}};
