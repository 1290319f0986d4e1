/* Rows of serving: fields by the names of columns, completed as `perfmodel serve` completes them. */
#include "validation/serving_rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "validation/comparison.h"
#include "validation/predictor.h"

struct pm__lab_serving_rows {
  const pm_catalog *catalog;
  const pm__csv *table;
  pm__lab_predictor *predictor;
  pm__lab_serving_plan *plans;
  size_t plan_count, plan_capacity;
  pm__lab_serving_row *items;
  size_t count;
  pm__lab_reasons reasons;
};

/* Columns that are no fields of a run. */
static const char *const own[] = {"id", "task", "network", "system", "framework", "framework_version", "quantity",
                                  "rank", "value", "source", "words", "use", "check", "limit_ttft", "limit_tpot",
                                  "scenario"};

static bool is_own(const char *title)
{
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (strcmp(own[i], title) == 0) return true;
  return false;
}

static const char *cell(const pm__lab_serving_rows *r, size_t line, const char *title)
{
  return pm__csv_cell(r->table, line, pm__csv_column(r->table, title));
}

/* ---- Plans ---- */

static const pm_network *find_network(pm__lab_serving_rows *r, const char *name, pm_error *error)
{
  int network = pm__lab_predictor_network(r->predictor, name, error);
  return network >= 0 ? pm__lab_predictor_built_network(r->predictor, network) : NULL;
}

static const pm_system *find_system(pm__lab_serving_rows *r, const char *name, pm_error *error)
{
  int system = pm__lab_predictor_system(r->predictor, name, error);
  return system >= 0 ? pm__lab_predictor_built_system(r->predictor, system) : NULL;
}

static int make_plan(pm__lab_serving_rows *r, size_t line, pm__lab_serving_plan *plan, pm_error *error)
{
  snprintf(plan->network, sizeof plan->network, "%.159s", cell(r, line, "network"));
  snprintf(plan->system, sizeof plan->system, "%.79s", cell(r, line, "system"));
  snprintf(plan->engine, sizeof plan->engine, "%.79s", cell(r, line, "framework"));
  const pm_network *network = find_network(r, plan->network, error);
  const pm_system *system = network != NULL ? find_system(r, plan->system, error) : NULL;
  if (system == NULL) return PM_STATUS_NOT_FOUND;
  const char *architecture = pm_system_get_gpu(system)->architecture;
  int status = pm_catalog_get_engine_on(r->catalog, plan->engine, architecture, &plan->profile, error);
  if (status != PM_OK) return status;
  plan->plan = pm_plan_new(&network, 1, &system, 1, error);
  if (plan->plan == NULL) return PM_STATUS_NO_MEMORY;
  if (pm_plan_add_engine(plan->plan, &plan->profile, error) >= 0) return PM_OK;
  pm_plan_free(plan->plan);
  return PM_STATUS_BAD_VALUE;
}

static int plan_of(pm__lab_serving_rows *r, size_t line, pm_error *error)
{
  for (size_t i = 0; i < r->plan_count; i++) {
    const pm__lab_serving_plan *p = &r->plans[i];
    if (strcmp(p->network, cell(r, line, "network")) == 0 && strcmp(p->system, cell(r, line, "system")) == 0 &&
        strcmp(p->engine, cell(r, line, "framework")) == 0)
      return (int)i;
  }
  void *plans = pm__grow(r->plans, r->plan_count, &r->plan_capacity, sizeof *r->plans);
  if (plans == NULL) return pm__no_memory(error), -1;
  r->plans = (pm__lab_serving_plan *)plans;
  memset(&r->plans[r->plan_count], 0, sizeof *r->plans);
  if (make_plan(r, line, &r->plans[r->plan_count], error) != PM_OK) return -1;
  return (int)r->plan_count++;
}

/* ---- Rows ---- */

static int set_fields(const pm__lab_serving_rows *r, pm__lab_serving_row *row, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find("serving_run");
  row->run = pm_serving_run_make();
  for (size_t i = 0; i < r->table->columns; i++) {
    const char *title = r->table->cells[i], *text = pm__csv_cell(r->table, row->line, (int)i);
    if (text[0] == '\0' || is_own(title)) continue;
    const pm_field *field = pm_record_find_field(type, title);
    if (field == NULL) return pm__fail(error, PM_STATUS_NOT_MODELLED, "a run of serving has no \"%.40s\"", title);
    int status = pm_record_set(field, &row->run, text, error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

static int read_quantity(const pm__lab_serving_rows *r, pm__lab_serving_row *row, pm_error *error)
{
  const char *name = cell(r, row->line, "quantity");
  row->quantity = pm_record_find_field(pm_record_type_find("serving"), name);
  if (row->quantity == NULL || row->quantity->kind != PM_FIELD_REAL)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "a run of serving has no quantity \"%.40s\"", name);
  if (pm_number_parse(cell(r, row->line, "value"), &row->measured) == PM_OK && row->measured > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "value \"%.40s\" of %s", cell(r, row->line, "value"), name);
}

/* A limit of a scenario, whose rate is found. */
static int read_limit(const pm__lab_serving_rows *r, const pm__lab_serving_row *row, const char *title, double *limit,
                      pm_error *error)
{
  const char *text = cell(r, row->line, title);
  *limit = NAN;
  if (text[0] == '\0') return PM_OK;
  if (pm_number_parse(text, limit) == PM_OK && *limit > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.40s\" of %.40s", title, text, cell(r, row->line, "id"));
}

static int read_scenario(const pm__lab_serving_rows *r, pm__lab_serving_row *row, pm_error *error)
{
  row->scenario = cell(r, row->line, "scenario");
  row->checked = strcmp(cell(r, row->line, "use"), "check") == 0;
  int status = read_limit(r, row, "limit_ttft", &row->limit_ttft, error);
  if (status == PM_OK) status = read_limit(r, row, "limit_tpot", &row->limit_tpot, error);
  if (!isnan(row->limit_ttft) && isnan(row->run.rate)) row->run.rate = 1; /* until it is found */
  return status;
}

static int read_row(pm__lab_serving_rows *r, pm__lab_serving_row *row, pm_error *error)
{
  const char *use = cell(r, row->line, "use");
  if (strcmp(use, "skip") == 0)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "left out: %.150s", cell(r, row->line, "check"));
  int status = set_fields(r, row, error);
  if (status == PM_OK) status = read_quantity(r, row, error);
  if (status == PM_OK) status = read_scenario(r, row, error);
  if (status != PM_OK) return status;
  row->plan = plan_of(r, row->line, error);
  if (row->plan < 0) return PM_STATUS_NOT_FOUND;
  row->source = cell(r, row->line, "source");
  row->id = cell(r, row->line, "id");
  const pm_system *system = find_system(r, r->plans[row->plan].system, error);
  snprintf(row->gpu, sizeof row->gpu, "%s", pm_system_get_gpu(system)->id);
  return PM_OK;
}

static bool is_within(const pm_plan *plan, const pm__lab_serving_row *row, double rate, double *most)
{
  pm_serving answer;
  pm_serving_run run = row->run;
  run.rate = rate;
  pm_serve(plan, &run, &answer, 1);
  *most = answer.largest_rate;
  return answer.status == PM_OK && answer.bottleneck != PM_SERVING_LIMIT_OVERLOAD &&
         answer.ttft_percentile <= row->limit_ttft && answer.tpot_percentile <= row->limit_tpot;
}

enum { HALVINGS = 20 };

/* The largest rate of a run within its limits. */
static double largest_rate(const pm_plan *plan, const pm__lab_serving_row *row)
{
  double low = 1e-3, high, most;
  if (!is_within(plan, row, low, &high)) return low;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = (low + high) / 2;
    if (is_within(plan, row, middle, &most)) low = middle;
    else high = middle;
  }
  return low;
}

void pm__lab_serving_row_predict(const pm__lab_serving_rows *r, pm__lab_serving_row *row)
{
  pm_serving answer;
  if (!isnan(row->limit_ttft)) row->run.rate = largest_rate(r->plans[row->plan].plan, row);
  pm_serve(r->plans[row->plan].plan, &row->run, &answer, 1);
  row->experts = answer.expert_time > 0;
  row->predicted = answer.status == PM_OK ? pm_record_get_number(row->quantity, &answer) : (double)NAN;
}

static double number(const pm_serving *answer, const char *name, const char *end)
{
  char title[PM_TEXT_MAX];
  snprintf(title, sizeof title, "%s%s", name, end);
  const pm_field *field = pm_record_find_field(pm_record_type_find("serving"), title);
  return field != NULL ? pm_record_get_number(field, answer) : (double)NAN;
}

/* Requests per second, and their inverse, are as sure as tokens per second. */
double pm__lab_serving_row_covered(const pm__lab_serving_rows *r, const pm__lab_serving_row *row)
{
  pm_serving answer;
  const char *name = row->quantity->name;
  bool rate = strcmp(name, "request_rate") == 0 || strcmp(name, "latency") == 0;
  pm_serve(r->plans[row->plan].plan, &row->run, &answer, 1);
  if (rate) name = "output_rate";
  double most = number(&answer, name, "_p90") / number(&answer, name, "");
  if (isnan(most)) return NAN;
  return row->measured <= most * row->predicted && row->measured >= row->predicted / most ? 100 : 0;
}

/* A row that cannot be predicted at all says so once, when it is read. */
static int check_row(pm__lab_serving_rows *r, pm__lab_serving_row *row, pm_error *error)
{
  pm_error why = PM_ERROR_NONE;
  int status = read_row(r, row, &why);
  if (status == PM_OK)
    status = pm_task_check(r->plans[row->plan].plan, PM_TASK_SERVING, &row->run, sizeof row->run, &why);
  if (status == PM_OK) return PM_OK;
  row->plan = -1;
  if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (status == PM_STATUS_DOES_NOT_FIT) snprintf(why.text, sizeof why.text, "does not fit");
  return pm__lab_reasons_add(&r->reasons, why.text, error);
}

static int read_all(pm__lab_serving_rows *r, pm_error *error)
{
  r->items = (pm__lab_serving_row *)calloc(r->table->rows + 1, sizeof *r->items);
  if (r->items == NULL) return pm__no_memory(error);
  for (size_t line = 1; line < r->table->rows; line++) {
    pm__lab_serving_row *row = &r->items[r->count];
    memset(row, 0, sizeof *row);
    row->line = line;
    row->predicted = NAN;
    int status = check_row(r, row, error);
    if (status != PM_OK) return status;
    if (row->plan < 0) continue;
    pm__lab_serving_row_predict(r, row);
    r->count++;
  }
  return PM_OK;
}

pm__lab_serving_rows *pm__lab_serving_rows_new(const pm_catalog *catalog, const pm__csv *table, pm_error *error)
{
  pm__lab_serving_rows *r = (pm__lab_serving_rows *)calloc(1, sizeof *r);
  if (r == NULL) return pm__no_memory(error), (pm__lab_serving_rows *)NULL;
  r->catalog = catalog;
  r->table = table;
  r->predictor = pm__lab_predictor_new(catalog, NULL, error);
  if (r->predictor != NULL && read_all(r, error) == PM_OK) return r;
  pm__lab_serving_rows_free(r);
  return NULL;
}

void pm__lab_serving_rows_free(pm__lab_serving_rows *r)
{
  if (r == NULL) return;
  for (size_t i = 0; i < r->plan_count; i++) pm_plan_free(r->plans[i].plan);
  free(r->plans);
  free(r->items);
  pm__lab_reasons_free(&r->reasons);
  pm__lab_predictor_free(r->predictor);
  free(r);
}

pm__lab_serving_row *pm__lab_serving_rows_items(pm__lab_serving_rows *rows, size_t *count)
{
  *count = rows->count;
  return rows->items;
}

pm__lab_serving_plan *pm__lab_serving_rows_plan(pm__lab_serving_rows *rows, int plan)
{
  return &rows->plans[plan];
}

pm__lab_reasons *pm__lab_serving_rows_reasons(pm__lab_serving_rows *rows)
{
  return &rows->reasons;
}
