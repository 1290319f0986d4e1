/* Files of other programs: which kind it is, its rows, what of it makes none. */
#include "perfmodel.h"
#include "traces/traces.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *set;
  bool (*is)(const char *text);
  int (*read)(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
} kinds[] = {
  {"a trace of PyTorch's profiler", "kernels", pm__lab_trace_is_kineto, pm__lab_trace_read_kineto},
  {"JSON of nccl-tests", "collectives", pm__lab_trace_is_nccl_json, pm__lab_trace_read_nccl_json},
  {"a report of Nsight Systems", "kernels", pm__lab_trace_is_nsight, pm__lab_trace_read_nsight},
  {"a result of a benchmark of serving", "serving", pm__lab_trace_is_serving, pm__lab_trace_read_serving},
  {"a log of power", "energy", pm__lab_trace_is_power, pm__lab_trace_read_power},
  {"text of nccl-tests", "collectives", pm__lab_trace_is_nccl_text, pm__lab_trace_read_nccl_text},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static char *read_kind(size_t kind, pm__lab_trace *trace, const pm_catalog *catalog, pm__string *notes)
{
  pm__string csv = {.text = NULL};
  int status = kinds[kind].read(trace, catalog, &csv);
  if (status == PM_OK) pm__lab_trace_write(trace, &csv);
  if (status == PM_OK) pm__lab_trace_note(trace, notes);
  pm__lab_trace_free(trace);
  if (status == PM_OK && csv.failed) status = pm__no_memory(trace->error);
  if (status == PM_OK) return csv.text;
  free(csv.text);
  return NULL;
}

char *pm__lab_trace_table(const pm_catalog *catalog, const char *set, const char *text, const char *file,
                      const char *machine, pm__string *notes, pm_error *error)
{
  pm_error unread = PM_ERROR_NONE;
  size_t kind = 0;
  while (kind < KINDS && !kinds[kind].is(text)) kind++;
  if (kind == KINDS) return NULL;
  if (error == NULL) error = &unread;
  if (set != NULL && strcmp(set, kinds[kind].set) != 0) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s: this is %s, for the set %s, not %s", file, kinds[kind].name,
             kinds[kind].set, set);
    return NULL;
  }
  pm__lab_trace trace = {.text = text, .file = file, .machine = machine != NULL ? machine : "", .error = error};
  return read_kind(kind, &trace, catalog, notes);
}

const char *pm_measurements_find_format(const char *text)
{
  for (size_t kind = 0; kind < KINDS && text != NULL; kind++)
    if (kinds[kind].is(text)) return kinds[kind].name;
  return NULL;
}

char *pm_measurements_read(const pm_catalog *catalog, const char *text, const char *file, const char *system,
                           char **report, pm_error *error)
{
  pm__string notes = {.text = NULL};
  if (report != NULL) *report = NULL;
  if (file == NULL) file = "data";
  if (catalog == NULL || pm_measurements_find_format(text) == NULL) {
    pm__fail(error, PM_STATUS_BAD_FILE,
             "%s: is no file of nccl-tests, of PyTorch's profiler, of Nsight Systems or of a benchmark of serving, and "
             "no log of power",
             file);
    return NULL;
  }
  char *table = pm__lab_trace_table(catalog, NULL, text, file, system, &notes, error);
  if (table != NULL && report != NULL) *report = notes.text;
  else free(notes.text);
  return table;
}
