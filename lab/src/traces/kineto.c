/*
** Traces of PyTorch's profiler (Kineto): Chrome's trace events, torch.profiler.profile(record_shapes=True) and
** export_chrome_trace.
**
** A kernel names the operator that launched it by an "External id"; older traces name it in the launch, which has the
** kernel's "correlation". Up to PyTorch 2.0 both ids are that correlation: the operator is then the innermost one that
** was
** running on the host's thread at the time of the launch. The operator has the sizes and types of its arguments.
*/
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traces/traces.h"

enum { DEVICES = 64 };

/* An operator, as it stands in the text. */
typedef struct call {
  double id, start, end;
  uint64_t thread;
  char op[64];
  pm__json_slice sizes, strides, types, values;
} call;

typedef struct launch {
  double correlation, id, start;
  uint64_t thread;
} launch;

typedef struct kernel {
  double id, correlation, us;
  int device, pass; /* gradients of one operator: of its data, 1 of its weights */
  char name[160];
} kernel;

/* One event, of which most are none of ours. */
typedef struct event {
  char category[40], name[160];
  double duration, id, correlation, device, start;
  uint64_t thread;
  pm__json_slice sizes, strides, types, values;
} event;

typedef struct reader {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  pm__json json;
  call *calls;
  launch *launches;
  kernel *kernels;
  size_t call_count, call_capacity, launch_count, launch_capacity, kernel_count, kernel_capacity;
  char devices[DEVICES][120];
} reader;

bool pm__lab_trace_is_kineto(const char *text)
{
  return text[strspn(text, " \t\r\n\xef\xbb\xbf")] == '{' && strstr(text, "\"traceEvents\"") != NULL;
}

/* ---- Events ---- */

static bool is(const char *key, const char *name)
{
  return strcmp(key, name) == 0;
}

static void read_argument(pm__json *json, const char *key, event *e)
{
  if (is(key, "External id") || is(key, "external id")) e->id = pm__json_number(json);
  else if (is(key, "correlation")) e->correlation = pm__json_number(json);
  else if (is(key, "device") && pm__json_is(json, '0')) e->device = pm__json_number(json);
  else if (is(key, "Input Dims") || is(key, "Input dims")) e->sizes = pm__json_skip(json);
  else if (is(key, "Input Strides")) e->strides = pm__json_skip(json);
  else if (is(key, "Input type")) e->types = pm__json_skip(json);
  else if (is(key, "Concrete Inputs")) e->values = pm__json_skip(json);
  else pm__json_skip(json);
}

/* Processes and threads are numbers or names: FNV-1a of what stands there. */
static void read_thread(pm__json *json, event *e)
{
  pm__json_slice name = pm__json_skip(json);
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < name.length; i++) hash = (hash ^ (unsigned char)name.text[i]) * 1099511628211u;
  e->thread = (e->thread + hash) * 1099511628211u;
}

static void read_event(pm__json *json, event *e)
{
  char key[40];
  *e = (event){.duration = NAN, .id = NAN, .correlation = NAN, .device = 0, .start = NAN};
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    if (is(key, "cat") && pm__json_is(json, '"')) pm__json_string(json, e->category, sizeof e->category);
    else if (is(key, "name") && pm__json_is(json, '"')) pm__json_string(json, e->name, sizeof e->name);
    else if (is(key, "dur")) e->duration = pm__json_number(json);
    else if (is(key, "ts")) e->start = pm__json_number(json);
    else if (is(key, "tid")) read_thread(json, e);
    else if (!is(key, "args") || !pm__json_is(json, '{')) pm__json_skip(json);
    else for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) read_argument(json, key, e);
  }
}

static void *grown(reader *r, void *array, size_t count, size_t *capacity, size_t size)
{
  void *larger = pm__grow(array, count, capacity, size);
  if (larger == NULL) pm__no_memory(r->trace->error);
  return larger;
}

static bool add_call(reader *r, const event *e)
{
  call *calls = (call *)grown(r, r->calls, r->call_count, &r->call_capacity, sizeof *calls);
  if (calls == NULL) return false;
  r->calls = calls;
  calls += r->call_count++;
  *calls = (call){.id = e->id, .start = e->start, .end = e->start + e->duration, .thread = e->thread, .sizes =
            e->sizes, .strides = e->strides, .types = e->types, .values = e->values};
  snprintf(calls->op, sizeof calls->op, "%.63s", e->name);
  return true;
}

static bool add_launch(reader *r, const event *e)
{
  launch *launches = (launch *)grown(r, r->launches, r->launch_count, &r->launch_capacity, sizeof *launches);
  if (launches == NULL) return false;
  r->launches = launches;
  launches[r->launch_count++] = (launch){e->correlation, e->id, e->start, e->thread};
  return true;
}

/* Of a number that is none of a device, none; what is said of devices is by their number. */
static int device_of(double number)
{
  return number >= 0 && number < DEVICES ? (int)number : DEVICES;
}

static bool add_kernel(reader *r, const event *e)
{
  kernel *kernels = (kernel *)grown(r, r->kernels, r->kernel_count, &r->kernel_capacity, sizeof *kernels);
  if (kernels == NULL) return false;
  r->kernels = kernels;
  kernels += r->kernel_count++;
  *kernels = (kernel){.id = e->id, .correlation = e->correlation, .us = e->duration, .device = device_of(e->device)};
  snprintf(kernels->name, sizeof kernels->name, "%.159s", e->name);
  return true;
}

/* Kernels and what they come from; copies, Python's functions and annotations are none. PyTorch 1.8 has capitals. */
static bool add_event(reader *r, const event *e)
{
  bool runtime = is(e->category, "cuda_runtime") || is(e->category, "cuda_driver") || is(e->category, "hip_runtime") ||
                 is(e->category, "Runtime");
  if ((is(e->category, "cpu_op") || is(e->category, "Operator")) && !isnan(e->id)) return add_call(r, e);
  if (runtime && !isnan(e->correlation)) return add_launch(r, e);
  if (!is(e->category, "kernel") && !is(e->category, "Kernel")) return true;
  if (e->duration >= 0 && e->duration <= PM__LAB_TRACE_MOST) return add_kernel(r, e);
  pm__json_fail(&r->json, isnan(e->duration) ? "this kernel has no duration (\"dur\")"
                                             : "the duration of this kernel is not from 0 to 1e15 us");
  return false;
}

static bool read_devices(reader *r)
{
  char key[40], name[120] = "";
  pm__json *json = &r->json;
  for (pm__json_enter(json, '['); pm__json_next(json);) {
    double id = 0;
    for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
      if (is(key, "id")) id = pm__json_number(json);
      else if (is(key, "name")) pm__json_string(json, name, sizeof name);
      else pm__json_skip(json);
    }
    if (id >= 0 && id < DEVICES) snprintf(r->devices[(int)id], sizeof r->devices[0], "%s", name);
  }
  return !json->failed;
}

static bool read_events(reader *r)
{
  bool good = true;
  for (pm__json_enter(&r->json, '['); good && pm__json_next(&r->json);) {
    event e;
    read_event(&r->json, &e);
    good = !r->json.failed && add_event(r, &e);
  }
  return good && !r->json.failed;
}

static bool read_file(reader *r)
{
  char key[40];
  bool good = true;
  for (pm__json_enter(&r->json, '{'); good && pm__json_next_key(&r->json, key, sizeof key);) {
    if (is(key, "traceEvents")) good = read_events(r);
    else if (is(key, "deviceProperties")) good = read_devices(r);
    else pm__json_skip(&r->json);
  }
  return good && pm__json_end(&r->json);
}

/* ---- Kernels to their operators ---- */

static int by_call(const void *a, const void *b)
{
  double x = ((const call *)a)->id, y = ((const call *)b)->id;
  return (x > y) - (x < y);
}

static int by_correlation(const void *a, const void *b)
{
  double x = ((const launch *)a)->correlation, y = ((const launch *)b)->correlation;
  return (x > y) - (x < y);
}

/* Those of one operator and pass together; without an operator last. */
static int by_kernel(const void *a, const void *b)
{
  const kernel *x = (const kernel *)a, *y = (const kernel *)b;
  if (isnan(x->id) || isnan(y->id)) return isnan(x->id) - isnan(y->id);
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return x->pass - y->pass;
}

/* ---- By time, where ids are correlations ---- */

static int by_thread(uint64_t a, double a_start, uint64_t b, double b_start)
{
  if (a != b) return a < b ? -1 : 1;
  return (a_start > b_start) - (a_start < b_start);
}

static int by_start_of_call(const void *a, const void *b)
{
  const call *x = (const call *)a, *y = (const call *)b;
  int order = by_thread(x->thread, x->start, y->thread, y->start);
  return order != 0 ? order : (x->end < y->end) - (x->end > y->end); /* the outer one first */
}

static int by_start_of_launch(const void *a, const void *b)
{
  const launch *x = (const launch *)a, *y = (const launch *)b;
  return by_thread(x->thread, x->start, y->thread, y->start);
}

static bool ids_are_correlations(const reader *r)
{
  size_t both = 0;
  for (size_t i = 0; i < r->kernel_count; i++) {
    const kernel *k = &r->kernels[i];
    if (isnan(k->id) || isnan(k->correlation)) continue;
    if (k->id != k->correlation) return false;
    both++;
  }
  return both > 0;
}

/* Operators of a thread nest: of those that have begun, the last that has not ended is the innermost. */
static int match_by_time(reader *r)
{
  size_t *open = (size_t *)malloc((r->call_count + 1) * sizeof *open), depth = 0, next = 0;
  if (open == NULL) return pm__no_memory(r->trace->error);
  if (r->call_count > 0) qsort(r->calls, r->call_count, sizeof *r->calls, by_start_of_call);
  if (r->launch_count > 0) qsort(r->launches, r->launch_count, sizeof *r->launches, by_start_of_launch);
  for (size_t i = 0; i < r->call_count; i++) r->calls[i].id = (double)i + 1;
  for (size_t i = 0; i < r->launch_count; i++) {
    launch *l = &r->launches[i];
    while (next < r->call_count && by_thread(r->calls[next].thread, r->calls[next].start, l->thread, l->start) <= 0)
      open[depth++] = next++;
    while (depth > 0 && (r->calls[open[depth - 1]].thread != l->thread || !(r->calls[open[depth - 1]].end >= l->start)))
      depth--;
    l->id = depth > 0 ? r->calls[open[depth - 1]].id : (double)NAN;
  }
  for (size_t i = 0; i < r->kernel_count; i++) r->kernels[i].id = (double)NAN;
  free(open);
  return PM_OK;
}

/* ---- By id ---- */

static const call *call_of(const reader *r, double id)
{
  call key = {.id = id};
  return isnan(id) || r->call_count == 0
         ? NULL : (const call *)bsearch(&key, r->calls, r->call_count, sizeof key, by_call);
}

static void find_calls(reader *r)
{
  if (r->call_count > 0) qsort(r->calls, r->call_count, sizeof *r->calls, by_call);
  if (r->launch_count > 0) qsort(r->launches, r->launch_count, sizeof *r->launches, by_correlation);
  for (size_t i = 0; i < r->kernel_count; i++) {
    kernel *k = &r->kernels[i];
    launch key = {.correlation = k->correlation};
    const launch *found = isnan(k->id) && !isnan(k->correlation) && r->launch_count > 0
      ? (const launch *)bsearch(&key, r->launches, r->launch_count, sizeof key, by_correlation) : NULL;
    if (found != NULL) k->id = found->id;
    const call *from = call_of(r, k->id);
    if (from == NULL) k->id = NAN;
    else if (pm__lab_trace_is_two_passes(from->op))
      k->pass = strstr(k->name, "wgrad") != NULL ? 2 : strstr(k->name, "dgrad") != NULL;
  }
  if (r->kernel_count > 0) qsort(r->kernels, r->kernel_count, sizeof *r->kernels, by_kernel);
}

/* ---- Rows ---- */

static void read_sizes(pm__lab_trace_lists *lists, pm__json_slice slice)
{
  memset(lists, 0, sizeof *lists);
  if (slice.length > 0) pm__lab_trace_lists_read(lists, slice.text, slice.length);
}

/* ["", "[1, 1]", "False", "2"]: texts, each a list or a number or neither. */
static void read_values(const reader *r, pm__lab_trace_lists *lists, pm__json_slice slice)
{
  char value[80], all[40 * PM__LAB_TRACE_ARGUMENTS] = "[";
  size_t used = 1;
  pm__json json = pm__json_within(&r->json, slice);
  memset(lists, 0, sizeof *lists);
  if (slice.length == 0) return;
  for (pm__json_enter(&json, '['); pm__json_next(&json) && pm__json_string(&json, value, sizeof value);) {
    for (char *p = value; *p != '\0'; p++) *p = *p == '[' || *p == ']' ? ' ' : *p;
    used += (size_t)snprintf(all + used, sizeof all - used, "[%.30s],", value);
    if (used >= sizeof all) return; /* more than any operator of ours has */
  }
  pm__lab_trace_lists_read(lists, all, used);
}

/* The type of the first tensor: the first that is none of "", "Scalar", "ScalarList". */
static void read_type(const reader *r, char *type, size_t size, pm__json_slice slice)
{
  pm__json json = pm__json_within(&r->json, slice);
  type[0] = '\0';
  if (slice.length == 0) return;
  for (pm__json_enter(&json, '['); pm__json_next(&json) && pm__json_string(&json, type, size);)
    if (type[0] != '\0' && strncmp(type, "Scalar", 6) != 0) return;
}

static const char *longest(const kernel *kernels, size_t count)
{
  const kernel *most = kernels;
  for (size_t i = 1; i < count; i++)
    if (kernels[i].us > most->us) most = &kernels[i];
  return most->name;
}

/* The kernels of one call, or of one pass of it. */
static int add_rows(reader *r, const kernel *kernels, size_t count)
{
  char row[PM__LAB_TRACE_ROW];
  const call *from = call_of(r, kernels->id);
  pm__lab_trace_call what = {.kernel = longest(kernels, count)};
  double us = 0;
  for (size_t i = 0; i < count; i++) us += kernels[i].us;
  if (from == NULL) return pm__lab_trace_leave_out(r->trace, what.kernel, us, count);
  snprintf(what.op, sizeof what.op, "%s", from->op);
  const char *gpu = kernels->device >= 0 && kernels->device < DEVICES ? r->devices[kernels->device] : "";
  if (pm__lab_trace_check_gpu(r->trace, r->catalog, gpu) != PM_OK) return r->trace->error->status;
  snprintf(what.gpu, sizeof what.gpu, "%s", r->trace->machine[0] != '\0' ? r->trace->machine : gpu);
  read_sizes(&what.sizes, from->sizes);
  read_sizes(&what.strides, from->strides);
  read_values(r, &what.values, from->values);
  read_type(r, what.type, sizeof what.type, from->types);
  if (r->trace->error->status != PM_OK) return r->trace->error->status;
  if (what.sizes.count > 0 && what.gpu[0] == '\0')
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE, "%s: does not say which GPU it is of; give it as the system",
                    r->trace->file);
  if (pm__lab_trace_row(&what, row)) return pm__lab_trace_add(r->trace, row, us, count);
  return pm__lab_trace_leave_out(r->trace, from->op, us, count);
}

static int add_all(reader *r)
{
  int status = PM_OK;
  bool sizes = false;
  for (size_t i = 0; i < r->call_count; i++) sizes = sizes || r->calls[i].sizes.length > 0;
  if (r->kernel_count == 0)
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE, "%s: no kernel of a GPU is in the trace", r->trace->file);
  if (!sizes)
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE,
                    "%s: no operator has sizes: trace with profile(record_shapes=True)", r->trace->file);
  if (ids_are_correlations(r) && match_by_time(r) != PM_OK) return PM_STATUS_NO_MEMORY;
  find_calls(r);
  if (isnan(r->kernels[0].id)) /* those without an operator are last */
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE,
                    "%s: none of its %zu kernels finds the operator that launched it, by id or by time: trace both "
                    "CPU and "
                    "CUDA", r->trace->file, r->kernel_count);
  for (size_t first = 0, last; first < r->kernel_count && status == PM_OK; first = last) {
    const kernel *k = r->kernels;
    for (last = first + 1; last < r->kernel_count && k[last].id == k[first].id && k[last].pass == k[first].pass;)
      last++;
    status = add_rows(r, &k[first], last - first);
  }
  return status;
}

int pm__lab_trace_read_kineto(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  reader *r = (reader *)calloc(1, sizeof *r);
  if (r == NULL) return pm__no_memory(trace->error);
  r->trace = trace;
  r->catalog = catalog;
  r->json = pm__json_open(trace->text, trace->file, trace->error);
  int status = read_file(r) ? add_all(r) : trace->error->status;
  pm__string_add(csv, pm__lab_trace_titles);
  free(r->calls);
  free(r->launches);
  free(r->kernels);
  free(r);
  return status;
}
