/* The catalogue: opening, loading, showing, exporting, importing, reading files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/document.h"
#include "hardware/system.h"
#include "works.h"

static int open_catalog(pm_error *error)
{
  pm_catalog *other = pm_catalog_new(error);
  pm_catalog_free(other);
  return other != NULL ? PM_OK : error->status;
}

/* What failed must leave the catalogue as it was. */
static int load(pm_error *error)
{
  int before = pm_catalog_count(with.catalog, "gpus");
  int status = pm_catalog_load(with.catalog, PM_SOURCE_DIR "/tests/memory/own.xml", error);
  int after = pm_catalog_count(with.catalog, "gpus");
  return after == (status == PM_OK ? before + 1 : before) ? status : PM_STATUS_INTERNAL;
}

static int load_folder(pm_error *error)
{
  return pm_catalog_load(with.catalog, PM_SOURCE_DIR "/data/storage", error);
}

/* The first and the ninth cell take memory; behind the ninth is the last comma. */
static int cells(pm_error *error)
{
  pm__csv table;
  int status = pm__csv_read(&table, "1,2,3,4,5,6,7,8,9,", "own", error);
  if (status == PM_OK) took_number((double)table.columns);
  if (status == PM_OK) pm__csv_free(&table);
  return status;
}

static int load_text(pm_error *error)
{
  static const char text[] = "<perfmodel version=\"1\"><link id=\"own\" name=\"Own &amp; other\"><kind>pcie</kind>"
                             "<bandwidth note=\"measured\">10 GB/s</bandwidth></link></perfmodel>";
  return pm_catalog_load_text(with.catalog, text, "own", error);
}

/* A document of many blocks, which end in elements, in names, in attributes, in values and in text in turn. */
static int document(pm_error *error)
{
  enum { PARTS = 7500 };
  static const char *const parts[] = {"<x/>", "<an_element_whose_name_takes_most_of_its_memory_in_a_document/>",
                                      "<x y=\"\"/>", "<x y=\"a value that takes most of the memory of an attribute\"/>",
                                      "<x>text that takes most of the memory of an element</x>"};
  static char text[PARTS * 90];
  char *to = text + sprintf(text, "<perfmodel>");
  for (int i = 0; i < PARTS; i++) to += sprintf(to, "%s", parts[i / (PARTS / 5)]);
  sprintf(to, "</perfmodel>");
  pm__document *read = pm__document_read(text, strlen(text), "own", error);
  if (read == NULL) return error->status;
  pm__document_free(read);
  return PM_OK;
}

/* What is wrong with a document, which libxml2 needs memory to say. */
static int cut_document(pm_error *error)
{
  pm_error told = PM_ERROR_NONE;
  pm__document_free(pm__document_read("<a>\n<b>", 7, "own", &told));
  if (told.status == PM_STATUS_BAD_SYNTAX) return took_number(told.line);
  *error = told;
  return told.status;
}

/* A file whose entry has another value and lacks all others that the catalogue has. */
static int format_file(pm_error *error)
{
  static const char text[] = "<perfmodel version=\"1\"><cudnn_generation id=\"cudnn6\" name=\"Own\"><tensor_factor>7"
                             "</tensor_factor></cudnn_generation></perfmodel>";
  return took_text(pm_catalog_format_file(with.catalog, text, "own", error), error);
}

static int network(pm_error *error)
{
  const pm_attribute sets[] = {{"classes", "10"}};
  pm_network *built = pm_catalog_new_network(with.catalog, "resnet50", sets, 1, error);
  return took_text(built != NULL ? pm_network_format_xml(built, error) : NULL, error), pm_network_free(built),
         error->status;
}

static int dot_of(const char *name, pm_error *error)
{
  pm_system *system = pm_catalog_new_system(with.catalog, name, error);
  int status = took_text(system != NULL ? pm__system_format_dot(system, error) : NULL, error);
  pm_system_free(system);
  return status;
}

static int system_of_a_file(pm_error *error)
{
  return dot_of("dgx1-v100", error);
}

static int system_word(pm_error *error)
{
  return dot_of("h100-sxm5*8:nvswitch", error);
}

/* Names that the catalogue looks for itself may not turn "out of memory" into "unknown". */
static int resolve_word(pm_error *error)
{
  const char *id = pm_catalog_resolve(with.catalog, "system", "h100-sxm5*4:nvswitch", error);
  return id != NULL ? took_number((double)strlen(id)) : error->status;
}

static int framework(pm_error *error)
{
  pm_framework_profile profile;
  return pm_catalog_get_framework(with.catalog, "tf1-nchw@cudnn6", &profile, error);
}

static int inference(pm_error *error)
{
  pm_inference_profile profile;
  return pm_catalog_get_inference(with.catalog, "pt-nchw", &profile, error);
}

static int memory_profile(pm_error *error)
{
  pm_memory_profile profile;
  return pm_catalog_get_memory_profile(with.catalog, "pt-nchw", &profile, error);
}

static int kernels(pm_error *error)
{
  pm_gpu gpu;
  pm_kernel_calibration calibration;
  int status = pm_catalog_get_record(with.catalog, "gpu", "v100", &gpu, error);
  return status == PM_OK ? pm_catalog_get_kernels(with.catalog, &gpu, &calibration, error) : status;
}

static int names(pm_error *error)
{
  (void)error;
  const char *name = pm_catalog_get_name(with.catalog, "gpu", "v100", 0);
  return name != NULL ? took_number((double)strlen(name)) : PM_STATUS_INTERNAL;
}

static int show_gpu(pm_error *error)
{
  return took_table(pm_catalog_show(with.catalog, "gpu", "v100", error), error);
}

static int show_system(pm_error *error)
{
  return took_table(pm_catalog_show(with.catalog, "system", "dgx2", error), error);
}

static int show_network(pm_error *error)
{
  return took_table(pm_catalog_show(with.catalog, "network", "alexnet", error), error);
}

static int list_gpus(pm_error *error)
{
  return took_table(pm_catalog_list(with.catalog, "gpus", error), error);
}

static int list_systems(pm_error *error)
{
  return took_table(pm_catalog_list(with.catalog, "systems", error), error);
}

static int export_entry(pm_error *error)
{
  return took_text(pm_catalog_export(with.catalog, "system", "dgx1-v100", "mine", error), error);
}

static int diagnose(pm_error *error)
{
  return took_table(pm_file_diagnose(PM_SOURCE_DIR "/tests/memory/own.xml", error), error);
}

static int import(const char *format, const char *path, pm_error *error)
{
  static const pm_attribute gpu = {"gpu", "v100"};
  char *report = NULL, *text = pm_file_read(path, error);
  char *xml = text != NULL ? pm_import(with.catalog, format, text, "machine", "mine", &gpu, 1, &report, error) : NULL;
  pm_string_free(text);
  int status = took_text(xml, error);
  if (status == PM_OK) return took_text(report, error);
  pm_string_free(report);
  return status;
}

static int import_nccl(pm_error *error)
{
  return import("nccl", PM_SOURCE_DIR "/tests/import/nccl.xml", error);
}

static int import_topo(pm_error *error)
{
  return import("topo", PM_SOURCE_DIR "/tests/import/topo_dgx1.txt", error);
}

static int import_hwloc(pm_error *error)
{
  return import("hwloc", PM_SOURCE_DIR "/tests/import/hwloc_nvlink.xml", error);
}

static int read_packed(pm_error *error)
{
  return took_text(pm_file_read(PM_SOURCE_DIR "/data/measured/inference.csv.gz", error), error);
}

static int packed_table(pm_error *error)
{
  pm_table *table = pm_catalog_show(with.catalog, "gpu", "v100", error);
  char *text = table != NULL ? pm_table_pack(table, error) : NULL;
  pm_table_free(table);
  table = text != NULL ? pm_table_unpack(text, error) : NULL;
  pm_string_free(text);
  return took_table(table, error);
}

const work catalog_works[] = {
  {"opening the catalogue", open_catalog, false, false, 20},
  {"loading a file", load, true, true, 50},
  {"loading a folder", load_folder, true, true, 50},
  {"cells", cells, false, false, 100},
  {"loading a text", load_text, true, true, 50},
  {"a document of many blocks", document, false, true, 100000},
  {"a document that is cut", cut_document, false, true, 100},
  {"a file with the catalogue's values", format_file, true, true, 50},
  {"a network", network, true, false, 50},
  {"a system of a file", system_of_a_file, true, false, 200},
  {"a system of a word", system_word, true, true, 200},
  {"resolving a word", resolve_word, true, true, 200},
  {"a framework", framework, true, false, 200},
  {"an inference profile", inference, true, false, 200},
  {"a memory profile", memory_profile, true, false, 200},
  {"constants of kernels", kernels, true, false, 200},
  {"names", names, true, false, 200},
  {"a GPU shown", show_gpu, true, false, 200},
  {"a system shown", show_system, true, false, 200},
  {"a network shown", show_network, true, false, 200},
  {"GPUs", list_gpus, true, false, 50},
  {"systems", list_systems, true, false, 20},
  {"a table packed and unpacked", packed_table, false, false, 200},
  {"export", export_entry, true, false, 200},
  {"diagnosis", diagnose, true, true, 50},
  {"import from NCCL", import_nccl, false, true, 100},
  {"import from nvidia-smi", import_topo, false, true, 100},
  {"import from hwloc", import_hwloc, false, true, 100},
  {"a packed file", read_packed, false, false, 200},
  {NULL, NULL, false, false, 0},
};
