/* perfmodel show: one entry of the catalogue with all its values and where they are from. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

/* The kinds that have an entry of that name: their number, and the last of them in *kind. */
static size_t kinds_of(const pm_catalog *catalog, const char *name, const char **kind)
{
  size_t found = 0;
  const char *k;
  for (size_t i = 0; (k = pm_catalog_kind_at(i)) != NULL; i++) {
    if (pm_catalog_resolve(catalog, k, name, NULL) == NULL) continue;
    *kind = k;
    found++;
  }
  return found;
}

/* The id, of whatever kind, that `name` was probably meant to be. */
static const char *closest_entry(const pm_catalog *catalog, const char *name)
{
  const char *kind, *id, *meant = NULL;
  for (size_t k = 0; (kind = pm_catalog_kind_at(k)) != NULL; k++)
    for (size_t i = 0; (id = pm_catalog_id(catalog, kind, i)) != NULL; i++) {
      const char *both[] = {id, meant, NULL};
      meant = closest_name(name, both) != NULL ? closest_name(name, both) : meant;
    }
  return meant;
}

static int unknown_name(const pm_catalog *catalog, const char *name)
{
  const char *meant = closest_entry(catalog, name);
  if (meant != NULL)
    return fail(CODE_USAGE, "nothing in the catalogue is called \"%.80s\"; did you mean \"%s\"?", name, meant);
  return fail(CODE_USAGE, "nothing in the catalogue is called \"%.80s\"; see perfmodel list", name);
}

/* Finds the kind if only a name was given. */
static int choose(const pm_catalog *catalog, const cli_request *request, const char **kind, const char **name)
{
  *kind = request->arguments.items[0];
  *name = request->arguments.items[request->arguments.count - 1];
  if (request->arguments.count == 2) {
    if (pm_catalog_count(catalog, *kind) >= 0) return CODE_DONE;
    return fail(CODE_USAGE, "unknown kind \"%.80s\"; see perfmodel list", *kind);
  }
  size_t found = kinds_of(catalog, *name, kind);
  if (found == 0) return unknown_name(catalog, *name);
  if (found == 1) return CODE_DONE;
  return fail(CODE_USAGE, "\"%.80s\" names several entries; say which: perfmodel show %s %s", *name, *kind, *name);
}

static int run(const cli_request *request)
{
  int code;
  const char *kind, *name;
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  code = choose(catalog, request, &kind, &name);
  if (code == CODE_DONE) code = write_table(request, pm_catalog_show(catalog, kind, name, &error), &error);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {{OPTION_COUNT, '\0', NULL, NULL, NULL}};

const cli_command show_command = {
  "show", "[KIND] NAME", "shows one of them with all its values and their sources",
  "Shows one entry of the catalogue: every value, its unit, where it is from, and what is to be said about it. The kind "
  "(gpu, link, system, network, dataset, measurement, source, calibration) may be left out if the name is enough.\n\n"
  "Case, spaces and the characters - _ . / do not matter in names.",
  "perfmodel show system dgx1-v100", options, 1, 2, run};
