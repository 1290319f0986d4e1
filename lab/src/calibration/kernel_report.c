/* What a calibration of kernels says: errors by stage, GPU and what the rows are to the fit, and its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "calibration/calibration.h"
#include "calibration/kernel_fit.h"

typedef struct sums {
  pm_kernel *kernels;
  const pm__lab_fit_row **rows;
  double *times;
} sums;

static size_t gather(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage, const pm__lab_fit_gpu *g,
                     pm_fit_use use,
                     const sums *s)
{
  size_t n = 0;
  for (size_t i = g->first; i < g->first + g->count; i++) {
    if (pm__lab_kernel_fit_use(fit, stage, g, &fit->rows[i]) != use) continue;
    s->kernels[n] = fit->rows[i].kernel;
    s->rows[n++] = &fit->rows[i];
  }
  return n;
}

static int add_error(pm__lab_kernel_fit *fit, const pm__lab_stage *stage, const pm__lab_fit_gpu *g, pm_fit_use use,
                     const sums *s,
                     pm_error *error)
{
  size_t n = gather(fit, stage, g, use, s), known = 0;
  if (n == 0) return PM_OK;
  pm__lab_kernel_fit_times(g, &fit->architectures[g->architecture], s->kernels, s->rows, n, s->times);
  for (size_t i = 0; i < n; i++)
    if (s->times[i] > 0) s->times[known++] = (s->times[i] / s->rows[i]->time - 1) * 100;
  return pm__lab_calibration_error(fit->out, stage->name, g->gpu.id, use, s->times, known, error);
}

static int add_errors(pm__lab_kernel_fit *fit, const pm__lab_stage *stage, const sums *s, pm_error *error)
{
  int status = PM_OK;
  for (size_t g = 0; g < fit->gpu_count; g++)
    for (int use = 0; use < PM_FIT_USE_COUNT && status == PM_OK; use++)
      status = add_error(fit, stage, &fit->gpus[g], (pm_fit_use)use, s, error);
  return status;
}

int pm__lab_kernel_fit_sum_up(pm__lab_kernel_fit *fit, pm_error *error)
{
  const pm__lab_stage *stage;
  size_t room = fit->row_count + 1;
  sums s = {(pm_kernel *)malloc(room * sizeof *s.kernels), (const pm__lab_fit_row **)malloc(room * sizeof *s.rows),
            (double *)malloc(room * sizeof *s.times)};
  int status = s.kernels != NULL && s.rows != NULL && s.times != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; status == PM_OK && (stage = pm__lab_stage_at(i)) != NULL; i++)
    if (stage->turn == PM__FIRST) status = add_errors(fit, stage, &s, error);
  free(s.kernels);
  free(s.rows);
  free(s.times);
  return status;
}

/* ---- A file of the catalogue: fitted constants in the places of the old ones, the rest as it was ---- */

static const pm__lab_stage *stage_named(const char *name)
{
  const pm__lab_stage *stage;
  for (size_t i = 0; (stage = pm__lab_stage_at(i)) != NULL; i++)
    if (strcmp(stage->name, name) == 0) return stage;
  return NULL;
}

/* "FP32 products, +-0.4 %" */
static void note_of(const pm_fitted_constant *c, char *note, size_t size)
{
  static const char *const states[] = {"fixed", "", "; not identifiable", "; at its lower bound",
                                       "; at its upper bound"};
  int length = snprintf(note, size, "%s", stage_named(c->stage)->rows);
  if (c->state == PM_FIT_STATE_FITTED)
    snprintf(note + length, size - (size_t)length, ", +-%.2g %%", c->uncertainty * 100);
  else snprintf(note + length, size - (size_t)length, "%s", states[c->state]);
}

static bool is_of(const pm__lab_kernel_fit *fit, const char *gpu, const char *architecture)
{
  for (size_t g = 0; g < fit->gpu_count; g++)
    if (strcmp(fit->gpus[g].gpu.id, gpu) == 0)
      return strcmp(fit->architectures[fit->gpus[g].architecture].id, architecture) == 0;
  return false;
}

/* The basis of cores that were fitted says on what. */
static bool replace_basis(const pm__lab_kernel_fit *fit, const pm__lab_entry *entry, const char *stage,
                          const char *constant,
                          pm__lab_new_value *value)
{
  if (pm__lab_calibration_find(fit->out, entry->id, constant) == NULL) return false;
  snprintf(value->text, sizeof value->text, "fitted");
  for (size_t i = 0; i < fit->out->error_count; i++) {
    const pm_fit_error *e = &fit->out->errors[i];
    size_t used = strlen(value->note);
    if (strcmp(e->stage, stage) == 0 && e->use == PM_FIT_USE_FITTED && is_of(fit, e->group, entry->id))
      snprintf(value->note + used, sizeof value->note - used, "%s%s", used > 0 ? ", " : "rows of ", e->group);
  }
  return true;
}

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  const pm__lab_kernel_fit *fit = (const pm__lab_kernel_fit *)user;
  if (strcmp(field->name, "simt_basis") == 0) return replace_basis(fit, entry, "simt", "simt_efficiency", value);
  if (strcmp(field->name, "tensor_basis") == 0) return replace_basis(fit, entry, "tensor", "tensor_efficiency", value);
  const pm_fitted_constant *c = pm__lab_calibration_find(fit->out, entry->id, field->name);
  if (c == NULL || (fit->own && c->state == PM_FIT_STATE_UNIDENTIFIED)) return false;
  note_of(c, value->note, sizeof value->note);
  pm__lab_value_fitted(value, fit->out, "", (int)c->rows);
  pm__lab_value_write(value, c->value, field->unit);
  return true;
}

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What kernels get of an architecture: constants of the formulas in docs/model.md, written by perfmodel "
  "calibrate\n"
  "     (docs/calibration.md). No datasheet value and no measurement stands here.\n\n"
  "     An entry has the id of an architecture, or of one of its chips, whose GPUs are then its aliases. What was "
  "fitted\n"
  "     says on how many rows, and how uncertain it is; `rule` has no kernel of the architecture behind it.\n"
  "     The constants of the entry \"default\" hold for every architecture that does not state its own. -->\n"
  "<perfmodel version=\"1\">\n";

void pm__lab_kernel_fit_write(const pm__lab_kernel_fit *fit, const pm_catalog *catalog, pm__string *out)
{
  pm__string_add(out, head);
  pm__lab_entry entry;
  for (size_t i = 0; pm__lab_entry_at(catalog, "kernel_calibration", i, &entry); i++)
    if (fit->all || pm__lab_calibration_has(fit->out, entry.id)) pm__lab_entry_write(out, &entry, replaced, fit);
  pm__string_add(out, "\n</perfmodel>\n");
}
