/* Errors of a calibration, by stage, GPU and what the rows are to the fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "calibrate/kernel_fit.h"

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double q)
{
  double place = q * (double)(count - 1);
  size_t below = (size_t)place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - floor(place)) * (sorted[below + 1] - sorted[below]);
}

/* `errors` are signed, in per cent; they become absolute and sorted. */
static void sum_up(pm_fit_error *e, double *errors, size_t n)
{
  double sum = 0, bias = 0;
  for (size_t i = 0; i < n; i++) {
    bias += errors[i];
    errors[i] = fabs(errors[i]);
    sum += errors[i];
  }
  qsort(errors, n, sizeof *errors, ascending);
  e->rows = (int32_t)n;
  e->mape = sum / (double)n;
  e->bias = bias / (double)n;
  e->median = quantile(errors, n, 0.5);
  e->p90 = quantile(errors, n, 0.9);
}

typedef struct sums {
  pm_kernel *kernels;
  const pm__fit_row **rows;
  double *times;
} sums;

static size_t gather(const pm_kernel_fit *fit, const pm__stage *stage, const pm__fit_gpu *g, pm_kernel_use use,
                     const sums *s)
{
  size_t n = 0;
  for (size_t i = g->first; i < g->first + g->count; i++) {
    if (pm__kernel_fit_use(fit, stage, g, &fit->rows[i]) != use) continue;
    s->kernels[n] = fit->rows[i].kernel;
    s->rows[n++] = &fit->rows[i];
  }
  return n;
}

static void add_error(pm_kernel_fit *fit, const pm__stage *stage, const pm__fit_gpu *g, pm_kernel_use use, const sums *s)
{
  size_t n = gather(fit, stage, g, use, s), known = 0;
  if (n == 0 || fit->error_count == PM__FIT_ERRORS) return;
  pm__kernel_fit_times(g, &fit->architectures[g->architecture], s->kernels, s->rows, n, s->times);
  for (size_t i = 0; i < n; i++)
    if (s->times[i] > 0) s->times[known++] = (s->times[i] / s->rows[i]->time - 1) * 100;
  if (known == 0) return;
  pm_fit_error *e = &fit->errors[fit->error_count++];
  pm_record_init(pm_record_type_find("fit_error"), e);
  pm__text_set(e->stage, sizeof e->stage, stage->name);
  memcpy(e->gpu, g->gpu.id, sizeof e->gpu);
  e->use = (int32_t)use;
  sum_up(e, s->times, known);
}

int pm__kernel_fit_sum_up(pm_kernel_fit *fit, pm_error *error)
{
  const pm__stage *stage;
  size_t room = fit->row_count + 1;
  sums s = {(pm_kernel *)malloc(room * sizeof *s.kernels), (const pm__fit_row **)malloc(room * sizeof *s.rows),
            (double *)malloc(room * sizeof *s.times)};
  int status = s.kernels != NULL && s.rows != NULL && s.times != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; status == PM_OK && (stage = pm__stage_at(i)) != NULL; i++)
    for (size_t g = 0; g < fit->gpu_count; g++)
      for (int use = 0; use < PM_KERNEL_USE_COUNT && strcmp(stage->name, "products") != 0 &&
                        strcmp(stage->name, "transformed") != 0 && strcmp(stage->name, "convolution-rate") != 0; use++)
        add_error(fit, stage, &fit->gpus[g], (pm_kernel_use)use, &s);
  free(s.kernels);
  free(s.rows);
  free(s.times);
  return status;
}
