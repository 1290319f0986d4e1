/* perfmodel import: a machine described by another program. */
#include <string.h>
#include "command.h"

/* By what the text begins with. */
static const char *guess_format(const char *text)
{
  if (strstr(text, "<topology") != NULL) return "hwloc";
  if (strstr(text, "<system") != NULL) return "nccl";
  return "topo";
}

static int import(const cli_request *request, const pm_catalog *catalog, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  char *report = NULL;
  const char *file = request->arguments.items[0], *format = request->value[OPTION_FROM];
  const char *id = request->value[OPTION_ID] != NULL ? request->value[OPTION_ID] : "imported";
  char *xml = pm_import(catalog, format != NULL ? format : guess_format(text), text, file, id,
                        request->value[OPTION_GPU], &report, &error);
  if (report != NULL) note_lines(request, report);
  pm_string_free(report);
  if (xml == NULL) return fail_error(&error);
  int code = write_output(request, xml, strlen(xml));
  pm_string_free(xml);
  return code;
}

static int run(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  char *text = pm_file_read(request->arguments.items[0], &error);
  if (text == NULL) return fail_error(&error);
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog != NULL) code = import(request, catalog, text);
  pm_catalog_free(catalog);
  pm_string_free(text);
  return code;
}

static const cli_option options[] = {
  {OPTION_FROM, '\0', "from", "nccl|topo|hwloc", "what the file is (default: by its text)"},
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU of the catalogue; needed for topo, and for files that name none"},
  {OPTION_ID, '\0', "id", "ID", "id of the new system (default imported)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command import_command = {
  "import", "FILE", "makes a system from what other tools report of a machine",
  "Reads NCCL's topology dump (NCCL_TOPO_DUMP_FILE), the text of nvidia-smi topo -m, or the XML of hwloc's lstopo, and "
  "writes a system that --catalog takes. Everything assumed or left out is reported on standard error.",
  "perfmodel import topo.txt --gpu v100-sxm2-16gb --id mine -o mine.xml", options, 1, 1, run};
