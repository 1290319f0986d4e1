/*
** The fields that a field is the sum of. Added in the order of the lines they are the whole, to the bit: the last one
** takes the rounding. Parts of memory, and of the time of a call, have no fields; the task lists them.
*/
#include <math.h>
#include <string.h>
#include "study/blocks/blocks.h"
#include "study/named.h"

typedef struct parts {
  pm__task_part part[PM__TASK_PARTS];
  char name[PM__TASK_PARTS][PM__TASK_FORMULA_NAME];
  int count;
} parts;

static void add(parts *all, const char *label, double value)
{
  if (value != 0 && all->count < PM__TASK_PARTS) all->part[all->count++] = (pm__task_part){label, value};
}

/* The terms of a plain sum. */
static void take_terms(const pm__study_subject *s, parts *all)
{
  int terms = pm__task_formula_terms(&s->formula, all->name);
  for (int i = 0; i < terms; i++) add(all, all->name[i], pm__study_named_number(s, all->name[i]));
}

static void take_memory(const pm_memory_use *use, parts *all)
{
  const pm_record_type *type = pm_record_type_find("memory_use");
  const pm_field *end = pm_record_find_field(type, "sample");
  for (const pm_field *field = pm_record_find_field(type, "context"); field < end; field++)
    add(all, field->name, pm_record_get_number(field, use));
}

/* Of a call, whose time is no plain sum of fields. */
static void take_time(const pm__study_subject *s, parts *all)
{
  pm__task_part of_task[PM__TASK_PARTS];
  int count = s->task->list_parts(s->answers, of_task);
  for (int i = 0; i < count; i++) add(all, of_task[i].label, of_task[i].time);
}

/* The last part becomes what makes the sum exact, if only rounding is missing; else these are no parts of it. */
static bool close_sum(parts *all, double whole)
{
  double before = 0, *last = &all->part[all->count - 1].time;
  for (int i = 0; i < all->count - 1; i++) before += all->part[i].time;
  if (!(fabs(before + *last - whole) <= 1e-9 * fabs(whole))) return false;
  *last = whole - before;
  while (before + *last < whole) *last = nextafter(*last, INFINITY);
  while (before + *last > whole) *last = nextafter(*last, -INFINITY);
  return true;
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  parts all = {.count = 0};
  double whole = pm_record_get_number(s->field, s->answers);
  take_terms(s, &all);
  if (strcmp(s->field->name, "memory") == 0 && s->use.total > 0) take_memory(&s->use, &all);
  else if (all.count == 0 && whole == s->outcome.time) take_time(s, &all);
  if (all.count < 2 || !close_sum(&all, whole)) return;
  pm__report_set_title(r, "Parts of %s, which add up to it", s->field->name);
  for (int i = 0; i < all.count; i++)
    pm__report_add_part(r, all.part[i].label, all.part[i].time, s->field->unit, whole);
}

const pm__study_block pm__study_block_explained_parts = {
  .title = "Parts", .style = PM_REPORT_STYLE_PARTS,
  .fill = {[PM_REPORT_OF_FIELD] = fill}};
