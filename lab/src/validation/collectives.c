/* Published runs of collectives, and copies between two GPUs, beside predictions: by use, by machine, by size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validation/collective_runs.h"
#include "validation/comparison.h"
#include "validation/predictor.h"

/* ---- Rows of the set ---- */

/* What a table of rows says besides the comparison. */
typedef struct run_row {
  char system[PM_TEXT_MAX], machine[PM_TEXT_MAX], use[PM_TEXT_MAX], regime[PM_TEXT_MAX];
  char collective[PM_TEXT_MAX], algorithm[PM_TEXT_MAX], protocol[PM_TEXT_MAX];
  int32_t gpus, nodes, inside;
  double bytes, p10, p90;
} run_row;

static const pm_choice inside_choices[] = {{.name = "no", .doc = ""}, {.name = "yes", .doc = ""}, {.name = NULL}};

static const pm_field fields[] = {
  PM__FIELD(run_row, TEXT, system, "system", "", "as the source calls it"),
  PM__FIELD(run_row, TEXT, machine, "machine", "", "id in the catalogue; empty if none is known to be wired so"),
  PM__FIELD(run_row, TEXT, use, "use", "", "fit, held-out, check, document, or user for rows of the user"),
  PM__FIELD(run_row, TEXT, regime, "regime", "", "by size of the message"),
  PM__FIELD(run_row, TEXT, collective, "collective", "", "what was done"),
  PM__FIELD(run_row, TEXT, algorithm, "algorithm", "", "the one that the prediction takes"),
  PM__FIELD(run_row, TEXT, protocol, "protocol", "", "the one that the prediction takes"),
  PM__FIELD(run_row, INT, gpus, "gpus", "1", "GPUs over all nodes"),
  PM__FIELD(run_row, INT, nodes, "nodes", "1", "nodes"),
  PM__FIELD(run_row, REAL, bytes, "bytes", "B", "bytes of the whole buffer"),
  PM__FIELD(run_row, REAL, p10, "p10", "s", "lower end of the prediction interval"),
  PM__FIELD(run_row, REAL, p90, "p90", "s", "upper end of it"),
  {"inside", "", "whether what was measured lies in it", offsetof(run_row, inside), .kind = PM_FIELD_CHOICE,
   .choices = inside_choices},
};

static const pm_record_type row_type = PM__TYPE(run_row, fields);

/* ---- Predicting ---- */

/* cudaMemcpyPeer between two GPUs, "GPU0->GPU1" in the note. */
static int predict_copy(const pm_system *system, const pm__lab_run_cells *cells, double *predicted, pm_error *error)
{
  int from, to;
  pm_pair pair;
  bool staged = strstr(cells->collective, "staged") != NULL;
  if (sscanf(cells->note, "GPU%5d->GPU%5d", &from, &to) != 2)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "the note does not say which GPUs: \"GPU0->GPU1\"");
  int status = pm_system_get_pairs(system, from, to, 1, &pair, error);
  if (status != PM_OK) return status;
  if (strstr(cells->collective, "latency") != NULL) *predicted = staged ? pair.staged_latency : pair.latency;
  else if (strstr(cells->collective, "bidir") != NULL) *predicted = staged ? pair.staged_both_ways : pair.both_ways;
  else *predicted = staged ? pair.staged_bandwidth : pair.bandwidth;
  return PM_OK;
}

static int evaluate(const pm_group *group, const pm_call *call, double measured, run_row *row, double *predicted,
                    pm_error *error)
{
  pm_collective_time result;
  const pm_record_type *type = pm_record_type_find("collective");
  pm_group_evaluate(group, call, &result, 1);
  if (result.status != PM_OK) return pm__fail(error, result.status, "%s", pm_status_get_text(result.status));
  *predicted = result.time;
  row->p10 = result.time_p10;
  row->p90 = result.time_p90;
  row->inside = measured >= row->p10 && measured <= row->p90;
  pm_record_format(pm_record_find_field(type, "algorithm"), &result, row->algorithm);
  pm_record_format(pm_record_find_field(type, "protocol"), &result, row->protocol);
  return PM_OK;
}

static int predict_collective(const pm_system *system, const pm__lab_runs *runs, const pm__lab_run *run, run_row *row,
                              double *predicted, pm_error *error)
{
  pm_call call;
  if (pm__lab_run_call(run, &call, error) != PM_OK) return PM_STATUS_NOT_FOUND;
  pm__lab_members members;
  pm__lab_run_members(runs, run, &members);
  pm_group *group = pm__lab_run_group(&members, system, error);
  int status = group != NULL ? evaluate(group, &call, run->measured, row, predicted, error) : PM_STATUS_BAD_ARGUMENT;
  pm_group_free(group);
  return status;
}

typedef struct study {
  pm__lab_context *context;
  pm__lab_runs runs;
  pm__lab_machines *machines;
  pm__lab_predictor *predictor;
  run_row *rows;
  pm__lab_comparisons compared; /* one for each row */
  pm__lab_reasons reasons;
} study;

/* ---- Rows ---- */

/* Predicts what was read, in the unit of what was measured. The error says why there is no prediction. */
static int predict_run(study *s, const pm__lab_run *run, run_row *row, double *predicted, pm_error *error)
{
  int system = pm__lab_predictor_system(s->predictor, run->machine, error);
  if (system < 0) return PM_STATUS_NOT_FOUND;
  const pm_system *built = pm__lab_predictor_built_system(s->predictor, system);
  if (run->regime == PM__COPIES) return predict_copy(built, run->cells, predicted, error);
  return predict_collective(built, &s->runs, run, row, predicted, error);
}

static void fill_row(const pm__lab_run *run, run_row *out)
{
  const pm__lab_run_cells *cells = run->cells;
  snprintf(out->system, sizeof out->system, "%.79s", cells->system);
  snprintf(out->collective, sizeof out->collective, "%.79s", cells->collective);
  snprintf(out->use, sizeof out->use, "%.79s", cells->use[0] != '\0' ? cells->use : "user");
  pm__text_set(out->regime, sizeof out->regime, pm__lab_regimes[run->regime]);
  pm__text_set(out->machine, sizeof out->machine, run->machine);
  out->gpus = run->gpus;
  out->nodes = run->nodes;
  out->bytes = run->bytes;
}

static int add_row(study *s, size_t index, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  pm__lab_run run;
  double predicted = NAN;
  run_row *row = &s->rows[index];
  pm__lab_comparison *out = pm__lab_comparisons_add(&s->compared, error);
  if (out == NULL) return PM_STATUS_NO_MEMORY;
  int status = pm__lab_run_read(&s->runs, index, s->machines, &run, &reason);
  fill_row(&run, row);
  row->p10 = row->p90 = NAN;
  if (status == PM_OK) status = predict_run(s, &run, row, &predicted, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  snprintf(out->id, sizeof out->id, "line %zu", index + 2);
  snprintf(out->group, sizeof out->group, "%.60s %.15s", row->machine[0] != '\0' ? row->machine : row->system,
           row->regime);
  pm__text_set(out->set, sizeof out->set, s->context->set);
  pm__text_set(out->unit, sizeof out->unit, run.rate ? "B/s" : "s");
  out->measured = run.measured;
  if (status != PM_OK) return pm__lab_reasons_add(&s->reasons, reason.text, error);
  pm__lab_comparison_set(out, predicted);
  return PM_OK;
}

static int add_rows(study *s, pm_error *error)
{
  s->rows = (run_row *)calloc(s->runs.count + 1, sizeof *s->rows);
  int status = s->rows != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; i < s->runs.count && status == PM_OK; i++) status = add_row(s, i, error);
  return status;
}

/* ---- Groups: a row is in that of all, in that of its use and in that of its machine ---- */

/* How many of a group's measurements lie in the prediction interval. */
typedef struct held_interval {
  double share; /* in per cent; NAN of copies, which have no interval */
} held_interval;

static const pm_field held_fields[] = {
  PM__FIELD_MAIN(held_interval, REAL, share, "covered", "%",
                 "measurements within the 80 % interval of their prediction"),
};

static const pm_record_type held_type = PM__TYPE(held_interval, held_fields);

typedef struct groups {
  const study *of;
  pm__lab_comparisons rows;
  held_interval *held;
  size_t count, capacity;
} groups;

static bool is_in(const run_row *row, const char *machine, const char *use, size_t regime)
{
  if (strcmp(row->regime, pm__lab_regimes[regime]) != 0) return false;
  return (machine == NULL || strcmp(row->machine, machine) == 0) && (use == NULL || strcmp(row->use, use) == 0);
}

static int add_held(groups *g, size_t inside, size_t all, bool known, pm_error *error)
{
  held_interval *next = (held_interval *)pm__grow(g->held, g->count, &g->capacity, sizeof *next);
  if (next == NULL) return pm__no_memory(error);
  g->held = next;
  g->held[g->count++] = (held_interval){.share = known ? 100 * (double)inside / (double)all : (double)NAN};
  return PM_OK;
}

/* Rows of a size with this machine and use (NULL: any). */
static int add_group(groups *g, const char *machine, const char *use, size_t regime, pm_error *error)
{
  const study *s = g->of;
  const char *name = machine != NULL ? machine : use != NULL ? use : "all";
  size_t all = 0, inside = 0;
  for (size_t i = 0; i < s->runs.count; i++) {
    if (!is_in(&s->rows[i], machine, use, regime)) continue;
    pm__lab_comparison *copy = pm__lab_comparisons_add(&g->rows, error);
    if (copy == NULL) return PM_STATUS_NO_MEMORY;
    *copy = s->compared.items[i];
    snprintf(copy->group, sizeof copy->group, "%.60s %s", name, pm__lab_regimes[regime]);
    if (isnan(copy->error)) continue;
    all++;
    inside += s->rows[i].inside != 0;
  }
  return all > 0 ? add_held(g, inside, all, regime != PM__COPIES, error) : PM_OK;
}

static int add_sizes(groups *g, const char *machine, const char *use, pm_error *error)
{
  int status = PM_OK;
  for (size_t r = 0; r < PM__REGIMES && status == PM_OK; r++) status = add_group(g, machine, use, r, error);
  return status;
}

static bool is_first_of_machine(const study *s, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (strcmp(s->rows[i].machine, s->rows[index].machine) == 0) return false;
  return s->rows[index].machine[0] != '\0';
}

static pm_table *groups_table(const study *s, pm_error *error)
{
  static const char *const uses[] = {NULL, "fit", "held-out", "check", "document"};
  groups g = {.of = s};
  int status = PM_OK;
  for (size_t u = 0; u < sizeof uses / sizeof uses[0] && status == PM_OK; u++)
    status = add_sizes(&g, NULL, uses[u], error);
  for (size_t i = 0; i < s->runs.count && status == PM_OK; i++)
    if (is_first_of_machine(s, i)) status = add_sizes(&g, s->rows[i].machine, NULL, error);
  pm_table *table = status == PM_OK ? pm__lab_comparisons_summary(&g.rows, error) : NULL;
  if (table != NULL) table = pm__lab_table_with(table, &held_type, g.held, error);
  free(g.rows.items);
  free(g.held);
  return table;
}

/* ---- The set ---- */

pm_table *pm__lab_validate_collectives(pm__lab_context *context, pm_error *error)
{
  static const char *const needed[] = {"system", "gpus", "nodes", "collective", "message_bytes", "time_us"};
  study s;
  pm_table *table = NULL;
  memset(&s, 0, sizeof s);
  s.context = context;
  int status = pm__lab_check_columns(context, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) status = pm__lab_runs_read(&s.runs, context->table, error);
  if (status == PM_OK) s.machines = pm__lab_machines_new(context->catalog, error);
  if (s.machines != NULL) s.predictor = pm__lab_predictor_new(context->catalog, NULL, error);
  if (s.predictor != NULL && add_rows(&s, error) == PM_OK) {
    pm__lab_note_unpredicted(context, &s.reasons);
    table = context->rows ? pm__lab_table_with(pm__lab_comparisons_table(&s.compared, error), &row_type, s.rows, error)
                       : groups_table(&s, error);
  }
  pm__lab_predictor_free(s.predictor);
  pm__lab_machines_free(s.machines);
  pm__lab_reasons_free(&s.reasons);
  free(s.compared.items);
  free(s.rows);
  pm__lab_runs_free(&s.runs);
  return table;
}
