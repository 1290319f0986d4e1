/* Kernel calibrations as a file of the catalogue: fitted constants in the places of the old ones, the rest as it was. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "calibrate/kernel_fit.h"
#include "catalog_entry.h"
#include "perfmodel/units.h"

static void add_escaped(pm__string *out, const char *text)
{
  for (; *text != '\0'; text++) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;"
                                                                                                          : NULL;
    if (escape != NULL) pm__string_add(out, escape);
    else pm__string_add_bytes(out, text, 1);
  }
}

static void add_attribute(pm__string *out, const char *name, const char *value)
{
  if (value == NULL || value[0] == '\0') return;
  pm__string_format(out, " %s=\"", name);
  add_escaped(out, value);
  pm__string_add(out, "\"");
}

static const pm_fitted_constant *fitted(const pm_kernel_fit *fit, const char *id, const char *name)
{
  for (size_t i = 0; i < fit->constant_count; i++)
    if (strcmp(fit->constants[i].architecture, id) == 0 && strcmp(fit->constants[i].constant, name) == 0)
      return &fit->constants[i];
  return NULL;
}

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

/* In the units that people write: us and pJ/FLOP. */
static void value_of(const pm_fitted_constant *c, char *text, size_t size)
{
  if (strcmp(c->unit, "s") == 0) snprintf(text, size, "%.4g us", c->value * 1e6);
  else if (strcmp(c->unit, "J/FLOP") == 0) snprintf(text, size, "%.4g pJ/FLOP", c->value * 1e12);
  else snprintf(text, size, "%.4g%s%s", c->value, c->unit[0] != '\0' ? " " : "", c->unit[0] == 'B' ? "B" : "");
}

static void add_field(pm__string *out, const char *name, const char *source, const char *note, const char *text)
{
  pm__string_format(out, "    <%s", name);
  add_attribute(out, "source", source);
  add_attribute(out, "note", note);
  pm__string_add(out, ">");
  add_escaped(out, text);
  pm__string_format(out, "</%s>\n", name);
}

static bool is_basis(const char *name)
{
  size_t length = strlen(name);
  return length > 6 && strcmp(name + length - 6, "_basis") == 0;
}

/* The basis of cores that were fitted says on what. */
static bool add_basis(pm__string *out, const pm_kernel_fit *fit, const pm__entry *entry, const char *name)
{
  const char *stage = strcmp(name, "simt_basis") == 0 ? "simt" : "tensor";
  char gpus[400] = "";
  if (!is_basis(name) || fitted(fit, entry->id, strcmp(stage, "simt") == 0 ? "simt_efficiency" : "tensor_efficiency") == NULL)
    return false;
  for (size_t i = 0; i < fit->error_count; i++) {
    const pm_fit_error *e = &fit->errors[i];
    if (strcmp(e->stage, stage) != 0 || e->use != PM_KERNEL_USE_FITTED) continue;
    for (size_t g = 0; g < fit->gpu_count; g++)
      if (strcmp(fit->gpus[g].gpu.id, e->gpu) == 0 &&
          strcmp(fit->architectures[fit->gpus[g].architecture].id, entry->id) == 0)
        snprintf(gpus + strlen(gpus), sizeof gpus - strlen(gpus), "%s%s", gpus[0] != '\0' ? ", " : "", e->gpu);
  }
  char note[500];
  snprintf(note, sizeof note, "rows of %s", gpus);
  add_field(out, name, "", note, "fitted");
  return true;
}

static void add_one(pm__string *out, const pm_kernel_fit *fit, const pm__entry *entry, size_t index)
{
  const pm_field *field = &entry->type->fields[index];
  const pm__provenance *from = &entry->from[index];
  const pm_fitted_constant *c = fitted(fit, entry->id, field->name);
  if (strcmp(field->name, "id") == 0 || strcmp(field->name, "name") == 0) return;
  if (c != NULL) {
    char note[200], text[64];
    note_of(c, note, sizeof note);
    value_of(c, text, sizeof text);
    add_field(out, field->name, "", note, text);
  } else if (from->line > 0 && !add_basis(out, fit, entry, field->name)) {
    add_field(out, field->name, strcmp(from->source, entry->source) != 0 ? from->source : "", from->note, from->text);
  }
}

static bool has_any(const pm_kernel_fit *fit, const char *id)
{
  for (size_t i = 0; i < fit->constant_count; i++)
    if (strcmp(fit->constants[i].architecture, id) == 0) return true;
  return false;
}

static void add_entry(pm__string *out, const pm_kernel_fit *fit, const pm__entry *entry)
{
  pm__string_format(out, "\n  <kernel_calibration id=\"%s\"", entry->id);
  add_attribute(out, "name", entry->name);
  for (size_t i = 0; i < entry->alias_count; i++) {
    pm__string_add(out, i == 0 ? " alias=\"" : ", ");
    add_escaped(out, entry->aliases[i]);
  }
  if (entry->alias_count > 0) pm__string_add(out, "\"");
  add_attribute(out, "source", entry->source);
  add_attribute(out, "note", entry->note);
  pm__string_add(out, ">\n");
  for (size_t i = 0; i < entry->type->field_count; i++) add_one(out, fit, entry, i);
  pm__string_add(out, "  </kernel_calibration>\n");
}

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What kernels get of an architecture: constants of the formulas in docs/model.md, written by perfmodel calibrate\n"
  "     (docs/calibration.md). No datasheet value and no measurement stands here.\n\n"
  "     An entry has the id of an architecture, or of one of its chips, whose GPUs are then its aliases. `fitted` constants\n"
  "     say on how many rows, and how uncertain they are; `rule` has no kernel of the architecture behind it.\n"
  "     The constants of the entry \"default\" hold for every architecture that does not state its own. -->\n"
  "<perfmodel version=\"1\">\n";

char *pm_kernel_fit_xml(const pm_kernel_fit *fit, const pm_catalog *catalog, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (fit == NULL || catalog == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "a calibration as XML needs the calibration and its catalogue");
    return NULL;
  }
  pm__string_add(&out, head);
  const pm__entries *entries = &catalog->lists[PM__KERNEL_CALIBRATIONS];
  for (size_t i = 0; i < entries->count; i++)
    if (fit->all || has_any(fit, entries->items[i]->id)) add_entry(&out, fit, entries->items[i]);
  pm__string_add(&out, "\n</perfmodel>\n");
  if (!out.failed) return out.text;
  pm_string_free(out.text);
  pm__no_memory(error);
  return NULL;
}
