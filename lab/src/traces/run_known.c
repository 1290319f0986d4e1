/* What the user and the log say of a run, brought together. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/run_known.h"

/* ---- What is said ---- */

static pm__lab_run_item *find_item(const pm__lab_run_known *known, const char *name)
{
  for (size_t i = 0; i < known->count; i++)
    if (strcmp(known->items[i].name, name) == 0) return (pm__lab_run_item *)&known->items[i];
  return NULL;
}

const char *pm__lab_run_get(const pm__lab_run_known *known, const char *name)
{
  const pm__lab_run_item *item = find_item(known, name);
  return item != NULL ? item->value : NULL;
}

double pm__lab_run_number(const pm__lab_run_known *known, const char *name)
{
  double value;
  const char *text = pm__lab_run_get(known, name);
  return text != NULL && pm_number_parse(text, &value) == PM_OK ? value : (double)NAN;
}

static bool is_same(const char *a, const char *b)
{
  double x, y;
  if (strcmp(a, b) == 0) return true;
  return pm_number_parse(a, &x) == PM_OK && pm_number_parse(b, &y) == PM_OK && x == y;
}

/* Whether rows have a place for it. */
static bool is_column(const char *name)
{
  static const char *const others[] = {"network", "system", "framework", "global_batch", "world", "seq"};
  const pm_field *field = pm_record_find_field(pm_record_type_find("run"), name);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcmp(others[i], name) == 0) return true;
  return field != NULL && strstr(name, "_index") == NULL;
}

int pm__lab_run_say(pm__lab_run_known *known, const char *name, const char *value, bool weak)
{
  pm__lab_run_item *item = find_item(known, name);
  if (strlen(value) >= PM__LAB_RUN_VALUE)
    return pm__fail(known->trace->error, PM_STATUS_BAD_VALUE, "%s: the value of %s has more than %d bytes",
                    known->trace->file, name, PM__LAB_RUN_VALUE - 1);
  if (item != NULL && (weak || is_same(item->value, value))) return PM_OK;
  if (item != NULL && !item->weak)
    return pm__fail(known->trace->error, PM_STATUS_BAD_VALUE, "%s: says that %s is %.60s, not %.60s",
                    known->trace->file, name, value, item->value);
  if (item == NULL && known->count == PM__LAB_RUN_MOST) return PM_OK; /* there are not so many columns */
  if (item == NULL) item = &known->items[known->count++];
  snprintf(item->name, sizeof item->name, "%s", name);
  snprintf(item->value, sizeof item->value, "%s", value);
  item->weak = weak;
  return PM_OK;
}

int pm__lab_run_begin(pm__lab_run_known *known, pm__lab_trace *trace)
{
  int status = PM_OK;
  known->trace = trace;
  known->count = 0;
  for (size_t i = 0; i < trace->known_count && status == PM_OK; i++)
    if (is_column(trace->known[i].name))
      status = pm__lab_run_say(known, trace->known[i].name, trace->known[i].value, false);
    else
      status = pm__fail(trace->error, PM_STATUS_BAD_ARGUMENT, "%s: \"%.40s\" has no effect on a log of training",
                        trace->file, trace->known[i].name);
  return status;
}

/* ---- Settings of other programs ---- */

static const char *cell(const pm_table *table, const char *column, size_t row, char *buffer)
{
  size_t i = 0;
  while (strcmp(pm_table_get_column(table, i)->name, column) != 0) i++;
  return pm_table_get_text(table, i, row, buffer);
}

/* The settings of a text that were taken, by name. */
typedef struct taken {
  char name[PM__LAB_RUN_MOST][PM_TEXT_MAX];
  size_t count;
} taken;

static bool was_taken(taken *t, const char *name)
{
  for (size_t i = 0; i < t->count; i++)
    if (strcmp(t->name[i], name) == 0) return true;
  if (t->count < PM__LAB_RUN_MOST) snprintf(t->name[t->count++], PM_TEXT_MAX, "%s", name);
  return false;
}

/* What it says of the network is the network's own, but the length of a sample. A batch that grows during the run ends
** at the global batch, so that lines may have less. */
static int take_setting(pm__lab_run_known *known, const pm_table *table, size_t row, taken *t)
{
  char option[PM_TEXT_MAX], value[PM_TEXT_MAX], state[PM_TEXT_MAX];
  const char *name = cell(table, "option", row, option);
  bool assumed = strcmp(cell(table, "state", row, state), "assumed") == 0;
  if (strcmp(name, "network.seq") == 0) name = "seq";
  if (!is_column(name) || (!assumed && was_taken(t, name))) return PM_OK;
  bool weak = assumed || strcmp(name, "global_batch") == 0;
  return pm__lab_run_say(known, name, cell(table, "set_to", row, value), weak);
}

/* Of two settings of one name the last counts, so that they are taken from the end. */
int pm__lab_run_settings(pm__lab_run_known *known, const char *format, const char *text)
{
  taken t = {.count = 0};
  pm_table *table = pm_settings_read(format, text, known->trace->file, known->trace->error);
  int status = table != NULL ? PM_OK : known->trace->error->status;
  for (size_t i = status == PM_OK ? pm_table_count_rows(table) : 0; i > 0 && status == PM_OK; i--)
    status = take_setting(known, table, i - 1, &t);
  pm_table_free(table);
  return status;
}

/* ---- Settling ---- */

static int missing(const pm__lab_run_known *known, const char *what, const char *how)
{
  return pm__fail(known->trace->error, PM_STATUS_BAD_FILE, "%s: does not say %s; give it, as in perfmodel import FILE "
                  "%s", known->trace->file, what, how);
}

/* The tokens of a sample in "llama3-8b seq=4096". */
static double tokens_in(const char *network)
{
  double tokens;
  char number[PM_NUMBER_MAX];
  const char *own = strstr(network, " seq=");
  if (own == NULL) return NAN;
  snprintf(number, sizeof number, "%.*s", (int)strcspn(own + 5, " "), own + 5);
  return pm_number_parse(number, &tokens) == PM_OK ? tokens : (double)NAN;
}

/* The network by the first of its words, "llama3-8b seq=4096". */
static int settle_names(const pm__lab_run_known *known, const pm_catalog *catalog)
{
  char word[PM__LAB_RUN_VALUE];
  const char *network = pm__lab_run_get(known, "network"), *system = pm__lab_run_get(known, "system");
  const char *example = "--network llama3-8b --system dgx-h100";
  if (network == NULL) return missing(known, "which network it trains", example);
  if (system == NULL) return missing(known, "on which system it ran", example);
  double own = tokens_in(network), seq = pm__lab_run_number(known, "seq");
  if (pm__lab_run_get(known, "seq") != NULL && !(seq >= 1 && seq <= PM__LAB_TRACE_MOST && floor(seq) == seq))
    return pm__fail(known->trace->error, PM_STATUS_BAD_VALUE, "%s: \"%.40s\" tokens of a sample are no whole number",
                    known->trace->file, pm__lab_run_get(known, "seq"));
  if (own != seq && !isnan(own) && !isnan(seq))
    return pm__fail(known->trace->error, PM_STATUS_BAD_VALUE, "%s: a sample has %g tokens by its settings, but %g as "
                    "the network is given", known->trace->file, seq, own);
  snprintf(word, sizeof word, "%.*s", (int)strcspn(network, " "), network);
  pm_error *error = known->trace->error;
  if (pm_catalog_resolve(catalog, "network", word, error) == NULL) return error->status;
  return pm_catalog_resolve(catalog, "system", system, error) != NULL ? PM_OK : error->status;
}

/* A number without a unit, as counts are; quantities are for their field to read. */
static int check_value(const pm__lab_run_known *known, const pm__lab_run_item *item)
{
  double number;
  if (pm_number_parse(item->value, &number) != PM_OK || fabs(number) <= PM__LAB_TRACE_MOST) return PM_OK;
  return pm__fail(known->trace->error, PM_STATUS_BAD_VALUE, "%s: %s \"%.40s\" is beyond %g", known->trace->file,
                  item->name, item->value, PM__LAB_TRACE_MOST);
}

static int set_fields(pm__lab_run_known *known)
{
  int status = PM_OK;
  const pm_record_type *type = pm_record_type_find("run");
  pm_record_fill("run", &known->run, sizeof known->run);
  for (size_t i = 0; i < known->count && status == PM_OK; i++) {
    const pm_field *field = pm_record_find_field(type, known->items[i].name);
    status = check_value(known, &known->items[i]);
    if (field != NULL && status == PM_OK)
      status = pm_record_set(field, &known->run, known->items[i].value, known->trace->error);
  }
  return status;
}

static bool is_whole(double value)
{
  return value >= 1 && value <= PM__LAB_TRACE_MOST && value == floor(value);
}

static int say_count(pm__lab_run_known *known, const char *name, double value)
{
  char text[PM_NUMBER_MAX];
  return pm__lab_run_say(known, name, pm_number_format(text, value), false);
}

/* GPUs of a node and nodes, of what is known of both and of all GPUs (world). More GPUs than a node has are several
** nodes. */
static int settle_gpus(pm__lab_run_known *known, const pm_catalog *catalog)
{
  pm_machine machine;
  pm__lab_trace *trace = known->trace;
  double gpus = pm__lab_run_number(known, "gpus"), nodes = pm__lab_run_number(known, "nodes");
  double world = pm__lab_run_number(known, "world");
  int status = pm_catalog_get_record(catalog, "system", pm__lab_run_get(known, "system"), &machine, trace->error);
  if (status != PM_OK) return status;
  if (isnan(world) && isnan(gpus) && isnan(nodes))
    return missing(known, "on how many GPUs it ran", "--gpus 8 --nodes 4");
  double all = !isnan(world) ? world : isnan(nodes) ? gpus : isnan(gpus) ? nodes * machine.gpus : gpus * nodes;
  double each = !isnan(gpus) && gpus <= machine.gpus ? gpus : !isnan(nodes) ? all / nodes : fmin(all, machine.gpus);
  if (!is_whole(all) || !is_whole(each) || !is_whole(all / each) || each > machine.gpus || all > 1e6 ||
      (!isnan(nodes) && nodes != all / each))
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: %g GPUs, %g of each node of %s, are no whole number of "
                    "nodes: give --gpus and --nodes", trace->file, all, each, machine.id);
  pm__lab_run_item *item = find_item(known, "gpus");
  if (item != NULL && gpus > machine.gpus) pm_number_format(item->value, each);
  status = say_count(known, "gpus", each);
  return status == PM_OK ? say_count(known, "nodes", all / each) : status;
}

int pm__lab_run_settle(pm__lab_run_known *known, const pm_catalog *catalog)
{
  int status = settle_names(known, catalog);
  if (status == PM_OK) status = settle_gpus(known, catalog);
  return status == PM_OK ? set_fields(known) : status;
}

/* ---- Batch and tokens ---- */

static double ranks_of(const pm__lab_run_known *known)
{
  return pm_run_get_data_parallel(&known->run) * known->run.gradient_accumulation_steps;
}

int pm__lab_run_global_batch(const pm__lab_run_known *known, double printed, int line, double *samples)
{
  double said = pm__lab_run_number(known, "global_batch"), batch = pm__lab_run_number(known, "batch");
  if (isnan(said) && !isnan(batch)) said = batch * ranks_of(known);
  const pm__lab_run_item *item = find_item(known, "global_batch");
  *samples = isnan(printed) ? said : printed;
  if (item != NULL && item->weak) return PM_OK;
  if (isnan(printed) || isnan(said) || printed == said) return PM_OK;
  return pm__fail_at(known->trace->error, PM_STATUS_BAD_VALUE, known->trace->file, line,
                     "a step has %g samples here, but %g by the settings", printed, said);
}

int pm__lab_run_tokens(const pm__lab_run_known *known, double *tokens)
{
  *tokens = pm__lab_run_number(known, "seq");
  if (isnan(*tokens)) *tokens = tokens_in(pm__lab_run_get(known, "network"));
  if (is_whole(*tokens)) return PM_OK;
  return missing(known, "how many tokens a sample has", "--set seq=8192");
}

void pm__lab_run_unsaid(const pm__lab_run_known *known, char *note, size_t size)
{
  const char *network = pm__lab_run_get(known, "network");
  bool seq = pm__lab_run_get(known, "seq") != NULL || network == NULL || !isnan(tokens_in(network));
  bool precision = pm__lab_run_get(known, "precision") != NULL;
  size_t used = strlen(note);
  if (seq && precision) return;
  snprintf(note + used, size - used, "; not said, so as predict completes it: %s%s%s",
           seq ? "" : "tokens of a sample (of a language model)", seq || precision ? "" : ", ",
           precision ? "" : "precision");
}

/* ---- Rows ---- */

static bool is_written(const pm_field *field)
{
  bool usual = field->option == NULL || field->option[0] != '\0';
  return usual && strstr(field->name, "_index") == NULL && strcmp(field->name, "batch") != 0;
}

void pm__lab_run_titles(pm__string *csv)
{
  const pm_record_type *type = pm_record_type_find("run");
  pm__string_add(csv, "id,network,system,framework,batch");
  for (size_t i = 0; i < type->field_count; i++)
    if (is_written(&type->fields[i])) pm__string_format(csv, ",%s", type->fields[i].name);
  pm__string_add(csv, ",quantity,rank,value,source,words,use,check\n");
}

static void add_value(const pm__lab_run_known *known, const char *name, pm__string *csv)
{
  char text[PM__LAB_RUN_VALUE];
  const char *value = pm__lab_run_get(known, name);
  snprintf(text, sizeof text, "%s", value != NULL ? value : "");
  pm__lab_trace_clean(text);
  pm__string_format(csv, ",%s", text);
}

/* The name of the file without what would end a cell. */
static void add_file(const pm__lab_run_known *known, pm__string *csv)
{
  char text[PM__LAB_RUN_VALUE];
  snprintf(text, sizeof text, "%s", known->trace->file);
  pm__lab_trace_clean(text);
  pm__string_add(csv, text);
}

/* The network takes the length of a sample that the settings say. */
static void add_network(const pm__lab_run_known *known, pm__string *csv)
{
  const char *seq = pm__lab_run_get(known, "seq");
  add_value(known, "network", csv);
  if (seq != NULL && strstr(pm__lab_run_get(known, "network"), " seq=") == NULL)
    pm__string_format(csv, " seq=%.0f", pm__lab_run_number(known, "seq"));
}

int pm__lab_run_add(const pm__lab_run_known *known, const pm__lab_run_row *row, pm__string *csv)
{
  const pm_record_type *type = pm_record_type_find("run");
  double batch = row->global_batch / ranks_of(known);
  if (!is_whole(batch))
    return pm__fail_at(known->trace->error, PM_STATUS_BAD_VALUE, known->trace->file, row->line,
                       "%g samples of a step are no whole number for each of %g data-parallel ranks",
                       row->global_batch, ranks_of(known));
  if (!(row->value > 0 && row->value <= PM__LAB_TRACE_MOST))
    return pm__fail_at(known->trace->error, PM_STATUS_BAD_VALUE, known->trace->file, row->line,
                       "a %s of %g is none from 0 to %g", row->quantity, row->value, PM__LAB_TRACE_MOST);
  add_file(known, csv);
  pm__string_format(csv, ":%d", row->line);
  add_network(known, csv);
  add_value(known, "system", csv);
  add_value(known, "framework", csv);
  pm__string_format(csv, ",%.9g", batch);
  for (size_t i = 0; i < type->field_count; i++)
    if (is_written(&type->fields[i])) add_value(known, type->fields[i].name, csv);
  pm__string_format(csv, ",%s,%s,%.7g,", row->quantity, row->rank, row->value);
  add_file(known, csv);
  pm__string_format(csv, ",%s,%s,%s\n", row->words, row->check[0] == '\0' ? "fit" : "check", row->check);
  return PM_OK;
}
