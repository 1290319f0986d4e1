/* perfmodel validate --set collectives: published runs of collectives beside their predictions. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "validation.h"

typedef struct run_row {
  char system[PM_TEXT_MAX], machine[PM_TEXT_MAX], use[PM_TEXT_MAX], regime[PM_TEXT_MAX];
  char collective[PM_TEXT_MAX], algorithm[PM_TEXT_MAX], protocol[PM_TEXT_MAX];
  int32_t gpus, nodes;
  double bytes, measured, predicted;
  char unit[PM_TEXT_MAX];
  double error;
} run_row;

#define FIELD(kind, name, unit, doc) {#name, unit, doc, offsetof(run_row, name), PM_FIELD_##kind, NULL}

static const pm_field fields[] = {
  FIELD(TEXT, system, "", "as the source calls it"),
  FIELD(TEXT, machine, "", "id in the catalogue; empty if none is known to be wired so"),
  FIELD(TEXT, use, "", "fit, held-out or document"),
  FIELD(TEXT, regime, "", "by size of the message"),
  FIELD(TEXT, collective, "", "what was done"),
  FIELD(TEXT, algorithm, "", "the one that the prediction takes"),
  FIELD(TEXT, protocol, "", "the one that the prediction takes"),
  FIELD(INT, gpus, "1", "GPUs over all nodes"),
  FIELD(INT, nodes, "1", "nodes"),
  FIELD(REAL, bytes, "B", "bytes of the whole buffer"),
  FIELD(REAL, measured, "1", "what was measured, in `unit`"),
  FIELD(REAL, predicted, "1", "what is predicted, in `unit`; unknown if it cannot be"),
  FIELD(TEXT, unit, "", "unit of both"),
  FIELD(REAL, error, "%", "(predicted - measured) / measured"),
};

static const pm_record_type row_type = {"run_row", "", sizeof(run_row), fields, sizeof fields / sizeof fields[0]};

/* ---- Which machine ---- */

/* Whether every word of `name` (runs of letters and digits) is a word of `text`; *letters counts them. */
static bool words_in(const char *name, const char *text, size_t *letters)
{
  *letters = 0;
  while (*name != '\0') {
    size_t length = 0;
    while (isalnum((unsigned char)name[length])) length++;
    if (length == 0) {
      name++;
      continue;
    }
    bool found = false;
    for (const char *p = text; *p != '\0' && !found;) {
      size_t l = 0;
      while (isalnum((unsigned char)p[l])) l++;
      found = l == length;
      for (size_t i = 0; found && i < l; i++)
        found = tolower((unsigned char)p[i]) == tolower((unsigned char)name[i]);
      p += l > 0 ? l : 1;
    }
    if (!found) return false;
    *letters += length;
    name += length;
  }
  return *letters > 0;
}

/* The system of the catalogue whose id, name or alias has the most letters among those whose words are all in `text`. */
static const char *guess_machine(const pm_catalog *catalog, const char *text)
{
  const char *best = NULL, *id, *name;
  size_t most = 0, letters;
  for (size_t i = 0; (id = pm_catalog_id(catalog, "systems", i)) != NULL; i++)
    for (size_t k = 0; (name = pm_catalog_name(catalog, "systems", id, k)) != NULL; k++)
      if (words_in(name, text, &letters) && letters > most) {
        most = letters;
        best = id;
      }
  return best;
}

/* The first system with the GPU that the text names, the same way. */
static const char *guess_by_gpu(const pm_catalog *catalog, const char *text)
{
  pm_machine machine;
  const char *gpu = NULL, *id, *name;
  size_t most = 0, letters;
  for (size_t i = 0; (id = pm_catalog_id(catalog, "gpus", i)) != NULL; i++)
    for (size_t k = 0; (name = pm_catalog_name(catalog, "gpus", id, k)) != NULL; k++)
      if (words_in(name, text, &letters) && letters > most) {
        most = letters;
        gpu = id;
      }
  for (size_t i = 0; gpu != NULL && (id = pm_catalog_id(catalog, "systems", i)) != NULL; i++)
    if (pm_catalog_record(catalog, "systems", id, &machine, NULL) == PM_OK && strcmp(machine.gpu, gpu) == 0) return id;
  return NULL;
}

static const char *find_machine(const pm_catalog *catalog, const csv_table *table, size_t row)
{
  int column = csv_column(table, "machine");
  const char *text = csv_cell(table, row, csv_column(table, "system"));
  if (column >= 0) return csv_cell(table, row, column);
  const char *id = pm_catalog_resolve(catalog, "systems", text, NULL);
  if (id == NULL) id = guess_machine(catalog, text);
  if (id == NULL) id = guess_by_gpu(catalog, text);
  return id != NULL ? id : "";
}

/* ---- How it was run ---- */

static double number(const char *text)
{
  double value;
  return text[0] != '\0' && pm_number_parse(text, &value) == PM_OK ? value : (double)NAN;
}

/* The N of "-g N": GPUs that one process drives. */
static int thread_gpus_said(const char *note)
{
  const char *g = strstr(note, "-g ");
  return g != NULL ? atoi(g + 3) : 0;
}

/* What a row, or another of the same source, says; on one node, unless it says otherwise, nccl-tests is one process, and
** rccl-tests, which are run by MPI, one for each GPU. */
static int thread_gpus(const csv_table *table, size_t row, int per_node, int nodes)
{
  int note = csv_column(table, "note"), source = csv_column(table, "source");
  int said = thread_gpus_said(csv_cell(table, row, note));
  for (size_t i = 1; said == 0 && i < table->rows && source >= 0; i++)
    if (strcmp(csv_cell(table, i, source), csv_cell(table, row, source)) == 0)
      said = thread_gpus_said(csv_cell(table, i, note));
  if (said > 0) return said;
  bool processes = strstr(csv_cell(table, row, note), "/process") != NULL ||
                   strncmp(csv_cell(table, row, csv_column(table, "nccl_version")), "RCCL", 4) == 0;
  return nodes == 1 && !processes ? per_node : 1;
}

static pm_era era_of(const char *version)
{
  while (*version == '~') version++;
  if (strncmp(version, "1.6", 3) == 0) return PM_ERA_2017; /* the first with rings over all NVLinks */
  if (version[0] == '1' && version[1] == '.') return PM_ERA_2016;
  if (version[0] == '2' && version[1] == '.' && version[2] >= '0' && version[2] <= '3' &&
      !isdigit((unsigned char)version[3]))
    return PM_ERA_2017;
  return PM_ERA_CURRENT;
}

/* What the run was held to. NVLS is what the library does by itself where it can, and else it does as without. */
static int32_t algorithm_of(const char *text)
{
  size_t letters;
  if (words_in("Ring", text, &letters)) return PM_ALGORITHM_RING;
  if (words_in("Tree", text, &letters)) return PM_ALGORITHM_TREE;
  return PM_ALGORITHM_AUTO;
}

/* "0 1 6 7" -> numbers; returns how many. */
static int read_gpus(const char *text, int *gpus, int most)
{
  int count = 0;
  char *end;
  for (long gpu = strtol(text, &end, 10); end != text && count < most; gpu = strtol(text, &end, 10)) {
    gpus[count++] = (int)gpu;
    text = end;
  }
  return count;
}

/* ---- Predicting ---- */

/* A system is built once for a run of rows on the same machine. */
typedef struct machine_room {
  const pm_catalog *catalog;
  pm_system *system;
  char machine[PM_TEXT_MAX];
} machine_room;

static const pm_system *system_of(machine_room *room, const char *machine)
{
  if (room->system != NULL && strcmp(room->machine, machine) == 0) return room->system;
  pm_system_free(room->system);
  snprintf(room->machine, sizeof room->machine, "%s", machine);
  room->system = pm_catalog_system(room->catalog, machine, NULL);
  return room->system;
}

/* cudaMemcpyPeer between two GPUs, "GPU0->GPU1" in the note. */
static void predict_pair(const pm_system *system, const char *note, run_row *out)
{
  int from, to;
  pm_pair pair;
  bool staged = strstr(out->collective, "staged") != NULL;
  if (sscanf(note, "GPU%d->GPU%d", &from, &to) != 2 || pm_system_pair(system, from, to, &pair, NULL) != PM_OK) return;
  if (strstr(out->collective, "latency") != NULL) out->predicted = staged ? pair.staged_latency : pair.latency;
  else if (strstr(out->collective, "bidir") != NULL) out->predicted = staged ? pair.staged_both_ways : pair.both_ways;
  else out->predicted = staged ? pair.staged_bandwidth : pair.bandwidth;
}

static void predict_collective(const pm_system *system, const csv_table *table, size_t row, run_row *out)
{
  enum { MOST = 1024 };
  int gpus[MOST], per_node = out->gpus / out->nodes;
  int listed = read_gpus(csv_cell(table, row, csv_column(table, "gpu_list")), gpus, MOST);
  pm_call call = pm_call_default();
  pm_collective_time result;
  pm_group_choice choice = pm_group_choice_default();
  const char *version = csv_cell(table, row, csv_column(table, "nccl_version"));
  choice.nodes = out->nodes;
  choice.era = era_of(version);
  const char *protocol = csv_cell(table, row, csv_column(table, "protocol_or_algo"));
  choice.in_network = strstr(protocol, "SHARP") != NULL || strstr(protocol, "CollNet") != NULL;
  choice.thread_gpus = thread_gpus(table, row, per_node, out->nodes);
  call.collective = pm_collective_find(out->collective);
  call.bytes = out->bytes;
  call.algorithm = algorithm_of(protocol);
  pm_group *group = pm_group_new(system, listed > 0 ? gpus : NULL, listed > 0 ? listed : per_node, &choice, NULL);
  if (group != NULL && pm_group_times(group, &call, &result, 1) == PM_OK && result.status == PM_OK) {
    out->predicted = result.time;
    const pm_record_type *type = pm_record_type_find("collective");
    pm_record_text(pm_record_field(type, "algorithm"), &result, out->algorithm);
    pm_record_text(pm_record_field(type, "protocol"), &result, out->protocol);
  }
  pm_group_free(group);
}

static const char *regime_of(const run_row *row)
{
  if (strncmp(row->collective, "p2p_", 4) == 0) return "copies";
  if (row->bytes < 65536) return "<64 KB";
  return row->bytes < 16777216 ? "64 KB-16 MB" : ">=16 MB";
}

static void copy_cell(char *text, const csv_table *table, size_t row, const char *column)
{
  snprintf(text, PM_TEXT_MAX, "%.79s", csv_cell(table, row, csv_column(table, column)));
}

/* Time where it is given, else what the algorithm bandwidth says. */
static void fill_measured(const csv_table *table, size_t row, run_row *out)
{
  bool pair = strncmp(out->collective, "p2p_", 4) == 0, latency = strstr(out->collective, "latency") != NULL;
  double time = number(csv_cell(table, row, csv_column(table, "time_us"))) * 1e-6;
  double bandwidth = number(csv_cell(table, row, csv_column(table, "algbw_GBps"))) * 1e9;
  strcpy(out->unit, pair && !latency ? "B/s" : "s");
  if (pair && !latency) out->measured = bandwidth;
  else out->measured = !isnan(time) ? time : out->bytes / bandwidth;
}

static void fill_row(machine_room *room, const csv_table *table, size_t row, run_row *out)
{
  copy_cell(out->system, table, row, "system");
  copy_cell(out->collective, table, row, "collective");
  copy_cell(out->use, table, row, "use");
  if (out->use[0] == '\0') strcpy(out->use, "user");
  snprintf(out->machine, sizeof out->machine, "%s", find_machine(room->catalog, table, row));
  out->gpus = atoi(csv_cell(table, row, csv_column(table, "gpus")));
  out->nodes = atoi(csv_cell(table, row, csv_column(table, "nodes")));
  if (out->nodes < 1) out->nodes = 1;
  out->bytes = number(csv_cell(table, row, csv_column(table, "message_bytes")));
  strcpy(out->regime, regime_of(out));
  fill_measured(table, row, out);
  out->predicted = NAN;
  const pm_system *system = out->machine[0] != '\0' ? system_of(room, out->machine) : NULL;
  if (system != NULL && strncmp(out->collective, "p2p_", 4) == 0)
    predict_pair(system, csv_cell(table, row, csv_column(table, "note")), out);
  else if (system != NULL) predict_collective(system, table, row, out);
  out->error = (out->predicted - out->measured) / out->measured * 100;
}

/* ---- Summing up ---- */

static const char *const regimes[] = {"<64 KB", "64 KB-16 MB", ">=16 MB", "copies"};

enum { REGIMES = 4 };

/* Rows with this machine and use (NULL: any) in one regime. Adds nothing for no rows. */
static void add_summary(const run_row *rows, size_t count, const char *machine, const char *use, const char *regime,
                        double *errors, summary *list, size_t *groups)
{
  size_t n = 0;
  summary *out = &list[*groups];
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].regime, regime) != 0 || isnan(rows[i].error)) continue;
    if (machine != NULL && strcmp(rows[i].machine, machine) != 0) continue;
    if (use != NULL && strcmp(rows[i].use, use) != 0) continue;
    errors[n++] = rows[i].error;
  }
  if (n == 0) return;
  strcpy(out->set, "collectives");
  snprintf(out->group, sizeof out->group, "%.60s %s", machine != NULL ? machine : use != NULL ? use : "all", regime);
  summarize(errors, n, out);
  (*groups)++;
}

static size_t sum_up(const run_row *rows, size_t count, double *errors, summary *list)
{
  static const char *const uses[] = {NULL, "fit", "held-out", "document"};
  size_t groups = 0;
  for (size_t u = 0; u < sizeof uses / sizeof uses[0]; u++)
    for (int r = 0; r < REGIMES; r++) add_summary(rows, count, NULL, uses[u], regimes[r], errors, list, &groups);
  for (size_t i = 0; i < count; i++) {
    bool seen = rows[i].machine[0] == '\0';
    for (size_t j = 0; j < i && !seen; j++) seen = strcmp(rows[j].machine, rows[i].machine) == 0;
    for (int r = 0; r < REGIMES && !seen; r++)
      add_summary(rows, count, rows[i].machine, NULL, regimes[r], errors, list, &groups);
  }
  return groups;
}

static void round_for_people(summary *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    double *values[] = {&list[i].mape, &list[i].median, &list[i].p90, &list[i].bias};
    for (size_t k = 0; k < 4; k++) *values[k] = rint(*values[k] * 10) / 10;
  }
}

static int write_results(const cli_request *request, const run_row *rows, size_t count, summary *list, size_t groups)
{
  pm_error error = PM_ERROR_NONE;
  bool all = request->value[OPTION_ROWS] != NULL;
  if (request->format == PM_FORMAT_TABLE) round_for_people(list, groups);
  pm_table *table = pm_table_new(all ? count : groups, &error);
  if (table != NULL && pm_table_add_records(table, all ? &row_type : &summary_type,
                                            all ? (const void *)rows : (const void *)list, &error) != PM_OK) {
    pm_table_free(table);
    table = NULL;
  }
  return write_table(request, table, &error);
}

static void note_missing(const cli_request *request, const run_row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t same = 0, before = 0;
    if (!isnan(rows[i].error)) continue;
    for (size_t j = 0; j < count; j++) {
      if (!isnan(rows[j].error) || strcmp(rows[j].system, rows[i].system) != 0) continue;
      same++;
      before += j < i;
    }
    if (before == 0) note(request, "no prediction for %zu rows on \"%s\"", same, rows[i].system);
  }
}

static int compare(const cli_request *request, const pm_catalog *catalog, const csv_table *table)
{
  size_t count = table->rows - 1;
  run_row *rows = (run_row *)calloc(count + 1, sizeof *rows);
  summary *list = (summary *)calloc(REGIMES * (count + 4), sizeof *list);
  double *errors = (double *)calloc(count + 1, sizeof *errors);
  machine_room room = {catalog, NULL, ""};
  int code = rows != NULL && list != NULL && errors != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 0; code == CODE_DONE && i < count; i++) fill_row(&room, table, i + 1, &rows[i]);
  if (code == CODE_DONE) {
    note_missing(request, rows, count);
    code = write_results(request, rows, count, list, sum_up(rows, count, errors, list));
  }
  pm_system_free(room.system);
  free(errors);
  free(list);
  free(rows);
  return code;
}

static int check_columns(const csv_table *table, const char *file)
{
  static const char *const needed[] = {"system", "gpus", "nodes", "collective", "message_bytes", "time_us"};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (csv_column(table, needed[i]) < 0) return fail(CODE_INPUT, "%s: no column \"%s\"", file, needed[i]);
  return CODE_DONE;
}

int validate_collectives(const cli_request *request)
{
  int code;
  csv_table table;
  pm_error error = PM_ERROR_NONE;
  const char *file = request->value[OPTION_DATA];
  char *text = file != NULL ? read_text_file(file) : pm_shipped_text("measured/collectives.csv", &error);
  if (text == NULL) return file != NULL ? CODE_INPUT : fail_error(&error);
  if (!csv_read(&table, text, file != NULL ? file : "collectives.csv")) return CODE_INPUT;
  code = check_columns(&table, file != NULL ? file : "collectives.csv");
  pm_catalog *catalog = code == CODE_DONE ? open_catalog(request, &code) : NULL;
  if (catalog != NULL) code = compare(request, catalog, &table);
  pm_catalog_free(catalog);
  csv_free(&table);
  return code;
}
