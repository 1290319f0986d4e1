/* The catalogue's public face: loading, finding, copying out. */
#include <stdlib.h>
#include <string.h>
#include "base/embedded.h"
#include "catalog/entry.h"
#include "network/definition.h"

/* ---- The shipped catalogue, and what users add. */

/* Tables are embedded beside the documents. */
static bool is_document(const pm__embedded_file *file)
{
  size_t length = strlen(file->name);
  return length > 4 && strcmp(file->name + length - 4, ".xml") == 0;
}

static int read_embedded(pm__documents *documents, const pm__embedded_file *file, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  pm__string name = {NULL, 0, 0, false};
  pm__document *document = NULL;
  pm__string_add(&name, "data/");
  pm__string_add(&name, file->name);
  if (name.failed) pm__no_memory(&failure);
  else document = pm__document_read((const char *)file->bytes, file->size, name.text, &failure);
  free(name.text);
  if (document != NULL && pm__documents_add(documents, document, &failure) != PM_OK) pm__document_free(document);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}

pm_catalog *pm_catalog_new(pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  int status = PM_OK;
  pm_catalog *catalog = (pm_catalog *)calloc(1, sizeof *catalog);
  if (catalog == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  catalog->loads = -1; /* so that the shipped files are load 0 */
  for (size_t i = 0; i < pm__embedded_count && status == PM_OK; i++)
    if (is_document(&pm__embedded_files[i])) status = read_embedded(&documents, &pm__embedded_files[i], error);
  if (status == PM_OK) status = pm__catalog_merge(catalog, &documents, error);
  pm__documents_free(&documents);
  if (status == PM_OK) return catalog;
  pm_catalog_free(catalog);
  return NULL;
}

void pm_catalog_free(pm_catalog *catalog)
{
  if (catalog == NULL) return;
  for (int i = 0; i < PM__KINDS; i++) free(catalog->lists[i].items);
  pm__documents_free(&catalog->documents);
  free(catalog->notes);
  pm__names_free(&catalog->names);
  free(catalog);
}

int pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  if (catalog == NULL || path == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "loading needs a catalogue and a path");
  pm_error failure = PM_ERROR_NONE;
  int status = pm__documents_read(&documents, path, &failure);
  if (status == PM_OK) status = pm__catalog_merge(catalog, &documents, &failure);
  pm__documents_free(&documents);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status != PM_OK ? failure.status : status;
}

const char *pm_catalog_note(const pm_catalog *catalog, size_t index)
{
  return catalog != NULL && index < catalog->note_count ? catalog->notes[index] : NULL;
}

/* ---- Kinds and names. */

const char *pm_catalog_kind_at(size_t index)
{
  const pm__kind *kind = pm__kind_at(index);
  return kind != NULL ? kind->plural : NULL;
}

const pm_record_type *pm_catalog_record_type(const char *kind)
{
  int number = pm__kind_find(kind, NULL);
  return number >= 0 ? pm_record_type_find(pm__kind_at((size_t)number)->record) : NULL;
}

int pm_catalog_count(const pm_catalog *catalog, const char *kind)
{
  int number = pm__kind_find(kind, NULL);
  return catalog != NULL && number >= 0 ? (int)catalog->lists[number].count : -1;
}

const char *pm_catalog_id(const pm_catalog *catalog, const char *kind, size_t index)
{
  int number = pm__kind_find(kind, NULL);
  if (catalog == NULL || number < 0 || index >= catalog->lists[number].count) return NULL;
  return catalog->lists[number].items[index]->id;
}

/* After the maker's name and the brand, or NULL if it does not begin with one: drivers report "NVIDIA A100-SXM4-80GB",
** "Tesla T4", "NVIDIA GeForce RTX 3090", "AMD Instinct MI300X". */
static const char *after_maker(const char *name)
{
  static const char *const words[] = {"NVIDIA", "AMD", "Tesla", "GeForce", "Radeon", "Instinct"};
  size_t length = strcspn(name, " -_");
  char word[16];
  if (name[length] == '\0' || length >= sizeof word) return NULL;
  memcpy(word, name, length);
  word[length] = '\0';
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (pm__same_name(word, words[i])) return name + length + 1;
  return NULL;
}

static pm__entry *find_hardware(const pm_catalog *catalog, int kind, const char *name)
{
  pm__entry *entry = NULL;
  for (; name != NULL && entry == NULL; name = after_maker(name)) entry = pm__names_find(&catalog->names, kind, name);
  return entry;
}

/* Where a system is wanted, a GPU is a machine with one of it. */
static pm__entry *find_machine(const pm_catalog *catalog, const char *name)
{
  static const char prefix[] = "gpu:";
  bool only = strncmp(name, prefix, strlen(prefix)) == 0;
  pm__entry *entry = only ? NULL : find_hardware(catalog, PM__SYSTEMS, name);
  const pm__entry *gpu = entry == NULL ? find_hardware(catalog, PM__GPUS, only ? name + strlen(prefix) : name) : NULL;
  return gpu != NULL ? gpu->machine : entry;
}

static pm__entry *find_entry(const pm_catalog *catalog, int kind, const char *name)
{
  if (kind == PM__SYSTEMS) return find_machine(catalog, name);
  return kind == PM__GPUS ? find_hardware(catalog, kind, name) : pm__names_find(&catalog->names, kind, name);
}

pm__entry *pm__catalog_find(const pm_catalog *catalog, int kind, const char *name, pm_error *error)
{
  pm__entry *entry = find_entry(catalog, kind, name);
  if (entry == NULL) pm__names_unknown(&catalog->lists[kind], kind, name, error);
  return entry;
}

/* The same for callers from outside. */
static const pm__entry *find(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  if (catalog == NULL || name == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "%s is missing", catalog == NULL ? "the catalogue" : "a name");
    return NULL;
  }
  int number = pm__kind_find(kind, error);
  return number >= 0 ? pm__catalog_find(catalog, number, name, error) : NULL;
}

const char *pm_catalog_name(const pm_catalog *catalog, const char *kind, const char *id, size_t index)
{
  int number = pm__kind_find(kind, NULL);
  const pm__entry *entry = catalog != NULL && number >= 0 ? pm__catalog_find(catalog, number, id, NULL) : NULL;
  if (entry == NULL || index > entry->alias_count + 1) return NULL;
  if (index == 0) return entry->id;
  return index == 1 ? entry->name : entry->aliases[index - 2];
}

const char *pm_catalog_resolve(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  const pm__entry *entry = find(catalog, kind, name, error);
  return entry != NULL ? entry->id : NULL;
}

/* ---- Records, networks, systems. */

int pm__entry_record(const pm__entry *entry, void *record, pm_error *error)
{
  if (entry->record != NULL) {
    memcpy(record, entry->record, entry->type->size);
    return PM_OK;
  }
  pm_error failure = PM_ERROR_NONE;
  pm_network *network = pm__entry_network(entry, NULL, 0, &failure);
  if (network != NULL) pm_network_get_totals(network, (pm_network_totals *)record, &failure);
  pm_network_free(network);
  if (failure.status != PM_OK && error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}

int pm_catalog_record(const pm_catalog *catalog, const char *kind, const char *name, void *record, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  if (record == NULL) return pm__fail(error, PM_BAD_ARGUMENT, "there is no record to fill");
  const pm__entry *entry = find(catalog, kind, name, &failure);
  if (entry != NULL) return pm__entry_record(entry, record, error);
  if (error != NULL && error->status == PM_OK) *error = failure;
  return failure.status;
}

bool pm__entry_has_defaults(const pm__entry *entry)
{
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next)
    if (strcmp(e->name, "param") == 0 && pm__element_attribute(e, "default") == NULL) return false;
  return true;
}

pm_network *pm__entry_network(const pm__entry *entry, const pm_attribute *sets, size_t set_count, pm_error *error)
{
  return pm__network_build(entry->document, entry->element, sets, set_count, error);
}

pm_network *pm_catalog_network(const pm_catalog *catalog, const char *name, const pm_attribute *sets, size_t set_count,
                               pm_error *error)
{
  if (sets == NULL && set_count > 0) {
    pm__fail(error, PM_BAD_ARGUMENT, "the parameters are missing");
    return NULL;
  }
  const pm__entry *entry = find(catalog, "network", name, error);
  return entry != NULL ? pm__entry_network(entry, sets, set_count, error) : NULL;
}

pm_system *pm_catalog_system(const pm_catalog *catalog, const char *name, pm_error *error)
{
  const pm__entry *entry = find(catalog, "system", name, error);
  return entry != NULL ? pm__entry_system(catalog, entry, error) : NULL;
}
