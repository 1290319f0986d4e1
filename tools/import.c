/* perfmodel import: a machine that another program describes, or its measurements. */
#include <string.h>
#include "command.h"
#include "lab_load.h"

/* By what the text begins with. */
static const char *guess_format(const char *text)
{
  if (strstr(text, "<topology") != NULL) return "hwloc";
  if (strstr(text, "<system") != NULL) return "nccl";
  return "topo";
}

/* What another program measured, as rows for validate and calibrate. */
static int import_measurements(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog,
                               const char *text)
{
  pm_error error = PM_ERROR_NONE;
  char *report = NULL;
  const char *system = request->value[OPTION_SYSTEM] != NULL ? request->value[OPTION_SYSTEM]
    : request->value[OPTION_GPU];
  char *csv = lab->measurements_read(catalog, text, request->arguments.items[0], system, &report, &error);
  if (report != NULL) note_lines(request, report);
  pm_string_free(report);
  if (csv == NULL) return fail_error(&error);
  int code = write_output(request, csv, strlen(csv));
  pm_string_free(csv);
  return code;
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

/* A model's configuration: JSON that says so. */
static bool is_model(const char *text)
{
  static const char *const marks[] = {"\"model_type\"", "\"architectures\"", "\"peft_type\"", "\"_class_name\"", NULL};
  const char *const *mark = marks;
  if (text[strspn(text, " \t\r\n")] != '{') return false;
  while (*mark != NULL && strstr(text, *mark) == NULL) mark++;
  return *mark != NULL;
}

/* A network, as a file of the catalogue. */
static int import_model(const cli_request *request, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute id = {"id", request->value[OPTION_ID]};
  pm_network *network = pm_model_read(text, request->arguments.items[0], &id, id.value != NULL, &error);
  char *xml = network != NULL ? pm_network_format_xml(network, &error) : NULL;
  if (xml != NULL) note_lines(request, pm_network_get_notes(network));
  int code = xml != NULL ? write_output(request, xml, strlen(xml)) : fail_error(&error);
  pm_string_free(xml);
  pm_network_free(network);
  return code;
}

static int run(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  char *text = pm_file_read(request->arguments.items[0], &error);
  if (text == NULL) return fail_error(&error);
  if (is_model(text)) {
    code = import_model(request, text);
    pm_string_free(text);
    return code;
  }
  pm_catalog *catalog = open_catalog(request, &code);
  pm_lab lab;
  bool measured = pm_lab_load(&lab, NULL) == PM_OK && lab.measurements_find_format(text) != NULL;
  if (catalog != NULL)
    code = measured ? import_measurements(request, &lab, catalog, text) : import(request, catalog, text);
  pm_catalog_free(catalog);
  pm_string_free(text);
  return code;
}

static const cli_option options[] = {
  {OPTION_FROM, '\0', "from", "nccl|topo|hwloc", "what the file is (default: by its text)"},
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU of the catalogue; needed for topo, and for files that name none"},
  {OPTION_SYSTEM, '\0', "system", "NAME", "the system of measurements that do not name it (nccl-tests)"},
  {OPTION_ID, '\0', "id", "ID", "id of the new system (default imported)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command import_command = {
  "import", "FILE", "makes a system, a network, or rows of measurements from files of other tools",
  "Reads NCCL's topology dump (NCCL_TOPO_DUMP_FILE), the text of nvidia-smi topo -m, or the XML of hwloc's lstopo, and "
  "writes a system that --catalog takes. Everything assumed or left out is reported on standard error.\n\n"
  "Of the output of nccl-tests (text, JSON), a trace of PyTorch's profiler or a report of Nsight Systems it writes the "
  "rows "
  "that validate and calibrate read with --data (docs/calibration.md). Of the config.json of a Hugging Face model it "
  "writes a network; every command takes such a file where a network is named.",
  "perfmodel import topo.txt --gpu v100-sxm2-16gb --id mine -o mine.xml", options, 1, 1, run};
