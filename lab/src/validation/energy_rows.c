/* Reads packed rows of energy, and predicts them: by a run of training, or by the law of power with the time known. */
#include "validation/energy_rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "validation/energy_serving.h"

static const struct {
  const char *name, *unit;
} quantities[PM__ENERGY_QUANTITIES] = {
  [PM__ENERGY_GPU_POWER] = {"gpu_power", "W"},       [PM__ENERGY_POWER] = {"power", "W"},
  [PM__ENERGY_PER_SAMPLE] = {"energy_per_sample", "J"}, [PM__ENERGY_PER_TOKEN] = {"energy_per_token", "J"},
  [PM__ENERGY_SLOWDOWN] = {"slowdown", "1"},         [PM__ENERGY_FACTOR] = {"energy_factor", "1"},
};

const char *pm__lab_energy_unit(pm__lab_energy_quantity quantity)
{
  return quantities[quantity].unit;
}

static const char *cell(const pm__lab_energy_rows *r, const pm__lab_energy_row *row, const char *title)
{
  return pm__csv_cell(r->table, row->line, pm__csv_column(r->table, title));
}

const pm_gpu *pm__lab_energy_row_gpu(const pm__lab_energy_rows *r, const pm__lab_energy_row *row)
{
  return pm_system_get_gpu(pm__lab_predictor_built_system(r->predictor, row->system));
}

/* ---- Reading ---- */

static int read_quantity(const pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  const char *name = cell(r, row, "quantity"), *value = cell(r, row, "value");
  int found = 0;
  while (found < PM__ENERGY_QUANTITIES && strcmp(quantities[found].name, name) != 0) found++;
  if (found == PM__ENERGY_QUANTITIES)
    return pm__fail(error, PM_STATUS_NOT_FOUND,
                    "quantity \"%.40s\" is none of gpu_power, power, energy_per_sample, energy_per_token, slowdown, "
                    "energy_factor", name);
  row->quantity = (pm__lab_energy_quantity)found;
  if (pm_number_parse(value, &row->measured) == PM_OK && row->measured > 0 && isfinite(row->measured)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "value \"%.40s\" of %s is no number above 0", value, name);
}

/* A number of a column, unknown where the cell is empty. */
static int read_number(const pm__lab_energy_rows *r, const pm__lab_energy_row *row, const char *title, double *value,
                       pm_error *error)
{
  const char *text = cell(r, row, title);
  *value = NAN;
  if (text[0] == '\0' || (pm_number_parse(text, value) == PM_OK && *value >= 0 && isfinite(*value))) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.40s\" is no number of 0 or more", title, text);
}

static int read_limit(const pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  const char *text = cell(r, row, "power_limit");
  const pm_gpu *gpu = pm__lab_energy_row_gpu(r, row);
  row->load.limit = NAN;
  if (text[0] != '\0') {
    int status = pm_quantity_parse(text, "W", &row->load.limit, error);
    if (status != PM_OK) return status;
  }
  row->limit = pm__or(row->load.limit, gpu->power);
  if (row->load.limit == gpu->power) row->load.limit = NAN; /* its own */
  return PM_OK;
}

static int read_precision(const pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  const char *text = cell(r, row, "precision");
  bool tensor = pm__lab_energy_row_gpu(r, row)->peak_fp16_tensor > 0;
  int found = text[0] != '\0' ? pm_precision_find(text) : tensor ? PM_PRECISION_FP16 : PM_PRECISION_FP32;
  if (found < 0) return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown precision \"%.40s\"", text);
  row->load.precision = found;
  return PM_OK;
}

static int read_load(const pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  double flop;
  int status = read_number(r, row, "gpus", &row->gpus, error);
  if (status == PM_OK) status = read_number(r, row, "nodes", &row->nodes, error);
  if (status == PM_OK) status = read_number(r, row, "rate", &row->rate, error);
  if (status == PM_OK) status = read_number(r, row, "flop", &flop, error);
  if (status == PM_OK) status = read_number(r, row, "busy", &row->load.busy, error);
  if (status == PM_OK) status = read_number(r, row, "full_power", &row->load.drawn, error);
  if (status != PM_OK) return status;
  row->gpus = row->gpus >= 1 ? row->gpus : 1;
  row->nodes = row->nodes >= 1 ? row->nodes : 1;
  row->load.flop_rate = flop * row->rate / (row->gpus * row->nodes);
  row->cooling_liquid = strcmp(cell(r, row, "cooling"), "liquid") == 0;
  return PM_OK;
}

static int read_system(pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  row->system = pm__lab_predictor_system(r->predictor, cell(r, row, "system"), error);
  return row->system >= 0 ? PM_OK : PM_STATUS_NOT_FOUND;
}

/* Columns of a run of training that a row may give. */
static int set_fields(const pm__lab_energy_rows *r, const pm__lab_energy_row *row, pm_run *run, pm_error *error)
{
  static const char *const titles[] = {"batch", "precision", "gpus", "nodes", "power_limit"};
  const pm_record_type *type = pm_record_type_find("run");
  for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
    const char *text = cell(r, row, titles[i]);
    int status = text[0] != '\0' ? pm_record_set(pm_record_find_field(type, titles[i]), run, text, error) : PM_OK;
    if (status != PM_OK) return status;
  }
  run->power_limit = row->load.limit;
  return PM_OK;
}

/* A row of training with a network is a run; `run` stays -1 for any other. */
static int read_run(pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  pm_run run = pm_run_make();
  const char *network = cell(r, row, "network");
  row->run = -1;
  if (network[0] == '\0') return PM_OK;
  if (strcmp(cell(r, row, "task"), "serving") == 0) return pm__lab_energy_set_busy(r, row, error);
  int status = set_fields(r, row, &run, error);
  if (status != PM_OK) return status;
  run.network_index = pm__lab_predictor_network(r->predictor, network, error);
  run.framework_index = pm__lab_predictor_framework(r->predictor, cell(r, row, "framework"), error);
  run.system_index = row->system;
  run.overlap = PM_OVERLAP_FRAMEWORK;
  if (run.network_index < 0 || run.framework_index < -1) return PM_STATUS_NOT_FOUND;
  row->run = pm__lab_predictor_add(r->predictor, &run, error);
  return row->run >= 0 ? PM_OK : PM_STATUS_NO_MEMORY;
}

static int read_row(pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  const char *use = cell(r, row, "use");
  if (strcmp(use, "skip") == 0)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "left out: %.150s", cell(r, row, "check"));
  row->check = strcmp(use, "check") == 0;
  row->kind = cell(r, row, "kind");
  row->source = cell(r, row, "source");
  row->id = cell(r, row, "id");
  int status = read_quantity(r, row, error);
  if (status == PM_OK) status = read_system(r, row, error);
  if (status == PM_OK) status = read_limit(r, row, error);
  if (status == PM_OK) status = read_precision(r, row, error);
  if (status == PM_OK) status = read_load(r, row, error);
  return status == PM_OK ? read_run(r, row, error) : status;
}

/* ---- Predicting ---- */

/* Of a node beside its boards [W]: rows do not say how many CPUs it has. */
static double host_of(const pm__lab_energy_row *row, const pm_kernel_calibration *k, const pm_gpu *gpu)
{
  double share = row->cooling_liquid > 0 ? k->host_power_liquid : k->host_power_air;
  double sockets = row->gpus > 1 ? 2 : 1;
  return sockets * k->host_cpu_power + row->gpus * share * gpu->power;
}

/* A board's draw as the quantity of the row. */
static double as_quantity(const pm__lab_energy_row *row, const pm_kernel_calibration *k, const pm_gpu *gpu,
                          double power, double slowdown)
{
  double boards = row->gpus * row->nodes;
  switch (row->quantity) {
  case PM__ENERGY_POWER: return (boards * power + row->nodes * host_of(row, k, gpu)) / k->supply_efficiency;
  case PM__ENERGY_PER_SAMPLE:
  case PM__ENERGY_PER_TOKEN: return boards * power / row->rate;
  case PM__ENERGY_SLOWDOWN: return slowdown;
  case PM__ENERGY_FACTOR: return power * slowdown / row->load.drawn;
  default: return power;
  }
}

/* The limit, drawn for as long as the row took, or is predicted to take. */
static double design_of(const pm__lab_energy_row *row, double rate)
{
  double boards = row->gpus * row->nodes;
  switch (row->quantity) {
  case PM__ENERGY_POWER: return boards * row->limit;
  case PM__ENERGY_PER_SAMPLE:
  case PM__ENERGY_PER_TOKEN: return boards * row->limit / rate;
  case PM__ENERGY_SLOWDOWN: return 1;
  case PM__ENERGY_FACTOR: return row->limit / row->load.drawn;
  default: return row->limit;
  }
}

int pm__lab_energy_row_predict(const pm__lab_energy_rows *r, pm__lab_energy_row *row,
                               const pm_kernel_calibration *constants, pm_error *error)
{
  pm_board_draw draw;
  const pm_gpu *gpu = pm__lab_energy_row_gpu(r, row);
  int status = pm_board_predict(gpu, constants, &row->load, &draw, error);
  if (status != PM_OK) return status;
  bool power = row->quantity != PM__ENERGY_SLOWDOWN;
  row->predicted = as_quantity(row, constants, gpu, draw.power, draw.slowdown);
  row->low = power ? as_quantity(row, constants, gpu, draw.p10, draw.slowdown) : (double)NAN;
  row->high = power ? as_quantity(row, constants, gpu, draw.p90, draw.slowdown) : (double)NAN;
  row->design = design_of(row, row->rate);
  if (!isnan(row->predicted)) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "%s of %.40s is not known", quantities[row->quantity].name, gpu->id);
}

static int predict_known(const pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  const pm_kernel_calibration *k =
    pm_system_get_kernels(pm__lab_predictor_built_system(r->predictor, row->system));
  if (k != NULL) return pm__lab_energy_row_predict(r, row, k, error);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "what %.40s draws is not known", pm__lab_energy_row_gpu(r, row)->id);
}

/* Power has the band of the draw, energy that of the rate too. */
static void take_prediction(const pm__lab_energy_rows *r, pm__lab_energy_row *row)
{
  const pm_prediction *p = pm__lab_predictor_prediction(r->predictor, row->run);
  const pm_field *field = pm_record_find_field(pm_record_type_find("prediction"), quantities[row->quantity].name);
  row->predicted = field != NULL ? pm_record_get_number(field, p) : (double)NAN;
  row->low = row->predicted * p->energy_p10 / p->energy;
  row->high = row->predicted * p->energy_p90 / p->energy;
  row->design = design_of(row, p->throughput);
}

static int predict_row(pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  if (row->run < 0) return predict_known(r, row, error);
  int status = pm__lab_predictor_check(r->predictor, row->run, error);
  if (status == PM_OK) take_prediction(r, row);
  if (status != PM_OK || !isnan(row->predicted)) return status;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "a run of training has no %s", quantities[row->quantity].name);
}

/* ---- All ---- */

static int leave_out(pm__lab_energy_rows *r, const pm_error *why, pm_error *error)
{
  if (why->status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  return pm__lab_reasons_add(&r->reasons, why->text, error);
}

static int read_all(pm__lab_energy_rows *r, pm_error *error)
{
  int status = PM_OK;
  for (size_t line = 1; line < r->table->rows && status == PM_OK; line++) {
    pm_error why = PM_ERROR_NONE;
    pm__lab_energy_row *row = &r->items[r->count];
    memset(row, 0, sizeof *row);
    row->line = line;
    row->load = pm_board_load_make();
    if (read_row(r, row, &why) == PM_OK) r->count++;
    else status = leave_out(r, &why, error);
  }
  return status;
}

static int predict_all(pm__lab_energy_rows *r, pm_error *error)
{
  size_t kept = 0;
  int status = pm__lab_predictor_predict(r->predictor, error);
  for (size_t i = 0; i < r->count && status == PM_OK; i++) {
    pm_error why = PM_ERROR_NONE;
    r->items[kept] = r->items[i];
    if (predict_row(r, &r->items[kept], &why) == PM_OK) kept++;
    else status = leave_out(r, &why, error);
  }
  r->count = kept;
  return status;
}

int pm__lab_energy_rows_read(pm__lab_energy_rows *r, const pm_catalog *catalog, const pm__csv *table, pm_error *error)
{
  *r = (pm__lab_energy_rows){.catalog = catalog, .table = table};
  r->predictor = pm__lab_predictor_new(catalog, NULL, error);
  r->items = (pm__lab_energy_row *)calloc(table->rows + 1, sizeof *r->items);
  r->plans = (pm__lab_energy_plans *)calloc(1, sizeof *r->plans);
  if (r->items == NULL || r->predictor == NULL || r->plans == NULL) return pm__no_memory(error);
  int status = read_all(r, error);
  return status == PM_OK ? predict_all(r, error) : status;
}

void pm__lab_energy_rows_free(pm__lab_energy_rows *r)
{
  pm__lab_energy_plans_free(r->plans);
  pm__lab_predictor_free(r->predictor);
  pm__lab_reasons_free(&r->reasons);
  free(r->items);
}
