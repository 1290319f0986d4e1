/*
** From the time of one run to that of another, part by part. The parts are those of the task. What they leave of its
** time is a part too, unless it is rounding, which the last one takes, so that the sum is exact.
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "study/blocks/blocks.h"

enum { MOST = 2 * PM__TASK_PARTS + 3 };

#define ROUNDING 1e-9 /* of sums of doubles, by far */

typedef struct rows {
  pm_comparison row[MOST];
  int count;
} rows;

static pm_comparison *add(rows *all, const char *part)
{
  pm_comparison *row = &all->row[all->count++];
  memset(row, 0, sizeof *row);
  snprintf(row->part, sizeof row->part, "%s", part);
  return row;
}

/* The row of a part, which a run may lack. */
static pm_comparison *find(rows *all, const char *part)
{
  for (int i = 0; i < all->count; i++)
    if (strcmp(all->row[i].part, part) == 0) return &all->row[i];
  return add(all, part);
}

static double take_parts(const pm__study_subject *s, size_t run, rows *all)
{
  pm__task_part parts[PM__TASK_PARTS];
  const void *answer = (const char *)s->answers + run * s->task->answer_size;
  int count = s->task->list_parts(answer, parts);
  for (int i = 0; i < count; i++) {
    pm_comparison *row = find(all, parts[i].label);
    if (run == 0) row->first = parts[i].time;
    else row->second = parts[i].time;
  }
  return s->task->read(answer).time;
}

/* What the parts of both runs leave. */
static void add_rest(rows *all, double first, double second)
{
  double one = first, two = second;
  for (int i = 1; i < all->count; i++) {
    one -= all->row[i].first;
    two -= all->row[i].second;
  }
  if (fabs(one) <= ROUNDING * first && fabs(two) <= ROUNDING * second) return;
  pm_comparison *row = add(all, "all else");
  row->first = one;
  row->second = two;
}

/* What is reached, row by row, from the first time to the second. */
static void add_up(rows *all, double first, double second)
{
  double reached = first;
  for (int i = 1; i < all->count; i++) {
    pm_comparison *row = &all->row[i];
    row->difference = row->second - row->first;
    row->reached = reached + row->difference;
    if (i == all->count - 1) row->reached = second;
    row->difference = row->reached - reached;
    row->share = row->difference / (second - first);
    reached = row->reached;
  }
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  rows all = {.count = 0};
  pm_comparison *start = add(&all, "first run");
  double first = take_parts(s, 0, &all), second = take_parts(s, 1, &all);
  start->first = start->reached = first;
  start->second = start->difference = start->share = NAN;
  add_rest(&all, first, second);
  add_up(&all, first, second);
  pm_comparison *end = add(&all, "second run");
  end->second = end->reached = second;
  end->difference = second - first;
  end->first = NAN;
  end->share = 1;
  pm_table *table = pm_table_new_of_records(pm_record_type_find("comparison"), all.row, (size_t)all.count, NULL);
  if (table == NULL) r->failed = true;
  pm__report_set_title(r, "Time of one %s, from the first run to the second", s->task->whole);
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_waterfall = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_COMPARISON] = fill}};
