/* perfmodel export: a network as XML, a flat list of layers. */
#include <string.h>
#include "command.h"

static int run(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  if (request->value[OPTION_FORMAT] != NULL) return fail(CODE_USAGE, "export writes XML; --format is for tables");
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  pm_network *network = open_network(request, catalog, request->arguments.items[0], &code);
  char *text = network != NULL ? pm_network_format_xml(network, &error) : NULL;
  if (text != NULL) code = write_output(request, text, strlen(text));
  else if (network != NULL) code = fail_error(&error);
  pm_string_free(text);
  pm_network_free(network);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as classes=10; may be "
                                          "repeated"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command export_command = {
  "export", "NETWORK", "writes a network as a catalogue file: a flat list of its layers",
  "Prints the network as XML that --catalog reads: one element for each layer, blocks, repeats and parameters worked "
  "out. It has the same counts. A start for a network of one's own.",
  "perfmodel export resnet50 --set classes=10 --output mine.xml", options, 1, 1, run};
