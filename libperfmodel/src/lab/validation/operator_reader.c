/* Tables of operators: lines with their GPUs and what the host added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "lab/validation/gpu_names.h"
#include "lab/validation/operator_collective.h"
#include "lab/validation/operator_row.h"

enum { NAMES = 32 };

struct pm__lab_operator_reader {
  const pm_catalog *catalog;
  pm__lab_gpu_names *gpus;
  const pm__csv *sheet;
  pm__lab_operator_columns columns;
  pm__lab_operator_gpu names[NAMES];
  size_t name_count;
  pm_kernel_harness harnesses[NAMES];
  size_t harness_count;
  pm__lab_operator_groups *groups;
};

static const pm__lab_operator_gpu *gpu_of(pm__lab_operator_reader *r, const char *name)
{
  for (size_t i = 0; i < r->name_count; i++)
    if (strcmp(r->names[i].name, name) == 0) return &r->names[i];
  if (r->name_count == NAMES) r->name_count--; /* the last one makes room */
  pm__lab_operator_gpu *g = &r->names[r->name_count++];
  const char *id = pm__lab_gpu_names_find(r->gpus, name, "");
  g->name = name;
  g->known = id != NULL && pm_catalog_get_record(r->catalog, "gpu", id, &g->gpu, NULL) == PM_OK;
  g->calibrated = g->known && pm_catalog_get_kernels(r->catalog, &g->gpu, &g->calibration, NULL) == PM_OK;
  return g;
}

/* ---- What the host adds ---- */

static void load_harnesses(pm__lab_operator_reader *r)
{
  const char *id;
  for (size_t i = 0; r->harness_count < NAMES && (id = pm_catalog_get_id(r->catalog, "kernel_harness", i)) != NULL; i++)
    if (pm_catalog_get_record(r->catalog, "kernel_harness", id, &r->harnesses[r->harness_count], NULL) == PM_OK)
      r->harness_count++;
}

static bool is_of(const pm__lab_operator_reader *r, size_t line, const char *software)
{
  return strstr(pm__csv_cell(r->sheet, line, r->columns.library), software) != NULL ||
         strstr(pm__csv_cell(r->sheet, line, r->columns.source), software) != NULL ||
         strcmp(pm__csv_cell(r->sheet, line, r->columns.kernel), software) == 0;
}

/* That of the software on the GPU, else on one for which it has the same kernels, else NULL. The software is that of the
** library, of the kernel or of the source. */
static pm_kernel_harness *harness_of(pm__lab_operator_reader *r, size_t line, const pm__lab_operator_gpu *gpu)
{
  const char *kernels = gpu->calibrated ? gpu->calibration.id : "", *id = gpu->known ? gpu->gpu.id : "";
  pm_kernel_harness *other = NULL;
  for (size_t i = 0; i < r->harness_count; i++) {
    pm_kernel_harness *h = &r->harnesses[i];
    bool own = h->gpu[0] == '\0' || strcmp(h->gpu, id) == 0;
    if (!(own || (other == NULL && pm__list_has(h->kernels, kernels, strlen(kernels)))) || !is_of(r, line, h->repository))
      continue;
    if (own) return h;
    other = h;
  }
  return other;
}

static double known(double value)
{
  return value > 0 ? value : 0;
}

/* How the software multiplies numbers of a byte and less. */
typedef struct quantizing {
  double time, accesses, rate;
  bool unsplit;
} quantizing;

static quantizing quantizing_of(const pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  if (row->kernels[0].precision == PM_PRECISION_FP4) return (quantizing){h->fp4_quantized, h->fp4_quantizing, h->fp4_rate, false};
  if (strstr(row->precision, "block") != NULL)
    return (quantizing){h->block_quantized, h->block_quantizing, h->block_rate, h->block_unsplit != 0};
  return (quantizing){h->quantized, h->quantizing, h->quantized_rate, h->quantized_unsplit != 0};
}

/* They are made from the input of the product, in a kernel before it. */
static void add_quantizing(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  const pm_kernel *product = &row->kernels[0];
  quantizing q = quantizing_of(row, h);
  if (pm_precision_get_bytes(product->precision) > 1 || !(q.accesses > 0)) return;
  row->kernels[0].unsplit = q.unsplit;
  row->kernels[0].rate = q.rate;
  pm_kernel *k = &row->kernels[row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = PM_OPERATOR_ELEMENTWISE;
  k->precision = product->precision;
  k->count = q.accesses;
  k->m = product->m * product->k;
  k->turns = h->turns > 0 ? 1 : 0; /* the input is the same every time */
  row->overhead += known(q.time);
}

/* Heads that share keys do not share blocks. */
static bool ungrouped(const pm__lab_operator_row *row, const pm_kernel_harness *h, bool prompt)
{
  const pm_kernel *k = &row->kernels[0];
  if (prompt) return h->ungrouped_prompts && (k->m > 1 || h->single_prompts || row->window);
  return h->ungrouped || (h->most_grouped > 0 && k->count > h->most_grouped * k->kv_count);
}

static void add_attention(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  pm_kernel *k = &row->kernels[0];
  bool prompt = strcmp(row->label, "attention-decode") != 0, decode = !prompt || (k->m == 1 && !h->single_prompts);
  row->overhead = known(decode ? h->decode : h->attention);
  k->rate = decode ? h->decode_rate : h->attention_rate;
  k->ungrouped = ungrouped(row, h, prompt);
  k->causal = k->causal && !h->unmasked;
  if (h->turns > 0) k->turns = 1; /* the cache is used again and again */
}

/* Each kernel of a pass is a start and clocks; blocks of threads take a row each, but for additions. */
static void add_pass(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  const struct {
    const char *label;
    double time, clocks;
    bool by_row;
  } passes[] = {{"add-norm", h->norm, h->norm_clocks, true}, {"norm", h->norm, h->norm_clocks, true},
                {"rotary", h->rotary, h->rotary_clocks, true},
                {"gated-activation", h->gated, h->gated_clocks, true}, {"residual", h->plain, h->plain_clocks, false},
                {"activation", h->plain, h->plain_clocks, false}, {"embedding", h->gather, h->gather_clocks, false}};
  for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++)
    for (int j = 0; j < row->count && strcmp(passes[i].label, row->label) == 0; j++) {
      bool adds = i == 0 && row->kernels[j].operation == PM_OPERATOR_ELEMENTWISE; /* before the norm */
      row->overhead += known(adds ? h->plain : passes[i].time);
      row->kernels[j].clocks = adds ? h->plain_clocks : passes[i].clocks;
      if (passes[i].by_row) row->kernels[j].blocks = row->rows;
    }
}

/* Rows are sorted by expert, and their results added up: the software goes over all that are routed, not over those of the
** GPU's own experts alone. */
static void add_experts(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  row->overhead = known(h->experts);
  for (int i = 0; i < row->count; i++)
    if (row->kernels[i].operation == PM_OPERATOR_GEMM) row->kernels[i].rate = h->experts_rate;
  if (!(h->routing > 0) || row->count == PM__OPERATOR_KERNELS) return;
  pm_kernel *k = &row->kernels[row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = PM_OPERATOR_ELEMENTWISE;
  k->precision = PM_PRECISION_BF16;
  k->count = 1;
  k->m = fmax(1, h->routing * row->routed);
}

static void add_all_reduce(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  row->round = known(h->all_reduce);
  row->round_rate = known(h->all_reduce_rate);
  row->least = row->eager ? known(h->eager) : 0;
}

static void add_host(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  if (h == NULL) return;
  int operation = row->kernels[0].operation;
  if (row->count == 0) {
    add_all_reduce(row, h);
  } else if (operation == PM_OPERATOR_ATTENTION) {
    add_attention(row, h);
  } else if (operation != PM_OPERATOR_GEMM) {
    add_pass(row, h);
  } else {
    row->overhead = known(h->gemm);
    if (row->routed > 0) add_experts(row, h);
    if (row->count > 1) return;
    row->kernels[0].turns = h->turns;
    add_quantizing(row, h);
  }
}

/* ---- Lines ---- */

pm__lab_operator_reader *pm__lab_operator_reader_new(const pm_catalog *catalog, const pm__csv *sheet, pm_error *error)
{
  pm__lab_operator_reader *r = (pm__lab_operator_reader *)calloc(1, sizeof *r);
  if (r != NULL) r->gpus = pm__lab_gpu_names_new(catalog, error);
  if (r != NULL && r->gpus != NULL) r->groups = pm__lab_operator_groups_new(catalog, error);
  if (r == NULL || r->groups == NULL) {
    pm__lab_operator_reader_free(r);
    pm__no_memory(error);
    return NULL;
  }
  r->catalog = catalog;
  r->sheet = sheet;
  r->columns = pm__lab_operator_columns_of(sheet);
  load_harnesses(r);
  return r;
}

void pm__lab_operator_reader_free(pm__lab_operator_reader *reader)
{
  if (reader == NULL) return;
  pm__lab_gpu_names_free(reader->gpus);
  pm__lab_operator_groups_free(reader->groups);
  free(reader);
}

pm_kernel_harness *pm__lab_operator_reader_harness(pm__lab_operator_reader *r, size_t line)
{
  const pm__lab_operator_gpu *gpu = gpu_of(r, pm__csv_cell(r->sheet, line, r->columns.gpu));
  return gpu->known ? harness_of(r, line, gpu) : NULL;
}

const pm__lab_operator_gpu *pm__lab_operator_reader_get(pm__lab_operator_reader *r, size_t line,
                                                        pm__lab_operator_row *row)
{
  pm__lab_operator_row_read(row, r->sheet, &r->columns, line);
  const pm__lab_operator_gpu *gpu = gpu_of(r, pm__csv_cell(r->sheet, line, r->columns.gpu));
  add_host(row, harness_of(r, line, gpu));
  return gpu;
}

int pm__lab_operator_reader_time(pm__lab_operator_reader *reader, const pm__lab_operator_row *row,
                                 const pm__lab_operator_gpu *gpu, double *time, pm_error *error)
{
  pm_kernel_time out[PM__OPERATOR_KERNELS];
  size_t count = (size_t)row->count;
  const pm_kernel_calibration *calibration = gpu->calibrated ? &gpu->calibration : NULL;
  if (count == 0) return pm__lab_operator_groups_time(reader->groups, row, &gpu->gpu, time, error);
  int status = pm_kernel_predict(&gpu->gpu, calibration, row->kernels, out, count, error);
  *time = row->overhead;
  for (size_t i = 0; i < count && status == PM_OK; i++) *time += out[i].time;
  return status;
}
