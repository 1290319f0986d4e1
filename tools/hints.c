/* Runs without a prediction: why, and what would fit instead, as options. */
#include <string.h>
#include "options.h"

static const pm_report_block *find_block(const pm_report *report, const char *name)
{
  const pm_report_block *block;
  for (size_t i = 0; (block = pm_report_get_block(report, i)) != NULL; i++)
    if (strcmp(block->name, name) == 0) return block;
  return NULL;
}

/* "; in fp16 it needs 3.2 GB" */
static void add_precision(const pm_report *report, char *text, size_t size)
{
  const pm_report_block *block = find_block(report, "fitting_precision");
  size_t used = strlen(text);
  if (block != NULL)
    snprintf(text + used, size - used, "; in %s it needs %s", block->lines[0].label, block->lines[0].text);
}

/* "; --zero 3 --recompute full fits" */
static void add_plan(const pm_report *report, char *text, size_t size)
{
  char option[OPTION_NAME];
  const pm_record_type *type = pm_record_type_find("run");
  const pm_report_block *block = find_block(report, "fitting_plan");
  size_t used = strlen(text);
  if (block != NULL) snprintf(text + used, size - used, ";");
  for (size_t i = 0; block != NULL && i < block->count; i++) {
    const pm_report_line *line = &block->lines[i];
    const pm_field *field = pm_record_find_field(type, line->label);
    if (field != NULL) field_option(field, option, sizeof option);
    used = strlen(text);
    if (field == NULL) snprintf(text + used, size - used, " %s", line->text);
    else snprintf(text + used, size - used, " --%s%s%s%s", option, is_switch(field) ? "" : " ",
                  is_switch(field) ? "" : line->text, i + 1 == block->count ? " fits" : "");
  }
}

int fail_run(const pm_error *error, pm_report *report)
{
  char hints[256] = "";
  if (error->status == PM_STATUS_DOES_NOT_FIT) {
    add_precision(report, hints, sizeof hints);
    add_plan(report, hints, sizeof hints);
  }
  pm_report_free(report);
  if (error->status != PM_STATUS_DOES_NOT_FIT) return fail_error(error);
  return fail(error_code(error), "%s%s; --ignore-memory predicts all the same", error->text, hints);
}
