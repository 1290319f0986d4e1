/* perfmodel show: one entry of the catalogue with all its values and where they are from. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

/* The first kind that has an entry of that name, or NULL. */
static const char *kind_of(const pm_catalog *catalog, const char *name)
{
  const char *kind;
  for (size_t i = 0; (kind = pm_catalog_get_kind(i)) != NULL; i++)
    if (pm_catalog_resolve(catalog, kind, name, NULL) != NULL) return kind;
  return NULL;
}

/* The id, of whatever kind, that `name` was probably meant to be. */
static const char *closest_entry(const pm_catalog *catalog, const char *name)
{
  const char *kind, *id, *meant = NULL;
  for (size_t k = 0; (kind = pm_catalog_get_kind(k)) != NULL; k++)
    for (size_t i = 0; (id = pm_catalog_get_id(catalog, kind, i)) != NULL; i++) {
      const char *both[] = {id, meant, NULL};
      meant = closest_name(name, both) != NULL ? closest_name(name, both) : meant;
    }
  return meant;
}

static int unknown_name(const pm_catalog *catalog, const char *name)
{
  if (pm_catalog_count(catalog, name) >= 0)
    return fail(CODE_USAGE, "show %.80s needs the name of one; see perfmodel list %.80s", name, name);
  const char *meant = closest_entry(catalog, name);
  if (meant != NULL)
    return fail(CODE_USAGE, "the catalogue has no entry \"%.80s\"; did you mean \"%s\"?", name, meant);
  return fail(CODE_USAGE, "the catalogue has no entry \"%.80s\"; see perfmodel list", name);
}

/* Finds the kind if only a name was given: the first that has it. */
static int choose(const pm_catalog *catalog, const cli_request *request, const char **kind, const char **name)
{
  *kind = request->arguments.items[0];
  *name = request->arguments.items[request->arguments.count - 1];
  if (request->arguments.count == 2) return pm_catalog_count(catalog, *kind) >= 0 ? CODE_DONE : unknown_kind(*kind);
  *kind = kind_of(catalog, *name);
  return *kind != NULL ? CODE_DONE : unknown_name(catalog, *name);
}

/* A person reads the unit with the value. */
static pm_table *show(const cli_request *request, const pm_catalog *catalog, const char *kind, const char *name,
                      pm_error *error)
{
  pm_table *table = pm_catalog_show(catalog, kind, name, error);
  if (request->format == PM_FORMAT_TABLE) pm_table_drop(table, "unit");
  return table;
}

static int run(const cli_request *request)
{
  int code;
  const char *kind, *name;
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  code = choose(catalog, request, &kind, &name);
  if (code == CODE_DONE) code = write_table(request, show(request, catalog, kind, name, &error), &error);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command show_command = {
  "show", "[KIND] NAME", "shows one entry with all its values and their sources",
  "Shows one entry of the catalogue: every value with its unit, its source and notes. Without a kind (gpu, link, "
  "system, network, dataset, source, calibration), the first entry of that name is shown.\n\n"
  "Names ignore case, spaces and the characters - _ . /.",
  "perfmodel show system dgx1-v100", options, 1, 2, run};
