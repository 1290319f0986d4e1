/* Tables of published kernel times: lines, their GPUs, what the host added, groups. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "validation/gpu_names.h"
#include "validation/kernel_row.h"

enum { NOTES = 64, NAMES = 64, NOTE_LONGEST = 300 };

typedef struct reason {
  char text[NOTE_LONGEST];
  size_t rows;
} reason;

struct pm__lab_kernel_rows {
  pm_measured_kernel *measured;
  pm_kernel *kernels;
  int32_t *groups;
  size_t count, room, group_count;
  reason notes[NOTES];
  size_t note_count;
};

/* What a name of a GPU was matched with, so that it is looked up once. */
typedef struct gpu_name {
  const char *name, *memory;
  const char *id; /* NULL: none */
  pm_gpu gpu;
} gpu_name;

typedef struct loading {
  const pm_catalog *catalog;
  pm__lab_gpu_names *gpus;
  const pm__csv *sheet;
  pm__lab_kernel_columns columns;
  gpu_name names[NAMES];
  size_t name_count;
  pm_kernel_harness harnesses[NAMES];
  size_t harness_count;
  pm__lab_kernel_rows *rows;
  size_t *table, table_size; /* hash of group -> row + 1 */
} loading;

/* ---- Notes ---- */

static void leave_out(pm__lab_kernel_rows *rows, const char *why)
{
  for (size_t i = 0; i < rows->note_count; i++)
    if (strcmp(rows->notes[i].text, why) == 0) {
      rows->notes[i].rows++;
      return;
    }
  if (rows->note_count == NOTES) return;
  reason *note = &rows->notes[rows->note_count++];
  snprintf(note->text, sizeof note->text, "%s", why);
  note->rows = 1;
}

/* Counts and reasons become one text each. */
static void finish_notes(pm__lab_kernel_rows *rows)
{
  for (size_t i = 0; i < rows->note_count; i++) {
    char why[NOTE_LONGEST];
    reason *note = &rows->notes[i];
    snprintf(why, sizeof why, "%s", note->text);
    snprintf(note->text, sizeof note->text, "%zu row%s left out: %.240s", note->rows, note->rows == 1 ? "" : "s", why);
  }
}

/* ---- GPUs and what the host adds ---- */

static const gpu_name *gpu_of(loading *l, size_t line)
{
  const char *name = pm__csv_cell(l->sheet, line, l->columns.gpu);
  const char *memory = pm__csv_cell(l->sheet, line, l->columns.gpu_memory_GB);
  for (size_t i = 0; i < l->name_count; i++)
    if (strcmp(l->names[i].name, name) == 0 && strcmp(l->names[i].memory, memory) == 0) return &l->names[i];
  if (l->name_count == NAMES) l->name_count--; /* the last one makes room */
  gpu_name *new_name = &l->names[l->name_count++];
  new_name->name = name;
  new_name->memory = memory;
  new_name->id = pm__lab_gpu_names_find(l->gpus, name, memory);
  if (new_name->id != NULL && pm_catalog_get_record(l->catalog, "gpu", new_name->id, &new_name->gpu, NULL) != PM_OK)
    new_name->id = NULL;
  return new_name;
}

static void load_harnesses(loading *l)
{
  const char *id;
  for (size_t i = 0; l->harness_count < NAMES && (id = pm_catalog_get_id(l->catalog, "kernel_harness", i)) != NULL; i++)
    if (pm_catalog_get_record(l->catalog, "kernel_harness", id, &l->harnesses[l->harness_count], NULL) == PM_OK)
      l->harness_count++;
}

/* That of the GPU, else that of any other, else NULL. */
static const pm_kernel_harness *harness_of(const loading *l, const char *repository, const char *gpu)
{
  const pm_kernel_harness *other = NULL;
  for (size_t i = 0; i < l->harness_count; i++) {
    const pm_kernel_harness *h = &l->harnesses[i];
    if (strstr(repository, h->repository) == NULL) continue;
    if (strcmp(h->gpu, gpu) == 0) return h;
    if (h->gpu[0] == '\0') other = h;
  }
  return other;
}

/* Lines before this one in the file of the source, as its note says: "data row 17; ..."; else 0. */
static double lines_before(const char *note)
{
  static const char words[] = "data row ";
  char number[16] = "";
  double lines = 0;
  const char *found = strstr(note, words);
  if (found == NULL) return 0;
  snprintf(number, sizeof number, "%.*s", (int)strspn(found + strlen(words), "0123456789"), found + strlen(words));
  return pm_number_parse(number, &lines) == PM_OK ? lines : 0;
}

static void add_host(pm_measured_kernel *m, const pm_kernel_harness *h, const pm_kernel *k, const char *label,
                     double lines)
{
  switch (k->operation) {
  case PM_OPERATOR_GEMM:
    m->overhead = strcmp(label, "gemm-linear") == 0 ? h->linear
                  : strcmp(label, "gemm-batched") == 0 ? h->gemm_batched : h->gemm;
    break;
  case PM_OPERATOR_ELEMENTWISE: m->overhead = h->elementwise, m->floor = h->elementwise_floor; break;
  case PM_OPERATOR_LAYER_NORM: m->overhead = h->layer_norm, m->floor = h->layer_norm_floor; break;
  case PM_OPERATOR_SOFTMAX: m->overhead = h->softmax, m->floor = h->softmax_floor; break;
  case PM_OPERATOR_CONV_FORWARD: m->overhead = h->conv + lines * (h->conv_growth > 0 ? h->conv_growth : 0); break;
  default: m->overhead = k->operation >= PM_OPERATOR_RNN_FORWARD ? h->recurrent : h->conv;
  }
  if (isnan(m->overhead)) m->overhead = 0;
  if (isnan(m->floor)) m->floor = 0;
}

static int set_host(loading *l, size_t line, const char *label, const pm_kernel *kernel, pm_measured_kernel *m,
                    pm_error *error)
{
  const char *own = pm__csv_cell(l->sheet, line, l->columns.overhead_us);
  double value;
  if (own[0] == '\0') {
    const char *repository = pm__csv_cell(l->sheet, line, l->columns.source_repo);
    const pm_kernel_harness *harness = harness_of(l, repository, m->gpu);
    double lines = lines_before(pm__csv_cell(l->sheet, line, l->columns.note));
    if (harness != NULL) add_host(m, harness, kernel, label, lines);
    return PM_OK;
  }
  if (pm_number_parse(own, &value) != PM_OK || !(value >= 0))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s:%zu: overhead_us \"%.40s\" is no time", l->columns.file, line + 1,
                    own);
  m->overhead = value / 1e6;
  return PM_OK;
}

/* ---- Groups ---- */

static size_t hash_of(const char *text)
{
  size_t hash = 5381;
  for (; *text != '\0'; text++) hash = hash * 33 ^ (unsigned char)*text;
  return hash;
}

static void set_group(loading *l, size_t row)
{
  pm__lab_kernel_rows *rows = l->rows;
  const char *group = rows->measured[row].group;
  size_t at = hash_of(group) & (l->table_size - 1);
  while (l->table[at] != 0 && strcmp(rows->measured[l->table[at] - 1].group, group) != 0)
    at = (at + 1) & (l->table_size - 1);
  if (l->table[at] == 0) {
    l->table[at] = row + 1;
    rows->groups[row] = (int32_t)rows->group_count++;
  } else {
    rows->groups[row] = rows->groups[l->table[at] - 1];
  }
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* "baidu-research/DeepBench", "CUDA 10.1.243 cuDNN 7.6" -> "deepbench/cuda-10.1"; other libraries are not told
** apart. */
static void source_of(const char *repository, const char *library, char *out, size_t size)
{
  const char *slash = strrchr(repository, '/');
  const char *name = slash != NULL ? slash + 1 : repository[0] != '\0' ? repository : "own";
  size_t n = 0;
  for (; name[n] != '\0' && n + 12 < size; n++) out[n] = name[n] == ' ' ? '-' : lower(name[n]);
  out[n] = '\0';
  const char *point = library;
  int major = strncmp(library, "CUDA ", 5) == 0 ? pm__whole_at(library + 5, 99, &point) : -1;
  int minor = major >= 0 && *point == '.' ? pm__whole_at(point + 1, 99, NULL) : -1;
  if (minor >= 0)
    snprintf(out + n, size - n, "/cuda-%d.%d", major, minor);
}

/* ---- Rows ---- */

static bool has_sizes(const pm_kernel *k)
{
  switch (k->operation) {
  case PM_OPERATOR_GEMM: return k->count >= 1 && k->m >= 1 && k->n >= 1 && k->k >= 1;
  case PM_OPERATOR_ELEMENTWISE: return k->m >= 1;
  case PM_OPERATOR_LAYER_NORM:
  case PM_OPERATOR_SOFTMAX: return k->m >= 1 && k->n >= 1;
  case PM_OPERATOR_CONV_FORWARD:
  case PM_OPERATOR_CONV_DGRAD:
  case PM_OPERATOR_CONV_WGRAD:
    return k->n >= 1 && k->channels >= 1 && k->out_channels >= 1 && k->height >= 1 && k->width >= 1 &&
           k->kernel_height >= 1 && k->kernel_width >= 1;
  default: return k->m >= 1 && k->n >= 1 && k->k >= 1;
  }
}

/* Products beyond any boost of the clock were done in another precision than the source says, or not timed. */
static bool is_above_peak(const pm__lab_kernel_row *row, const pm_gpu *gpu)
{
  const pm_kernel *k = &row->kernel;
  double flop = 2 * k->count * k->m * k->n * k->k;
  return k->operation == PM_OPERATOR_GEMM && flop / row->time > 1.25 * pm_gpu_get_matrix_peak(gpu, k->precision);
}

static void name_row(loading *l, size_t line, const pm__lab_kernel_row *row, pm_measured_kernel *m)
{
  char source[32];
  const char *id = pm__csv_cell(l->sheet, line, l->columns.id);
  source_of(pm__csv_cell(l->sheet, line, l->columns.source_repo), pm__csv_cell(l->sheet, line, l->columns.library),
            source, sizeof source);
  int length = snprintf(m->group, sizeof m->group, "%s %s %s %s", m->gpu, row->label, row->precision, source);
  if (length >= (int)sizeof m->group) m->group[sizeof m->group - 2] = '~'; /* cut off */
  if (id[0] != '\0') snprintf(m->id, sizeof m->id, "%.79s", id);
  else snprintf(m->id, sizeof m->id, "line %zu", line + 1);
}

static int add_row(loading *l, size_t line, pm_error *error)
{
  pm__lab_kernel_row row;
  pm__lab_kernel_rows *rows = l->rows;
  pm_measured_kernel *m = &rows->measured[rows->count];
  int status = pm__lab_kernel_row_read(&row, l->sheet, &l->columns, line, error);
  if (status != PM_OK) return status;
  const gpu_name *gpu = row.skip == NULL ? gpu_of(l, line) : NULL;
  char why[NOTE_LONGEST];
  if (row.skip == NULL && gpu->id == NULL) {
    snprintf(why, sizeof why, "no GPU of the catalogue is called \"%.60s\"",
             pm__csv_cell(l->sheet, line, l->columns.gpu));
    return leave_out(rows, why), PM_OK;
  }
  if (row.skip == NULL && !has_sizes(&row.kernel)) row.skip = "a size is missing or below 1";
  if (row.skip != NULL) return leave_out(rows, row.skip), PM_OK;
  memset(m, 0, sizeof *m);
  memcpy(m->gpu, gpu->gpu.id, sizeof m->gpu);
  m->time = row.time;
  status = set_host(l, line, row.label, &row.kernel, m, error);
  if (is_above_peak(&row, &gpu->gpu)) pm__text_set(row.label, sizeof row.label, "gemm-above-peak");
  name_row(l, line, &row, m);
  rows->kernels[rows->count] = row.kernel;
  set_group(l, rows->count++);
  return status;
}

static bool make_room(loading *l)
{
  size_t n = l->sheet->rows;
  l->rows = (pm__lab_kernel_rows *)calloc(1, sizeof *l->rows);
  if (l->rows == NULL) return false;
  for (l->table_size = 64; l->table_size < 2 * n; l->table_size *= 2) {}
  l->table = (size_t *)calloc(l->table_size, sizeof *l->table);
  l->rows->room = n;
  l->rows->measured = (pm_measured_kernel *)calloc(n, sizeof *l->rows->measured);
  l->rows->kernels = (pm_kernel *)calloc(n, sizeof *l->rows->kernels);
  l->rows->groups = (int32_t *)calloc(n, sizeof *l->rows->groups);
  return l->table != NULL && l->rows->measured != NULL && l->rows->kernels != NULL && l->rows->groups != NULL;
}

static int check_columns(const loading *l, pm_error *error)
{
  static const char *const needed[] = {"kernel", "precision", "gpu", "time_us"};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (pm__csv_column(l->sheet, needed[i]) < 0)
      return pm__fail(error, PM_STATUS_BAD_SYNTAX, "%s:1: there is no column \"%s\"", l->columns.file, needed[i]);
  if (l->sheet->rows > 1) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SYNTAX, "%s: no measurements", l->columns.file);
}

static int load(loading *l, pm_error *error)
{
  int status = check_columns(l, error);
  if (status != PM_OK) return status;
  l->gpus = pm__lab_gpu_names_new(l->catalog, error);
  if (l->gpus == NULL || !make_room(l)) return pm__no_memory(error);
  for (size_t line = 1; line < l->sheet->rows && status == PM_OK; line++) status = add_row(l, line, error);
  finish_notes(l->rows);
  return status;
}

pm__lab_kernel_rows *pm__lab_kernel_rows_read(const pm_catalog *catalog, const pm__csv *sheet, const char *file,
                                              pm_error *error)
{
  loading *l = (loading *)calloc(1, sizeof *l);
  if (l == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  l->catalog = catalog;
  l->sheet = sheet;
  l->columns = pm__lab_kernel_columns_of(sheet, file);
  load_harnesses(l);
  int status = load(l, error);
  pm__lab_kernel_rows *rows = l->rows;
  pm__lab_gpu_names_free(l->gpus);
  free(l->table);
  free(l);
  if (status == PM_OK) return rows;
  pm__lab_kernel_rows_free(rows);
  return NULL;
}

pm__lab_kernel_rows *pm__lab_kernel_rows_new(pm_error *error)
{
  pm__lab_kernel_rows *rows = (pm__lab_kernel_rows *)calloc(1, sizeof *rows);
  if (rows == NULL) pm__no_memory(error);
  return rows;
}

static bool grow(pm__lab_kernel_rows *rows)
{
  size_t room = 2 * rows->room + 64;
  pm_measured_kernel *measured = (pm_measured_kernel *)realloc(rows->measured, room * sizeof *measured);
  if (measured != NULL) rows->measured = measured;
  pm_kernel *kernels = (pm_kernel *)realloc(rows->kernels, room * sizeof *kernels);
  if (kernels != NULL) rows->kernels = kernels;
  int32_t *groups = (int32_t *)realloc(rows->groups, room * sizeof *groups);
  if (groups != NULL) rows->groups = groups;
  if (measured == NULL || kernels == NULL || groups == NULL) return false;
  rows->room = room;
  return true;
}

int pm__lab_kernel_rows_add(pm__lab_kernel_rows *rows, const pm_measured_kernel *measured, const pm_kernel *kernel,
                            pm_error *error)
{
  if (rows->count == rows->room && !grow(rows)) return pm__no_memory(error);
  size_t same = rows->count;
  while (same > 0 && strcmp(rows->measured[same - 1].group, measured->group) != 0) same--;
  rows->groups[rows->count] = same > 0 ? rows->groups[same - 1] : (int32_t)rows->group_count++;
  rows->measured[rows->count] = *measured;
  rows->kernels[rows->count++] = *kernel;
  return PM_OK;
}

void pm__lab_kernel_rows_free(pm__lab_kernel_rows *rows)
{
  if (rows == NULL) return;
  free(rows->measured);
  free(rows->kernels);
  free(rows->groups);
  free(rows);
}

size_t pm__lab_kernel_rows_count(const pm__lab_kernel_rows *rows)
{
  return rows != NULL ? rows->count : 0;
}

const pm_measured_kernel *pm__lab_kernel_rows_measured(const pm__lab_kernel_rows *rows)
{
  return rows != NULL ? rows->measured : NULL;
}

const pm_kernel *pm__lab_kernel_rows_kernels(const pm__lab_kernel_rows *rows)
{
  return rows != NULL ? rows->kernels : NULL;
}

size_t pm__lab_kernel_rows_group_count(const pm__lab_kernel_rows *rows)
{
  return rows != NULL ? rows->group_count : 0;
}

const int32_t *pm__lab_kernel_rows_groups(const pm__lab_kernel_rows *rows)
{
  return rows != NULL ? rows->groups : NULL;
}

const char *pm__lab_kernel_rows_note(const pm__lab_kernel_rows *rows, size_t index)
{
  return rows != NULL && index < rows->note_count ? rows->notes[index].text : NULL;
}
