/*
** Calibration of what boards draw: of each architecture waiting, running on FP32 cores, and running on tensor cores;
** then of all architectures what a power limit does to a kernel. What a FLOP draws beside is fitted to times of
** products that power bounds (kernel_stages.c), which tell it ten times better than draws; rows of a user may still
** move it. The rows are those of `validate --set energy` whose time is known, and whose boards were not limited or
** always worked. What nodes draw beside their boards is fitted last, to rows of nodes that air cools.
**
** Residual: the logarithm of predicted over measured, with Huber's loss, since rows in which boards waited unseen lie
** far to one side. What a constant is before any row counts as one row more.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/calibration.h"
#include "validation/energy_rows.h"

static const double LARGE = 0.1;  /* logarithm of an error that counts as large */
static const double NOISE = 0.05; /* of one row, against what constants are before any row */
static const char STAGE[] = "energy";

enum { MOST = 5 };

typedef struct constant {
  const char *name;
  double start, factor, lower, upper; /* before any row, known within a factor */
  bool own; /* rows of a user alone decide it; otherwise times of kernels do */
} constant;

typedef struct problem problem;

/* Constants that are fitted together, and the rows that decide them. */
typedef struct group {
  const char *name;
  constant constants[MOST];
  bool (*wants)(const problem *p, const pm__lab_energy_row *row);
  bool general; /* of all architectures */
} group;

struct problem {
  pm_calibration *out;
  pm__lab_energy_rows rows;
  pm_kernel_calibration *systems; /* constants of each row now */
  size_t *active, active_count;
  const group *part;
  const char *entry;
  bool own;            /* rows of a user, whose constants start from the catalogue's */
  double start[MOST];  /* of the part that is fitted now */
};

/* ---- Which rows ---- */

static const pm_kernel_calibration *shipped_of(const problem *p, const pm__lab_energy_row *row)
{
  return pm_system_get_kernels(pm__lab_predictor_built_system(p->rows.predictor, row->system));
}

static bool is_power(const pm__lab_energy_row *row)
{
  return row->quantity == PM__ENERGY_GPU_POWER && isnan(row->load.drawn) && !row->check;
}

static bool waits(const pm__lab_energy_row *row)
{
  return row->load.busy <= 0;
}

/* Numbers of two bytes and less are multiplied on tensor cores, where there are some. */
static bool on_tensor_cores(const problem *p, const pm__lab_energy_row *row)
{
  bool narrow = row->load.precision != PM_PRECISION_FP32 && row->load.precision != PM_PRECISION_TF32 &&
                row->load.precision != PM_PRECISION_FP64;
  return narrow && pm__lab_energy_row_gpu(&p->rows, row)->peak_fp16_tensor > 0;
}

static bool wants_waiting(const problem *p, const pm__lab_energy_row *row)
{
  (void)p;
  return is_power(row) && waits(row);
}

static bool wants_simt(const problem *p, const pm__lab_energy_row *row)
{
  return is_power(row) && !waits(row) && !on_tensor_cores(p, row);
}

static bool wants_tensor(const problem *p, const pm__lab_energy_row *row)
{
  return is_power(row) && !waits(row) && on_tensor_cores(p, row);
}

static bool wants_limits(const problem *p, const pm__lab_energy_row *row)
{
  (void)p;
  return strcmp(row->kind, "limit-busy") == 0 && row->quantity != PM__ENERGY_FACTOR && !row->check;
}

static bool wants_hosts(const problem *p, const pm__lab_energy_row *row)
{
  (void)p;
  return row->quantity == PM__ENERGY_POWER && !(row->cooling_liquid > 0) && !row->check;
}

static const group parts[] = {
  {"waiting", {{"idle_power", 0.2, 1.5, 0.01, 0.6, false}}, wants_waiting, false},
  {"FP32 cores", {{"simt_power", 0.8, 1.2, 0.1, 1, false}}, wants_simt, false},
  {"tensor cores", {{"tensor_power", 0.68, 1.2, 0.1, 1, false}, {"tensor_flop_energy", 1e-12, 2, 1e-14, 1e-10, true}},
   wants_tensor, false},
  {"limits", {{"limit_softness", 2.1, 1.5, 0.5, 20, false}, {"limit_fixed", 0.1, 2, 0.001, 0.5, false},
              {"limit_knee", 0.87, 1.2, 0.3, 1, false}, {"limit_voltage", 2.6, 1.5, 0.1, 8, false},
              {"limit_clocked", 0.92, 1.1, 0.1, 1, false}}, wants_limits, true},
  {"hosts", {{"host_cpu_power", 225, 1.5, 10, 2000, false}, {"host_power_air", 0.3, 1.5, 0.01, 1, false}}, wants_hosts,
   true},
};

/* ---- Predictions ---- */

static const pm_field *field_of(const constant *c)
{
  return pm_record_find_field(pm_record_type_find("kernel_calibration"), c->name);
}

static size_t count_of(const problem *p)
{
  const constant *all = p->part->constants;
  size_t count = 0;
  while (count < MOST && all[count].name != NULL && (p->own || !all[count].own)) count++;
  return count;
}

static int errors_of(problem *p, double *errors, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < p->active_count && status == PM_OK; i++) {
    pm__lab_energy_row *row = &p->rows.items[p->active[i]];
    status = pm__lab_energy_row_predict(&p->rows, row, &p->systems[p->active[i]], error);
    errors[i] = log(row->predicted / row->measured);
  }
  return status;
}

static void put(problem *p, const double *values)
{
  for (size_t i = 0; i < p->active_count; i++)
    for (size_t c = 0; c < count_of(p); c++)
      pm_record_set_number(field_of(&p->part->constants[c]), &p->systems[p->active[i]], values[c], NULL);
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  problem *p = (problem *)context;
  put(p, values);
  for (size_t c = 0; c < count_of(p); c++) {
    const constant *k = &p->part->constants[c];
    residuals[p->active_count + c] = NOISE * log(values[c] / p->start[c]) / log(k->factor);
  }
  return errors_of(p, residuals, error);
}

/* ---- The fit of one part of an entry ---- */

static void choose_rows(problem *p)
{
  p->active_count = 0;
  for (size_t i = 0; i < p->rows.count; i++) {
    const pm__lab_energy_row *row = &p->rows.items[i];
    bool here = p->part->general || strcmp(p->systems[i].id, p->entry) == 0;
    if (here && p->part->wants(p, row)) p->active[p->active_count++] = i;
  }
}

/* Before any row: what the catalogue has, for rows of a user. */
static void begin(problem *p)
{
  for (size_t c = 0; c < count_of(p); c++) {
    const constant *k = &p->part->constants[c];
    double shipped = p->own ? pm_record_get_number(field_of(k), &p->systems[p->active[0]]) : (double)NAN;
    p->start[c] = shipped > k->lower && shipped < k->upper ? shipped : k->start;
  }
}

static int keep(problem *p, const pm_fit_parameter *found, pm_error *error)
{
  for (size_t c = 0; c < count_of(p); c++) {
    pm_fitted_constant *kept = pm__lab_calibration_constant(p->out, p->entry, p->part->constants[c].name, error);
    if (kept == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(kept, STAGE, field_of(&p->part->constants[c])->unit, &found[c], p->active_count);
  }
  return PM_OK;
}

static int add_errors(problem *p, pm_error *error)
{
  char name[PM_TEXT_MAX + 40];
  double *errors = (double *)malloc((p->active_count + 1) * sizeof *errors);
  if (errors == NULL) return pm__no_memory(error);
  int status = errors_of(p, errors, error);
  for (size_t i = 0; i < p->active_count; i++) errors[i] = 100 * (exp(errors[i]) - 1);
  snprintf(name, sizeof name, "%.60s %s", p->entry, p->part->name);
  if (status == PM_OK)
    status = pm__lab_calibration_error(p->out, STAGE, name, PM_FIT_USE_FITTED, errors, p->active_count, error);
  free(errors);
  return status;
}

/* Parts that follow, of limits too, start from what was found, whatever the catalogue had. */
static void put_found(problem *p, const pm_fit_parameter *found)
{
  for (size_t i = 0; i < p->rows.count; i++)
    for (size_t c = 0; c < count_of(p); c++) {
      double value = pm__lab_four_digits(found[c].value);
      if (!p->part->general && strcmp(p->systems[i].id, p->entry) != 0) continue;
      pm_record_set_number(field_of(&p->part->constants[c]), &p->systems[i], value, NULL);
    }
}

static int fit_part(problem *p, pm_error *error)
{
  pm_fit_parameter found[MOST];
  pm_fit_options options = pm_fit_options_make();
  size_t count = count_of(p);
  choose_rows(p);
  if (p->active_count == 0) return PM_OK;
  begin(p);
  options.robust = LARGE;
  options.huber = 1;
  for (size_t c = 0; c < count; c++) {
    const constant *k = &p->part->constants[c];
    found[c] = pm_fit_parameter_make(k->name, p->start[c], k->lower, k->upper);
  }
  int status = pm_fit(found, count, residuals_of, p, p->active_count + count, &options, NULL, error);
  if (status == PM_OK) status = keep(p, found, error);
  if (status != PM_OK) return status;
  put_found(p, found);
  return add_errors(p, error);
}

/* The parts of an architecture; a user's rows move no constant of all of them. */
static int fit_entry(problem *p, const char *entry, pm_error *error)
{
  int status = PM_OK;
  p->entry = entry;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == PM_OK; i++) {
    p->part = &parts[i];
    if (!p->part->general) status = fit_part(p, error);
  }
  return status;
}

static int fit_general(problem *p, pm_error *error)
{
  int status = PM_OK;
  p->entry = PM_KERNEL_GENERAL_ID;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == PM_OK; i++) {
    p->part = &parts[i];
    if (p->part->general && !p->own) status = fit_part(p, error);
  }
  return status;
}

static bool is_first(const problem *p, size_t row)
{
  for (size_t i = 0; i < row; i++)
    if (strcmp(p->systems[i].id, p->systems[row].id) == 0) return false;
  return true;
}

static int fit_all(problem *p, const char *chosen, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < p->rows.count && status == PM_OK; i++)
    if (is_first(p, i) && (chosen == NULL || pm__lab_listed(chosen, p->systems[i].id)))
      status = fit_entry(p, p->systems[i].id, error);
  if (status == PM_OK && (chosen == NULL || pm__lab_listed(chosen, PM_KERNEL_GENERAL_ID)))
    status = fit_general(p, error);
  return status;
}

/* ---- The file ---- */

/* A user's rows say what the draw rests on, too. */
static bool is_basis(const pm_calibration *out, const char *entry, const char *field)
{
  static const char *const bases[][2] = {{"simt_power_basis", "simt_power"}, {"tensor_power_basis", "tensor_power"}};
  for (size_t i = 0; i < 2; i++)
    if (strcmp(field, bases[i][0]) == 0) return pm__lab_calibration_find(out, entry, bases[i][1]) != NULL;
  return false;
}

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  static const char *const states[] = {"fixed", "", "not identifiable", "at its lower bound", "at its upper bound"};
  const problem *p = (const problem *)user;
  if (p->own && is_basis(p->out, entry->id, field->name)) {
    snprintf(value->text, sizeof value->text, "fitted");
    snprintf(value->note, sizeof value->note, "%.79s", p->out->table);
    return true;
  }
  const pm_fitted_constant *found = pm__lab_calibration_find(p->out, entry->id, field->name);
  if (found == NULL) return false;
  pm__lab_value_fitted(value, p->out, "", (int)found->rows);
  if (found->state == PM_FIT_STATE_FITTED)
    snprintf(value->note, sizeof value->note, "+-%.2g %%", found->uncertainty * 100);
  else snprintf(value->note, sizeof value->note, "%s", states[found->state]);
  pm__lab_value_write(value, found->value, field->unit);
  return true;
}

static void write_file(const problem *p, const pm_catalog *catalog, bool all, pm__string *xml)
{
  pm__lab_entry entry;
  pm__string_add(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<perfmodel version=\"1\">\n");
  for (size_t i = 0; pm__lab_entry_at(catalog, "kernel_calibration", i, &entry); i++)
    if (all || pm__lab_calibration_has(p->out, entry.id)) pm__lab_entry_write(xml, &entry, replaced, p);
  pm__string_add(xml, "\n</perfmodel>\n");
}

/* ---- The whole ---- */

static int open_rows(problem *p, pm_error *error)
{
  p->systems = (pm_kernel_calibration *)calloc(p->rows.count + 1, sizeof *p->systems);
  p->active = (size_t *)calloc(p->rows.count + 1, sizeof *p->active);
  if (p->systems == NULL || p->active == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < p->rows.count; i++) p->systems[i] = *shipped_of(p, &p->rows.items[i]);
  return PM_OK;
}

static int fit_table(problem *p, const pm_catalog *catalog, const pm_calibration_options *options, bool shipped,
                     const pm__csv *table, pm_error *error)
{
  int status = pm__lab_energy_rows_read(&p->rows, catalog, table, error);
  if (status == PM_OK) status = open_rows(p, error);
  if (status == PM_OK) pm__lab_reasons_write(&p->rows.reasons, &p->out->notes);
  if (status == PM_OK) status = fit_all(p, options->entries, error);
  if (status == PM_OK && p->out->constant_count == 0)
    status = pm__fail(error, PM_STATUS_NOT_FOUND, "no row of \"%.60s\" decides what a board draws", options->file);
  if (status == PM_OK) write_file(p, catalog, shipped && options->entries == NULL, &p->out->xml);
  return status;
}

int pm__lab_calibrate_energy(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                             bool shipped, pm_error *error)
{
  static const char *const needed[] = {"system", "quantity", "value"};
  pm__csv table;
  problem p = {.out = out, .own = !shipped};
  if (pm__csv_read(&table, options->data, options->file, error) != PM_OK) return PM_STATUS_BAD_FILE;
  const pm__lab_context context = {.catalog = catalog, .table = &table, .file = options->file, .set = STAGE};
  int status = pm__lab_check_columns(&context, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) {
    status = fit_table(&p, catalog, options, shipped, &table, error);
    pm__lab_energy_rows_free(&p.rows);
  }
  free(p.systems);
  free(p.active);
  pm__csv_free(&table);
  return status;
}
