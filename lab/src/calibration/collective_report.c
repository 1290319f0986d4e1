/* What a calibration of collectives found: errors fitted and left out, the interval, the constants as a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/collective_fit.h"

static const char STAGE[] = "collectives";
static const double MIDDLE = 0.8;               /* share of the rows that an interval covers */
static const double WIDTH = 1.2815515655446004; /* of it, in standard deviations */
static const char *const deviations[] = {"small_deviation", "middle_deviation", "large_deviation"};

static double per_cent(double logarithm)
{
  return (exp(logarithm) - 1) * 100;
}

/* ---- Errors ---- */

/* Rows of a machine (-1: of all) by size. */
static int add_errors(pm__lab_collective_fit *fit, int machine, bool left_out, double *room, pm_error *error)
{
  int status = PM_OK;
  for (int regime = PM__SMALL; regime <= PM__LARGE && status == PM_OK; regime++) {
    char group[PM_TEXT_MAX + 20];
    size_t n = 0;
    const char *name = machine >= 0 ? pm_system_get_machine(fit->rows.machines[machine].built)->id : "all";
    for (size_t i = 0; i < fit->rows.count; i++) {
      const pm__lab_collective_row *row = &fit->rows.items[i];
      if ((int)row->regime != regime || (machine >= 0 && row->machine != machine) || isnan(row->predicted)) continue;
      if (left_out) room[n++] = per_cent(fit->left_out[i]);
      else if (row->use == PM_FIT_USE_FITTED) room[n++] = per_cent(log(row->predicted / row->measured));
    }
    snprintf(group, sizeof group, "%.60s %s", name, pm__lab_regimes[regime]);
    pm_fit_use use = left_out ? PM_FIT_USE_LEFT_OUT_MACHINE : PM_FIT_USE_FITTED;
    status = pm__lab_calibration_error(fit->out, STAGE, group, use, room, n, error);
  }
  return status;
}

/* ---- The prediction interval ---- */

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool is_left_out(const pm__lab_collective_fit *fit, size_t i, int regime)
{
  return (int)fit->rows.items[i].regime == regime && !isnan(fit->left_out[i]);
}

/* Share of the left-out rows of a size, without those of one machine (-1: of all), whose errors are no larger than
** `width`. Each machine counts as one, however many rows it has: what the interval is for is a machine yet unseen. */
static double share_within(const pm__lab_collective_fit *fit, int regime, int without, double width)
{
  double sum = 0, machines = 0;
  for (int m = 0; m < (int)fit->rows.machine_count; m++) {
    size_t all = 0, inside = 0;
    for (size_t i = 0; m != without && i < fit->rows.count; i++) {
      if (fit->rows.items[i].machine != m || !is_left_out(fit, i, regime)) continue;
      all++;
      inside += fabs(fit->left_out[i]) <= width;
    }
    if (all == 0) continue;
    sum += (double)inside / (double)all;
    machines++;
  }
  return sum / machines;
}

/* Standard deviation of the normal distribution whose middle is as wide as that of the left-out rows: the least of
** their errors within which enough are. NAN without rows. */
static double deviation(const pm__lab_collective_fit *fit, int regime, int without, double *room)
{
  size_t n = 0, low = 0;
  for (size_t i = 0; i < fit->rows.count; i++)
    if (is_left_out(fit, i, regime) && fit->rows.items[i].machine != without) room[n++] = fabs(fit->left_out[i]);
  if (n == 0) return NAN;
  qsort(room, n, sizeof *room, by_size);
  for (size_t high = n - 1; low < high;) {
    size_t middle = (low + high) / 2;
    if (share_within(fit, regime, without, room[middle]) >= MIDDLE) high = middle;
    else low = middle + 1;
  }
  return room[low] / WIDTH;
}

static double covered(const pm__lab_collective_fit *fit, int regime, double *room)
{
  size_t all = 0, inside = 0;
  for (size_t m = 0; m < fit->rows.machine_count; m++) {
    double width = WIDTH * deviation(fit, regime, (int)m, room);
    for (size_t i = 0; i < fit->rows.count; i++) {
      const pm__lab_collective_row *row = &fit->rows.items[i];
      if ((int)row->regime != regime || row->machine != (int)m || isnan(fit->left_out[i])) continue;
      all++;
      inside += fabs(fit->left_out[i]) <= width;
    }
  }
  return (double)inside / (double)all;
}

static int add_band(pm__lab_collective_fit *fit, double *room, pm_error *error)
{
  for (int regime = PM__SMALL; regime <= PM__LARGE && !fit->own; regime++) {
    double width = deviation(fit, regime, -1, room);
    if (isnan(width)) continue;
    pm_fitted_constant *c = pm__lab_calibration_constant(fit->out, "default", deviations[regime], error);
    if (c == NULL) return PM_STATUS_NO_MEMORY;
    pm__text_set(c->stage, sizeof c->stage, "interval");
    c->value = pm__lab_four_digits(width);
    c->state = PM_FIT_STATE_FITTED;
    for (size_t i = 0; i < fit->rows.count; i++) c->rows += (int)fit->rows.items[i].regime == regime;
    pm__string_format(&fit->out->notes,
                      "interval, %s: standard deviation %.3f of machines left out; that of the others covers %.0f %%\n",
                      pm__lab_regimes[regime], width, 100 * covered(fit, regime, room));
  }
  return PM_OK;
}

/* ---- The file ---- */

static const pm_fitted_constant *found_of(const pm__lab_collective_fit *fit, const pm__lab_entry *entry,
                                          const char *name)
{
  const pm_fitted_constant *own = pm__lab_calibration_find(fit->out, entry->id, name);
  if (own != NULL || strcmp(entry->kind, "fit") != 0) return own;
  return pm__lab_calibration_find(fit->out, "default", name);
}

/* Which machines have rows of the entry. */
static void name_machines(const pm__lab_collective_fit *fit, const char *entry, char *out, size_t size)
{
  out[0] = '\0';
  for (size_t m = 0; m < fit->rows.machine_count; m++) {
    const pm__lab_fit_machine *machine = &fit->rows.machines[m];
    bool own = strcmp(pm_system_get_gpu(machine->built)->architecture, entry) == 0;
    pm_edge edge;
    for (int i = 0; !own && pm_system_get_edge(machine->built, i, &edge) == PM_OK; i++)
      own = strcmp(edge.link, entry) == 0;
    own = own || strcmp(pm_system_get_network_link(machine->built), entry) == 0;
    if (!machine->fitted || !own) continue;
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", pm_system_get_machine(machine->built)->id);
  }
}

/* On rows of the user, only what has rows, and entries that they changed. */
static bool is_of_rows(const pm__lab_collective_fit *fit, const char *entry)
{
  char machines[PM_TEXT_MAX];
  name_machines(fit, entry, machines, sizeof machines);
  return machines[0] != '\0';
}

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  const pm__lab_collective_fit *fit = (const pm__lab_collective_fit *)user;
  const pm_fitted_constant *found = found_of(fit, entry, field->name);
  if (found == NULL || (fit->own && pm__lab_four_digits(found->start) == found->value)) return false;
  char machines[sizeof value->fitted_to] = "";
  bool common = strcmp(found->entry, "default") == 0;
  if (!common && !fit->own) name_machines(fit, found->entry, machines, sizeof machines);
  pm__lab_value_fitted(value, fit->out, machines, (int)found->rows);
  if (strcmp(found->stage, "interval") == 0)
    pm__text_set(value->note, sizeof value->note, "each machine left out in turn");
  else if (common && !fit->own) pm__text_set(value->note, sizeof value->note, "all machines");
  if (strcmp(field->unit, "B") == 0) snprintf(value->text, sizeof value->text, "%.4g KB", found->value / 1e3);
  else pm__lab_value_write(value, found->value, field->unit);
  return true;
}

static bool is_changed(const pm__lab_collective_fit *fit, const pm__lab_entry *entry)
{
  pm__lab_new_value value;
  for (size_t i = 0; i < entry->type->field_count; i++)
    if (replaced(fit, entry, &entry->type->fields[i], &value)) return true;
  return false;
}

static void write_file(const pm__lab_collective_fit *fit, pm__string *out)
{
  static const char *const written[] = {"fit", "calibration"};
  pm__string_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<!-- Constants of collectives and of links, written by perfmodel calibrate (set collectives). "
                      "What was\n"
                      "     fitted names the machines whose rows it was fitted to, or \"all machines\"; statements of "
                      "the documents and\n"
                      "     rows marked held-out played no part. -->\n"
                      "<perfmodel version=\"1\">\n");
  for (size_t k = 0; k < sizeof written / sizeof written[0]; k++) {
    pm__lab_entry entry;
    for (size_t i = 0; pm__lab_entry_at(fit->catalog, written[k], i, &entry); i++)
      if (!fit->own || (is_of_rows(fit, entry.id) && is_changed(fit, &entry)))
        pm__lab_entry_write(out, &entry, replaced, fit);
  }
  pm__string_add(out, "\n</perfmodel>\n");
}

/* ---- All of it ---- */

static size_t rows_of(const pm__lab_collective_fit *fit, const pm__lab_fit_constant *constant)
{
  size_t count = 0;
  for (size_t i = 0; i < fit->rows.count; i++) {
    const pm__lab_collective_row *row = &fit->rows.items[i];
    const pm_system *built = fit->rows.machines[row->machine].built;
    bool link = strcmp(constant->kind->type, "fit") != 0;
    count += row->use == PM_FIT_USE_FITTED &&
             (link || constant->entry[0] == '\0' ||
              strcmp(pm_system_get_gpu(built)->architecture, constant->entry) == 0);
  }
  return count;
}

static int keep_constants(pm__lab_collective_fit *fit, const pm_fit_parameter *found, pm_error *error)
{
  for (size_t i = 0; i < fit->count; i++) {
    const pm__lab_fit_constant *c = &fit->constants[i];
    if (strcmp(c->kind->type, "trend") == 0) continue; /* part of what is expected before any row, and in no record */
    const pm_field *field = pm_record_find_field(pm_record_type_find(c->kind->type), c->kind->name);
    const char *entry = c->entry[0] != '\0' ? c->entry : "default";
    pm_fitted_constant *kept = pm__lab_calibration_constant(fit->out, entry, c->kind->name, error);
    if (kept == NULL) return PM_STATUS_NO_MEMORY;
    pm__lab_constant_found(kept, c->kind->type, field->unit, &found[i], rows_of(fit, c));
  }
  return PM_OK;
}

static int add_all_errors(pm__lab_collective_fit *fit, double *room, pm_error *error)
{
  int status = add_errors(fit, -1, false, room, error);
  if (status == PM_OK) status = add_errors(fit, -1, true, room, error);
  for (size_t m = 0; m < fit->rows.machine_count && status == PM_OK; m++)
    status = add_errors(fit, (int)m, true, room, error);
  return status;
}

int pm__lab_fit_report(pm__lab_collective_fit *fit, const pm_fit_parameter *found, pm_error *error)
{
  double *room = (double *)malloc((fit->rows.count + 1) * sizeof *room);
  if (room == NULL) return pm__no_memory(error);
  int status = keep_constants(fit, found, error);
  if (status == PM_OK) status = add_all_errors(fit, room, error);
  if (status == PM_OK) status = add_band(fit, room, error);
  free(room);
  if (status != PM_OK) return status;
  if (fit->rows.unread.count > 0) pm__string_add(&fit->out->notes, "not predicted:\n");
  pm__lab_reasons_write(&fit->rows.unread, &fit->out->notes);
  write_file(fit, &fit->out->xml);
  return PM_OK;
}
