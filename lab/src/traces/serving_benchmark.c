/*
** What the benchmarks of vLLM (vllm bench serve --save-result) and SGLang (bench_serving --output-file) write: an
** object of JSON for each run, one after the other. What the client does not know is told by the user beside it, in
** vLLM's --metadata NAME=VALUE and SGLang's --tag "NAME=VALUE ...": fields of a run of serving by our names, and
** network, system and framework (the engine).
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/traces.h"

enum { FIELDS = 64, VALUE = 120 };

/* A run: what it measured, and what was told. */
typedef struct result {
  int line;
  double completed, input, output, rate, concurrency, requests, tokens, ttft, tpot, took;
  char model[VALUE], network[VALUE], system[VALUE], framework[VALUE], backend[VALUE];
  char told[FIELDS][VALUE]; /* by fields of serving_run */
} result;

static const pm_record_type *run_type(void)
{
  return pm_record_type_find("serving_run");
}

/* ---- Reading ---- */

static void set_text(char *to, const char *value)
{
  snprintf(to, VALUE, "%s", value);
}

static double *number_of(result *r, const char *key)
{
  const struct {
    const char *key;
    double *to;
  } numbers[] = {{"completed", &r->completed},         {"total_input_tokens", &r->input},
                 {"total_output_tokens", &r->output},  {"request_rate", &r->rate},
                 {"max_concurrency", &r->concurrency}, {"request_throughput", &r->requests},
                 {"output_throughput", &r->tokens},    {"mean_ttft_ms", &r->ttft},
                 {"mean_tpot_ms", &r->tpot},           {"duration", &r->took}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (strcmp(numbers[i].key, key) == 0) return numbers[i].to;
  return NULL;
}

/* A field of the run by its name or the command's; one that is told twice is as it was told last. */
static bool set_field(result *r, const char *key, const char *value)
{
  const pm_record_type *type = run_type();
  for (size_t i = 0; i < type->field_count && i < FIELDS; i++) {
    const char *option = type->fields[i].option;
    if (strcmp(type->fields[i].name, key) != 0 && (option == NULL || strcmp(option, key) != 0)) continue;
    set_text(r->told[i], value);
    return true;
  }
  return false;
}

static void set_word(result *r, const char *key, const char *value)
{
  const struct {
    const char *key;
    char *to;
  } words[] = {{"network", r->network}, {"system", r->system},   {"framework", r->framework},
               {"engine", r->framework}, {"model_id", r->model}, {"backend", r->backend}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i].key, key) == 0) set_text(words[i].to, value);
  set_field(r, key, value);
}

/* "tp=4 precision=fp8" */
static void set_tag(result *r, const char *tag)
{
  char key[VALUE], value[VALUE];
  int length;
  for (; sscanf(tag, " %119[^= ]=%119[^ ]%n", key, value, &length) == 2; tag += length) set_word(r, key, value);
}

/* A value as text; Python writes numbers that JSON does not have. */
static bool read_value(pm__json *json, char *out)
{
  json->at += strspn(json->at, " \t\r\n");
  if (pm__json_is(json, '"')) return pm__json_string(json, out, VALUE);
  if (strncmp(json->at, "Infinity", 8) == 0 || strncmp(json->at, "NaN", 3) == 0) {
    snprintf(out, VALUE, "%s", json->at[0] == 'I' ? "inf" : "");
    json->at += json->at[0] == 'I' ? 8 : 3;
    return true;
  }
  const pm__json_slice slice = pm__json_skip(json);
  bool none = slice.text == NULL || slice.text[0] == '[' || slice.text[0] == '{' || slice.text[0] == 'n';
  snprintf(out, VALUE, "%.*s", none ? 0 : (int)(slice.length < VALUE ? slice.length : VALUE - 1), slice.text);
  return !json->failed;
}

static void set_value(result *r, const char *key, const char *value)
{
  double *number = number_of(r, key);
  if (number != NULL && strcmp(value, "inf") == 0) *number = INFINITY;
  else if (number != NULL && pm_number_parse(value, number) != PM_OK) *number = NAN;
  else if (number == NULL && strcmp(key, "tag") == 0) set_tag(r, value);
  else if (number == NULL && value[0] != '\0') set_word(r, key, value);
}

static void read_result(pm__json *json, pm__json_lines *lines, result *r)
{
  char key[VALUE], value[VALUE];
  memset(r, 0, sizeof *r);
  r->completed = r->input = r->output = r->rate = r->concurrency = r->requests = r->tokens = r->ttft = r->tpot = NAN;
  json->at += strspn(json->at, " \t\r\n");
  r->line = pm__json_line(lines, json->at);
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);)
    if (read_value(json, value)) set_value(r, key, value);
}

/* ---- Names ---- */

/* "meta-llama/Llama-3.1-8B-Instruct" is "Llama-3.1-8B": what checkpoints add to the name of a network is cut off. */
static const char *find_network(const pm_catalog *catalog, const result *r)
{
  char name[VALUE];
  const char *model = r->network[0] != '\0' ? r->network : r->model, *slash = strrchr(model, '/');
  snprintf(name, sizeof name, "%s", slash != NULL && r->network[0] == '\0' ? slash + 1 : model);
  for (;;) {
    const char *id = pm_catalog_resolve(catalog, "network", name, NULL);
    char *dash = r->network[0] == '\0' ? strrchr(name, '-') : NULL;
    if (id != NULL || dash == NULL) return id;
    *dash = '\0';
  }
}

static int name_all(pm__lab_trace *trace, const pm_catalog *catalog, result *r)
{
  const char *network = find_network(catalog, r);
  if (network == NULL)
    return pm__fail_at(trace->error, PM_STATUS_NOT_FOUND, trace->file, r->line,
                       "the catalogue has no network \"%.60s\": tell which it is, as in --metadata network=llama3-70b",
                       r->network[0] != '\0' ? r->network : r->model);
  set_text(r->network, network);
  if (r->system[0] == '\0') set_text(r->system, trace->machine);
  if (r->system[0] == '\0')
    return pm__fail_at(trace->error, PM_STATUS_BAD_FILE, trace->file, r->line,
                       "does not say what it ran on: give the system that this is (perfmodel list systems)");
  if (r->framework[0] == '\0') set_text(r->framework, strncmp(r->backend, "sglang", 6) == 0 ? "sglang" : "vllm");
  pm_engine engine;
  int status = pm_catalog_get_record(catalog, "engine", r->framework, &engine, trace->error);
  if (status == PM_OK) set_text(r->framework, engine.id);
  return status;
}

/* ---- Rows ---- */

static void set_number(result *r, const char *field, double value)
{
  const char *unit = pm_record_find_field(run_type(), field)->unit;
  char number[PM_NUMBER_MAX], text[PM_NUMBER_MAX + 8];
  snprintf(text, sizeof text, "%s%s", pm_number_format(number, value), strcmp(unit, "1") == 0 ? "" :
           strcmp(unit, "1/s") == 0 ? "/s" : unit);
  set_field(r, field, text);
}

static double told(const result *r, const char *name)
{
  const pm_record_type *type = run_type();
  const pm_field *field = pm_record_find_field(type, name);
  double value;
  return pm_number_parse(r->told[field - type->fields], &value) == PM_OK ? value : 1;
}

static bool is_told(const result *r, const char *name)
{
  return r->told[pm_record_find_field(run_type(), name) - run_type()->fields][0] != '\0';
}

/* The client does not know how the server was started. */
static void note_layout(pm__lab_trace *trace, const result *r)
{
  if (is_told(r, "gpus") || is_told(r, "tensor_parallel") || is_told(r, "pipeline_parallel") ||
      is_told(r, "attention_parallel")) return;
  snprintf(trace->note, sizeof trace->note, "%.200s: assumed: one GPU, as the file does not say its layout; it does "
           "with vLLM's --metadata tp=4 precision=fp8, or SGLang's --tag", trace->file);
}

/* Clients count where there are some; else requests come at their rate, or all at the beginning. */
static void set_load(result *r)
{
  bool closed = r->concurrency >= 1;
  set_number(r, "isl", r->input / r->completed);
  set_number(r, "osl", r->output / r->completed);
  set_field(r, "arrivals", closed ? "closed" : isfinite(r->rate) ? "open" : "offline");
  if (closed) set_number(r, "concurrency", r->concurrency);
  else if (isfinite(r->rate)) {
    set_number(r, "rate", r->rate);
    set_number(r, "duration", r->completed / r->rate);
  }
  if (!is_told(r, "gpus"))
    set_number(r, "gpus", told(r, "tensor_parallel") * told(r, "pipeline_parallel") * told(r, "attention_parallel"));
}

/* What was told has to be what its field takes. */
static int check_told(const pm__lab_trace *trace, const result *r)
{
  const pm_record_type *type = run_type();
  pm_serving_run run;
  pm_error why = PM_ERROR_NONE;
  for (size_t i = 0; i < type->field_count && i < FIELDS; i++)
    if (r->told[i][0] != '\0' && pm_record_set(&type->fields[i], &run, r->told[i], &why) != PM_OK)
      return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, r->line, "%.300s", why.text);
  return PM_OK;
}

static void write_titles(pm__string *csv)
{
  const pm_record_type *type = run_type();
  pm__string_add(csv, "network,system,framework");
  for (size_t i = 0; i < type->field_count; i++)
    if (strstr(type->fields[i].name, "_index") == NULL) pm__string_format(csv, ",%s", type->fields[i].name);
  pm__string_add(csv, ",quantity,value,source,id,use,check\n");
}

static void write_row(const pm__lab_trace *trace, const result *r, const char *quantity, double value, pm__string *csv)
{
  const pm_record_type *type = run_type();
  if (!(value > 0) || isinf(value)) return;
  char file[PM_TEXT_MAX];
  snprintf(file, sizeof file, "%s", trace->file);
  pm__lab_trace_clean(file);
  pm__string_format(csv, "%s,%s,%s", r->network, r->system, r->framework);
  for (size_t i = 0; i < type->field_count; i++)
    if (strstr(type->fields[i].name, "_index") == NULL)
      pm__string_format(csv, ",%s", i < FIELDS ? r->told[i] : "");
  pm__string_format(csv, ",%s,%.9g,%s,%s:%d,fit,\n", quantity, value, file, file, r->line);
}

static int add_result(pm__lab_trace *trace, const pm_catalog *catalog, result *r, pm__string *csv)
{
  if (!(r->completed >= 1) || !(r->input > 0) || !(r->output > 0))
    return pm__fail_at(trace->error, PM_STATUS_BAD_FILE, trace->file, r->line,
                       "no request was answered: completed, total_input_tokens and total_output_tokens are needed");
  const double found[] = {r->completed, r->input, r->output, r->rate, r->concurrency, r->requests, r->tokens, r->ttft,
                          r->tpot, r->took};
  for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
    if (found[i] < 0 || (found[i] > PM__LAB_TRACE_MOST && isfinite(found[i])))
      return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, r->line,
                         "a number, rate or time of %.6g is none from 0 to %g", found[i], PM__LAB_TRACE_MOST);
  int status = name_all(trace, catalog, r);
  if (status != PM_OK) return status;
  note_layout(trace, r);
  set_load(r);
  status = check_told(trace, r);
  if (status != PM_OK) return status;
  bool offline = !(r->concurrency >= 1) && !isfinite(r->rate);
  for (int i = 0; i < FIELDS; i++) pm__lab_trace_clean(r->told[i]);
  if (offline) write_row(trace, r, "output_rate", r->tokens, csv);
  else write_row(trace, r, "tpot", r->tpot / 1e3, csv);
  if (!offline) write_row(trace, r, "ttft", r->ttft / 1e3, csv);
  if (r->concurrency >= 1) write_row(trace, r, "request_rate", r->requests, csv);
  return PM_OK;
}

bool pm__lab_trace_is_serving(const char *text)
{
  text += strspn(text, " \t\r\n");
  return text[0] == '{' && strstr(text, "\"mean_ttft_ms\"") != NULL && strstr(text, "\"total_output_tokens\"") != NULL;
}

int pm__lab_trace_read_serving(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  pm__json json = pm__json_open(trace->text, trace->file, trace->error);
  pm__json_lines lines = {trace->text, 1};
  int status = PM_OK;
  write_titles(csv);
  for (result r; status == PM_OK && json.at[strspn(json.at, " \t\r\n")] != '\0';) {
    read_result(&json, &lines, &r);
    status = json.failed ? PM_STATUS_BAD_SYNTAX : add_result(trace, catalog, &r, csv);
  }
  return status;
}
