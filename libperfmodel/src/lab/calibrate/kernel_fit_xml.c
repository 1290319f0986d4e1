/* Kernel calibrations as a file of the catalogue: fitted constants in the places of the old ones, the rest as it was. */
#include <stdio.h>
#include <string.h>
#include "lab/calibrate/entry_xml.h"
#include "lab/calibrate/kernel_fit.h"

static const pm__stage *stage_named(const char *name)
{
  const pm__stage *stage;
  for (size_t i = 0; (stage = pm__stage_at(i)) != NULL; i++)
    if (strcmp(stage->name, name) == 0) return stage;
  return NULL;
}

/* "fitted: 950 FP32 products, +-0.4 %" */
static void note_of(const pm_fitted_constant *c, char *note, size_t size)
{
  static const char *const states[] = {"fixed", "", "; not identifiable", "; at its lower bound", "; at its upper bound"};
  int length = snprintf(note, size, "fitted: %d %s", (int)c->rows, stage_named(c->stage)->rows);
  if (c->state == PM_FIT_STATE_FITTED)
    snprintf(note + length, size - (size_t)length, ", +-%.2g %%", c->uncertainty * 100);
  else snprintf(note + length, size - (size_t)length, "%s", states[c->state]);
}

static bool is_of(const pm__kernel_fit *fit, const char *gpu, const char *architecture)
{
  for (size_t g = 0; g < fit->gpu_count; g++)
    if (strcmp(fit->gpus[g].gpu.id, gpu) == 0)
      return strcmp(fit->architectures[fit->gpus[g].architecture].id, architecture) == 0;
  return false;
}

/* The basis of cores that were fitted says on what. */
static bool replace_basis(const pm__kernel_fit *fit, const pm__entry *entry, const char *stage, const char *constant,
                          pm__new_value *value)
{
  if (pm__calibration_find(fit->out, entry->id, constant) == NULL) return false;
  snprintf(value->text, sizeof value->text, "fitted");
  for (size_t i = 0; i < fit->out->error_count; i++) {
    const pm_fit_error *e = &fit->out->errors[i];
    size_t used = strlen(value->note);
    if (strcmp(e->stage, stage) == 0 && e->use == PM_FIT_USE_FITTED && is_of(fit, e->group, entry->id))
      snprintf(value->note + used, sizeof value->note - used, "%s%s", used > 0 ? ", " : "rows of ", e->group);
  }
  return true;
}

static bool replaced(const void *user, const pm__entry *entry, const pm_field *field, pm__new_value *value)
{
  const pm__kernel_fit *fit = (const pm__kernel_fit *)user;
  if (strcmp(field->name, "simt_basis") == 0) return replace_basis(fit, entry, "simt", "simt_efficiency", value);
  if (strcmp(field->name, "tensor_basis") == 0) return replace_basis(fit, entry, "tensor", "tensor_efficiency", value);
  const pm_fitted_constant *c = pm__calibration_find(fit->out, entry->id, field->name);
  if (c == NULL) return false;
  note_of(c, value->note, sizeof value->note);
  pm__value_write(value, c->value, field->unit);
  return true;
}

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What kernels get of an architecture: constants of the formulas in docs/model.md, written by perfmodel calibrate\n"
  "     (docs/calibration.md). No datasheet value and no measurement stands here.\n\n"
  "     An entry has the id of an architecture, or of one of its chips, whose GPUs are then its aliases. `fitted` constants\n"
  "     say on how many rows, and how uncertain they are; `rule` has no kernel of the architecture behind it.\n"
  "     The constants of the entry \"default\" hold for every architecture that does not state its own. -->\n"
  "<perfmodel version=\"1\">\n";

void pm__kernel_fit_write(const pm__kernel_fit *fit, const pm_catalog *catalog, pm__string *out)
{
  pm__string_add(out, head);
  const pm__entries *entries = &catalog->lists[PM__KERNEL_CALIBRATIONS];
  for (size_t i = 0; i < entries->count; i++)
    if (fit->all || pm__calibration_has(fit->out, entries->items[i]->id))
      pm__entry_write(out, entries->items[i], replaced, fit);
  pm__string_add(out, "\n</perfmodel>\n");
}
