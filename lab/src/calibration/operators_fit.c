/*
** Calibration of what the hosts of published operators add (kernel_harness): for each software on each GPU by itself,
** on the rows that are compared without doubt and have constants.
**
** Residual: the logarithm of predicted over measured, with Huber's loss. The least mean of relative errors, which pages
** sum up, would be lower by up to a point, with constants that lean to the fast ones where times scatter: those of
** kernels, which the same rows decide with these, would follow them at every turn. What a constant is before any row
** counts as one row more.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/calibration.h"
#include "validation/comparison.h"
#include "validation/operator_row.h"

static const double LARGE = 0.05; /* logarithm of an error that counts as large */
static const double NOISE = 0.05; /* of one row, against what constants are before any row */
static const char STAGE[] = "operators";
enum { STARTS = 4 }; /* of a search: times of two ways to compute have two optima */

/* Constants of a host, those of one part of the operators together; before any row a start, known within a factor. */
static const struct {
  const char *name;
  double start, factor, lower, upper;
} kinds[][3] = {
  {{"quantized", 5e-6, 2, 0.1e-6, 30e-6}, {"quantizing", 6, 2, 1, 40}, {"quantized_rate", 0.9, 1.5, 0.2, 1}},
  {{"block_quantized", 5e-6, 2, 0.1e-6, 30e-6}, {"block_quantizing", 6, 2, 1, 40}, {"block_rate", 0.9, 1.5, 0.2, 1}},
  {{"fp4_quantized", 5e-6, 2, 0.1e-6, 30e-6}, {"fp4_quantizing", 6, 2, 1, 40}, {"fp4_rate", 0.9, 1.5, 0.2, 1}},
  {{"experts", 30e-6, 2, 0.1e-6, 200e-6}, {"routing", 4, 3, 0.05, 60}, {"experts_rate", 0.9, 1.5, 0.05, 1}},
  {{"block_experts", 30e-6, 2, 0.1e-6, 200e-6}, {"block_routing", 4, 3, 0.05, 60},
   {"block_experts_rate", 0.9, 1.5, 0.05, 1}},
  {{"mx_experts", 30e-6, 2, 0.1e-6, 200e-6}, {"mx_routing", 4, 3, 0.05, 60}, {"mx_experts_rate", 0.9, 1.5, 0.05, 1}},
  {{"w4_experts", 30e-6, 2, 0.1e-6, 200e-6}, {"w4_routing", 4, 3, 0.05, 60}, {"w4_experts_rate", 0.9, 1.5, 0.05, 1}},
  {{"fp4_experts", 30e-6, 2, 0.1e-6, 200e-6}, {"fp4_routing", 4, 3, 0.05, 60}, {"fp4_experts_rate", 0.9, 1.5, 0.05, 1}},
  {{"latent", 8e-6, 2, 0.1e-6, 40e-6}, {"latent_rate", 1, 2, 0.05, 4}},
  {{"latent_decode", 6e-6, 2, 0.1e-6, 40e-6}, {"latent_decode_rate", 1, 2, 0.05, 16},
   {"latent_converting", 2, 3, 1, 40}},
  {{"attention", 8e-6, 2, 0.1e-6, 40e-6}, {"attention_rate", 1, 2, 0.05, 4}},
  {{"decode", 6e-6, 2, 0.1e-6, 40e-6}, {"decode_rate", 1, 2, 0.05, 4}, {"decode_start", 1, 2, 0.05, 4}},
  {{"byte_decode", 6e-6, 2, 0.1e-6, 40e-6}, {"byte_decode_rate", 1, 2, 0.05, 4}, {"byte_decode_start", 1, 2, 0.05, 4}},
  {{"plain", 2e-6, 2, 0.1e-6, 20e-6}, {"plain_clocks", 0.3, 2, 0.05, 5}},
  {{"norm", 2e-6, 2, 0.1e-6, 20e-6}, {"norm_clocks", 0.3, 2, 0.05, 5}},
  {{"rotary", 2e-6, 2, 0.1e-6, 20e-6}, {"rotary_clocks", 0.3, 2, 0.05, 5}},
  {{"gated", 2e-6, 2, 0.1e-6, 20e-6}, {"gated_clocks", 0.3, 2, 0.05, 5}},
  {{"gather", 2e-6, 2, 0.1e-6, 20e-6}, {"gather_clocks", 0.3, 2, 0.05, 5}},
  {{"all_reduce", 5e-6, 2, 0.5e-6, 50e-6}, {"all_reduce_rate", 0.6, 2, 0.05, 2}, {"eager", 20e-6, 2, 1e-6, 200e-6}},
};

enum { PARTS = sizeof kinds / sizeof kinds[0], MOST = 3 };

typedef struct hosts {
  pm_calibration *out;
  pm__lab_operator_reader *reader;
  pm_kernel_harness **of_line;  /* NULL: the line plays no part */
  size_t lines;
  pm_kernel_harness *host;      /* that is fitted now */
  size_t *active, active_count; /* its lines, or those of a part */
  double *base, *moved;         /* errors of lines */
  int part, constants[MOST];    /* the part that is fitted now, and which of its constants the host states */
  double start[MOST];           /* before any row of these */
  size_t count;
} hosts;

static const pm_field *field_of(int part, int constant)
{
  return pm_record_find_field(pm_record_type_find("kernel_harness"), kinds[part][constant].name);
}

static double *constant_field(const hosts *h, int constant)
{
  return (double *)(void *)((char *)h->host + field_of(h->part, constant)->offset);
}

/* Products of latents, prompts within a window and experts in MXFP4, of which a host states nothing, are compared, and
** decide no constants. */
static bool has_constants(const pm__lab_operator_row *row, const pm_kernel_harness *host)
{
  bool unknown = strcmp(row->precision, "w4a16-mx") == 0 && (host == NULL || isnan(host->mx_experts_rate));
  return row->skip[0] == '\0' && !row->marked && strcmp(row->label, "products-latent") != 0 &&
         !(row->kernels[0].window > 0) && !unknown;
}

static void choose_lines(hosts *h)
{
  pm__lab_operator_row row;
  for (size_t line = 1; line < h->lines; line++) {
    pm__lab_operator_reader_get(h->reader, line, &row);
    pm_kernel_harness *host = pm__lab_operator_reader_harness(h->reader, line);
    h->of_line[line] = has_constants(&row, host) ? host : NULL;
  }
}

/* ---- The fit of one part ---- */

static void put(hosts *h, const double *values)
{
  for (size_t i = 0; i < h->count; i++) *constant_field(h, h->constants[i]) = values[i];
}

static int errors_of(hosts *h, double *errors, pm_error *error)
{
  pm__lab_operator_row row;
  double time;
  int status = PM_OK;
  for (size_t i = 0; i < h->active_count && status == PM_OK; i++) {
    const pm__lab_operator_gpu *gpu = pm__lab_operator_reader_get(h->reader, h->active[i], &row);
    status = pm__lab_operator_reader_time(h->reader, &row, gpu, &time, error);
    errors[i] = log(time / row.time);
  }
  return status;
}

static int residuals_of(void *context, const double *values, double *residuals, pm_error *error)
{
  hosts *h = (hosts *)context;
  put(h, values);
  for (size_t i = 0; i < h->count; i++) {
    residuals[h->active_count + i] = NOISE * log(values[i] / h->start[i]) / log(kinds[h->part][h->constants[i]].factor);
  }
  return errors_of(h, residuals, error);
}

/* Experts whose blocks have scales are slower than others, before any row, as products are. */
static double start_of(const hosts *h, int c)
{
  const pm_kernel_harness *host = h->host;
  double start = kinds[h->part][c].start;
  if (strcmp(kinds[h->part][c].name, "block_experts_rate") != 0) return start;
  double blocks = host->experts_rate * host->block_rate / host->quantized_rate;
  return blocks > 0 ? fmin(blocks, kinds[h->part][c].upper) : start;
}

/* The part's constants that the host states, at their starts. */
static void take_constants(hosts *h, int part, double *values)
{
  h->part = part;
  h->count = 0;
  for (int c = 0; c < MOST; c++) {
    if (kinds[part][c].name == NULL || isnan(*constant_field(h, c))) continue;
    h->start[h->count] = values[h->count] = start_of(h, c);
    h->constants[h->count++] = c;
  }
}

static void take_lines(hosts *h)
{
  h->active_count = 0;
  for (size_t line = 1; line < h->lines; line++)
    if (h->of_line[line] == h->host) h->active[h->active_count++] = line;
}

/* Of the host's lines, those whose time moves with the part's constants. */
static int choose_part(hosts *h, int part, pm_error *error)
{
  double values[MOST];
  size_t felt = 0;
  take_constants(h, part, values);
  take_lines(h);
  put(h, values);
  int status = errors_of(h, h->base, error);
  for (size_t i = 0; i < h->count; i++) values[i] *= 0.9;
  put(h, values);
  if (status == PM_OK) status = errors_of(h, h->moved, error);
  for (size_t i = 0; i < h->active_count; i++)
    if (h->base[i] != h->moved[i]) h->active[felt++] = h->active[i];
  h->active_count = felt;
  return status;
}

static int solve(hosts *h, pm_fit_parameter *found, pm_error *error)
{
  pm_fit_options options = pm_fit_options_make();
  options.robust = LARGE;
  options.huber = 1;
  options.tolerance = 1e-5;
  options.starts = STARTS;
  for (size_t i = 0; i < h->count; i++) {
    int c = h->constants[i];
    found[i] = pm_fit_parameter_make(kinds[h->part][c].name, h->start[i], kinds[h->part][c].lower,
                                     kinds[h->part][c].upper);
  }
  return pm_fit(found, h->count, residuals_of, h, h->active_count + h->count, &options, NULL, error);
}

static int keep(hosts *h, const pm_fit_parameter *found, pm_error *error)
{
  double values[MOST];
  for (size_t i = 0; i < h->count; i++) {
    pm_fitted_constant *kept = pm__lab_calibration_constant(h->out, h->host->id, found[i].name, error);
    if (kept == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(kept, STAGE, field_of(h->part, h->constants[i])->unit, &found[i], h->active_count);
    values[i] = kept->value;
  }
  put(h, values);
  return PM_OK;
}

static int add_errors(hosts *h, pm_error *error)
{
  char group[PM_TEXT_MAX + 40];
  int status = errors_of(h, h->base, error);
  for (size_t i = 0; i < h->active_count; i++) h->base[i] = 100 * (exp(h->base[i]) - 1);
  snprintf(group, sizeof group, "%.60s %s", h->host->id, kinds[h->part][0].name);
  return status != PM_OK ? status : pm__lab_calibration_error(h->out, STAGE, group, PM_FIT_USE_FITTED, h->base,
                                                              h->active_count, error);
}

static int fit_part(hosts *h, int part, pm_error *error)
{
  pm_fit_parameter found[MOST];
  int status = choose_part(h, part, error);
  if (status != PM_OK || h->count == 0 || h->active_count == 0) return status;
  status = solve(h, found, error);
  if (status == PM_OK) status = keep(h, found, error);
  return status == PM_OK ? add_errors(h, error) : status;
}

/* The same rows give the same constants, whatever the catalogue has: a norm after an addition feels two parts. */
static void put_starts(hosts *h)
{
  for (h->part = 0; h->part < PARTS; h->part++)
    for (int c = 0; c < MOST; c++)
      if (kinds[h->part][c].name != NULL && !isnan(*constant_field(h, c))) *constant_field(h, c) =
          kinds[h->part][c].start;
}

static int fit_hosts(hosts *h, const char *chosen, pm_error *error)
{
  int status = PM_OK;
  for (size_t line = 1; line < h->lines && status == PM_OK; line++) {
    h->host = h->of_line[line];
    bool wanted = h->host != NULL && (chosen == NULL || pm__lab_listed(chosen, h->host->id));
    if (!wanted || pm__lab_calibration_has(h->out, h->host->id)) continue;
    put_starts(h);
    for (int part = 0; part < PARTS && status == PM_OK; part++) status = fit_part(h, part, error);
  }
  return status;
}

/* ---- The file ---- */

static void write_note(const pm_fitted_constant *found, char *note, size_t size)
{
  static const char *const states[] = {"fixed", "", "not identifiable", "at its lower bound", "at its upper bound"};
  if (found->state == PM_FIT_STATE_FITTED) snprintf(note, size, "+-%.2g %%", found->uncertainty * 100);
  else snprintf(note, size, "%s", states[found->state]);
}

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  const pm_calibration *out = (const pm_calibration *)user;
  const pm_fitted_constant *found = pm__lab_calibration_find(out, entry->id, field->name);
  if (found == NULL) return false;
  pm__lab_value_fitted(value, out, "", (int)found->rows);
  write_note(found, value->note, sizeof value->note);
  pm__lab_value_write(value, found->value, field->unit);
  return true;
}

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What the host adds to published times of kernels: how they were measured, no property of a GPU. Added to both\n"
  "     predictions before they are compared with a row.\n"
  "\n"
  "     DeepBench: loops of one kernel. NeuSight: one PyTorch call between two events, so the host's way to the kernel "
  "shows\n"
  "     in every row; the least times are the shortest of an operator on a GPU. For other GPUs the middle of the "
  "five.\n"
  "     Serving engines and Vidur: what is fitted to rows of operators is written by perfmodel calibrate, set "
  "operators. -->\n"
  "<perfmodel version=\"1\">\n";

static void write_file(const pm_calibration *out, const pm_catalog *catalog, bool all, pm__string *xml)
{
  pm__lab_entry entry;
  pm__string_add(xml, head);
  for (size_t i = 0; pm__lab_entry_at(catalog, "kernel_harness", i, &entry); i++)
    if (all || pm__lab_calibration_has(out, entry.id)) pm__lab_entry_write(xml, &entry, replaced, out);
  pm__string_add(xml, "\n</perfmodel>\n");
}

/* ---- All of it ---- */

static int prepare(hosts *h, const pm_catalog *catalog, const pm__csv *table, pm_error *error)
{
  h->lines = table->rows;
  h->reader = pm__lab_operator_reader_new(catalog, table, error);
  if (h->reader == NULL) return PM_STATUS_NO_MEMORY;
  h->of_line = (pm_kernel_harness **)calloc(h->lines + 1, sizeof *h->of_line);
  h->active = (size_t *)malloc((h->lines + 1) * sizeof *h->active);
  h->base = (double *)malloc(2 * (h->lines + 1) * sizeof *h->base);
  if (h->of_line == NULL || h->active == NULL || h->base == NULL) return pm__no_memory(error);
  h->moved = h->base + h->lines + 1;
  choose_lines(h);
  return PM_OK;
}

int pm__lab_calibrate_operators(pm_calibration *out, const pm_catalog *catalog, const pm_calibration_options *options,
                                bool shipped, pm_error *error)
{
  static const char *const needed[] = {"gpu", "op", "dtype", "time_us"};
  pm__csv table;
  hosts h = {.out = out};
  if (pm__csv_read(&table, options->data, options->file, error) != PM_OK) return PM_STATUS_BAD_FILE;
  const pm__lab_context context = {.catalog = catalog, .table = &table, .file = options->file, .set = STAGE};
  int status = pm__lab_check_columns(&context, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) status = prepare(&h, catalog, &table, error);
  if (status == PM_OK) status = fit_hosts(&h, options->entries, error);
  if (status == PM_OK && out->constant_count == 0)
    status = pm__fail(error, PM_STATUS_NOT_FOUND,
                      "no row is of a software whose host the catalogue has (kernel_harness)");
  if (status == PM_OK) write_file(out, catalog, shipped && options->entries == NULL, &out->xml);
  pm__lab_operator_reader_free(h.reader);
  free(h.of_line);
  free(h.active);
  free(h.base);
  pm__csv_free(&table);
  return status;
}
