/* Times of calls become rows, and what makes none is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traces/traces.h"

const char *pm__lab_trace_known(const pm__lab_trace *trace, const char *name)
{
  for (size_t i = 0; i < trace->known_count; i++)
    if (strcmp(trace->known[i].name, name) == 0) return trace->known[i].value;
  return NULL;
}

int pm__lab_trace_check_gpu(pm__lab_trace *trace, const pm_catalog *catalog, const char *name)
{
  pm_machine machine;
  pm_gpu own, named;
  if (trace->machine[0] == '\0' || name[0] == '\0' || strcmp(trace->checked, name) == 0) return PM_OK;
  pm__text_set(trace->checked, sizeof trace->checked, name);
  if (pm_catalog_resolve(catalog, "gpu", name, NULL) == NULL ||
      pm_catalog_get_record(catalog, "gpu", name, &named, NULL) != PM_OK ||
      pm_catalog_get_record(catalog, "system", trace->machine, &machine, NULL) != PM_OK ||
      pm_catalog_get_record(catalog, "gpu", machine.gpu, &own, NULL) != PM_OK) return PM_OK;
  bool same = strcmp(own.architecture, named.architecture) == 0 && own.sms == named.sms && own.nvlinks == named.nvlinks;
  if (same) return PM_OK;
  return pm__fail(trace->error, PM_STATUS_BAD_VALUE, "%s: is of \"%.60s\", but %.60s has %s", trace->file, name,
                  trace->machine, own.id);
}

int pm__lab_trace_add(pm__lab_trace *trace, const char *row, double us, size_t kernels)
{
  pm__lab_trace_time *times = (pm__lab_trace_time *)pm__grow(trace->times, trace->time_count, &trace->time_capacity,
                                                     sizeof *times);
  char *copy = (char *)malloc(strlen(row) + 1);
  if (times != NULL) trace->times = times;
  if (times == NULL || copy == NULL) {
    free(copy);
    return pm__no_memory(trace->error);
  }
  times[trace->time_count++] = (pm__lab_trace_time){pm_text_clean(strcpy(copy, row)), us};
  trace->kernels += kernels;
  trace->us += us;
  return PM_OK;
}

static const char *rest_name(const void *rest, size_t i)
{
  return ((const pm__lab_trace_rest *)rest)[i].name;
}

int pm__lab_trace_leave_out(pm__lab_trace *trace, const char *name, double us, size_t kernels)
{
  pm__lab_trace_rest next = {.us = 0};
  snprintf(next.name, sizeof next.name, "%s", name);
  size_t i = pm__text_index_find(&trace->rest_names, next.name, rest_name, trace->rest);
  if (i == PM__NO_ITEM) {
    i = trace->rest_count;
    pm__lab_trace_rest *rest = (pm__lab_trace_rest *)pm__grow(trace->rest, i, &trace->rest_capacity, sizeof *rest);
    if (rest != NULL) trace->rest = rest;
    if (rest == NULL || !pm__text_index_add(&trace->rest_names, next.name, i)) return pm__no_memory(trace->error);
    rest[trace->rest_count++] = next;
  }
  trace->rest[i].kernels += kernels;
  trace->rest[i].us += us;
  return PM_OK;
}

/* ---- The table ---- */

static int by_row(const void *a, const void *b)
{
  const pm__lab_trace_time *x = (const pm__lab_trace_time *)a, *y = (const pm__lab_trace_time *)b;
  int order = strcmp(x->row, y->row);
  return order != 0 ? order : (x->us > y->us) - (x->us < y->us);
}

/* Calls of the same sizes are one row, with the median of their times. */
void pm__lab_trace_write(pm__lab_trace *trace, pm__string *csv)
{
  const pm__lab_trace_time *t = trace->times;
  if (trace->time_count > 0) qsort(trace->times, trace->time_count, sizeof *t, by_row);
  for (size_t first = 0, last; first < trace->time_count; first = last) {
    for (last = first + 1; last < trace->time_count && strcmp(t[last].row, t[first].row) == 0;) last++;
    size_t n = last - first;
    double median = 0.5 * (t[first + (n - 1) / 2].us + t[first + n / 2].us);
    pm__string_format(csv, "%s,%zu,%.7g\n", t[first].row, n, median);
  }
}

static int by_time(const void *a, const void *b)
{
  const pm__lab_trace_rest *x = (const pm__lab_trace_rest *)a, *y = (const pm__lab_trace_rest *)b;
  return x->us != y->us ? (x->us < y->us ? 1 : -1) : strcmp(x->name, y->name);
}

void pm__lab_trace_note(pm__lab_trace *trace, pm__string *notes)
{
  double all = trace->us;
  size_t kernels = 0;
  if (trace->note[0] != '\0') pm__string_format(notes, "%s\n", pm_text_clean(trace->note));
  for (size_t i = 0; i < trace->rest_count; i++) all += trace->rest[i].us, kernels += trace->rest[i].kernels;
  if (trace->kernels + kernels == 0) return;
  double share = all > 0 ? 100 / all : 0;
  char file[400];
  snprintf(file, sizeof file, "%s", trace->file);
  pm__string_format(notes, "%s: %zu kernels make rows (%.1f %% of the kernels' time), %zu do not%s\n",
                    pm_text_clean(file), trace->kernels, trace->us * share, kernels, kernels > 0 ? ":" : "");
  if (trace->rest_count > 0) qsort(trace->rest, trace->rest_count, sizeof *trace->rest, by_time);
  for (size_t i = 0; i < trace->rest_count; i++)
    pm__string_format(notes, "%8zu (%.1f %%): %s\n", trace->rest[i].kernels, trace->rest[i].us * share,
                      pm_text_clean(trace->rest[i].name));
}

void pm__lab_trace_free(pm__lab_trace *trace)
{
  for (size_t i = 0; i < trace->time_count; i++) free(trace->times[i].row);
  free(trace->times);
  free(trace->rest);
  pm__text_index_free(&trace->rest_names);
}
