/* What nccl-tests writes as JSON (-J FILE, from 2.17 on): out-of-place times of one collective. */
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/collective_run.h"

typedef struct reader {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  pm__json json;
  pm__lab_collective_run run;
  double threads; /* of a process */
  int status;
} reader;

bool pm__lab_trace_is_nccl_json(const char *text)
{
  return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"results\"") != NULL &&
         strstr(text, "\"bus_bw\"") != NULL;
}

static void read_device(reader *r)
{
  char key[40], name[120] = "";
  for (pm__json_enter(&r->json, '{'); pm__json_next_key(&r->json, key, sizeof key);) {
    if (strcmp(key, "hostname") == 0 && pm__json_string(&r->json, name, sizeof name))
      r->status = pm__lab_collective_add_host(r->trace, &r->run, name);
    else if (strcmp(key, "device_info") == 0) pm__json_string(&r->json, r->run.gpu, sizeof r->run.gpu);
    else pm__json_skip(&r->json);
  }
  r->run.ranks++;
}

static void read_config(reader *r)
{
  char key[40];
  for (pm__json_enter(&r->json, '{'); pm__json_next_key(&r->json, key, sizeof key);) {
    if (strcmp(key, "nthreads") == 0) r->threads = pm__json_number(&r->json);
    else if (strcmp(key, "ngpus") == 0) r->run.thread_gpus = pm__json_number(&r->json);
    else if (strcmp(key, "devices") != 0) pm__json_skip(&r->json);
    else for (pm__json_enter(&r->json, '['); r->status == PM_OK && pm__json_next(&r->json);) read_device(r);
  }
}

static void read_time(pm__json *json, pm__lab_collective_time *time)
{
  char key[40];
  if (!pm__json_is(json, '{')) {
    pm__json_skip(json);
    return;
  }
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);)
    if (strcmp(key, "time") == 0) time->us = pm__json_number(json);
    else if (strcmp(key, "alg_bw") == 0) time->algorithm_bandwidth = pm__json_number(json);
    else if (strcmp(key, "bus_bw") == 0) time->bus_bandwidth = pm__json_number(json);
    else pm__json_skip(json);
}

static int read_result(reader *r)
{
  char key[40], name[60];
  pm__lab_collective_time time = {.bytes = NAN, .us = NAN};
  for (pm__json_enter(&r->json, '{'); pm__json_next_key(&r->json, key, sizeof key);) {
    if (strcmp(key, "size") == 0) time.bytes = pm__json_number(&r->json);
    else if (strcmp(key, "out_of_place") == 0) read_time(&r->json, &time);
    else if (strcmp(key, "experiment_name") == 0 && pm__json_is(&r->json, '"') && r->run.collective[0] == '\0') {
      if (pm__json_string(&r->json, name, sizeof name) && pm__lab_collective_named(name) != NULL)
        pm__text_set(r->run.collective, sizeof r->run.collective, pm__lab_collective_named(name));
    } else pm__json_skip(&r->json);
  }
  if (r->json.failed) return PM_STATUS_BAD_SYNTAX;
  if (isnan(time.bytes)) return pm__json_fail(&r->json, "this result has no size");
  if (!pm__lab_collective_is_size(time.bytes)) return pm__json_fail(&r->json, "this size is no whole number of bytes");
  if (isnan(time.us)) return pm__json_fail(&r->json, "this result has no time out of place");
  if (!pm__lab_collective_is_time(time.us)) return pm__json_fail(&r->json, "this time is no number above 0");
  return pm__lab_collective_add(r->trace, r->catalog, &r->run, &time);
}

static void read_results(reader *r)
{
  for (pm__json_enter(&r->json, '['); r->status == PM_OK && pm__json_next(&r->json);) r->status = read_result(r);
}

/* Twice: the results may stand before what was run. Each process tells of the first of its GPUs. */
static void read_document(reader *r, bool rows)
{
  char key[40];
  r->json = pm__json_open(r->trace->text, r->trace->file, r->trace->error);
  for (pm__json_enter(&r->json, '{'); r->status == PM_OK && pm__json_next_key(&r->json, key, sizeof key);) {
    if (rows && strcmp(key, "results") == 0) read_results(r);
    else if (!rows && strcmp(key, "config") == 0) read_config(r);
    else if (!rows && strcmp(key, "nccl_version") == 0)
      pm__lab_collective_set_version(&r->run, pm__json_number(&r->json));
    else pm__json_skip(&r->json);
  }
  if (!rows) r->run.ranks = (size_t)(fmin(fmax(1, r->threads * r->run.thread_gpus), 1e6) * (double)r->run.ranks);
  if (r->json.failed || (r->status == PM_OK && !pm__json_end(&r->json))) r->status = PM_STATUS_BAD_SYNTAX;
}

/* "all_reduce_perf" anywhere in the text, where the results do not name it. */
static void name_collective(reader *r)
{
  const char *name = pm__lab_collective_named(r->trace->text);
  if (name != NULL) pm__text_set(r->run.collective, sizeof r->run.collective, name);
}

int pm__lab_trace_read_nccl_json(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  reader r = {.trace = trace, .catalog = catalog, .run = {.thread_gpus = 1}, .threads = 1};
  read_document(&r, false);
  if (r.status == PM_OK) name_collective(&r);
  if (r.status == PM_OK) read_document(&r, true);
  if (r.status == PM_OK) r.status = pm__lab_collective_check(trace);
  pm__string_add(csv, pm__lab_collective_titles);
  pm__lab_collective_begin(&r.run);
  return r.status;
}
