/* Files of other programs: which kind it is, its rows, what of it makes none. */
#include "perfmodel.h"
#include "traces/traces.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets that read packed rows of training. */
#define COLLECTIVE "system,collective,gpus,nodes"
#define TRAINING_SETS "large-models,training,plans,memory"

static const struct {
  const char *name, *sets, *takes; /* sets and what the user may say, separated by commas; the usual set first */
  bool (*is)(const char *text);
  int (*read)(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv);
} kinds[] = {
  {"a trace of PyTorch's profiler", "kernels", "system", pm__lab_trace_is_kineto, pm__lab_trace_read_kineto},
  {"JSON of nccl-tests", "collectives", COLLECTIVE, pm__lab_trace_is_nccl_json, pm__lab_trace_read_nccl_json},
  {"JSON of rccl-tests", "collectives", COLLECTIVE, pm__lab_trace_is_rccl_json, pm__lab_trace_read_rccl_json},
  {"CSV of rccl-tests", "collectives", COLLECTIVE, pm__lab_trace_is_rccl_csv, pm__lab_trace_read_rccl_csv},
  {"a report of Nsight Systems", "kernels", "system", pm__lab_trace_is_nsight, pm__lab_trace_read_nsight},
  {"a result of a benchmark of serving", "serving", "system", pm__lab_trace_is_serving, pm__lab_trace_read_serving},
  {"a log of power", "energy", "system", pm__lab_trace_is_power, pm__lab_trace_read_power},
  {"a summary of MLPerf Storage", "storage", "system,storage", pm__lab_trace_is_storage, pm__lab_trace_read_storage},
  {"a result of llama-bench", "serving", "system,network,framework", pm__lab_trace_is_llama_bench,
   pm__lab_trace_read_llama_bench},
  {"a result log of MLPerf Training", TRAINING_SETS, NULL, pm__lab_trace_is_mlperf, pm__lab_trace_read_mlperf},
  {"step lines of a training log (Megatron-LM, NeMo, torchtitan, DeepSpeed, MaxText, Lightning, Hugging Face)",
   TRAINING_SETS, NULL, pm__lab_trace_is_steps, pm__lab_trace_read_steps},
  {"text of nccl-tests or rccl-tests", "collectives", COLLECTIVE, pm__lab_trace_is_nccl_text,
   pm__lab_trace_read_nccl_text},
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

/* Behind the mark that some programs of Windows put first. */
static const char *unmarked(const char *text)
{
  return text != NULL && strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

static size_t kind_of(const char *text)
{
  size_t kind = 0;
  while (kind < KINDS && (text == NULL || !kinds[kind].is(text))) kind++;
  return kind;
}

/* What is read, as a list. */
static void name_kinds(char *names, size_t size)
{
  size_t used = 0;
  for (size_t kind = 0; kind < KINDS && used < size; kind++)
    used += (size_t)snprintf(names + used, size - used, "%s%s", kind > 0 ? ", " : "", kinds[kind].name);
}

static bool is_in(const char *set, const char *sets)
{
  size_t length = strlen(set);
  for (const char *at = strstr(sets, set); at != NULL; at = strstr(at + 1, set))
    if ((at == sets || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

/* NULL: the reader looks at them itself. */
static int check_known(size_t kind, const pm__lab_trace *trace)
{
  for (size_t i = 0; kinds[kind].takes != NULL && i < trace->known_count; i++)
    if (!is_in(trace->known[i].name, kinds[kind].takes))
      return pm__fail(trace->error, PM_STATUS_BAD_ARGUMENT, "%s: \"%.40s\" has no effect on %s", trace->file,
                      trace->known[i].name, kinds[kind].name);
  return PM_OK;
}

char *pm__lab_trace_table(const pm_catalog *catalog, const char *set, const char *text, const char *file,
                          const pm__lab_known *known, pm__string *notes, pm_error *error)
{
  pm_error unread = PM_ERROR_NONE;
  text = unmarked(text);
  size_t kind = kind_of(text);
  if (kind == KINDS) return NULL;
  if (error == NULL) error = &unread;
  if (set != NULL && !is_in(set, kinds[kind].sets)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s: this is %s, for the set %.*s, not %s", file, kinds[kind].name,
             (int)strcspn(kinds[kind].sets, ","), kinds[kind].sets, set);
    return NULL;
  }
  pm__lab_trace trace = {.text = text, .file = file, .known = known->items, .known_count = known->count, .error =
      error};
  if (check_known(kind, &trace) != PM_OK) return NULL;
  const char *machine = pm__lab_trace_known(&trace, "system");
  trace.machine = machine != NULL ? machine : "";
  return read_kind(kind, &trace, catalog, notes);
}

int pm__lab_trace_no_table(const char *file, const char *set, pm_error *error)
{
  char names[800];
  name_kinds(names, sizeof names);
  return pm__fail(error, PM_STATUS_BAD_FILE, "%s: no table (CSV) of the set %s, and no measurements of another program"
                  " that are read: %s", file, set, names);
}

const char *pm__lab_trace_name(size_t kind)
{
  return kind < KINDS ? kinds[kind].name : NULL;
}

const char *pm_measurements_find_format(const char *text)
{
  return pm__lab_trace_name(kind_of(unmarked(text)));
}

char *pm_measurements_read(const pm_catalog *catalog, const char *text, const char *file, const pm_attribute *known,
                           size_t known_count, char **report, pm_error *error)
{
  char names[800];
  const pm__lab_known all = {known, known_count};
  pm__string notes = {.text = NULL};
  if (report != NULL) *report = NULL;
  if (file == NULL) file = "data";
  name_kinds(names, sizeof names);
  if (catalog == NULL || pm_measurements_find_format(text) == NULL) {
    pm__fail(error, PM_STATUS_BAD_FILE, "%s: none of the measurements that are read (%s)", file, names);
    return NULL;
  }
  char *table = pm__lab_trace_table(catalog, NULL, text, file, &all, &notes, error);
  if (table != NULL && report != NULL) *report = notes.text;
  else free(notes.text);
  return table;
}
