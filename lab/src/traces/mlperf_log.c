/*
** Result logs of MLPerf Training: lines ":::MLLOG {...}", each an event. Their rate is that of tracked_stats, else the
** samples of a block (or epoch) over its time; the first tenth of these, at least one, is left out as of step lines
** (step_log.c), and the median counts. Each run, from run_start to run_stop, is a row.
**
** Some logs of gpt3 count tokens where others count samples, and none says which: they are refused.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/run_known.h"
#include "traces/step_lines.h"

enum { WORD = 120 };
static const char mark[] = ":::MLLOG";

/* An event; numbers that it lacks are NAN. */
typedef struct event {
  char key[WORD], value[WORD], status[WORD];
  double time, throughput, samples, epochs;
} event;

typedef struct mlperf_log {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  pm__string *csv;
  pm__lab_run_known known;
  char benchmark[WORD];
  double train_samples, begin_time, begin_samples, begin_epochs; /* begin: of the block that is open; NAN: none */
  double *rates, *blocks;                                        /* samples/s */
  size_t rate_count, rate_capacity, block_count, block_capacity, rows;
  int line, start; /* start: the line of run_start */
} mlperf_log;

/* ---- Events ---- */

static double number_of(pm__json *json)
{
  char text[WORD];
  double value;
  if (pm__json_is(json, '"')) {
    pm__json_string(json, text, sizeof text);
    return NAN;
  }
  const pm__json_slice slice = pm__json_skip(json);
  snprintf(text, sizeof text, "%.*s", (int)(slice.length < WORD ? slice.length : 0), slice.text);
  return pm_number_parse(text, &value) == PM_OK ? value : (double)NAN;
}

static void read_stats(pm__json *json, event *e)
{
  char key[WORD];
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);)
    if (strcmp(key, "throughput") == 0) e->throughput = number_of(json);
    else pm__json_skip(json);
}

static void read_metadata(pm__json *json, event *e)
{
  char key[WORD];
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);)
    if (strcmp(key, "samples_count") == 0) e->samples = number_of(json);
    else if (strcmp(key, "epoch_count") == 0) e->epochs = number_of(json);
    else if (strcmp(key, "status") == 0 && pm__json_is(json, '"')) pm__json_string(json, e->status, sizeof e->status);
    else pm__json_skip(json);
}

static void read_value(pm__json *json, event *e)
{
  if (pm__json_is(json, '{')) read_stats(json, e);
  else if (pm__json_is(json, '"')) pm__json_string(json, e->value, sizeof e->value);
  else {
    const pm__json_slice slice = pm__json_skip(json);
    snprintf(e->value, sizeof e->value, "%.*s", (int)(slice.length < WORD ? slice.length : 0), slice.text);
  }
}

/* False where the line is torn: several ranks may print into one. */
static bool read_event(const char *text, event *e)
{
  char key[WORD];
  pm_error unread = PM_ERROR_NONE;
  pm__json json = pm__json_open(text, "", &unread);
  *e = (event){.time = NAN, .throughput = NAN, .samples = NAN, .epochs = NAN};
  json.at += strspn(json.at, " ");
  for (pm__json_enter(&json, '{'); pm__json_next_key(&json, key, sizeof key);)
    if (strcmp(key, "key") == 0 && pm__json_is(&json, '"')) pm__json_string(&json, e->key, sizeof e->key);
    else if (strcmp(key, "value") == 0) read_value(&json, e);
    else if (strcmp(key, "metadata") == 0 && pm__json_is(&json, '{')) read_metadata(&json, e);
    else if (strcmp(key, "time_ms") == 0) e->time = number_of(&json) / 1e3;
    else pm__json_skip(&json);
  return !json.failed;
}

/* ---- What they say ---- */

static int add_rate(mlperf_log *log, double **rates, size_t *count, size_t *capacity, double rate)
{
  if (!(rate > 0) || isinf(rate)) return PM_OK;
  double *more = (double *)pm__grow(*rates, *count, capacity, sizeof *more);
  if (more == NULL) return pm__no_memory(log->trace->error);
  *rates = more;
  more[(*count)++] = rate;
  return PM_OK;
}

/* A block says how many samples there have been, or how many epochs it has. */
static int end_block(mlperf_log *log, const event *e)
{
  double epochs = isnan(log->begin_epochs) ? e->epochs : log->begin_epochs;
  double samples = e->samples - log->begin_samples;
  if (isnan(samples)) samples = epochs * log->train_samples;
  double rate = samples / (e->time - log->begin_time);
  log->begin_time = NAN;
  return add_rate(log, &log->blocks, &log->block_count, &log->block_capacity, rate);
}

/* A setting that the log prints, by our name; an optimizer that the library does not have stays unsaid. */
static int take_setting(mlperf_log *log, const event *e)
{
  static const struct {
    const char *key, *name;
  } settings[] = {{"global_batch_size", "global_batch"}, {"gradient_accumulation_steps", "gradient_accumulation_steps"},
                  {"max_sequence_length", "seq"}, {"sequence_length", "seq"}, {"number_of_nodes", "nodes"},
                  {"accelerators_per_node", "gpus"}, {"tensor_parallel", "tensor_parallel"},
                  {"pipeline_parallel", "pipeline_parallel"}, {"context_parallel", "context_parallel"}};
  double number;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
    if (strcmp(settings[i].key, e->key) == 0 && pm_number_parse(e->value, &number) == PM_OK)
      return pm__lab_run_say(&log->known, settings[i].name, e->value, false);
  return PM_OK;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int too_few(const mlperf_log *log)
{
  return pm__fail_at(log->trace->error, PM_STATUS_BAD_FILE, log->trace->file, log->start,
                     "too few rates in this run of MLPerf: tracked_stats with a throughput, or blocks or epochs with "
                     "their samples; the first is left out, and one more is needed");
}

/* The networks of benchmarks by their rules, where the catalogue has them; others are for the user to name. */
static const char *network_of(const char *benchmark)
{
  static const char *const names[][2] = {{"resnet", "resnet50"}, {"llama31_8b", "llama3-8b"},
                                         {"llama31_405b", "llama3-405b"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i][0], benchmark) == 0) return names[i][1];
  return NULL;
}

static int settle(mlperf_log *log)
{
  const char *network = network_of(log->benchmark);
  if (network != NULL) pm__lab_run_say(&log->known, "network", network, true);
  if (strstr(log->benchmark, "lora") != NULL && pm__lab_run_get(&log->known, "lora_rank") == NULL)
    return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: %.40s trains adapters, and the log does not say their "
                    "rank; give it, as in perfmodel import FILE --lora-rank 16", log->trace->file, log->benchmark);
  if (strcmp(log->benchmark, "gpt3") == 0)
    return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: logs of gpt3 count samples or tokens, and do not say "
                    "which; make a row of its step time by hand (docs/accuracy.md)", log->trace->file);
  return pm__lab_run_settle(&log->known, log->catalog);
}

static int end_run(mlperf_log *log, const event *e)
{
  char words[160];
  double global_batch;
  bool stats = log->rate_count > 0;
  double *rates = stats ? log->rates : log->blocks;
  size_t count = stats ? log->rate_count : log->block_count, start = (count + 9) / 10, kept = count - start;
  bool one = stats && count == 1; /* a mean of what came before */
  if (kept < 1 && !one) return too_few(log);
  if (one) start = 0, kept = 1;
  int status = settle(log);
  if (status == PM_OK) status = pm__lab_run_global_batch(&log->known, NAN, log->start, &global_batch);
  if (status != PM_OK) return status;
  if (isnan(global_batch))
    return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: does not say global_batch_size; give it, as in "
                    "perfmodel import FILE --global-batch 512", log->trace->file);
  qsort(rates + start, kept, sizeof *rates, by_size);
  snprintf(words, sizeof words, "MLPerf %.40s; %zu of %s from %.6g to %.6g samples/s", log->benchmark, kept,
           stats ? "tracked_stats" : "blocks", rates[start], rates[start + kept - 1]);
  pm__lab_trace_clean(words);
  const char *check = one ? "one rate alone with the beginning of the run" : strcmp(e->status, "success") == 0 ||
                      e->status[0] == '\0' ? "" : "the run was not successful";
  log->rows++;
  log->rate_count = log->block_count = 0;
  return pm__lab_run_add(&log->known, &(pm__lab_run_row){"throughput", "", words, check,
                         0.5 * (rates[start + (kept - 1) / 2] + rates[start + kept / 2]), global_batch, log->start},
                         log->csv);
}

static int begin_run(mlperf_log *log)
{
  log->rate_count = log->block_count = 0;
  log->begin_time = NAN;
  log->start = log->line;
  return PM_OK;
}

static int begin_benchmark(mlperf_log *log, const event *e)
{
  snprintf(log->benchmark, sizeof log->benchmark, "%s", e->value);
  return pm__lab_run_begin(&log->known, log->trace);
}

static int take_event(mlperf_log *log, const event *e)
{
  bool begins = strcmp(e->key, "block_start") == 0 || strcmp(e->key, "epoch_start") == 0;
  bool ends = strcmp(e->key, "block_stop") == 0 || strcmp(e->key, "epoch_stop") == 0;
  if (strcmp(e->key, "submission_benchmark") == 0) return begin_benchmark(log, e);
  if (strcmp(e->key, "run_start") == 0) return begin_run(log);
  if (strcmp(e->key, "run_stop") == 0) return end_run(log, e);
  if (strcmp(e->key, "train_samples") == 0 && pm_number_parse(e->value, &log->train_samples) != PM_OK)
    log->train_samples = NAN;
  if (begins) {
    log->begin_time = e->time;
    log->begin_samples = e->samples;
    log->begin_epochs = strcmp(e->key, "epoch_start") == 0 ? 1 : e->epochs;
  }
  if (ends && !isnan(log->begin_time)) return end_block(log, e);
  if (strcmp(e->key, "tracked_stats") == 0)
    return add_rate(log, &log->rates, &log->rate_count, &log->rate_capacity, e->throughput);
  return take_setting(log, e);
}

/* ---- The log ---- */

static int read_lines(mlperf_log *log)
{
  int status = PM_OK;
  event e;
  char line[PM__STEP_LINE];
  const char *text = log->trace->text;
  log->line = 1;
  for (const char *at = strstr(text, mark); at != NULL && status == PM_OK; at = strstr(text, mark)) {
    for (; text < at; text++) log->line += *text == '\n';
    text = pm__lab_step_line(at + strlen(mark), line);
    if (read_event(line, &e)) status = take_event(log, &e);
    log->line += text[-1] == '\n';
  }
  return status;
}

bool pm__lab_trace_is_mlperf(const char *text)
{
  const char *at = strstr(text, mark);
  return at != NULL && at[strlen(mark) + strspn(at + strlen(mark), " ")] == '{';
}

int pm__lab_trace_read_mlperf(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  mlperf_log *log = (mlperf_log *)calloc(1, sizeof *log);
  if (log == NULL) return pm__no_memory(trace->error);
  log->trace = trace;
  log->catalog = catalog;
  log->csv = csv;
  log->train_samples = log->begin_time = NAN;
  pm__lab_run_titles(csv);
  int status = pm__lab_run_begin(&log->known, trace);
  if (status == PM_OK) status = read_lines(log);
  if (status == PM_OK && log->rows == 0)
    status = pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: no run of MLPerf ends in this log (run_stop)",
                      trace->file);
  snprintf(trace->note, sizeof trace->note, "%s: MLPerf", trace->file);
  pm__lab_run_unsaid(&log->known, trace->note, sizeof trace->note);
  free(log->rates);
  free(log->blocks);
  free(log);
  return status;
}
