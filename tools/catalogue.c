/* The catalogue with the user's own files, and what comes out of it. */
#include <stdio.h>
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

static bool ends_with(const char *text, const char *end)
{
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A model's configuration. */
static bool is_model_file(const char *name)
{
  return ends_with(name, ".json");
}

bool is_python_file(const char *name)
{
  return ends_with(name, ".onnx") || ends_with(name, ".keras");
}

/* What was assumed is noted. */
static pm_network *read_model(const cli_request *request, const char *path, const pm_attribute *sets, size_t count,
                       pm_error *error)
{
  char *text = pm_file_read(path, error);
  pm_network *network = text != NULL ? pm_model_read(text, path, sets, count, error) : NULL;
  pm_string_free(text);
  if (network != NULL) note_lines(request, pm_network_get_notes(network));
  return network;
}

/* The id of the only network in the text, which has none but plain characters. */
static void id_of(const char *text, char *id, size_t room)
{
  static const char before[] = "<network id=\"";
  const char *place = strstr(text, before);
  size_t length = place != NULL ? strcspn(place + sizeof before - 1, "\"") : 0;
  snprintf(id, room, "%.*s", (int)length, place != NULL ? place + sizeof before - 1 : "");
}

/* The network of a file that Python reads. */
static pm_network *read_by_python(const cli_request *request, const char *name, int *code)
{
  pm_error error = PM_ERROR_NONE;
  char id[PM_TEXT_MAX] = "", *text = import_network(request, name, code);
  pm_catalog *own = text != NULL ? pm_catalog_new(&error) : NULL;
  pm_network *network = NULL;
  if (text != NULL) id_of(text, id, sizeof id);
  if (own != NULL && pm_catalog_load_text(own, text, name, &error) == PM_OK)
    network = pm_catalog_new_network(own, id, NULL, 0, &error);
  if (text != NULL) *code = network != NULL ? CODE_DONE : fail_error(&error);
  pm_catalog_free(own);
  free(text);
  return network;
}

pm_network *open_network(const cli_request *request, const pm_catalog *catalog, const char *name, int *code)
{
  pm_error error = PM_ERROR_NONE;
  if (is_python_file(name)) return read_by_python(request, name, code);
  pm_attribute *sets;
  size_t count = request->sets.count;
  if (!read_sets(request, &sets)) {
    *code = CODE_USAGE;
    return NULL;
  }
  pm_network *network = is_model_file(name) ? read_model(request, name, sets, count, &error)
                                            : pm_catalog_new_network(catalog, name, sets, count, &error);
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
  return fail(CODE_USAGE, "unknown kind \"%.80s\"; it must be one of %s", kind, known);
}
