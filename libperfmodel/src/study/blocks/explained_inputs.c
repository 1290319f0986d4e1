/*
** What a field is made from: each name of its formula and each further input, its value, and where that comes from. Of
** a plain sum, whose terms are its parts, it is what these are made from.
*/
#include <string.h>
#include "hardware/kernel_calibration.h"
#include "study/blocks/blocks.h"
#include "study/named.h"

enum { MOST = 40 };

typedef struct seen {
  char name[MOST][PM__TASK_FORMULA_NAME];
  int count;
} seen;

static bool is_new(seen *all, const char *name)
{
  for (int i = 0; i < all->count; i++)
    if (strcmp(all->name[i], name) == 0) return false;
  if (all->count == MOST) return false;
  memcpy(all->name[all->count++], name, PM__TASK_FORMULA_NAME);
  return true;
}

/* Whether a constant of kernels is of the cores, or of the memory, that this run uses. */
static bool is_used(const pm__study_subject *s, const char *name)
{
  bool tensor = pm__gpu_uses_tensor_cores(s->gpu, pm__task_get(&s->record, s->task->at.precision));
  bool stacked = strncmp(s->gpu->memory_type, "HBM", 3) == 0;
  const char *const others[] = {tensor ? "kernels.simt_" : "kernels.tensor_",
                                stacked ? "kernels.gddr_" : "kernels.hbm_"};
  for (int i = 0; i < 2; i++)
    if (strncmp(name, others[i], strlen(others[i])) == 0) return false;
  return true;
}

/* An input that is not given and that no entry states is left out; of parts, so are fields of the answer. */
static void add(const pm__study_subject *s, const char *names, bool of_parts, seen *all, pm_report *r)
{
  char name[PM__TASK_FORMULA_NAME];
  pm__study_named found;
  while (pm__task_formula_next(&names, name)) {
    if (of_parts && pm_record_find_field(s->answer_type, name) != NULL) continue;
    if (!is_used(s, name) || !is_new(all, name) || !pm__study_find_named(s, name, &found)) continue;
    if (strcmp(found.text, "unknown") == 0 || found.text[0] == '\0') continue;
    pm__report_add(r, name, "%s", found.text);
    if (found.unit[0] != '\0') pm__report_set_value(r, found.number, found.unit);
    pm__report_note(r, "\n%s (%s)", found.doc, found.source);
  }
}

static void add_of_parts(const pm__study_subject *s, char terms[][PM__TASK_FORMULA_NAME], int count, seen *all,
                         pm_report *r)
{
  pm__task_formula part;
  for (int i = 0; i < count; i++)
    if (pm__study_named_number(s, terms[i]) != 0 && pm__task_formula_find(s->task, terms[i], &part))
      add(s, part.inputs, true, all, r);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  seen all = {.count = 0};
  char terms[PM__TASK_PARTS][PM__TASK_FORMULA_NAME];
  int count = pm__task_formula_terms(&s->formula, terms);
  if (count > 0) add_of_parts(s, terms, count, &all, r);
  else if (s->formula.exact) add(s, s->formula.text, false, &all, r);
  add(s, s->formula.inputs, false, &all, r);
}

const pm__study_block pm__study_block_explained_inputs = {
  .title = "What it is made from", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_FIELD] = fill}};
