/* Published runs of collectives, and copies between two GPUs, beside predictions: by use, by machine, by size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lab/validate/collective_run.h"
#include "lab/validate/sets.h"

/* What a table of rows says besides the comparison. */
typedef struct run_row {
  char system[PM_TEXT_MAX], machine[PM_TEXT_MAX], use[PM_TEXT_MAX], regime[PM_TEXT_MAX];
  char collective[PM_TEXT_MAX], algorithm[PM_TEXT_MAX], protocol[PM_TEXT_MAX];
  int32_t gpus, nodes;
  double bytes;
} run_row;

static const pm_field fields[] = {
  PM__FIELD(run_row, TEXT, system, "system", "", "as the source calls it"),
  PM__FIELD(run_row, TEXT, machine, "machine", "", "id in the catalogue; empty if none is known to be wired so"),
  PM__FIELD(run_row, TEXT, use, "use", "", "fit, held-out, document, or user for rows of one's own"),
  PM__FIELD(run_row, TEXT, regime, "regime", "", "by size of the message"),
  PM__FIELD(run_row, TEXT, collective, "collective", "", "what was done"),
  PM__FIELD(run_row, TEXT, algorithm, "algorithm", "", "the one that the prediction takes"),
  PM__FIELD(run_row, TEXT, protocol, "protocol", "", "the one that the prediction takes"),
  PM__FIELD(run_row, INT, gpus, "gpus", "1", "GPUs over all nodes"),
  PM__FIELD(run_row, INT, nodes, "nodes", "1", "nodes"),
  PM__FIELD(run_row, REAL, bytes, "bytes", "B", "bytes of the whole buffer"),
};

static const pm_record_type row_type = PM__TYPE(run_row, fields);

static const char *const regimes[] = {"<64 KB", "64 KB-16 MB", ">=16 MB", "copies"};

enum { REGIMES = sizeof regimes / sizeof regimes[0] };

typedef struct study {
  pm__task *task;
  pm__runs runs;
  pm__bench *bench;
  run_row *rows;
  pm__comparisons compared; /* one for each row */
  pm__tally reasons;
} study;

/* ---- Rows ---- */

static const char *regime_of(const pm__collective_run *run)
{
  if (run->copy) return regimes[3];
  if (run->bytes < 65536) return regimes[0];
  return run->bytes < 16777216 ? regimes[1] : regimes[2];
}

static void fill_row(const pm__run_cells *cells, const pm__collective_run *run, run_row *out)
{
  snprintf(out->system, sizeof out->system, "%.79s", cells->system);
  snprintf(out->collective, sizeof out->collective, "%.79s", cells->collective);
  snprintf(out->use, sizeof out->use, "%.79s", cells->use[0] != '\0' ? cells->use : "user");
  strcpy(out->regime, regime_of(run));
  strcpy(out->machine, run->machine);
  strcpy(out->algorithm, run->algorithm);
  strcpy(out->protocol, run->protocol);
  out->gpus = run->gpus;
  out->nodes = run->nodes;
  out->bytes = run->bytes;
}

static int add_row(study *s, size_t index, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  pm__collective_run run;
  double predicted;
  run_row *row = &s->rows[index];
  pm__comparison *out = pm__comparisons_add(&s->compared, error);
  if (out == NULL) return PM_NO_MEMORY;
  int status = pm__runs_predict(&s->runs, index, s->task->catalog, s->bench, &run, &predicted, &reason);
  if (status == PM_NO_MEMORY) return pm__no_memory(error);
  fill_row(&s->runs.items[index], &run, row);
  snprintf(out->id, sizeof out->id, "line %zu", index + 2);
  snprintf(out->group, sizeof out->group, "%.60s %.15s", row->machine[0] != '\0' ? row->machine : row->system,
           row->regime);
  pm__text_set(out->set, sizeof out->set, s->task->set);
  strcpy(out->unit, run.rate ? "B/s" : "s");
  out->measured = run.measured;
  if (status != PM_OK) return pm__tally_add(&s->reasons, reason.text, error);
  pm__comparison_set(out, predicted);
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

/* Rows with this machine and use (NULL: any), by regime. */
static int add_groups(const study *s, const char *machine, const char *use, pm__comparisons *out, pm_error *error)
{
  const char *name = machine != NULL ? machine : use != NULL ? use : "all";
  for (size_t r = 0; r < REGIMES; r++)
    for (size_t i = 0; i < s->runs.count; i++) {
      const run_row *row = &s->rows[i];
      if (strcmp(row->regime, regimes[r]) != 0) continue;
      if (machine != NULL && strcmp(row->machine, machine) != 0) continue;
      if (use != NULL && strcmp(row->use, use) != 0) continue;
      pm__comparison *copy = pm__comparisons_add(out, error);
      if (copy == NULL) return PM_NO_MEMORY;
      *copy = s->compared.items[i];
      snprintf(copy->group, sizeof copy->group, "%.60s %s", name, regimes[r]);
    }
  return PM_OK;
}

static bool is_first_of_machine(const study *s, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (strcmp(s->rows[i].machine, s->rows[index].machine) == 0) return false;
  return s->rows[index].machine[0] != '\0';
}

static pm_table *groups_table(const study *s, pm_error *error)
{
  static const char *const uses[] = {NULL, "fit", "held-out", "document"};
  pm__comparisons all = {NULL, 0, 0};
  int status = PM_OK;
  for (size_t u = 0; u < sizeof uses / sizeof uses[0] && status == PM_OK; u++)
    status = add_groups(s, NULL, uses[u], &all, error);
  for (size_t i = 0; i < s->runs.count && status == PM_OK; i++)
    if (is_first_of_machine(s, i)) status = add_groups(s, s->rows[i].machine, NULL, &all, error);
  pm_table *table = status == PM_OK ? pm__comparisons_summary(&all, error) : NULL;
  free(all.items);
  return table;
}

/* ---- The set ---- */

pm_table *pm__validate_collectives(pm__task *task, pm_error *error)
{
  static const char *const needed[] = {"system", "gpus", "nodes", "collective", "message_bytes", "time_us"};
  study s;
  pm_table *table = NULL;
  memset(&s, 0, sizeof s);
  s.task = task;
  int status = pm__task_columns(task, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) status = pm__runs_read(&s.runs, task->table, error);
  if (status == PM_OK) s.bench = pm__bench_new(task->catalog, false, error);
  if (s.bench != NULL && add_rows(&s, error) == PM_OK) {
    pm__task_unpredicted(task, &s.reasons);
    table = task->rows ? pm__table_with(pm__comparisons_table(&s.compared, error), &row_type, s.rows, error)
                       : groups_table(&s, error);
  }
  pm__bench_free(s.bench);
  pm__tally_free(&s.reasons);
  free(s.compared.items);
  free(s.rows);
  free(s.runs.items);
  return table;
}
