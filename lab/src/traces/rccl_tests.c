/*
** What rccl-tests writes with -x FILE -Z json or csv: a record for each size and place, which names its collective and
** its ranks. Only times out of place are taken, as from the text.
*/
#include <string.h>
#include "perfmodel.h"
#include "base/csv.h"
#include "traces/collective_run.h"

/* One record; numbers that it lacks are NAN. */
typedef struct record {
  char name[40];
  double ranks, nodes, size, time, in_place, algorithm_bandwidth, bus_bandwidth;
} record;

/* Where a key belongs; NULL: of no use. "gpus" is what releases before 2025 call the ranks. */
static double *place_of(record *r, const char *key)
{
  const struct {
    const char *key;
    double *place;
  } places[] = {{"ranks", &r->ranks}, {"gpus", &r->ranks}, {"nodes", &r->nodes}, {"size", &r->size}, {"time", &r->time},
                {"inPlace", &r->in_place}, {"algBw", &r->algorithm_bandwidth}, {"busBw", &r->bus_bandwidth}};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
    if (strcmp(places[i].key, key) == 0) return places[i].place;
  return NULL;
}

static record nothing(void)
{
  return (record){.ranks = NAN, .nodes = NAN, .size = NAN, .time = NAN, .in_place = 0, .algorithm_bandwidth = NAN,
                  .bus_bandwidth = NAN};
}

/* Another collective, or other ranks, is another run. */
static void begin_run(pm__lab_collective_run *run, const record *r)
{
  size_t ranks = r->ranks >= 1 && r->ranks <= 1e6 ? (size_t)r->ranks : 0;
  size_t nodes = r->nodes >= 1 && r->nodes <= 1e6 ? (size_t)r->nodes : 0;
  const char *collective = pm__lab_collective_of(r->name);
  if (run->finished && ranks == run->ranks && collective != NULL && strcmp(collective, run->collective) == 0) return;
  pm__lab_collective_begin(run);
  pm__text_set(run->collective, sizeof run->collective, r->name);
  run->ranks = ranks;
  run->nodes = nodes;
}

static int add_record(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run, const record *r,
                      int line)
{
  if (r->in_place != 0) return PM_OK;
  if (!pm__lab_collective_is_size(r->size))
    return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, line, "this record has no size");
  if (!pm__lab_collective_is_time(r->time))
    return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, line, "this record has no time above 0");
  begin_run(run, r);
  pm__lab_collective_time time = {r->size, r->time, r->algorithm_bandwidth, r->bus_bandwidth, line};
  return pm__lab_collective_add(trace, catalog, run, &time);
}

/* ---- JSON: one object after the other, or in a list ---- */

bool pm__lab_trace_is_rccl_json(const char *text)
{
  const char begin = text[strspn(text, " \t\r\n")];
  return (begin == '{' || begin == '[') && strstr(text, "\"busBw\"") != NULL && strstr(text, "\"inPlace\"") != NULL;
}

static int read_object(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run, pm__json *json,
                       int line)
{
  char key[40];
  record r = nothing();
  for (pm__json_enter(json, '{'); pm__json_next_key(json, key, sizeof key);) {
    double *place = place_of(&r, key);
    if (strcmp(key, "name") == 0) pm__json_string(json, r.name, sizeof r.name);
    else if (place != NULL) *place = pm__json_number(json);
    else pm__json_skip(json);
  }
  return json->failed ? PM_STATUS_BAD_SYNTAX : add_record(trace, catalog, run, &r, line);
}

static void skip_blanks(pm__json *json)
{
  json->at += strspn(json->at, " \t\r\n");
}

/* Whether another record follows; past the last one, only the end of the list may. */
static bool next_record(pm__json *json, bool list)
{
  skip_blanks(json);
  if (*json->at == '{') return true;
  if (list && *json->at == ']') json->at++;
  else if (list) pm__json_fail(json, "a record or ] is missing");
  skip_blanks(json);
  if (*json->at != '\0') pm__json_fail(json, "no record stands here");
  return false;
}

int pm__lab_trace_read_rccl_json(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  int status = PM_OK;
  pm__lab_collective_run run = {.thread_gpus = 1};
  pm__json json = pm__json_open(trace->text, trace->file, trace->error);
  pm__json_lines l = {trace->text, 1};
  skip_blanks(&json);
  bool list = *json.at == '[';
  json.at += list;
  while (status == PM_OK && next_record(&json, list)) {
    status = read_object(trace, catalog, &run, &json, pm__json_line(&l, json.at));
    skip_blanks(&json);
    json.at += *json.at == ',';
  }
  if (json.failed) status = PM_STATUS_BAD_SYNTAX;
  if (status == PM_OK) status = pm__lab_collective_check(trace);
  pm__string_add(csv, pm__lab_collective_titles);
  pm__lab_collective_begin(&run);
  return status;
}

/* ---- CSV ---- */

bool pm__lab_trace_is_rccl_csv(const char *text)
{
  const char *bus = strstr(text, "busBw"), *place = strstr(text, "inPlace");
  size_t heading = strcspn(text, "\n");
  return bus != NULL && place != NULL && bus < text + heading && place < text + heading &&
         memchr(text, '{', heading) == NULL;
}

static int read_row(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run, const pm__csv *table,
                    size_t row)
{
  record r = nothing();
  for (size_t i = 0; i < table->columns; i++) {
    const char *cell = table->cells[row * table->columns + i];
    double *place = place_of(&r, table->cells[i]);
    if (strcmp(table->cells[i], "name") == 0) pm__text_set(r.name, sizeof r.name, cell);
    if (place != NULL && pm_number_parse(cell, place) != PM_OK)
      return pm__fail_at(trace->error, PM_STATUS_BAD_VALUE, trace->file, (int)row + 1, "%s \"%.40s\" is no number",
                         table->cells[i], cell);
  }
  return add_record(trace, catalog, run, &r, (int)row + 1);
}

int pm__lab_trace_read_rccl_csv(pm__lab_trace *trace, const pm_catalog *catalog, pm__string *csv)
{
  pm__csv table;
  pm__lab_collective_run run = {.thread_gpus = 1};
  int status = pm__csv_read(&table, trace->text, trace->file, trace->error);
  if (status != PM_OK) return status;
  for (size_t row = 1; row < table.rows && status == PM_OK; row++)
    status = read_row(trace, catalog, &run, &table, row);
  if (status == PM_OK) status = pm__lab_collective_check(trace);
  pm__string_add(csv, pm__lab_collective_titles);
  pm__csv_free(&table);
  pm__lab_collective_begin(&run);
  return status;
}
