/* perfmodel import: a machine that another program describes, or its measurements. */
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "import_known.h"
#include "lab_load.h"

/* What another program measured, as rows for validate and calibrate. */
static int import_measurements(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog,
                               const char *text)
{
  pm_error error = PM_ERROR_NONE;
  char *report = NULL;
  cli_known_columns known;
  int code = read_known(request, &known);
  if (code != CODE_DONE) return code;
  char *csv = lab->measurements_read(catalog, text, request->arguments.items[0], known.items, known.count, &report,
                                     &error);
  if (report != NULL && csv != NULL) note_lines(request, report);
  pm_string_free(report);
  if (csv == NULL) return fail_error(&error);
  code = write_output(request, csv, strlen(csv));
  pm_string_free(csv);
  return code;
}

/* Neither a machine nor measurements: one line with all that is read. */
static int unknown_file(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog, const char *text,
                        const pm_error *machines)
{
  pm_error measured = PM_ERROR_NONE;
  if (lab == NULL) return fail_error(machines);
  pm_string_free(lab->measurements_read(catalog, text, request->arguments.items[0], NULL, 0, NULL, &measured));
  const char *list = strstr(measured.text, "none of the measurements");
  return fail(CODE_INPUT, "%s, and %s", machines->text, list != NULL ? list : measured.text);
}

static int import(const cli_request *request, const pm_lab *lab, const pm_catalog *catalog, const char *text)
{
  pm_error error = PM_ERROR_NONE;
  char *report = NULL;
  const char *file = request->arguments.items[0], *format = request->value[OPTION_FROM];
  const char *id = request->value[OPTION_ID] != NULL ? request->value[OPTION_ID] : "imported";
  pm_attribute known[2];
  size_t count = 0;
  if (request->value[OPTION_GPU] != NULL) known[count++] = (pm_attribute){"gpu", request->value[OPTION_GPU]};
  if (request->value[OPTION_NIC] != NULL) known[count++] = (pm_attribute){"nic", request->value[OPTION_NIC]};
  char *xml = pm_import(catalog, format, text, file, id, known, count, &report, &error);
  int code = xml != NULL ? refuse_known(request, "a machine") : CODE_DONE;
  if (report != NULL && xml != NULL && code == CODE_DONE) note_lines(request, report);
  pm_string_free(report);
  if (xml == NULL && error.status == PM_STATUS_BAD_FILE) return unknown_file(request, lab, catalog, text, &error);
  if (xml == NULL) return fail_error(&error);
  if (code == CODE_DONE) code = write_output(request, xml, strlen(xml));
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
  int code = refuse_known(request, "a model");
  if (xml != NULL && code == CODE_DONE) note_lines(request, pm_network_get_notes(network));
  if (code == CODE_DONE) code = xml != NULL ? write_output(request, xml, strlen(xml)) : fail_error(&error);
  pm_string_free(xml);
  pm_network_free(network);
  return code;
}

static int import_any(const cli_request *request, const pm_catalog *catalog, const char *text)
{
  pm_lab lab;
  bool loaded = pm_lab_load(&lab, NULL) == PM_OK;
  if (loaded && lab.measurements_find_format(text) != NULL) return import_measurements(request, &lab, catalog, text);
  return import(request, loaded ? &lab : NULL, catalog, text);
}

/* A network of a file that Python reads, as a file of the catalogue. */
static int import_by_python(const cli_request *request, const char *path)
{
  int code;
  char *xml = import_network(request, path, &code);
  if (xml != NULL && (code = refuse_known(request, "a model")) == CODE_DONE)
    code = write_output(request, xml, strlen(xml));
  free(xml);
  return code;
}

static int run(const cli_request *request)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  if (is_python_file(request->arguments.items[0])) return import_by_python(request, request->arguments.items[0]);
  char *text = pm_file_read(request->arguments.items[0], &error);
  if (text == NULL) return fail_error(&error);
  if (is_model(text)) {
    code = import_model(request, text);
    pm_string_free(text);
    return code;
  }
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog != NULL) code = import_any(request, catalog, text);
  pm_catalog_free(catalog);
  pm_string_free(text);
  return code;
}

static const cli_option options[] = {
  {OPTION_FROM, '\0', "from", "nccl|topo|rocm|hwloc", "format of the file (default: detected from its text)"},
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU of the catalogue; needed for topo and rocm, and for files that name none"},
  {OPTION_NIC, '\0', "nic", "RATE", "rate of each port of a system whose source shows NICs without one, \"400 Gb/s\" "
   "(InfiniBand), or \"100 Gb/s roce\", ethernet, efa, slingshot, omni-path"},
  {OPTION_SYSTEM, '\0', "system", "NAME", "the system of measurements that do not name it (nccl-tests, training)"},
  {OPTION_COLLECTIVE, '\0', "collective", "NAME", "the collective of a table of nccl-tests that does not name it"},
  {OPTION_NETWORK, '\0', "network", "NAME", "the network of a log of training; see perfmodel list networks"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of it another value, such as seq=8192; may be repeated"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME", "the software of a training log (default: the newest release of its "
                                                "program)"},
  {OPTION_RUN, '\0', "run", "FILE", "the settings of a training log: the configuration file of Megatron-LM (a "
   "script), NeMo, torchtitan, DeepSpeed or Accelerate"},
  {OPTION_STORAGE, '\0', "storage", "NAME", "the storage of a summary of MLPerf Storage; see perfmodel list storage"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs, if the log does not state them"},
  {OPTION_OF_FIELD, '\0', "gpus", NULL, "GPUs of each node of measurements that do not list them"},
  {OPTION_OF_FIELD, '\0', "nodes", NULL, "nodes of measurements that do not list them (default 1)"},
  {OPTION_FIELDS, '\0', "run", NULL,
   "epoch_samples kernel_model input_rate no_prefetch usable_memory ignore_memory tokens samples gpu_mtbf "
   "node_mtbf checkpoint_rate checkpoint restart interval pue gpu_hour_price carbon energy_price"},
  {OPTION_ID, '\0', "id", "ID", "id of the new system (default imported)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command import_command = {
  "import", "FILE", "converts files of other tools to a system, a network or rows of measurements",
  "Reads NCCL's topology dump (NCCL_TOPO_DUMP_FILE), the text of nvidia-smi topo -m or rocm-smi --showtopo, or the "
  "XML of hwloc's lstopo, and writes a system that --catalog takes. Everything that is assumed or ignored is "
  "reported on standard error.\n\n"
  "From measurements it writes the rows that validate and calibrate read with --data (docs/calibration.md): "
  "nccl-tests and rccl-tests (text, JSON, CSV), traces of PyTorch's profiler, reports of Nsight Systems, benchmarks "
  "of serving, llama-bench, logs of power, logs of training (Megatron-LM, NeMo, torchtitan, DeepSpeed, Lightning, "
  "Hugging Face), MLPerf Training and Storage. Options supply what a file does not state, such as the network and "
  "settings of a training log. From the config.json of a Hugging Face model, an ONNX or a Keras model it writes a "
  "network; every command also takes such a file directly as its network. ONNX and Keras are read by the Python "
  "package.",
  "perfmodel import topo.txt --gpu v100-sxm2-16gb --id mine -o mine.xml", options, 1, 1, run};
