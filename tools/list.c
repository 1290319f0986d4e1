/* perfmodel list: what the catalogue and the library know. */
#include <stddef.h>
#include <string.h>
#include "command.h"

/* Kinds of things that are in the library rather than in the catalogue. */
static bool is(const char *kind, const char *singular, const char *plural)
{
  return strcmp(kind, singular) == 0 || strcmp(kind, plural) == 0;
}

/* A table of two text columns. */
static pm_table *text_table(size_t rows, const char *first, const char *const *firsts, const char *second,
                            const char *const *seconds, pm_error *error)
{
  pm_table *table = pm_table_new(rows, error);
  int status = table == NULL ? PM_STATUS_NO_MEMORY : pm_table_add_text(table, first, "", firsts, error);
  if (status == PM_OK) status = pm_table_add_text(table, second, "", seconds, error);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static pm_table *list_layer_kinds(pm_error *error)
{
  enum { MOST = 128, LENGTH = 256 };
  const char *names[MOST], *attributes[MOST];
  char lines[MOST][LENGTH];
  size_t count = 0;
  for (; count < MOST && (names[count] = pm_layer_kind_get_name(count)) != NULL; count++)
    attributes[count] = pm_layer_kind_format_attributes(count, lines[count], LENGTH);
  return text_table(count, "kind", names, "attributes", attributes, error);
}

/* The values of a field of a record, with their meanings, and with descriptors that are an array of records. */
static pm_table *list_choices(const char *record, const char *name, const char *descriptor, const void *rows,
                              size_t count, pm_error *error)
{
  enum { MOST = 64 };
  const char *names[MOST], *docs[MOST];
  const pm_choice *choices = pm_record_find_field(pm_record_type_find(record), name)->choices;
  for (size_t i = 0; i < count; i++) {
    names[i] = choices[i].name;
    docs[i] = choices[i].doc;
  }
  pm_table *table = text_table(count, name, names, "meaning", docs, error);
  if (table == NULL || descriptor == NULL) return table;
  if (pm_table_add_records(table, pm_record_type_find(descriptor), rows, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static pm_table *list_precisions(pm_error *error)
{
  return list_choices("run", "precision", NULL, NULL, PM_PRECISION_COUNT, error);
}

static pm_table *list_optimizers(pm_error *error)
{
  pm_optimizer rows[PM_OPTIMIZER_COUNT];
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) rows[i] = *pm_optimizer_get(i);
  return list_choices("run", "optimizer", "optimizer", rows, PM_OPTIMIZER_COUNT, error);
}

static pm_table *list_attention(pm_error *error)
{
  pm_attention rows[PM_ATTENTION_COUNT];
  for (int32_t i = 0; i < PM_ATTENTION_COUNT; i++) rows[i] = *pm_attention_get(i);
  return list_choices("framework", "attention", "attention", rows, PM_ATTENTION_COUNT, error);
}

static pm_table *list_recomputation(pm_error *error)
{
  pm_recomputation rows[PM_RECOMPUTE_COUNT];
  for (int32_t i = 0; i < PM_RECOMPUTE_COUNT; i++) rows[i] = *pm_recomputation_get(i);
  return list_choices("run", "recompute", "recomputation", rows, PM_RECOMPUTE_COUNT, error);
}

static pm_table *list_offloading(pm_error *error)
{
  pm_offloading rows[PM_OFFLOAD_COUNT];
  for (int32_t i = 0; i < PM_OFFLOAD_COUNT; i++) rows[i] = *pm_offloading_get(i);
  return list_choices("run", "offload", "offloading", rows, PM_OFFLOAD_COUNT, error);
}

/* What the library knows besides the catalogue. */
static const struct {
  const char *singular, *plural;
  size_t count; /* 0: of layer kinds, which are counted */
  pm_table *(*list)(pm_error *error);
} lists[] = {
  {"layer", "layers", 0, list_layer_kinds},
  {"precision", "precisions", PM_PRECISION_COUNT, list_precisions},
  {"optimizer", "optimizers", PM_OPTIMIZER_COUNT, list_optimizers},
  {"attention", "attention", PM_ATTENTION_COUNT, list_attention},
  {"recomputation", "recomputation", PM_RECOMPUTE_COUNT, list_recomputation},
  {"offloading", "offloading", PM_OFFLOAD_COUNT, list_offloading},
};

enum { LISTS = sizeof lists / sizeof lists[0] };

typedef struct kind_row {
  char kind[PM_TEXT_MAX];
  int32_t entries;
} kind_row;

static const pm_field kind_fields[] = {
  {"kind", "", "kinds of entries", offsetof(kind_row, kind), .kind = PM_FIELD_TEXT},
  {"entries", "1", "number of entries", offsetof(kind_row, entries), .kind = PM_FIELD_INT},
};
static const pm_record_type kind_type = {"kind", "", sizeof(kind_row), kind_fields, 2};

static void set_kind(kind_row *row, const char *kind, size_t entries)
{
  memset(row, 0, sizeof *row);
  snprintf(row->kind, sizeof row->kind, "%s", kind);
  row->entries = (int32_t)entries;
}

/* What there is to list, with the number of entries. */
static pm_table *list_kinds(const pm_catalog *catalog, pm_error *error)
{
  enum { MOST = 32 };
  kind_row rows[MOST];
  const char *kind;
  size_t count = 0, layers = 0;
  for (; count + LISTS < MOST && (kind = pm_catalog_get_kind(count)) != NULL; count++)
    set_kind(&rows[count], kind, (size_t)pm_catalog_count(catalog, kind));
  while (pm_layer_kind_get_name(layers) != NULL) layers++;
  for (int i = 0; i < LISTS; i++)
    set_kind(&rows[count++], lists[i].plural, lists[i].count > 0 ? lists[i].count : layers);
  return pm_table_new_of_records(&kind_type, rows, count, error);
}

static int run(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  const char *kind = request->arguments.count > 0 ? request->arguments.items[0] : NULL;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  int own = 0;
  while (kind != NULL && own < LISTS && !is(kind, lists[own].singular, lists[own].plural)) own++;
  if (kind == NULL) code = write_table(request, list_kinds(catalog, &error), &error);
  else if (own < LISTS) code = write_table(request, lists[own].list(&error), &error);
  else if (pm_catalog_count(catalog, kind) < 0) code = unknown_kind(kind);
  else code = write_table(request, pm_catalog_list(catalog, kind, &error), &error);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command list_command = {
  "list", "[KIND]", "lists the known GPUs, systems, networks, ...",
  "Lists all entries of a kind: gpus, links, systems, networks, datasets, measurements, sources, calibrations, "
  "memory_profiles, usable_memories or transformer_activations of the catalogue, layers (the kinds that a network may "
  "have, with their attributes and what these are if left out), precisions, optimizers, "
  "attention (its implementations), recomputation or offloading. Without a kind, lists the kinds.",
  "perfmodel list systems", options, 0, 1, run};
