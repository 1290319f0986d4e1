/*
** Results of llama-bench: its table (Markdown), CSV, JSON, JSON lines. A prompt of P tokens (pp512) is the time to the
** first token of one request, generation (tg128) the time of a token. What a row of serving cannot say is marked as
** left out, with the reason: quantised weights, tests that do both, a cache before a prompt, layers on the CPU.
** llama.cpp is no engine of the catalogue: rows name the engine that the user gives, and no constant is fitted to them.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/csv.h"
#include "traces/traces.h"

enum { CELL = 160, COLUMNS = 80 };

/* A test; numbers that are unknown are NAN. */
typedef struct bench {
  char model[CELL], backend[CELL], gpus[CELL];
  double prompt, generated, depth, layers, rate;
  int line;
} bench;

typedef struct reader {
  pm__lab_trace *trace;
  const pm_catalog *catalog;
  pm__string *csv;
  char model[CELL];
  size_t rows;
} reader;

static bench nothing(int line)
{
  return (bench){.prompt = NAN, .generated = NAN, .depth = 0, .layers = NAN, .rate = NAN, .line = line};
}

/* ---- Cells ---- */

/* "pp512", "tg128", "pp512+tg128", "pp512 @ d4096" */
static void read_test(bench *b, const char *text)
{
  const char *prompt = strstr(text, "pp"), *generated = strstr(text, "tg"), *depth = strstr(text, "@ d");
  unsigned long n;
  b->prompt = prompt != NULL && sscanf(prompt, "pp%9lu", &n) == 1 ? (double)n : 0;
  b->generated = generated != NULL && sscanf(generated, "tg%9lu", &n) == 1 ? (double)n : 0;
  if (depth != NULL && sscanf(depth, "@ d%9lu", &n) == 1) b->depth = (double)n;
}

static void set_cell(bench *b, const char *key, const char *value)
{
  const struct {
    const char *key;
    double *number;
    char *text;
  } places[] = {{"n_prompt", &b->prompt, NULL}, {"n_gen", &b->generated, NULL}, {"n_depth", &b->depth, NULL},
                {"n_gpu_layers", &b->layers, NULL}, {"ngl", &b->layers, NULL}, {"avg_ts", &b->rate, NULL},
                {"t/s", &b->rate, NULL}, {"model_type", NULL, b->model}, {"model", NULL, b->model},
                {"backends", NULL, b->backend}, {"backend", NULL, b->backend}, {"gpu_info", NULL, b->gpus}};
  char number[CELL];
  if (strcmp(key, "test") == 0) read_test(b, value);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    if (strcmp(places[i].key, key) != 0) continue;
    snprintf(number, sizeof number, "%.*s", (int)strcspn(value, " "), value); /* "155.12 ± 0.4" */
    if (places[i].text != NULL) snprintf(places[i].text, CELL, "%s", value);
    else if (pm_number_parse(number, places[i].number) != PM_OK) *places[i].number = NAN;
  }
}

/* ---- Rows ---- */

/* Why the test has no prediction; "" if it has one. */
static const char *reason(const bench *b, const char *engine)
{
  const char *type = strrchr(b->model, ' ');
  bool whole = type != NULL && (strcmp(type, " F16") == 0 || strcmp(type, " BF16") == 0);
  if (b->prompt > 0 && b->generated > 0) return "a prompt and generation in one rate";
  if (b->prompt > 0 && b->depth > 0) return "a prompt behind a cache";
  if (strstr(b->backend, "CPU") != NULL || strstr(b->backend, "BLAS") == b->backend) return "ran on the CPU";
  if (b->layers >= 0 && b->layers < 10) return "layers on the CPU";
  if (strchr(b->gpus, ',') != NULL) return "several GPUs, whose layers take turns";
  if (!whole) return "weights that are not 16 bits wide";
  return engine == NULL ? "llama.cpp is no engine of the catalogue: --framework names one to compare with" : "";
}

static int check(const reader *r, const bench *b)
{
  pm_error *error = r->trace->error;
  if (!(b->rate > 1e-9 && b->rate < 1e9))
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, r->trace->file, b->line, "this test has no tokens per second");
  if (!(b->prompt + b->generated >= 1 && b->prompt + b->generated <= 1e7) || !(b->depth >= 0 && b->depth <= 1e7))
    return pm__fail_at(error, PM_STATUS_BAD_VALUE, r->trace->file, b->line, "this test has no tokens");
  if (r->model[0] != '\0' && strcmp(r->model, b->model) != 0)
    return pm__fail_at(error, PM_STATUS_BAD_FILE, r->trace->file, b->line, "has several models, \"%.40s\" and \"%.40s\""
                       ": import the lines of each with its --network", r->model, b->model);
  return PM_OK;
}

/* The network is the user's to name; the system too, but where the GPU is printed. */
static int find_names(const reader *r, const bench *b, const char **network, const char **system)
{
  const char *known = pm__lab_trace_known(r->trace, "network");
  const char *machine = r->trace->machine[0] != '\0' ? r->trace->machine : b->gpus;
  if (known == NULL)
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE, "%s: \"%.60s\" is a file of weights; name the network, as in "
                    "perfmodel import FILE --network llama3-8b", r->trace->file, b->model);
  if (machine[0] == '\0')
    return pm__fail(r->trace->error, PM_STATUS_BAD_FILE, "%s: does not say which GPU it ran on; give it, as in "
                    "perfmodel import FILE --system gpu:rtx-4090", r->trace->file);
  *network = pm_catalog_resolve(r->catalog, "network", known, r->trace->error);
  *system = *network != NULL ? pm_catalog_resolve(r->catalog, "system", machine, r->trace->error) : NULL;
  return *system != NULL ? pm__lab_trace_check_gpu(r->trace, r->catalog, b->gpus) : r->trace->error->status;
}

static int add_test(reader *r, const bench *b)
{
  const char *network = NULL, *system = NULL, *engine = pm__lab_trace_known(r->trace, "framework");
  char words[CELL + 40], file[CELL];
  int status = check(r, b);
  if (status == PM_OK) status = find_names(r, b, &network, &system);
  if (status != PM_OK) return status;
  bool prompt = b->prompt > 0;
  const char *why = reason(b, engine);
  snprintf(r->model, sizeof r->model, "%s", b->model);
  snprintf(words, sizeof words, "%s %s%.0f", b->model, prompt ? "pp" : "tg", prompt ? b->prompt : b->generated);
  snprintf(file, sizeof file, "%s", r->trace->file);
  pm__lab_trace_clean(words);
  pm__lab_trace_clean(file);
  pm__string_format(r->csv, "%s:%d,%s,%s,%s,1,1,closed,1,%.0f,%.0f,%s,%s,%.7g,%s,%s,%s,%s\n", file, b->line, network,
                    system, engine != NULL ? engine : "", prompt ? b->prompt : fmax(1, b->depth),
                    prompt ? 1 : b->generated, strstr(b->model, " BF16") != NULL ? "bf16" : "fp16",
                    prompt ? "ttft" : "tpot", prompt ? b->prompt / b->rate : 1 / b->rate,
                    file, words, why[0] != '\0' ? "skip" : "check", why[0] != '\0' ? why : "measured with llama.cpp");
  r->rows++;
  if (why[0] != '\0')
    snprintf(r->trace->note, sizeof r->trace->note, "%s: rows that have no prediction say why in their column check, "
             "such as: %s", r->trace->file, why);
  return r->csv->failed ? pm__no_memory(r->trace->error) : PM_OK;
}

/* ---- JSON ---- */

static bool is_json(const char *text)
{
  text += strspn(text, " \t\r\n[");
  return *text == '{' && strstr(text, "\"avg_ts\"") != NULL && strstr(text, "\"n_gen\"") != NULL;
}

static bool read_object(pm__json *json, bench *b)
{
  char key[CELL], value[CELL];
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    if (pm__json_is(json, '"')) pm__json_string(json, value, sizeof value);
    else {
      const pm__json_slice slice = pm__json_skip(json);
      snprintf(value, sizeof value, "%.*s", (int)(slice.length < CELL ? slice.length : 0), slice.text);
    }
    set_cell(b, key, value);
  }
  return !json->failed;
}

static int read_json(reader *r)
{
  int status = PM_OK, line = 1;
  pm__json json = pm__json_open(r->trace->text, r->trace->file, r->trace->error);
  const char *counted = json.at;
  for (json.at += strspn(json.at, " \t\r\n["); *json.at == '{' && status == PM_OK;
       json.at += strspn(json.at, " \t\r\n,]")) {
    for (; counted < json.at; counted++) line += *counted == '\n';
    bench b = nothing(line);
    status = read_object(&json, &b) ? add_test(r, &b) : PM_STATUS_BAD_SYNTAX;
  }
  if (status == PM_OK && *json.at != '\0') return pm__json_fail(&json, "no test of llama-bench");
  return status;
}

/* ---- CSV ---- */

static bool is_csv(const char *text)
{
  size_t heading = strcspn(text, "\n");
  const char *rate = strstr(text, "avg_ts"), *count = strstr(text, "n_gen");
  return rate != NULL && count != NULL && rate < text + heading && count < text + heading;
}

static int read_csv(reader *r)
{
  pm__csv table;
  int status = pm__csv_read(&table, r->trace->text, r->trace->file, r->trace->error);
  if (status != PM_OK) return status;
  for (size_t row = 1; row < table.rows && status == PM_OK; row++) {
    bench b = nothing((int)row + 1);
    for (size_t i = 0; i < table.columns; i++) set_cell(&b, table.cells[i], table.cells[row * table.columns + i]);
    status = add_test(r, &b);
  }
  pm__csv_free(&table);
  return status;
}

/* ---- Markdown ---- */

/* The cells of "| a | b |"; 0 for a line that is none. */
static int split(char *line, char *cells[COLUMNS])
{
  int count = 0;
  char *p = line + strspn(line, " \t");
  if (*p++ != '|') return 0;
  for (char *end = strchr(p, '|'); end != NULL && count < COLUMNS; p = end + 1, end = strchr(p, '|')) {
    char *last = end;
    p += strspn(p, " ");
    while (last > p && last[-1] == ' ') last--;
    *last = '\0';
    cells[count++] = p;
    if (last < p) p = end;
  }
  return count;
}

static bool is_header(char *const *cells, int count)
{
  bool test = false, rate = false;
  for (int i = 0; i < count; i++) {
    test = test || strcmp(cells[i], "test") == 0;
    rate = rate || strcmp(cells[i], "t/s") == 0;
  }
  return test && rate;
}

static bool is_table(const char *text)
{
  const char *test = strstr(text, " test |");
  return test != NULL && pm__text_find(test, strcspn(test, "\n"), " t/s |") != NULL;
}

static int read_table(reader *r)
{
  char heading[2000], copy[2000], *titles[COLUMNS], *cells[COLUMNS];
  int columns = 0, status = PM_OK, line = 1;
  for (const char *text = r->trace->text; *text != '\0' && status == PM_OK; line++) {
    size_t length = strcspn(text, "\n");
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1), text);
    text += length + (text[length] == '\n');
    int count = split(copy, cells);
    if (count > 0 && is_header(cells, count)) {
      memcpy(heading, copy, sizeof heading);
      columns = count;
      for (int i = 0; i < count; i++) titles[i] = heading + (cells[i] - copy);
    } else if (count > 0 && columns > 0 && strspn(cells[0], "-: ") < strlen(cells[0])) {
      if (count != columns)
        return pm__fail_at(r->trace->error, PM_STATUS_BAD_SYNTAX, r->trace->file, line,
                           "%d cells where the header has %d", count, columns);
      bench b = nothing(line);
      for (int i = 0; i < count; i++) set_cell(&b, titles[i], cells[i]);
      status = add_test(r, &b);
    }
  }
  return status;
}

/* ---- The file ---- */

bool pm__lab_trace_is_llama_bench(const char *text)
{
  return is_json(text) || is_csv(text) || is_table(text);
}

int pm__lab_trace_read_llama_bench(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  reader r = {.trace = trace, .catalog = catalog, .csv = csv};
  pm__string_add(csv, "id,network,system,framework,gpus,nodes,arrivals,concurrency,isl,osl,precision,quantity,value,"
                      "source,words,use,check\n");
  int status = is_json(trace->text) ? read_json(&r) : is_csv(trace->text) ? read_csv(&r) : read_table(&r);
  if (status == PM_OK && r.rows == 0)
    return pm__fail(trace->error, PM_STATUS_BAD_FILE, "%s: no test of llama-bench (pp512, tg128)", trace->file);
  return status;
}
