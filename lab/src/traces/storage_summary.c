/*
** The summary of a run of MLPerf Storage (DLIO's summary.json): accelerators that sleep instead of computing, and how
** busy they were. They take samples at the rate that they would have if none was missing, the measured one over how
** busy they were; a row compares that with what the storage of the catalogue lets them do (input_gpu_busy).
** Samples have the bytes of train_io, which DLIO counts in MiB though it says MB.
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/traces.h"

enum { KEY = 80 };

typedef struct summary {
  double accelerators, hosts, busy, rate, bytes; /* busy: per cent; rate: samples/s; bytes: MiB/s */
} summary;

static double *place_of(summary *s, const char *key)
{
  const struct {
    const char *key;
    double *place;
  } places[] = {{"num_accelerators", &s->accelerators}, {"num_hosts", &s->hosts},
                {"train_au_mean_percentage", &s->busy}, {"train_throughput_mean_samples_per_second", &s->rate},
                {"train_io_mean_MB_per_second", &s->bytes}};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
    if (strcmp(places[i].key, key) == 0) return places[i].place;
  return NULL;
}

static void read_object(pm__json *json, summary *s, int depth)
{
  char key[KEY];
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    double *place = place_of(s, key);
    if (place != NULL) *place = pm__json_number(json);
    else if (depth == 0 && strcmp(key, "metric") == 0) read_object(json, s, depth + 1);
    else pm__json_skip(json);
  }
}

bool pm__lab_trace_is_storage(const char *text)
{
  return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"train_au_mean_percentage\"") != NULL &&
         strstr(text, "\"num_accelerators\"") != NULL;
}

static int missing(const pm__lab_trace *trace, const char *what, const char *how)
{
  return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: does not say %s; give it, as in perfmodel import FILE %s",
                  trace->file, what, how);
}

int pm__lab_trace_read_storage(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  char file[PM_TEXT_MAX];
  summary s = {NAN, NAN, NAN, NAN, NAN};
  const char *storage = pm__lab_trace_known(trace, "storage"), *example = "--system dgx-h100 --storage nvme";
  pm__json json = pm__json_open(trace->text, trace->file, trace->error);
  read_object(&json, &s, 0);
  if (json.failed || !pm__json_end(&json)) return PM_STATUS_BAD_SYNTAX;
  const double most = PM__LAB_TRACE_MOST;
  bool whole = s.accelerators >= 1 && s.accelerators <= most && !(s.hosts < 1) && !(s.hosts > most);
  if (!whole || !(s.busy > 0 && s.busy <= 100.5 && s.rate > 0 && s.rate <= most && s.bytes > 0 && s.bytes <= most))
    return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: num_accelerators, train_au_mean_percentage (to 100), "
                    "train_throughput_mean_samples_per_second and train_io_mean_MB_per_second have to be above 0, and "
                    "at most %g", trace->file, most);
  if (trace->machine[0] == '\0') return missing(trace, "on which system it ran", example);
  if (storage == NULL) return missing(trace, "which storage it measured (perfmodel list storage)", example);
  const char *system = pm_catalog_resolve(catalog, "system", trace->machine, trace->error);
  storage = system != NULL ? pm_catalog_resolve(catalog, "storage", storage, trace->error) : NULL;
  if (storage == NULL) return trace->error->status;
  snprintf(file, sizeof file, "%s", trace->file);
  pm__lab_trace_clean(file);
  pm__string_add(csv, "id,document,subject,value,unit,kind,run,formula,remark\n");
  pm__string_format(csv, "%s,MLPerf Storage,accelerators: %.0f; hosts: %.0f,%.7g,share,value,\"system=%s, "
                    "dataset.sample_size=%.0f, storage=%s, decode=none, loader.augment_time=0, gpu_rate=%.7g\","
                    "input_gpu_busy,\n", file, s.accelerators, isnan(s.hosts) ? 1 : s.hosts, fmin(s.busy, 100) / 100,
                    system, s.bytes * 1048576 / s.rate, storage, s.rate / (fmin(s.busy, 100) / 100));
  return PM_OK;
}
