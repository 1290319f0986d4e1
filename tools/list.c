/* perfmodel list: what the catalogue and the library know. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

/* Kinds of things that are in the library rather than in the catalogue. */
static bool is(const char *kind, const char *singular, const char *plural)
{
  return strcmp(kind, singular) == 0 || strcmp(kind, plural) == 0;
}

/* A table of one or two text columns, whose texts it does not keep. */
static pm_table *text_table(size_t rows, const char *first, const char *const *firsts, const char *second,
                            const char *const *seconds, pm_error *error)
{
  pm_table *table = pm_table_new(rows, error);
  int status = table == NULL ? PM_NO_MEMORY : pm_table_add_text(table, first, "", firsts, error);
  if (status == PM_OK && second != NULL) status = pm_table_add_text(table, second, "", seconds, error);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static pm_table *list_layer_kinds(pm_error *error)
{
  enum { MOST = 256 };
  const char *names[MOST];
  size_t count = 0;
  while (count < MOST && (names[count] = pm_layer_kind_at(count)) != NULL) count++;
  return text_table(count, "kind", names, NULL, NULL, error);
}

static pm_table *list_precisions(pm_error *error)
{
  const char *names[PM_PRECISION_COUNT], *docs[PM_PRECISION_COUNT];
  const pm_choice *choices = pm_record_field(pm_record_type_find("run"), "precision")->choices;
  for (size_t i = 0; i < PM_PRECISION_COUNT; i++) {
    names[i] = choices[i].name;
    docs[i] = choices[i].doc;
  }
  return text_table(PM_PRECISION_COUNT, "precision", names, "meaning", docs, error);
}

/* What there is to list, with the number of entries. */
static pm_table *list_kinds(const pm_catalog *catalog, pm_error *error)
{
  enum { MOST = 32 };
  const char *names[MOST], *counts[MOST];
  char numbers[MOST][PM_NUMBER_MAX];
  size_t count = 0;
  while (count + 2 < MOST && (names[count] = pm_catalog_kind_at(count)) != NULL) {
    counts[count] = pm_number_format(numbers[count], pm_catalog_count(catalog, names[count]));
    count++;
  }
  size_t layers = 0;
  while (pm_layer_kind_at(layers) != NULL) layers++;
  names[count] = "layers";
  counts[count] = pm_number_format(numbers[count], (double)layers);
  count++;
  names[count] = "precisions";
  counts[count] = pm_number_format(numbers[count], PM_PRECISION_COUNT);
  count++;
  return text_table(count, "kind", names, "entries", counts, error);
}

static int unknown_kind(const char *kind)
{
  enum { MOST = 32 };
  const char *names[MOST] = {"layers", "precisions"};
  char known[256] = "layers, precisions";
  for (size_t i = 0; i + 3 < MOST && pm_catalog_kind_at(i) != NULL; i++) {
    size_t used = strlen(known);
    names[i + 2] = pm_catalog_kind_at(i);
    snprintf(known + used, sizeof known - used, ", %s", names[i + 2]);
  }
  const char *meant = closest_name(kind, names);
  if (meant != NULL) return fail(CODE_USAGE, "unknown kind \"%.80s\"; did you mean \"%s\"?", kind, meant);
  return fail(CODE_USAGE, "unknown kind \"%.80s\"; it is one of %s", kind, known);
}

static int run(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  const char *kind = request->arguments.count > 0 ? request->arguments.items[0] : NULL;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  if (kind == NULL) code = write_table(request, list_kinds(catalog, &error), &error);
  else if (is(kind, "layer", "layers")) code = write_table(request, list_layer_kinds(&error), &error);
  else if (is(kind, "precision", "precisions")) code = write_table(request, list_precisions(&error), &error);
  else if (pm_catalog_count(catalog, kind) < 0) code = unknown_kind(kind);
  else code = write_table(request, pm_catalog_list(catalog, kind, &error), &error);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {{OPTION_COUNT, '\0', NULL, NULL, NULL}};

const cli_command list_command = {
  "list", "[KIND]", "lists the GPUs, systems, networks, ... that are known",
  "Lists all entries of a kind: gpus, links, systems, networks, datasets, measurements, sources or calibrations of the "
  "catalogue, the kinds of layers, or the precisions. Without a kind, lists the kinds.",
  "perfmodel list systems", options, 0, 1, run};
