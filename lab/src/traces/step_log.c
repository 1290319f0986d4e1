/*
** Logs of training: step lines become a row of the step's time, and one of memory where a line prints it.
**
** The first steps load, compile and tune, so they do not count: the lines of the first tenth of the steps that are
** printed, of at least one, are left out. The median of the others counts, of which two are needed. A log of several
** batch sizes is a run for each. A progress bar has the time that passes instead, in whole seconds: between its lines
** at least twenty are needed. A summary is a mean over the whole run, start and evaluation included, so that no
** constant is fitted to it.
**
** Settings that the log prints are read: Megatron-LM's block of arguments, of which each begins another run, and
** DeepSpeed's configuration.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/run_known.h"
#include "traces/step_lines.h"

static const double bar_seconds = 20;
enum { LINES_NEEDED = 2 };

typedef struct step_log {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  const pm__lab_step_program *program;
  pm__lab_run_known known;
  pm__lab_step *steps;
  size_t count, capacity;
  pm__string arguments, refused;   /* as flags, while a block of them is read: what is set, what is False */
  bool in_arguments;
  bool paused, others;             /* another loop ran since the last bar of training; between two of them */
  double allocated, reserved;      /* the most of the first rank [B] */
  size_t rows, without_time, left; /* lines without a time, and those of the beginning */
  pm__string *csv;
} step_log;

/* ---- Settings of the log ---- */

/* "  micro_batch_size ................ 1" as "--micro_batch_size 1". Lists and texts are no settings of a run. */
static int read_argument(step_log *log, const char *line)
{
  char name[80] = "", value[80];
  const char *dots = strstr(line, " ."), *from = dots;
  while (from != NULL && from > line && from[-1] != ' ') from--;
  if (dots == NULL || dots - from >= (int)sizeof name) return PM_OK;
  snprintf(name, sizeof name, "%.*s", (int)(dots - from), from);
  const char *behind = dots + 1 + strspn(dots + 1, ".");
  if (sscanf(behind, " %79s", value) != 1 || strpbrk(value, "'\"()[]{};`#$\\<>|&-") != NULL) return PM_OK;
  if (strcmp(name, "world_size") == 0) return pm__lab_run_say(&log->known, "world", value, false);
  if (strcmp(value, "False") == 0) pm__string_format(&log->refused, " --%s False", name);
  else if (strcmp(value, "None") != 0)
    pm__string_format(&log->arguments, " --%s %s", name, strcmp(value, "True") == 0 ? "" : value);
  return PM_OK;
}

/* Where two flags mean one setting, the one that is set counts: it comes last. */
static int end_arguments(step_log *log)
{
  pm__string *flags = &log->refused;
  log->in_arguments = false;
  if (log->arguments.text != NULL) pm__string_add(flags, log->arguments.text);
  int status = flags->failed || log->arguments.failed ? pm__no_memory(log->trace->error) : PM_OK;
  if (status == PM_OK && flags->text != NULL) status = pm__lab_run_settings(&log->known, "megatron", flags->text);
  free(log->arguments.text);
  free(log->refused.text);
  log->arguments = log->refused = (pm__string){.text = NULL};
  return status;
}

/* DeepSpeed prints its configuration as "json = {". */
static int read_configuration(step_log *log)
{
  const char *begin = strstr(log->trace->text, "json = {");
  if (begin == NULL || log->program->framework[0] != 'd') return PM_OK;
  pm_error unread = PM_ERROR_NONE;
  pm__json json = pm__json_open(begin + 7, log->trace->file, &unread);
  pm__json_slice slice = pm__json_skip(&json);
  if (json.failed || slice.text == NULL) return PM_OK; /* lines of other ranks between */
  pm__string text = {.text = NULL};
  pm__string_add_bytes(&text, slice.text, slice.length);
  int status = text.failed ? pm__no_memory(log->trace->error)
                           : pm__lab_run_settings(&log->known, "deepspeed", text.text);
  free(text.text);
  return status;
}

/* ---- Times of steps ---- */

/* Of one line; NAN where it does not say it. */
static int time_of(const step_log *log, const pm__lab_step *step, double global_batch, double *seconds)
{
  double tokens, rate = step->value[PM__STEP_TOKEN_RATE], samples = step->value[PM__STEP_SAMPLE_RATE];
  *seconds = step->value[PM__STEP_SECONDS];
  if (!isnan(samples)) *seconds = global_batch / samples;
  if (isnan(rate)) return PM_OK;
  int status = pm__lab_run_tokens(&log->known, &tokens);
  *seconds = global_batch * tokens / (rate * log->known.run.gpus * log->known.run.nodes);
  return status;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Samples that were consumed between two lines, for each step. */
static double consumed_each(const pm__lab_step *from, const pm__lab_step *to)
{
  double steps = to->value[PM__STEP_NUMBER] - from->value[PM__STEP_NUMBER];
  return steps > 0 ? (to->value[PM__STEP_CONSUMED] - from->value[PM__STEP_CONSUMED]) / steps : (double)NAN;
}

/* Lines that do not print the samples of a step tell them by those consumed since the line before. */
static void fill_samples(step_log *log)
{
  pm__lab_step *steps = log->steps;
  for (size_t i = 1; i < log->count; i++) {
    double *samples = &steps[i].value[PM__STEP_SAMPLES], each = consumed_each(&steps[i - 1], &steps[i]);
    if (isnan(*samples)) *samples = each >= 1 ? each : steps[i - 1].value[PM__STEP_SAMPLES];
  }
  for (size_t i = log->count; i-- > 1;)
    if (isnan(steps[i - 1].value[PM__STEP_SAMPLES]))
      steps[i - 1].value[PM__STEP_SAMPLES] = steps[i].value[PM__STEP_SAMPLES];
}

static bool is_next(const pm__lab_step *steps, size_t i)
{
  return i == 0 || steps[i].value[PM__STEP_NUMBER] != steps[i - 1].value[PM__STEP_NUMBER];
}

/* How many lines the first tenth of the steps has: several ranks print each. */
static size_t lines_of_start(const pm__lab_step *steps, size_t count)
{
  size_t printed = 0, passed = 0, i = 0;
  for (size_t k = 0; k < count; k++) printed += is_next(steps, k);
  for (size_t start = (printed + 9) / 10; i < count; i++) {
    passed += is_next(steps, i);
    if (passed > start) break;
  }
  return i;
}

/* ---- Rows ---- */

static int no_batch(const step_log *log)
{
  return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: does not say how many samples a step has; give them, as "
                  "in perfmodel import FILE --global-batch 512", log->trace->file);
}

static int add_row(step_log *log, const pm__lab_run_row *row)
{
  log->rows++;
  return pm__lab_run_add(&log->known, row, log->csv);
}

/* The most that the rank held that prints, the first one; torchtitan prints from the last stage of a pipeline. */
static int add_memory(step_log *log, const pm__lab_run_row *of, const char *quantity, double bytes)
{
  pm__lab_run_row row = *of;
  bool any = log->program->framework[0] == '\0' && log->known.run.pipeline_parallel > 1;
  row.quantity = quantity;
  row.rank = "first";
  row.words = log->program->name;
  row.value = bytes;
  return bytes > 0 && !any ? add_row(log, &row) : PM_OK;
}

/* What the times of one batch size come to; memory, if that is the only one. */
static int add_times(step_log *log, double *times, size_t count, pm__lab_run_row *row, bool only)
{
  char words[160];
  qsort(times, count, sizeof *times, by_size);
  snprintf(words, sizeof words, "%s; %zu step lines from %.6g to %.6g s", log->program->name, count, times[0],
           times[count - 1]);
  row->words = words;
  row->value = 0.5 * (times[(count - 1) / 2] + times[count / 2]);
  int status = add_row(log, row);
  if (status == PM_OK && only) status = add_memory(log, row, "allocator_peak", log->allocated);
  return status == PM_OK && only ? add_memory(log, row, "reserved", log->reserved) : status;
}

/* Lines with one batch size. */
static int add_group(step_log *log, const pm__lab_step *steps, size_t count)
{
  double global_batch;
  size_t start = lines_of_start(steps, count), kept = 0;
  log->left += start;
  if (count - start < LINES_NEEDED) return PM_OK;
  int status = pm__lab_run_global_batch(&log->known, steps->value[PM__STEP_SAMPLES], steps->line, &global_batch);
  if (status == PM_OK && isnan(global_batch)) status = no_batch(log);
  double *times = (double *)malloc(count * sizeof *times);
  if (times == NULL) return pm__no_memory(log->trace->error);
  for (size_t i = start; i < count && status == PM_OK; i++) {
    status = time_of(log, &steps[i], global_batch, &times[kept]);
    if (status == PM_OK && !(times[kept] > 0 && times[kept] < 1e6))
      status = pm__fail_at(log->trace->error, PM_STATUS_BAD_VALUE, log->trace->file, steps[i].line,
                           "a step of %g s is none from 0 to 1e6 s", times[kept]);
    kept++;
  }
  pm__lab_run_row row = {.quantity = "step_time", .rank = "", .check = "", .global_batch = global_batch,
                         .line = steps[start].line};
  if (status == PM_OK) status = add_times(log, times, kept, &row, count == log->count);
  free(times);
  return status;
}

static bool has_same_samples(const pm__lab_step *a, const pm__lab_step *b)
{
  double x = a->value[PM__STEP_SAMPLES], y = b->value[PM__STEP_SAMPLES];
  return x == y || (isnan(x) && isnan(y));
}

static int add_groups(step_log *log)
{
  int status = PM_OK;
  fill_samples(log);
  for (size_t first = 0, last; first < log->count && status == PM_OK; first = last) {
    for (last = first + 1; last < log->count && has_same_samples(&log->steps[first], &log->steps[last]);) last++;
    status = add_group(log, &log->steps[first], last - first);
  }
  return status;
}

/* ---- Summaries ---- */

/* The rates are rounded: their quotient is the samples of a step within that. */
static int check_rates(const step_log *log, const pm__lab_step *step, double global_batch)
{
  double rate = step->value[PM__STEP_RATE], ratio = step->value[PM__STEP_SAMPLE_RATE] / rate / global_batch;
  if (!isnan(rate) && !(rate > 0))
    return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: train_steps_per_second is no number above 0",
                    log->trace->file);
  if (!(ratio < 0.8 || ratio > 1.25)) return PM_OK;
  return pm__fail(log->trace->error, PM_STATUS_BAD_VALUE, "%s: a step has %.3g samples by its two rates, not %g",
                  log->trace->file, ratio * global_batch, global_batch);
}

static int add_summary(step_log *log)
{
  pm__lab_step step;
  double global_batch;
  const pm__lab_step_program *program = pm__lab_step_summary_of(log->trace->text);
  pm__lab_step_read(program, log->trace->text, &step);
  int status = pm__lab_run_global_batch(&log->known, NAN, 0, &global_batch);
  if (status == PM_OK && isnan(global_batch)) status = no_batch(log);
  if (status == PM_OK) status = check_rates(log, &step, global_batch);
  if (status != PM_OK) return status;
  const pm_run *run = &log->known.run;
  if (!isnan(step.value[PM__STEP_BATCH]) && pm_run_get_data_parallel(run) < (double)run->gpus * run->nodes)
    return pm__fail(log->trace->error, PM_STATUS_NOT_MODELLED, "%s: DeepSpeed's profiler counts the samples of ranks "
                    "that share a sample again; give its log instead (CurrSamplesPerSec)", log->trace->file);
  double rate = step.value[PM__STEP_RATE], seconds = isnan(rate) ? global_batch / step.value[PM__STEP_SAMPLE_RATE]
                                                                 : 1 / rate;
  if (!(seconds > 0 && seconds < 1e6))
    return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: no rate of %s is a number above 0", log->trace->file,
                    program->name);
  return add_row(log, &(pm__lab_run_row){"step_time", "", program->name, program->check, seconds, global_batch, 1});
}

/* What a summary says of the run itself. */
static int read_summary(step_log *log)
{
  pm__lab_step step;
  char text[PM_NUMBER_MAX];
  pm__lab_step_read(log->program, log->trace->text, &step);
  double gpus = step.value[PM__STEP_GPUS], batch = step.value[PM__STEP_BATCH];
  int status = isnan(gpus) ? PM_OK : pm__lab_run_say(&log->known, "world", pm_number_format(text, gpus), false);
  if (status != PM_OK || isnan(batch)) return status;
  return pm__lab_run_say(&log->known, "batch", pm_number_format(text, batch), false);
}

/* ---- Progress bars ---- */

/* The loop with the longest bar is that of training. */
static const pm__lab_step *longest(const step_log *log)
{
  const pm__lab_step *best = log->steps;
  for (size_t i = 1; i < log->count; i++)
    if (log->steps[i].value[PM__STEP_ELAPSED] > best->value[PM__STEP_ELAPSED]) best = &log->steps[i];
  return best;
}

/* Steps and seconds between lines of the bar of that many steps, without its beginning. */
static void add_up(const step_log *log, double total, double *steps, double *seconds)
{
  const pm__lab_step *before = NULL;
  double start = fmax(1, ceil(total / 10));
  *steps = *seconds = 0;
  for (size_t i = 0; i < log->count; i++) {
    const pm__lab_step *at = &log->steps[i];
    if (at->value[PM__STEP_TOTAL] != total || at->value[PM__STEP_DONE] < start) continue;
    double done = before != NULL ? at->value[PM__STEP_DONE] - before->value[PM__STEP_DONE] : 0;
    double took = before != NULL ? at->value[PM__STEP_ELAPSED] - before->value[PM__STEP_ELAPSED] : 0;
    before = at;
    if (!(done > 0 && took >= 0)) continue;
    *steps += done;
    *seconds += took;
  }
}

static bool has_other_bars(const step_log *log, double total)
{
  for (size_t i = 0; i < log->count; i++)
    if (log->steps[i].value[PM__STEP_TOTAL] != total) return true;
  return false;
}

static int add_bar(step_log *log)
{
  char words[120];
  double steps, seconds, global_batch;
  const double total = longest(log)->value[PM__STEP_TOTAL];
  add_up(log, total, &steps, &seconds);
  if (seconds < bar_seconds && pm__lab_step_summary_of(log->trace->text) != NULL) return add_summary(log);
  if (seconds < bar_seconds)
    return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: between the lines of its progress bar, without the "
                    "first tenth of the steps, pass %g s; %g are needed, as bars count whole seconds",
                    log->trace->file, seconds, bar_seconds);
  int status = pm__lab_run_global_batch(&log->known, NAN, 0, &global_batch);
  if (status == PM_OK && isnan(global_batch)) status = no_batch(log);
  if (status != PM_OK) return status;
  double each = log->program->accumulates ? log->known.run.gradient_accumulation_steps : 1;
  snprintf(words, sizeof words, "%s; %g steps in %g s; the first tenth left out", log->program->name, steps / each,
           seconds);
  const char *check = log->others || has_other_bars(log, total) ? "other loops between (evaluation) count in" : "";
  return add_row(log, &(pm__lab_run_row){"step_time", "", words, check, seconds / steps * each, global_batch,
                                         longest(log)->line});
}

/* ---- The log ---- */

/* What was read of one run becomes rows. */
static int end_run(step_log *log)
{
  const pm__lab_step_timing timing = log->program->timing;
  if (log->count == 0 && timing != PM__TIMING_SUMMARY) return PM_OK;
  int status = pm__lab_run_say(&log->known, "framework", log->program->framework, true);
  if (status == PM_OK) status = pm__lab_run_settle(&log->known, log->catalog);
  if (status == PM_OK)
    status = timing == PM__TIMING_BAR ? add_bar(log) : timing == PM__TIMING_SUMMARY ? add_summary(log)
                                                                                    : add_groups(log);
  log->count = 0;
  log->allocated = log->reserved = 0;
  return status;
}

/* Another block of arguments is another run. */
static int begin_arguments(step_log *log)
{
  int status = end_run(log);
  if (status == PM_OK) status = pm__lab_run_begin(&log->known, log->trace);
  log->in_arguments = true;
  return status;
}

static double larger(double a, double b)
{
  return isnan(b) || a > b ? a : b;
}

/* A line of Megatron-LM: "[Rank 0] (after 10 iterations) memory (MB) | ... | max allocated: 1 | max reserved: 2". */
static void read_memory(step_log *log, const char *line)
{
  if (strstr(line, "[Rank 0]") == NULL || strstr(line, "memory (MB)") == NULL) return;
  log->allocated = larger(log->allocated, pm__lab_step_number(line, "max allocated") * 1048576);
  log->reserved = larger(log->reserved, pm__lab_step_number(line, "max reserved") * 1048576);
}

static int add_step(step_log *log, const pm__lab_step *step)
{
  const double *v = step->value;
  bool timed = !isnan(v[PM__STEP_SECONDS]) || !isnan(v[PM__STEP_TOKEN_RATE]) || !isnan(v[PM__STEP_SAMPLE_RATE]) ||
               !isnan(v[PM__STEP_ELAPSED]);
  if (!timed) return log->without_time++, PM_OK;
  pm__lab_step *steps = (pm__lab_step *)pm__grow(log->steps, log->count, &log->capacity, sizeof *steps);
  if (steps == NULL) return pm__no_memory(log->trace->error);
  log->steps = steps;
  steps[log->count++] = *step;
  log->allocated = larger(log->allocated, v[PM__STEP_ALLOCATED]);
  log->reserved = larger(log->reserved, v[PM__STEP_RESERVED]);
  return PM_OK;
}

static int read_line(step_log *log, const char *line, int number)
{
  pm__lab_step step;
  if (strstr(line, " end of arguments -") != NULL) return log->in_arguments ? end_arguments(log) : PM_OK;
  if (strstr(line, "- arguments -") != NULL) return begin_arguments(log);
  if (log->in_arguments) return read_argument(log, line);
  read_memory(log, line);
  log->paused = log->paused || (log->count > 0 && pm__lab_step_is_other(line));
  if (!pm__lab_step_read(log->program, line, &step)) return PM_OK;
  log->others = log->others || log->paused;
  log->paused = false;
  step.line = number;
  return add_step(log, &step);
}

static int read_lines(step_log *log)
{
  char line[PM__STEP_LINE];
  int status = PM_OK, number = 1;
  for (const char *text = log->trace->text, *next; *text != '\0' && status == PM_OK; text = next) {
    next = pm__lab_step_line(text, line);
    status = read_line(log, line, number);
    number += next[-1] == '\n';
  }
  return status;
}

static int read_log(step_log *log)
{
  int status = pm__lab_run_begin(&log->known, log->trace);
  if (status == PM_OK) status = read_configuration(log);
  bool summary = log->program->timing == PM__TIMING_SUMMARY;
  if (status == PM_OK) status = summary ? read_summary(log) : read_lines(log);
  if (status == PM_OK) status = end_run(log);
  if (status != PM_OK || log->rows > 0) return status;
  return pm__fail(log->trace->error, PM_STATUS_BAD_FILE, "%s: too few step lines of %s: those of the first tenth of "
                  "the steps are left out, at least one, and %d more of one batch size are needed", log->trace->file,
                  log->program->name, LINES_NEEDED);
}

static void write_note(const step_log *log)
{
  char lines[200] = "", bad[80] = "";
  if (log->without_time > 0) snprintf(bad, sizeof bad, ", %zu without a time", log->without_time);
  if (log->left > 0)
    snprintf(lines, sizeof lines, "; left out: %zu step line%s, those of the first tenth of the steps%s", log->left,
             log->left == 1 ? "" : "s", bad);
  snprintf(log->trace->note, sizeof log->trace->note, "%s: %s%s", log->trace->file, log->program->name, lines);
  pm__lab_run_unsaid(&log->known, log->trace->note, sizeof log->trace->note);
}

bool pm__lab_trace_is_steps(const char *text)
{
  return pm__lab_step_program_of(text) != NULL;
}

int pm__lab_trace_read_steps(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  step_log *log = (step_log *)calloc(1, sizeof *log);
  if (log == NULL) return pm__no_memory(trace->error);
  log->trace = trace;
  log->catalog = catalog;
  log->csv = csv;
  log->program = pm__lab_step_program_of(trace->text);
  pm__lab_run_titles(csv);
  int status = read_log(log);
  write_note(log);
  free(log->arguments.text);
  free(log->refused.text);
  free(log->steps);
  free(log);
  return status;
}
