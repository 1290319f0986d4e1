/* perfmodel export: an entry of the catalogue as a file of your own. */
#include <string.h>
#include "command.h"

/* Networks have parameters, and are first where no kind is given. */
static char *export_network(const cli_request *request, const pm_catalog *catalog, const char *name, int *code)
{
  pm_error error = PM_ERROR_NONE;
  if (request->value[OPTION_ID] != NULL) {
    *code = fail(CODE_USAGE, "--id is not for networks");
    return NULL;
  }
  pm_network *network = open_network(request, catalog, name, code);
  char *text = network != NULL ? pm_network_format_xml(network, &error) : NULL;
  if (network != NULL && text == NULL) *code = fail_error(&error);
  pm_network_free(network);
  return text;
}

static char *export_entry(const cli_request *request, const pm_catalog *catalog, const char *kind, const char *name,
                          int *code)
{
  pm_error error = PM_ERROR_NONE;
  if (request->sets.count > 0) {
    *code = fail(CODE_USAGE, "--set is for networks");
    return NULL;
  }
  char *text = pm_catalog_export(catalog, kind, name, request->value[OPTION_ID], &error);
  if (text == NULL) *code = error.status == PM_STATUS_BAD_ARGUMENT ? fail(CODE_USAGE, "%s",
                                                                          error.text) : fail_error(&error);
  return text;
}

/* Of a name alone: a network's, or that of the first of these kinds that has it. */
static const char *kind_of(const pm_catalog *catalog, const char *name)
{
  static const char *const kinds[] = {"system", "gpu", "framework", "link"};
  if (pm_catalog_resolve(catalog, "network", name, NULL) != NULL) return "network";
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (pm_catalog_resolve(catalog, kinds[i], name, NULL) != NULL) return kinds[i];
  return "network"; /* which says what the name may have meant */
}

static int run(const cli_request *request)
{
  int code;
  const texts *words = &request->arguments;
  if (request->value[OPTION_FORMAT] != NULL) return fail(CODE_USAGE, "export writes XML; --format is only for tables");
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  const char *name = words->items[words->count - 1],
    *kind = words->count == 2 ? words->items[0] : kind_of(catalog, name);
  char *text = NULL;
  if (pm_catalog_count(catalog, kind) < 0) code = unknown_kind(kind);
  else if (words->count == 1 && pm_catalog_count(catalog, name) >= 0)
    code = fail(CODE_USAGE, "export %.80s needs the name of one; see perfmodel list %.80s", name, name);
  else if (strcmp(kind, "network") == 0 || strcmp(kind, "networks") == 0)
    text = export_network(request, catalog, name, &code);
  else text = export_entry(request, catalog, kind, name, &code);
  if (text != NULL) code = write_output(request, text, strlen(text));
  pm_string_free(text);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as classes=10; may be "
                                          "repeated"},
  {OPTION_ID, '\0', "id", "ID", "id of the copy, which does not replace the original; not for networks"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command export_command = {
  "export", "[KIND] NAME", "writes a file for your own system, GPU, framework or network",
  "Prints a complete entry of the catalogue as XML that --catalog reads and that gives the same numbers. A network "
  "becomes a flat list of its layers, one element each, with blocks, repeats and parameters expanded. Loaded under "
  "its own id, the entry replaces the shipped one; --id gives it another. To start without an entry, use perfmodel "
  "new.",
  "perfmodel export system dgx-a100 --id mine --output mine.xml", options, 1, 2, run};
