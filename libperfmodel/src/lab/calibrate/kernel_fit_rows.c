/* The rows of a calibration: by GPU, and what each of them is to the fit. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "lab/calibrate/kernel_fit.h"

/* ---- Shapes ---- */

static uint64_t mixed(uint64_t hash, double value)
{
  hash ^= isnan(value) ? 0x51ed2701u : (uint64_t)value;
  hash *= UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* Passes of one convolution, and one shape in two precisions, are kept together. */
static double share_of_shape(const pm_kernel *k)
{
  const double sizes[] = {k->count, k->m, k->n, k->k, k->channels, k->out_channels, k->height, k->width,
                          k->kernel_height, k->kernel_width, k->padding_height, k->stride_height};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) hash = mixed(hash, sizes[i]);
  return (double)(hash >> 40) / (double)(1 << 24);
}

/* ---- Libraries ---- */

/* 10.1 of "t4 gemm fp16 deepbench/cuda-10.1" is 1001; 0 without one. */
static int library_of(const char *group)
{
  int major, minor;
  const char *found = strstr(group, "/cuda-");
  if (found == NULL || sscanf(found, "/cuda-%d.%d", &major, &minor) != 2) return 0;
  return 100 * major + minor;
}

/* The newest library that the GPU has rows of. */
static int newest_library(const pm_measured_kernel *measured, size_t count, const char *gpu)
{
  int newest = 0;
  for (size_t i = 0; i < count; i++) {
    int library = strcmp(measured[i].gpu, gpu) == 0 ? library_of(measured[i].group) : 0;
    if (library > newest) newest = library;
  }
  return newest;
}

/* ---- GPUs and architectures ---- */

static int find_architecture(pm__kernel_fit *fit, const pm_catalog *catalog, const pm_kernel_calibration *c,
                             size_t *index, pm_error *error)
{
  for (*index = 0; *index < fit->architecture_count; ++*index)
    if (strcmp(fit->architectures[*index].id, c->id) == 0) return PM_OK;
  fit->architectures[fit->architecture_count] = *c;
  fit->wanted[fit->architecture_count++] =
    fit->options->entries == NULL || pm__listed(fit->options->entries, c->id);
  return pm_catalog_record(catalog, "kernel_calibration", c->id, &fit->stated[*index], error);
}

static int add_gpu(pm__kernel_fit *fit, const pm_catalog *catalog, const char *id, pm_error *error)
{
  pm_kernel_calibration calibration;
  pm__fit_gpu *g = &fit->gpus[fit->gpu_count];
  for (size_t i = 0; i < fit->gpu_count; i++)
    if (strcmp(fit->gpus[i].gpu.id, id) == 0) return PM_OK;
  if (fit->gpu_count == PM__FIT_GPUS)
    return pm__fail(error, PM_BAD_VALUE, "rows of more than %d GPUs cannot be fitted at once", PM__FIT_GPUS);
  int status = pm_catalog_record(catalog, "gpu", id, &g->gpu, error);
  if (status == PM_OK && pm_catalog_kernels(catalog, &g->gpu, &calibration, NULL) != PM_OK) return PM_OK;
  if (status == PM_OK) status = pm_kernel_calibration_check(&calibration, error);
  if (status == PM_OK) status = find_architecture(fit, catalog, &calibration, &g->architecture, error);
  if (status != PM_OK) return status;
  g->wanted = fit->wanted[g->architecture];
  g->kept = pm__listed(fit->options->kept, id);
  fit->gpu_count++;
  return PM_OK;
}

static bool has_suffix(const char *group, const char *label)
{
  const char *found = strstr(group, label);
  return found != NULL && found[strlen(label)] == ' ';
}

static void take_rows(pm__kernel_fit *fit, pm__fit_gpu *g, const pm_measured_kernel *measured, const pm_kernel *kernels,
                      size_t count)
{
  int newest = newest_library(measured, count, g->gpu.id);
  g->first = fit->row_count;
  for (size_t i = 0; i < count; i++) {
    const pm_measured_kernel *m = &measured[i];
    if (strcmp(m->gpu, g->gpu.id) != 0) continue;
    pm__fit_row *row = &fit->rows[fit->row_count++];
    row->kernel = kernels[i];
    row->time = m->time;
    row->overhead = m->overhead;
    row->floor = m->floor;
    row->large = has_suffix(m->group, "-large");
    row->kept_shape = share_of_shape(&kernels[i]) < fit->options->kept_shapes;
    int library = library_of(m->group);
    row->older = library > 0 && library < newest;
    row->usable = !has_suffix(m->group, "-above-peak") && !has_suffix(m->group, "fp16-half");
  }
  g->count = fit->row_count - g->first;
}

/* A name that no row has would go unseen. */
static int check_names(const pm__kernel_fit *fit, const char *list, bool gpus, pm_error *error)
{
  char name[PM_TEXT_MAX];
  for (const char *p = list; p != NULL && *p != '\0';) {
    p += strspn(p, " ,");
    size_t n = strcspn(p, ","), i = 0, count = gpus ? fit->gpu_count : fit->architecture_count;
    if (n == 0) break;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), p);
    p += n;
    while (i < count && strcmp(gpus ? fit->gpus[i].gpu.id : fit->architectures[i].id, name) != 0) i++;
    if (i == count)
      return pm__fail(error, PM_NOT_FOUND, "no row is of %s \"%s\"", gpus ? "gpu" : "architecture", name);
  }
  return PM_OK;
}

int pm__kernel_fit_load(pm__kernel_fit *fit, const pm_catalog *catalog, const pm_kernel_rows *rows, pm_error *error)
{
  size_t count = pm_kernel_rows_count(rows);
  const pm_measured_kernel *measured = pm_kernel_rows_measured(rows);
  int status = PM_OK;
  for (size_t i = 0; i < count && status == PM_OK; i++)
    if (i == 0 || strcmp(measured[i].gpu, measured[i - 1].gpu) != 0)
      status = add_gpu(fit, catalog, measured[i].gpu, error);
  if (status == PM_OK) status = check_names(fit, fit->options->entries, false, error);
  if (status == PM_OK) status = check_names(fit, fit->options->kept, true, error);
  if (status != PM_OK) return status;
  fit->rows = (pm__fit_row *)calloc(count + 1, sizeof *fit->rows);
  if (fit->rows == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < fit->gpu_count; i++)
    take_rows(fit, &fit->gpus[i], measured, pm_kernel_rows_kernels(rows), count);
  return PM_OK;
}

pm_fit_use pm__kernel_fit_use(const pm__kernel_fit *fit, const pm__stage *stage, const pm__fit_gpu *gpu,
                                 const pm__fit_row *row)
{
  const pm_kernel_calibration *stated = &fit->stated[gpu->architecture];
  if (!gpu->wanted || !row->usable || !pm__stage_takes(stage, &row->kernel, &gpu->gpu, stated, row->large))
    return PM_FIT_USE_COUNT;
  if (row->older) return PM_FIT_USE_OLDER_LIBRARY;
  bool kept = stage->kept_gpu != NULL && strcmp(stage->kept_gpu, gpu->gpu.id) == 0;
  if (gpu->kept || kept) return PM_FIT_USE_KEPT_GPU;
  return row->kept_shape ? PM_FIT_USE_KEPT_SHAPE : PM_FIT_USE_FITTED;
}

void pm__kernel_fit_times(const pm__fit_gpu *gpu, const pm_kernel_calibration *constants, const pm_kernel *kernels,
                          const pm__fit_row *const *rows, size_t count, double *times)
{
  enum { CHUNK = 256 };
  pm_kernel_time out[CHUNK];
  for (size_t first = 0; first < count; first += CHUNK) {
    size_t n = count - first < CHUNK ? count - first : CHUNK;
    memset(out, 0, n * sizeof *out); /* what cannot be timed stays so */
    pm_kernel_predict(&gpu->gpu, constants, &kernels[first], out, n, NULL);
    for (size_t i = 0; i < n; i++) {
      const pm__fit_row *row = rows[first + i];
      times[first + i] = out[i].time > 0 ? fmax(row->floor, out[i].time + row->overhead) : (double)NAN;
    }
  }
}
