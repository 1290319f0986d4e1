/* Samples of all that is read, and a look over the tables of readers for what has none. */
#include "samples.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "import/readers.h"
#include "import/settings.h"
#include "models/families.h"
#include "models/models.h"
#include "perfmodel-lab.h"
#include "perfmodel/model.h"
#include "traces/traces.h"

enum { MOST = 600, SIZE = 1 << 21 };

static sample samples[MOST];
static int count;

/* ---- Readers ---- */

static const pm_catalog *shipped(void)
{
  static pm_catalog *catalog;
  if (catalog == NULL) catalog = pm_catalog_new(NULL);
  return catalog;
}

static bool machine_in(const char *format, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  const bool amd = strstr(text, "XGMI") != NULL;
  const pm_attribute known[] = {{"gpu", amd ? "mi300x" : "v100-sxm2-16gb"}};
  char *report = NULL, *xml = pm_import(shipped(), format, text, "growth", "mine", known, 1, &report, &error);
  const bool taken = xml != NULL;
  pm_string_free(report);
  pm_string_free(xml);
  return taken;
}

static bool machine(const char *text)
{
  return machine_in(NULL, text);
}

static bool settings_in(const char *format, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_settings_read(format, text, "growth", &error);
  const bool taken = table != NULL;
  pm_table_free(table);
  return taken;
}

static bool settings(const char *text)
{
  return settings_in(NULL, text);
}

static bool experiment(const char *text)
{
  return settings_in("experiment", text);
}

static bool measured_with(const char *text, const pm_attribute *known, size_t known_count)
{
  pm_error error = PM_ERROR_NONE;
  char *report = NULL, *rows = pm_measurements_read(shipped(), text, "growth", known, known_count, &report, &error);
  const bool taken = rows != NULL;
  pm_string_free(report);
  pm_string_free(rows);
  return taken;
}

/* What a user must add differs by kind: a reader refuses what has no effect on it. */
static bool measured(const char *text)
{
  static const pm_attribute training[] = {{"system", "dgx-h100"}, {"network", "gpt2"}, {"gpus", "8"},
                                          {"global_batch", "64"}, {"seq", "512"}};
  static const pm_attribute storage[] = {{"system", "dgx-h100"}, {"storage", "nvme"}};
  static const pm_attribute serving[] = {{"system", "dgx-h100"}, {"network", "llama3-8b"}};
  static const pm_attribute nodes[] = {{"system", "dgx-h100"}, {"gpus", "8"}, {"nodes", "8"}};
  static const pm_attribute amd[] = {{"system", "hgx-mi300x"}}, ampere[] = {{"system", "dgx-a100"}};
  return measured_with(text, training, 1) || measured_with(text, ampere, 1) || measured_with(text, amd, 1) ||
         measured_with(text, nodes, 3) || measured_with(text, training, 5) || measured_with(text, storage, 2) ||
         measured_with(text, serving, 2);
}

static bool model(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  static const pm_attribute sets[] = {{"seq", "8"}, {"image", "32"}};
  pm_network *network = pm_model_read(text, "growth.json", sets, 2, &error);
  const bool taken = network != NULL;
  pm_network_free(network);
  return taken;
}

static bool entry(const char *text)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(NULL);
  const bool taken = pm_catalog_load_text(catalog, text, "growth.xml", &error) == PM_OK;
  pm_catalog_free(catalog);
  return taken;
}

/* ---- Samples ---- */

static void add(const char *name, sample_reader *read, char *text)
{
  if (count == MOST || text == NULL) abort();
  sample *s = &samples[count++];
  snprintf(s->name, sizeof s->name, "%s", name);
  s->read = read;
  s->text = text;
  s->is_machine = read == machine || strcmp(name, "systems") == 0;
}

static char *read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = (char *)calloc(1, SIZE);
  if (file != NULL && text != NULL && fread(text, 1, SIZE - 1, file) == 0) text[0] = '\0';
  if (file != NULL) fclose(file);
  return text;
}

static void add_folder(const char *folder, sample_reader *read)
{
  char path[600], name[120];
  snprintf(path, sizeof path, "%s/tests/%s", PM_SOURCE_DIR, folder);
  DIR *directory = opendir(path);
  for (struct dirent *file; directory != NULL && (file = readdir(directory)) != NULL;) {
    const char *ending = strrchr(file->d_name, '.');
    if (ending == NULL || ending == file->d_name || strcmp(ending, ".error") == 0) continue;
    snprintf(path, sizeof path, "%s/tests/%s/%.200s", PM_SOURCE_DIR, folder, file->d_name);
    snprintf(name, sizeof name, "%s/%.80s", folder, file->d_name);
    add(name, read, read_file(path));
  }
  if (directory != NULL) closedir(directory);
}

/* The first entry of a kind in a text, as the only one of a file. */
static char *only_entry(const char *text, const char *element)
{
  char open[80], close[80];
  snprintf(open, sizeof open, "<%s id=", element);
  snprintf(close, sizeof close, "</%s>", element);
  const char *from = strstr(text, open), *end = from != NULL ? strstr(from, close) : NULL;
  const char *single = from != NULL ? strstr(from, "/>") : NULL;
  if (from == NULL) return NULL;
  if (single != NULL && single < strchr(from, '>')) end = single + 2;
  else if (end != NULL) end += strlen(close);
  else return NULL;
  const size_t size = (size_t)(end - from) + 100;
  char *file = (char *)malloc(size);
  if (file != NULL)
    snprintf(file, size, "<perfmodel version=\"1\">\n%.*s\n</perfmodel>", (int)(end - from), from);
  return file;
}

static void add_entries(void)
{
  char list[900];
  static char *texts[200];
  int files = 0;
  snprintf(list, sizeof list, "ls %s/data/*.xml %s/data/*/*.xml", PM_SOURCE_DIR, PM_SOURCE_DIR);
  FILE *names = popen(list, "r");
  while (names != NULL && files < 200 && fgets(list, sizeof list, names) != NULL) {
    list[strcspn(list, "\n")] = '\0';
    texts[files++] = read_file(list);
  }
  if (names != NULL) pclose(names);
  for (size_t i = 0; pm_catalog_get_kind(i) != NULL; i++) {
    char *found = NULL;
    const pm__kind *kind = pm__kind_at(i);
    for (int f = 0; f < files && found == NULL; f++) found = only_entry(texts[f], kind->singular);
    if (found != NULL) add(kind->plural, entry, found);
  }
  for (int f = 0; f < files; f++) free(texts[f]);
}

/* Types of the line of a table, of which the first is described. */
static void add_model(const char *types)
{
  enum { ROOM = 400 };
  char name[80], *text = (char *)malloc(ROOM);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(types, " "), types);
  if (text != NULL)
    snprintf(text, ROOM, "{\"model_type\":\"%s\",\"hidden_size\":64,\"num_attention_heads\":4,"
           "\"num_hidden_layers\":4,\"vocab_size\":100,\"intermediate_size\":64,\"layer_types\":[\"full_attention\","
           "\"full_attention\"],\"id2label\":{\"0\":\"a\"},\"architectures\":[\"A\"]}", name);
  add(name, model, text);
}

int samples_find(void)
{
  if (count > 0) return count;
  add_folder("import", machine);
  add_folder("settings", settings);
  add_folder("traces", measured);
  add_folder("experiments", experiment);
  add_folder("fuzz/corpus/models", model);
  add_entries();
  for (size_t i = 0; pm__decoder_family_at(i) != NULL; i++) add_model(pm__decoder_family_at(i)->types);
  for (size_t i = 0; pm__model_at(i) != NULL; i++) add_model(pm__model_at(i)->types);
  return count;
}

const sample *samples_get(int number)
{
  return &samples[number];
}

/* ---- What is missing ---- */

static bool has_mark(const pm__settings_format *format, const char *text)
{
  for (const char *const *mark = format->marks; *mark != NULL; mark++)
    if (strstr(text, *mark) != NULL) return settings_in(format->name, text);
  return false;
}

static bool is_kind(const char *name, const sample *s)
{
  const char *found = s->read == measured ? pm_measurements_find_format(s->text) : NULL;
  return found != NULL && strcmp(found, name) == 0 && measured(s->text);
}

typedef bool matches(size_t line, const sample *s);

static bool as_machine(size_t line, const sample *s)
{
  return s->read == machine && machine_in(pm__import_format_at(line)->name, s->text);
}

static bool as_settings(size_t line, const sample *s)
{
  return s->read == settings && has_mark(pm__settings_format_at(line), s->text);
}

static bool as_measured(size_t line, const sample *s)
{
  return is_kind(pm__lab_trace_name(line), s);
}

static bool as_entry(size_t line, const sample *s)
{
  return s->read == entry && strcmp(s->name, pm__kind_at(line)->plural) == 0 && entry(s->text);
}

static bool has_sample(matches *match, size_t line)
{
  for (int i = 0; i < count; i++)
    if (match(line, &samples[i])) return true;
  return false;
}

const char *samples_missing(void)
{
  for (size_t i = 0; pm__import_format_at(i) != NULL; i++)
    if (!has_sample(as_machine, i)) return pm__import_format_at(i)->name;
  for (size_t i = 0; pm__settings_format_at(i) != NULL; i++)
    if (!has_sample(as_settings, i)) return pm__settings_format_at(i)->name;
  for (size_t i = 0; pm__lab_trace_name(i) != NULL; i++)
    if (!has_sample(as_measured, i)) return pm__lab_trace_name(i);
  for (size_t i = 0; pm__kind_at(i) != NULL; i++)
    if (!has_sample(as_entry, i)) return pm__kind_at(i)->plural;
  return "";
}
