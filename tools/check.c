/* perfmodel check: reads files of the user's own, says what they hold, and tries all of it out. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "sweep.h"

typedef struct finding {
  char file[PM_TEXT_MAX], kind[PM_TEXT_MAX], id[PM_TEXT_MAX], effect[PM_TEXT_MAX];
} finding;

static const pm_field finding_fields[] = {
  {"file", "", "the file or folder", offsetof(finding, file), .kind = PM_FIELD_TEXT},
  {"kind", "", "kind of the entry", offsetof(finding, kind), .kind = PM_FIELD_TEXT},
  {"id", "", "its id", offsetof(finding, id), .kind = PM_FIELD_TEXT},
  {"effect", "", "whether it is new or replaces an entry; runs of an experiment", offsetof(finding, effect),
   .kind = PM_FIELD_TEXT},
};
static const pm_record_type finding_type = {"finding", "", sizeof(finding), finding_fields, 4};

typedef struct findings {
  finding *items;
  size_t count, capacity;
} findings;

/* How many entries of each kind, and notes, there were before a file was read. */
enum { KINDS_MOST = 32 };

typedef struct before {
  int counts[KINDS_MOST];
  size_t notes;
} before;

/* ---- What a file brought ---- */

static before look(const pm_catalog *catalog)
{
  before now;
  memset(&now, 0, sizeof now);
  for (size_t k = 0; k < KINDS_MOST && pm_catalog_get_kind(k) != NULL; k++)
    now.counts[k] = pm_catalog_count(catalog, pm_catalog_get_kind(k));
  while (pm_catalog_get_note(catalog, now.notes) != NULL) now.notes++;
  return now;
}

/* "gpus" -> "gpu", "usable_memories" -> "usable_memory", as notes have it. */
static void singular(const char *kind, char *word, size_t size)
{
  size_t length = strlen(kind);
  bool ies = length > 3 && strcmp(kind + length - 3, "ies") == 0;
  snprintf(word, size, "%.*s%s", (int)(length - (ies ? 3 : 1)), kind, ies ? "y" : "");
}

/* Whether a note since then says that an entry of this id was replaced. */
static bool was_replaced(const pm_catalog *catalog, const char *kind, const char *id, const before *then)
{
  char word[PM_TEXT_MAX], words[3 * PM_TEXT_MAX];
  const char *text;
  singular(kind, word, sizeof word);
  snprintf(words, sizeof words, "%s \"%s\" replaces", word, id);
  for (size_t i = then->notes; (text = pm_catalog_get_note(catalog, i)) != NULL; i++)
    if (strstr(text, words) != NULL) return true;
  return false;
}

/* The end of a long path says more than its beginning. */
static void set_file(char *file, const char *path)
{
  size_t length = strlen(path);
  bool fits = length < PM_TEXT_MAX;
  snprintf(file, PM_TEXT_MAX, "%s%s", fits ? "" : "...", fits ? path : path + length - (PM_TEXT_MAX - 4));
}

static bool add_finding(findings *all, const char *path, const char *kind, const char *id, const char *effect)
{
  if (all->count == all->capacity) {
    size_t wanted = all->capacity * 2 + 16;
    finding *larger = (finding *)realloc(all->items, wanted * sizeof *larger);
    if (larger == NULL) return false;
    all->items = larger;
    all->capacity = wanted;
  }
  finding *one = &all->items[all->count++];
  memset(one, 0, sizeof *one);
  set_file(one->file, path);
  singular(kind, one->kind, sizeof one->kind);
  snprintf(one->id, sizeof one->id, "%s", id);
  snprintf(one->effect, sizeof one->effect, "%s", effect);
  return true;
}

static bool find_entries(const pm_catalog *catalog, const char *path, const before *then, findings *all)
{
  const char *kind, *id;
  for (size_t k = 0; k < KINDS_MOST && (kind = pm_catalog_get_kind(k)) != NULL; k++)
    for (size_t i = 0; (id = pm_catalog_get_id(catalog, kind, i)) != NULL; i++) {
      bool added = i >= (size_t)then->counts[k];
      if (!added && !was_replaced(catalog, kind, id, then)) continue;
      if (!add_finding(all, path, kind, id, added ? "new" : "replaces")) return false;
    }
  return true;
}

/* ---- Trying it out ---- */

static int blame(const char *path, const pm_error *error)
{
  if (error->status == PM_STATUS_NO_MEMORY) return fail_error(error);
  if (error->file_length > 0) return fail(CODE_INPUT, "%s", error->text);
  return fail(CODE_INPUT, "%s: %s", path, error->text);
}

/* Builds whatever the file may have touched: a system, say, may use a GPU that it replaces. */
static int try_all(const pm_catalog *catalog, const char *path)
{
  pm_error error = PM_ERROR_NONE;
  const char *id;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "network", i)) != NULL; i++) {
    pm_network *network = pm_catalog_new_network(catalog, id, NULL, 0, &error);
    pm_network_free(network);
  }
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "system", i)) != NULL; i++) {
    pm_system *system = pm_catalog_new_system(catalog, id, &error);
    pm_system_free(system);
  }
  return error.status == PM_OK ? CODE_DONE : blame(path, &error); /* the first error wins */
}

/* ---- Experiments ---- */

/* The start of the root element: behind the declaration, comments and blanks. */
static const char *root_of(const char *text)
{
  const char *end;
  for (;;) {
    text += strspn(text, " \t\r\n");
    bool comment = strncmp(text, "<!--", 4) == 0;
    if (!comment && strncmp(text, "<?", 2) != 0) return text;
    if ((end = strstr(text, comment ? "-->" : "?>")) == NULL) return text;
    text = end + (comment ? 3 : 2);
  }
}

static bool is_experiment(const char *path)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_file_read(path, &error); /* of a folder there is none */
  bool found = text != NULL && strncmp(root_of(text), "<experiment", strlen("<experiment")) == 0;
  pm_string_free(text);
  return found;
}

static int count_experiment(const cli_request *sweep, void *runs)
{
  return sweep_check(sweep, (double *)runs);
}

/* Names, options, conditions and columns, as the sweep reads them. */
static int check_experiment(const char *path, findings *all)
{
  double runs = 0;
  char effect[PM_TEXT_MAX];
  int code = experiment_use(NULL, path, count_experiment, &runs);
  if (code != CODE_DONE) return code;
  snprintf(effect, sizeof effect, "%.0f run%s", runs, runs == 1 ? "" : "s");
  return add_finding(all, path, "experiments", "", effect) ? CODE_DONE : fail_memory();
}

static int check_file(pm_catalog *catalog, const char *path, findings *all)
{
  pm_error error = PM_ERROR_NONE;
  if (is_experiment(path)) return check_experiment(path, all);
  before then = look(catalog);
  if (pm_catalog_load(catalog, path, &error) != PM_OK) return blame(path, &error);
  int code = try_all(catalog, path);
  if (code != CODE_DONE) return code;
  return find_entries(catalog, path, &then, all) ? CODE_DONE : fail_memory();
}

static int write_findings(const cli_request *request, const findings *all)
{
  pm_error error = PM_ERROR_NONE;
  return write_table(request, pm_table_new_of_records(&finding_type, all->items, all->count, &error), &error);
}

static int run(const cli_request *request)
{
  int code;
  const char *text;
  findings all = {NULL, 0, 0};
  pm_catalog *catalog = open_catalog(request, &code);
  size_t notes = 0;
  while (catalog != NULL && pm_catalog_get_note(catalog, notes) != NULL) notes++; /* those of --catalog are printed */
  for (size_t i = 0; code == CODE_DONE && i < request->arguments.count; i++)
    code = check_file(catalog, request->arguments.items[i], &all);
  for (; code == CODE_DONE && (text = pm_catalog_get_note(catalog, notes)) != NULL; notes++) note(request, "%s", text);
  if (code == CODE_DONE) code = write_findings(request, &all);
  free(all.items);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command check_command = {
  "check", "FILE.xml...", "checks your own XML files and lists what they contain",
  "Reads XML files or folders on top of the built-in catalogue, in the given order, builds every network and system, "
  "and lists the entries that they add or replace. Of an experiment it checks names, options, conditions and "
  "columns, and predicts nothing. If anything is wrong, it prints only the error with its file and line, and the exit "
  "status is 3.",
  "perfmodel check my-cluster.xml", options, 1, (size_t)-1, run};
