/* The catalogue with the user's own files, and what comes out of it. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

pm_catalog *open_catalog(const cli_request *request, int *code)
{
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  for (size_t i = 0; catalog != NULL && i < request->catalogs.count; i++) {
    if (pm_catalog_load(catalog, request->catalogs.items[i], &error) == PM_OK) continue;
    pm_catalog_free(catalog);
    catalog = NULL;
  }
  *code = catalog != NULL ? CODE_DONE : fail_error(&error);
  const char *text;
  for (size_t i = 0; catalog != NULL &&
       (text = pm_catalog_get_note(catalog, i)) != NULL; i++) note(request, "%s", text);
  return catalog;
}

/* A value of --set that does not fit is the user's, whatever file the network is in. */
static int network_error(const cli_request *request, const pm_error *error)
{
  int code = fail_error(error);
  return code == CODE_INPUT && request->sets.count > 0 ? CODE_USAGE : code;
}

pm_network *open_network(const cli_request *request, const pm_catalog *catalog, const char *name, int *code)
{
  pm_error error = PM_ERROR_NONE;
  pm_attribute *sets;
  if (!read_sets(request, &sets)) {
    *code = CODE_USAGE;
    return NULL;
  }
  pm_network *network = pm_catalog_new_network(catalog, name, sets, request->sets.count, &error);
  *code = network != NULL ? CODE_DONE : network_error(request, &error);
  free(sets);
  return network;
}

pm_system *open_system(const pm_catalog *catalog, const char *name, int *code)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = pm_catalog_new_system(catalog, name, &error);
  *code = system != NULL ? CODE_DONE : fail_error(&error);
  return system;
}

int on_system(const cli_request *request, int (*command)(const cli_request *request, const pm_system *system))
{
  int code;
  pm_catalog *catalog = open_catalog(request, &code);
  pm_system *system = catalog != NULL ? open_system(catalog, request->arguments.items[0], &code) : NULL;
  if (system != NULL) code = command(request, system);
  pm_system_free(system);
  pm_catalog_free(catalog);
  return code;
}

int unknown_kind(const char *kind)
{
  enum { MOST = 32 };
  const char *names[MOST] = {"layers", "precisions", "optimizers", "attention", "recomputation", "offloading"};
  char known[600] = "layers, precisions, optimizers, attention, recomputation, offloading";
  for (size_t i = 0; i + 7 < MOST && pm_catalog_get_kind(i) != NULL; i++) {
    size_t used = strlen(known);
    names[i + 6] = pm_catalog_get_kind(i);
    snprintf(known + used, sizeof known - used, ", %s", names[i + 6]);
  }
  const char *meant = closest_name(kind, names);
  if (meant != NULL) return fail(CODE_USAGE, "unknown kind \"%.80s\"; did you mean \"%s\"?", kind, meant);
  return fail(CODE_USAGE, "unknown kind \"%.80s\"; it is one of %s", kind, known);
}
