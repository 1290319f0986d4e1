/* Commands to go on with: what would fit where a run has no prediction, and the first plan of a search, in full. */
#include <math.h>
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

static bool is_changed(const pm_report_block *block, const char *field)
{
  for (size_t i = 0; i < block->count; i++)
    if (strcmp(block->lines[i].label, field) == 0) return true;
  return false;
}

/* " --zero 3", " --sp", " --usable-memory \"80 GB\"" */
static void add_option(const char *name, const char *value, char *text, size_t size)
{
  size_t used = strlen(text);
  const char *quote = strpbrk(value, " ;&*?()") != NULL ? "\"" : "";
  snprintf(text + used, size - used, " --%s%s%s%s%s", name, value[0] != '\0' ? " " : "", quote, value, quote);
}

static void add_field(const pm_field *field, const char *value, char *text, size_t size)
{
  char option[OPTION_NAME];
  bool on = is_switch(field) && strcmp(value, "yes") == 0;
  field_option(field, option, sizeof option);
  add_option(option, on ? "" : value, text, size);
}

static void add_files(const cli_request *request, char *text, size_t size)
{
  for (size_t i = 0; i < request->sets.count; i++) add_option("set", request->sets.items[i], text, size);
  for (size_t i = 0; i < request->catalogs.count; i++) add_option("catalog", request->catalogs.items[i], text, size);
}

/* What was asked, without what the plan decides. */
static void add_given(const cli_request *request, const pm_report_block *block, char *text, size_t size)
{
  for (size_t i = 0; i < request->given_count; i++)
    if (!is_changed(block, request->given[i].field->name))
      add_field(request->given[i].field, request->given[i].text, text, size);
}

static void add_decided(const pm_report_block *block, char *text, size_t size)
{
  const pm_record_type *type = pm_record_type_find("run");
  for (size_t i = 0; i < block->count; i++)
    add_field(pm_record_find_field(type, block->lines[i].label), block->lines[i].text, text, size);
}

static void add_asked(const cli_request *request, const pm_report_block *block, char *text, size_t size)
{
  static const struct { option_id id; const char *name; } others[] = {
    {OPTION_GLOBAL_BATCH, "global-batch"}, {OPTION_FRAMEWORK, "framework"}, {OPTION_RUN, "run"}};
  size_t used = strlen(text);
  snprintf(text + used, size - used, "perfmodel %s", request->command->name);
  for (size_t i = 0; i < request->arguments.count; i++) {
    used = strlen(text);
    snprintf(text + used, size - used, " %s", request->arguments.items[i]);
  }
  add_given(request, block, text, size);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (request->value[others[i].id] != NULL) add_option(others[i].name, request->value[others[i].id], text, size);
  add_files(request, text, size);
}

/* "; this fits: perfmodel predict ... --zero 3 --recompute full", or that no plan does. */
static void add_plan(const cli_request *request, const pm_report *report, char *text, size_t size)
{
  const pm_record_type *type = pm_record_type_find("run");
  const pm_report_block *block = find_block(report, "fitting_plan");
  size_t used = strlen(text);
  if (block == NULL || block->count == 0) return;
  bool none = pm_record_find_field(type, block->lines[0].label) == NULL;
  const char *fits = is_changed(block, "lora_rank") ? "training adapters alone fits: " : "this fits: ";
  snprintf(text + used, size - used, "; %s", none ? block->lines[0].text : fits);
  if (none) return;
  add_asked(request, block, text, size);
  add_decided(block, text, size);
}

/* A call has the whole network on each GPU; a server need not. */
static void add_server(const cli_request *request, const pm_report *report, char *text, size_t size)
{
  size_t used = strlen(text);
  if (strcmp(request->command->name, "infer") != 0 || find_block(report, "fitting_precision") != NULL) return;
  snprintf(text + used, size - used, "; perfmodel serve splits language models over GPUs (--tp)");
}

static void add_layouts(const cli_request *request, char *text, size_t size)
{
  size_t used = strlen(text);
  if (strcmp(request->command->name, "serve") != 0) return;
  snprintf(text + used, size - used, "; layouts that fit, if any do: perfmodel search %s %s --serve",
           request->arguments.items[0], request->arguments.items[1]);
}

int fail_run(const cli_request *request, const pm_error *error, pm_report *report)
{
  char hints[2048] = "";
  if (error->status == PM_STATUS_DOES_NOT_FIT) {
    add_precision(report, hints, sizeof hints);
    add_server(request, report, hints, sizeof hints);
    snprintf(hints + strlen(hints), sizeof hints - strlen(hints), "; --ignore-memory predicts anyway");
    add_plan(request, report, hints, sizeof hints);
    add_layouts(request, hints, sizeof hints);
  }
  pm_report_free(report);
  if (error->status != PM_STATUS_DOES_NOT_FIT) return fail_error(error);
  return fail(error_code(error), "%s%s", error->text, hints);
}

/* ---- The first plan of a search ---- */

enum { FIELDS = 128 }; /* more than a run has */

/* Whether it is said as the plan has it: not as one value that was given, nor as the batch of a rank, for which the
** global one stands. GPUs and nodes may have been counted otherwise. */
static bool is_decided(const cli_request *request, const pm_field *field)
{
  const char *given = field_given(request, field->name);
  bool counts = strcmp(field->name, "gpus") == 0 || strcmp(field->name, "nodes") == 0;
  if (given != NULL && !counts && strchr(given, ',') == NULL) return false;
  bool option = field->option == NULL || field->option[0] != '\0';
  return option && field->kind != PM_FIELD_TEXT && strcmp(field->name, "batch") != 0;
}

static const char *format_value(const pm_field *field, const pm_run *run, char text[PM_TEXT_MAX])
{
  bool unit = field->kind == PM_FIELD_REAL && field->unit[0] != '\0' && strcmp(field->unit, "1") != 0;
  pm_record_format(field, run, text);
  size_t used = strlen(text);
  if (unit) snprintf(text + used, PM_TEXT_MAX - used, " %s", field->unit);
  return text;
}

/* The fields of a plan that are not as usual. */
static size_t decide(const cli_request *request, const pm_run *best, pm_report_line lines[FIELDS],
                     char values[FIELDS][PM_TEXT_MAX])
{
  const pm_record_type *type = pm_record_type_find("run");
  const pm_run usual = pm_run_make();
  size_t count = 0;
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    double own = pm_record_get_number(field, best), other = pm_record_get_number(field, &usual);
    if (!is_decided(request, field) || own == other || (isnan(own) && isnan(other))) continue;
    lines[count] = (pm_report_line){.label = field->name, .text = format_value(field, best, values[count])};
    count++;
  }
  return count;
}

void note_plan(const cli_request *request, const pm_run *best, const char *system, const char *framework)
{
  const char *asked = request->value[OPTION_FRAMEWORK];
  char text[2048] = "", batch[PM_NUMBER_MAX], values[FIELDS][PM_TEXT_MAX];
  pm_report_line lines[FIELDS];
  const pm_report_block block = {.lines = lines, .count = decide(request, best, lines, values)};
  snprintf(text, sizeof text, "perfmodel predict %s %s", request->arguments.items[0], system);
  add_given(request, &block, text, sizeof text);
  add_decided(&block, text, sizeof text);
  add_option("global-batch", pm_number_format(batch, best->batch * pm_run_get_data_parallel(best)), text, sizeof text);
  add_option("framework", asked != NULL && strchr(asked, ',') == NULL ? asked : framework, text, sizeof text);
  add_files(request, text, sizeof text);
  note(request, "the first plan in full: %s", text);
}
