/*
** What nccl-tests and rccl-tests print, and what they write as JSON (-J FILE, from 2.17 on). Both are out-of-place
** times of a sweep of sizes, of one collective, on the GPUs that they list.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "traces/traces.h"

/* A run of the program. */
typedef struct run {
  char collective[40], gpu[120], version[24], machine[PM_TEXT_MAX];
  size_t ranks, hosts;
  double thread_gpus, threads; /* GPUs of a thread, threads of a process */
  char host[64][80];
} run;

static const char titles[] = "system,gpus,nodes,collective,message_bytes,nccl_version,note,machine,use,calls,time_us\n";

/* ---- What was run ---- */

/* "all_reduce_perf" in the text, else in the file's name "all_reduce.txt". */
static bool find_collective(const pm__lab_trace *trace, char *out, size_t size)
{
  static const struct {
    const char *test, *collective;
  } tests[] = {{"all_reduce", "all_reduce"}, {"all_gather", "all_gather"}, {"reduce_scatter", "reduce_scatter"},
               {"alltoall", "all_to_all"}, {"broadcast", "broadcast"}, {"reduce", "reduce"}, {"sendrecv", "sendrecv"}};
  const char *slash = strrchr(trace->file, '/'), *name = slash != NULL ? slash + 1 : trace->file;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    char program[40];
    snprintf(program, sizeof program, "%s_perf", tests[i].test);
    if (strstr(trace->text, program) == NULL && strstr(name, tests[i].test) == NULL) continue;
    snprintf(out, size, "%s", tests[i].collective);
    return true;
  }
  return false;
}

static void add_host(run *what, const char *name)
{
  size_t most = sizeof what->host / sizeof what->host[0];
  for (size_t i = 0; i < what->hosts && i < most; i++)
    if (strcmp(what->host[i], name) == 0) return;
  if (what->hosts < most) snprintf(what->host[what->hosts], sizeof what->host[0], "%.79s", name);
  what->hosts++;
}

/* 22807 -> "2.28.7", 2708 -> "2.7.8". */
static void name_version(run *what, double code)
{
  int n = code > 0 && code < 1e6 ? (int)code : 0, wide = n >= 10000;
  if (n > 0) snprintf(what->version, sizeof what->version, "%d.%d.%d", n / (wide ? 10000 : 1000),
                      n / 100 % (wide ? 100 : 10), n % 100);
}

/* The machine of the user; without one there is no telling how its GPUs are joined. */
static int finish_run(pm__lab_trace *trace, const pm_catalog *catalog, run *what)
{
  if (!find_collective(trace, what->collective, sizeof what->collective))
    return pm__fail(trace->error, PM_STATUS_BAD_FILE,
                    "%s: does not say which collective it is of: name the file after it, as in all_reduce.txt",
                    trace->file);
  if (what->ranks == 0)
    return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: does not list the GPUs of the run (\"# Rank\")",
                    trace->file);
  if (what->hosts == 0) what->hosts = 1;
  if (trace->machine[0] == '\0')
    return pm__fail(trace->error, PM_STATUS_BAD_FILE,
                    "%s: %zu x \"%.60s\" on %zu node%s: give the system that this is (perfmodel list systems)",
                    trace->file, what->ranks, what->gpu, what->hosts, what->hosts > 1 ? "s" : "");
  const char *id = pm_catalog_resolve(catalog, "system", trace->machine, trace->error);
  if (id == NULL) return trace->error->status;
  pm__text_set(what->machine, sizeof what->machine, id);
  pm__lab_trace_clean(what->gpu);
  return PM_OK;
}

static int add_size(pm__lab_trace *trace, const run *what, double bytes, double us)
{
  char row[PM__LAB_TRACE_ROW];
  if (bytes == 0) return PM_OK; /* nothing was sent */
  snprintf(row, sizeof row, "%zu x %s,%zu,%zu,%s,%.0f,%s,-g %.0f,%s,fit", what->ranks, what->gpu, what->ranks,
           what->hosts, what->collective, bytes, what->version, what->thread_gpus, what->machine);
  return pm__lab_trace_add(trace, row, us, 0);
}

/* ---- Text ---- */

bool pm__lab_trace_is_nccl_text(const char *text)
{
  const char *header = strstr(text, "algbw");
  return header != NULL && strstr(header, "busbw") != NULL && strstr(text, "out-of-place") != NULL;
}

/* A line without what mpirun --tag-output puts before it, "[1,0]<stdout>:". */
static const char *untagged(const char *line, char *copy, size_t size)
{
  snprintf(copy, size, "%.*s", (int)strcspn(line, "\r\n"), line);
  char *tag = strstr(copy, "<stdout>:");
  const char *text = tag != NULL ? tag + strlen("<stdout>:") : copy;
  return text + strspn(text, " \t");
}

/* Which word of a row is the time: that of the header's first "time", whose first word is '#'. */
static int place_of_time(const char *line)
{
  char word[40];
  int length;
  for (int place = -1; sscanf(line, "%39s%n", word, &length) == 1; line += length, place++)
    if (strcmp(word, "time") == 0) return place;
  return -1;
}

/* "Rank  0 Group  0 Pid   6899 on host1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3" */
static void read_rank(run *what, const char *rank)
{
  char host[80];
  int device;
  const char *on = strstr(rank, " on "), *gpu = strchr(rank, ']');
  if (on == NULL || gpu == NULL || sscanf(on, " on %79s device %d", host, &device) != 2) return;
  if (what->ranks++ == 0) snprintf(what->gpu, sizeof what->gpu, "%s", gpu + 1 + strspn(gpu + 1, " "));
  add_host(what, host);
}

static void read_comment(run *what, const char *line)
{
  double code;
  const char *rank = strstr(line, "Rank "), *library = strstr(line, "nccl-library="), *g = strstr(line, " nGpus ");
  if (rank != NULL) read_rank(what, rank);
  if (library != NULL && sscanf(library, "nccl-library=%lf", &code) == 1) name_version(what, code);
  if (g != NULL) sscanf(g, " nGpus %lf", &what->thread_gpus);
}

static bool is_header(const char *line)
{
  return line[0] == '#' && strstr(line, "size") != NULL && strstr(line, "algbw") != NULL;
}

/* A row begins with two counts and a type; anything else is what other programs said. */
static bool is_row(const char *line)
{
  double bytes, count;
  char type[24];
  return sscanf(line, "%lf %lf %23s", &bytes, &count, type) == 3 && line[0] >= '0' && line[0] <= '9' &&
         type[0] >= 'a' && type[0] <= 'z';
}

/* The word at that place; "" behind the last. */
static void word_at(const char *line, int place, char *word)
{
  int length = 0;
  for (int i = 0; i <= place; i++, line += length)
    if (sscanf(line, "%39s%n", word, &length) != 1) {
      word[0] = '\0';
      return;
    }
}

static int read_row(pm__lab_trace *trace, const run *what, const char *line, int number, int time)
{
  char size[40], us[40];
  double bytes, value;
  word_at(line, 0, size);
  word_at(line, time, us);
  if (pm_number_parse(size, &bytes) != PM_OK)
    return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, number, "size \"%s\" is no number", size);
  if (pm_number_parse(us, &value) != PM_OK || !(value > 0))
    return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, number, "time \"%s\" is no number above 0", us);
  return add_size(trace, what, bytes, value);
}

/* What the comments say of the run; or its rows. */
static int read_lines(pm__lab_trace *trace, run *what, bool rows)
{
  char copy[1024];
  int status = PM_OK, time = -1, number = 1;
  for (const char *line = trace->text; *line != '\0' && status == PM_OK; number++) {
    const char *text = untagged(line, copy, sizeof copy);
    if (is_header(text)) time = place_of_time(text);
    else if (text[0] == '#' && !rows) read_comment(what, text);
    else if (rows && is_row(text)) {
      if (time < 0)
        return pm__fail_at(trace->error, PM_STATUS_BAD_SYNTAX, trace->file, number,
                           "a row stands before the header that names its columns");
      status = read_row(trace, what, text, number, time);
    }
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  return status;
}

static int check_rows(const pm__lab_trace *trace)
{
  if (trace->time_count > 0) return PM_OK;
  return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: no size was timed", trace->file);
}

int pm__lab_trace_read_nccl_text(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  run *what = (run *)calloc(1, sizeof *what);
  if (what == NULL) return pm__no_memory(trace->error);
  what->thread_gpus = what->threads = 1;
  int status = read_lines(trace, what, false);
  if (status == PM_OK) status = finish_run(trace, catalog, what);
  if (status == PM_OK) status = read_lines(trace, what, true);
  if (status == PM_OK) status = check_rows(trace);
  pm__string_add(csv, titles);
  free(what);
  return status;
}

/* ---- JSON ---- */

bool pm__lab_trace_is_nccl_json(const char *text)
{
  return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"results\"") != NULL &&
         strstr(text, "\"bus_bw\"") != NULL;
}

static void read_device(pm__json *json, run *what)
{
  char key[40], name[120] = "";
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    if (strcmp(key, "hostname") == 0 && pm__json_string(json, name, sizeof name)) add_host(what, name);
    else if (strcmp(key, "device_info") == 0) pm__json_string(json, what->gpu, sizeof what->gpu);
    else pm__json_skip(json);
  }
  what->ranks++;
}

static void read_config(pm__json *json, run *what)
{
  char key[40];
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    if (strcmp(key, "nthreads") == 0) what->threads = pm__json_number(json);
    else if (strcmp(key, "ngpus") == 0) what->thread_gpus = pm__json_number(json);
    else if (strcmp(key, "devices") != 0) pm__json_skip(json);
    else for (pm__json_enter(json, '['); pm__json_next(json);) read_device(json, what);
  }
}

static double read_time(pm__json *json)
{
  char key[40];
  double time = NAN;
  if (!pm__json_is(json, '{')) return pm__json_skip(json), time;
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);)
    if (strcmp(key, "time") == 0) time = pm__json_number(json);
    else pm__json_skip(json);
  return time;
}

static int read_result(pm__lab_trace *trace, pm__json *json, const run *what)
{
  char key[40];
  double bytes = NAN, time = NAN;
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    if (strcmp(key, "size") == 0) bytes = pm__json_number(json);
    else if (strcmp(key, "out_of_place") == 0) time = read_time(json);
    else pm__json_skip(json);
  }
  if (json->failed) return PM_STATUS_BAD_SYNTAX;
  if (!(bytes >= 0)) return pm__json_fail(json, "this result has no size");
  return time > 0 ? add_size(trace, what, bytes, time) : pm__json_fail(json, "this result has no time out of place");
}

static int read_results(pm__lab_trace *trace, pm__json *json, const run *what)
{
  int status = PM_OK;
  for (pm__json_enter(json, '['); status == PM_OK && pm__json_next(json);) status = read_result(trace, json, what);
  return status;
}

/* Each process tells of the first of its GPUs. */
static int read_document(pm__lab_trace *trace, run *what, bool rows)
{
  char key[40];
  int status = PM_OK;
  pm__json json = pm__json_open(trace->text, trace->file, trace->error);
  for (pm__json_enter(&json, '{'); status == PM_OK && pm__json_next_key(&json, key, sizeof key);) {
    if (rows && strcmp(key, "results") == 0) status = read_results(trace, &json, what);
    else if (!rows && strcmp(key, "config") == 0) read_config(&json, what);
    else if (!rows && strcmp(key, "nccl_version") == 0) name_version(what, pm__json_number(&json));
    else pm__json_skip(&json);
  }
  if (!rows) what->ranks *= (size_t)fmax(1, what->threads * what->thread_gpus);
  return json.failed ? PM_STATUS_BAD_SYNTAX : status;
}

int pm__lab_trace_read_nccl_json(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  run *what = (run *)calloc(1, sizeof *what);
  if (what == NULL) return pm__no_memory(trace->error);
  what->thread_gpus = what->threads = 1;
  int status = read_document(trace, what, false);
  if (status == PM_OK) status = finish_run(trace, catalog, what);
  if (status == PM_OK) status = read_document(trace, what, true);
  if (status == PM_OK) status = check_rows(trace);
  pm__string_add(csv, titles);
  free(what);
  return status;
}
