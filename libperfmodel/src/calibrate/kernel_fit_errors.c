/* Errors of a calibration, by stage, GPU and what the rows are to the fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "calibrate/kernel_fit.h"

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
  pm__spread spread = pm__spread_of(s->times, known);
  e->rows = (int32_t)known;
  e->mape = spread.mape;
  e->median = spread.median;
  e->p90 = spread.p90;
  e->bias = spread.bias;
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
