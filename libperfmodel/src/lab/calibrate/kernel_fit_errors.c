/* Errors of a calibration, by stage, GPU and what the rows are to the fit. */
#include <stdlib.h>
#include "base/base.h"
#include "lab/calibrate/kernel_fit.h"

typedef struct sums {
  pm_kernel *kernels;
  const pm__fit_row **rows;
  double *times;
} sums;

static size_t gather(const pm__kernel_fit *fit, const pm__stage *stage, const pm__fit_gpu *g, pm_fit_use use,
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

static int add_error(pm__kernel_fit *fit, const pm__stage *stage, const pm__fit_gpu *g, pm_fit_use use, const sums *s,
                     pm_error *error)
{
  size_t n = gather(fit, stage, g, use, s), known = 0;
  if (n == 0) return PM_OK;
  pm__kernel_fit_times(g, &fit->architectures[g->architecture], s->kernels, s->rows, n, s->times);
  for (size_t i = 0; i < n; i++)
    if (s->times[i] > 0) s->times[known++] = (s->times[i] / s->rows[i]->time - 1) * 100;
  return pm__calibration_error(fit->out, stage->name, g->gpu.id, use, s->times, known, error);
}

static int add_errors(pm__kernel_fit *fit, const pm__stage *stage, const sums *s, pm_error *error)
{
  int status = PM_OK;
  for (size_t g = 0; g < fit->gpu_count; g++)
    for (int use = 0; use < PM_FIT_USE_COUNT && status == PM_OK; use++)
      status = add_error(fit, stage, &fit->gpus[g], (pm_fit_use)use, s, error);
  return status;
}

int pm__kernel_fit_sum_up(pm__kernel_fit *fit, pm_error *error)
{
  const pm__stage *stage;
  size_t room = fit->row_count + 1;
  sums s = {(pm_kernel *)malloc(room * sizeof *s.kernels), (const pm__fit_row **)malloc(room * sizeof *s.rows),
            (double *)malloc(room * sizeof *s.times)};
  int status = s.kernels != NULL && s.rows != NULL && s.times != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; status == PM_OK && (stage = pm__stage_at(i)) != NULL; i++)
    if (!stage->again) status = add_errors(fit, stage, &s, error);
  free(s.kernels);
  free(s.rows);
  free(s.times);
  return status;
}
