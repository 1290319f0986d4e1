/*
** Reports of Nsight Systems as CSV: nsys stats --report cuda_gpu_trace:nvtx-name (or cuda_gpu_kern_sum:nvtx-name)
** --format csv.
**
** A report has names and durations of kernels, no sizes. The ranges that PyTorch marks under
** torch.autograd.profiler.emit_nvtx(record_shapes=True) have them, and nvtx-name writes the innermost before the name
** of each kernel: "aten::mm, op_id = 7, sizes = [[64, 128], [128, 32]]/ampere_sgemm_128x64_nn".
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "perfmodel.h"
#include "traces/traces.h"

/* A kernel, or of a summary all of a name; the range is what the name has before its '/'. */
typedef struct kernel {
  const char *name;  /* range and kernel */
  size_t range;      /* bytes of the range; 0: none */
  const char *device;
  double us, instances;
} kernel;

typedef struct reader {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  pm__csv sheet;
  size_t before; /* lines before the header */
  int name, time, instances, device;
  double unit; /* microseconds of one unit of time */
  kernel *kernels;
  size_t count;
} reader;

/* The header's line, behind what the program said while it worked; NULL: none. */
static const char *find_header(const char *text, size_t *before)
{
  *before = 0;
  for (const char *line = text; *line != '\0' && *before < 100; ++*before) {
    size_t length = strcspn(line, "\n");
    bool trace = strncmp(line, "Start (", 7) == 0, summary = strncmp(line, "Time (%),Total Time (", 21) == 0;
    if ((summary || (trace && pm__text_find(line, length, "Duration (") != NULL)) &&
        pm__text_find(line, length, "Name") != NULL)
      return line;
    line += length + (line[length] == '\n');
  }
  return NULL;
}

bool pm__lab_trace_is_nsight(const char *text)
{
  size_t before;
  return find_header(text, &before) != NULL;
}

/* ---- Columns ---- */

/* The column of this title with any unit, "Duration (ns)"; the unit in microseconds. */
static int find_time(reader *r, const char *title)
{
  static const struct {
    const char *name;
    double us;
  } units[] = {{"(ns)", 1e-3}, {"(us)", 1}, {"(\xce\xbcs)", 1}, {"(ms)", 1e3}, {"(s)", 1e6}, {"(sec)", 1e6}};
  size_t length = strlen(title);
  for (size_t c = 0; c < r->sheet.columns; c++) {
    const char *cell = r->sheet.cells[c];
    if (strncmp(cell, title, length) != 0) continue;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
      if (strcmp(cell + length, units[i].name) == 0) return r->unit = units[i].us, (int)c;
  }
  return -1;
}

static int find_columns(reader *r)
{
  r->name = -1;
  for (size_t c = 0; c < r->sheet.columns; c++)
    if (strstr(r->sheet.cells[c], "Name") != NULL) r->name = (int)c;
  r->device = pm__csv_column(&r->sheet, "Device");
  r->instances = pm__csv_column(&r->sheet, "Instances");
  r->time = find_time(r, r->instances >= 0 ? "Total Time " : "Duration ");
  if (r->time >= 0) return PM_OK;
  return pm__fail_at(r->trace->error, PM_STATUS_BAD_SYNTAX, r->trace->file, (int)r->before + 1,
                     "there is no time with a unit among the columns");
}

/* ---- Kernels ---- */

/* Bytes of the range before a kernel: up to the '/' behind the last bracket of its sizes. */
static size_t range_of(const char *name)
{
  const char *sizes = strstr(name, "sizes = ["), *end = NULL;
  if (sizes == NULL) return 0;
  for (const char *p = sizes; (p = strstr(p, "]/")) != NULL; p += 2) end = p;
  return end != NULL ? (size_t)(end + 1 - name) : 0;
}

static int read_number(const reader *r, size_t line, int column, double *value)
{
  char digits[400];
  const char *cell = pm__csv_cell(&r->sheet, line, column);
  size_t used = 0;
  const char *p = cell;
  for (; *p != '\0' && used + 1 < sizeof digits; p++)
    if (*p != ',') digits[used++] = *p; /* of thousands */
  digits[used] = '\0';
  if (*p == '\0' && pm_number_parse(digits, value) == PM_OK && *value >= 0 && *value <= PM__LAB_TRACE_MOST * 1e3)
    return PM_OK;
  return pm__fail_at(r->trace->error, PM_STATUS_BAD_VALUE, r->trace->file, (int)(line + r->before) + 1,
                     "%s \"%.40s\" is no number from 0 to 1e18", r->sheet.cells[column], cell);
}

static int read_kernel(reader *r, size_t line)
{
  kernel *k = &r->kernels[r->count];
  *k = (kernel){.name = pm__csv_cell(&r->sheet, line, r->name), .device = pm__csv_cell(&r->sheet, line, r->device),
                .instances = 1};
  const char *own = strstr(k->name, "[CUDA mem"); /* copies and fills: nothing that runs on the cores */
  if (own != NULL) return PM_OK;
  int status = read_number(r, line, r->time, &k->us);
  if (status == PM_OK && r->instances >= 0) status = read_number(r, line, r->instances, &k->instances);
  if (status != PM_OK) return status;
  k->us *= r->unit;
  k->range = range_of(k->name);
  r->count++;
  return PM_OK;
}

/* ---- Calls ---- */

static int by_range(const void *a, const void *b)
{
  const kernel *x = (const kernel *)a, *y = (const kernel *)b;
  if (x->range != y->range) return x->range < y->range ? -1 : 1;
  return strncmp(x->name, y->name, x->range);
}

/* "NVIDIA A100-SXM4-40GB (0)" without its number, or what the user calls it. */
static int name_gpu(const reader *r, const kernel *k, char *gpu, size_t size)
{
  const char *machine = r->trace->machine, *end = strrchr(k->device, '(');
  snprintf(gpu, size, "%.*s", (int)(end != NULL ? end - k->device : (long)strlen(k->device)), k->device);
  for (size_t n = strlen(gpu); n > 0 && gpu[n - 1] == ' '; n--) gpu[n - 1] = '\0';
  int status = pm__lab_trace_check_gpu(r->trace, r->catalog, gpu);
  if (machine[0] != '\0') snprintf(gpu, size, "%s", machine);
  return status;
}

/* The kernels of one range. Its instances are those of the kernel that ran most often. */
static int add_range(reader *r, const kernel *kernels, size_t count)
{
  char row[PM__LAB_TRACE_ROW];
  double us = 0, instances = 0;
  const kernel *most = kernels;
  for (size_t i = 0; i < count; i++) {
    us += kernels[i].us;
    instances = fmax(instances, kernels[i].instances);
    if (kernels[i].us > most->us) most = &kernels[i];
  }
  pm__lab_trace_call call = {.kernel = most->name + kernels->range + 1};
  const char *op = strstr(kernels->name, "aten::"), *sizes = strstr(kernels->name, "sizes = [");
  size_t ends = sizes != NULL ? strcspn(sizes, "\n") : 0;
  const char *inputs = sizes != NULL ? strstr(sizes, ", input_op_ids") : NULL;
  if (inputs != NULL) ends = (size_t)(inputs - sizes);
  if (op == NULL || op > sizes) op = kernels->name;
  snprintf(call.op, sizeof call.op, "%.*s", (int)strcspn(op, ","), op);
  pm__lab_trace_lists_read(&call.sizes, sizes, ends < (size_t)(kernels->name + kernels->range - sizes)
                                           ? ends : (size_t)(kernels->name + kernels->range - sizes));
  if (name_gpu(r, kernels, call.gpu, sizeof call.gpu) != PM_OK) return r->trace->error->status;
  if (call.gpu[0] == '\0')
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE, "%s: does not say which GPU it is of; give it as the system",
                    r->trace->file);
  if (!pm__lab_trace_row(&call, row)) return pm__lab_trace_leave_out(r->trace, call.op, us, (size_t)instances * count);
  return pm__lab_trace_add(r->trace, row, us / fmax(instances, 1), (size_t)instances * count);
}

static int add_calls(reader *r)
{
  int status = PM_OK;
  bool any = false;
  if (r->count > 0) qsort(r->kernels, r->count, sizeof *r->kernels, by_range);
  for (size_t first = 0, last; first < r->count && status == PM_OK; first = last) {
    const kernel *k = &r->kernels[first];
    for (last = first + 1; last < r->count && k->range > 0 && by_range(k, &r->kernels[last]) == 0;) last++;
    any = any || k->range > 0;
    status = k->range > 0 ? add_range(r, k, last - first)
                          : pm__lab_trace_leave_out(r->trace, k->name, k->us, (size_t)k->instances);
  }
  if (status != PM_OK || any) return status;
  return pm__fail(r->trace->error, PM_STATUS_BAD_FILE,
                  "%s: no kernel has sizes: run under torch.autograd.profiler.emit_nvtx(record_shapes=True), and "
                  "report "
                  "cuda_gpu_trace:nvtx-name", r->trace->file);
}

static int read_sheet(reader *r)
{
  r->kernels = (kernel *)malloc(r->sheet.rows * sizeof *r->kernels);
  int status = r->kernels != NULL ? find_columns(r) : pm__no_memory(r->trace->error);
  for (size_t line = 1; line < r->sheet.rows && status == PM_OK; line++) status = read_kernel(r, line);
  return status == PM_OK ? add_calls(r) : status;
}

int pm__lab_trace_read_nsight(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  reader r = {.trace = trace, .catalog = catalog};
  const char *header = find_header(trace->text, &r.before);
  int status = pm__csv_read(&r.sheet, header, trace->file, trace->error);
  if (status == PM_OK) status = read_sheet(&r);
  pm__string_add(csv, pm__lab_trace_titles);
  free(r.kernels);
  pm__csv_free(&r.sheet);
  return status;
}
