/*
** The catalogue: names -> records, networks and systems.
**
** The shipped catalogue is compiled into the library, so no files are needed at run time. A user's XML file or folder
** adds entries, or overrides entries by id, and the catalogue notes what was overridden.
**
**     pm_catalog *catalog = pm_catalog_new(&error);
**     pm_catalog_load(catalog, "my-cluster.xml", &error);
**     pm_system *node = pm_catalog_new_system(catalog, "DGX-1 V100", &error);
**
** Names: ids are short and stable. Case, spaces, '-', '_', '.' and '/' do not matter, and entries may have aliases. An
** unknown name is an error that suggests the nearest name: `unknown network "resnet5"; did you mean "resnet50"?`
*/
#ifndef PERFMODEL_CATALOG_H
#define PERFMODEL_CATALOG_H

#include "framework.h"
#include "engine.h"
#include "hardware.h"
#include "memory.h"
#include "network.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle: entries read from XML, by kind and id. Only pm_catalog_load changes it, so several threads may
** read it. */
typedef struct pm_catalog pm_catalog;

/* The shipped catalogue. Owned by the caller. Cost: about ten milliseconds. */
PM_API pm_catalog *pm_catalog_new(pm_error *error);

/* Releases the catalogue, not the networks, systems and tables made from it; NULL is allowed. */
PM_API void pm_catalog_free(pm_catalog *catalog);

/* Adds a file, or every *.xml file of a folder in alphabetical order. All or nothing: after an error the catalogue is
** unchanged. Errors name file and line. */
PM_API int pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error);

/* The same for the text of a file; `name` is its name in messages. */
PM_API int pm_catalog_load_text(pm_catalog *catalog, const char *text, const char *name, pm_error *error);

/* Notes on what loads did ("mine.xml:3: gpu "p100-sxm2" replaces the shipped one"); NULL past the last. */
PM_API const char *pm_catalog_get_note(const pm_catalog *catalog, size_t index);

/* Kinds of entries: "gpus", "links", "systems", "networks", "datasets", "sources", "calibrations",
** "kernel_calibrations", "kernel_harnesses",
** "frameworks", "cudnn_generations", "prediction_intervals", "operator_calibrations", "memory_profiles",
** "usable_memories", "transformer_activations", "readings"; NULL past the last. */
PM_API const char *pm_catalog_get_kind(size_t index);

/* Number of entries of a kind (plural as above, or singular), -1 if there is no such kind. */
PM_API int pm_catalog_count(const pm_catalog *catalog, const char *kind);

/* The id of an entry by position, in the order of the files; NULL past the last. */
PM_API const char *pm_catalog_get_id(const pm_catalog *catalog, const char *kind, size_t index);

/* The id that a name resolves to, or NULL. */
PM_API const char *pm_catalog_resolve(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);

/* The names of an entry by position: its id, its name, its aliases; NULL past the last. */
PM_API const char *pm_catalog_get_name(const pm_catalog *catalog, const char *kind, const char *id, size_t index);

/* Copies the record of an entry: pm_gpu for "gpu", pm_link for "link", pm_machine for "system", pm_dataset for
** "dataset", pm_source for "source", pm_link_calibration for "calibration". `record`
** must have the size of the kind's record type. */
PM_API int pm_catalog_get_record(const pm_catalog *catalog, const char *kind, const char *name, void *record,
                             pm_error *error);

/* The record type of a kind, or NULL ("networks" have pm_network_totals, computed by pm_network_get_totals). */
PM_API const pm_record_type *pm_catalog_get_record_type(const char *kind);

/* One value of an entry as a file has it, with its evidence. Texts live as long as the catalogue. */
typedef struct pm_value {
  const char *field;     /* name of the field */
  const char *entry;     /* id of the entry that states it: this entry, or one that it is like */
  const char *text;      /* as written, "12 us"; NULL: no entry states it */
  const char *source, *note, *origin, *fitted_to, *date; /* the attributes of those names; "" or NULL: not given */
  int rows;              /* measurements that it was fitted to; 0: not given */
} pm_value;

/* A value, with the evidence for it. */
PM_API int pm_catalog_get_value(const pm_catalog *catalog, const char *kind, const char *name, const char *field,
                                pm_value *value, pm_error *error);

/* An entry as text of a file for pm_catalog_load, between <perfmodel> and </perfmodel>, with these values instead of
** its own. Released with pm_string_free; NULL with an error. Not for networks and systems, which pm_catalog_export
** writes. */
PM_API char *pm_catalog_format_entry(const pm_catalog *catalog, const char *kind, const char *name,
                                     const pm_value *values, size_t count, pm_error *error);

/* A catalogue file updated to the values that the catalogue has for its entries: changed values are replaced, new ones
** added, and values no longer in the catalogue removed. Everything else, including order, comments and white space, is
** kept byte for byte; networks and systems are unchanged. `name` is its name in messages. Released with pm_string_free;
** NULL with an error. */
PM_API char *pm_catalog_format_file(const pm_catalog *catalog, const char *text, const char *name, pm_error *error);

/* Changes values of an entry, as loading such a file does. Objects made from the catalogue before do not change. */
PM_API int pm_catalog_set_values(pm_catalog *catalog, const char *kind, const char *name, const pm_value *values,
                                 size_t count, pm_error *error);

/* Builds the network; sets[i] sets a parameter ("classes" = "10"). Owned by the caller, independent of the
** catalogue. */
PM_API pm_network *pm_catalog_new_network(const pm_catalog *catalog, const char *name, const pm_attribute *sets,
                                      size_t set_count, pm_error *error);

/* Builds the system with its link graph. Owned by the caller, independent of the catalogue. The name of a GPU ("t4") is
** a machine with one such GPU on its host link and an unknown host; "gpu:t4" always means the GPU. "8xh100" is the
** catalogue's server of that name, otherwise a machine with GPUs connected in the usual way; "h100-sxm5*8:nvswitch"
** states the connection: pcie, nvswitch, pairs or sockets. The same holds wherever a system is named:
** pm_catalog_resolve, _record and _show. */
PM_API pm_system *pm_catalog_new_system(const pm_catalog *catalog, const char *name, pm_error *error);

/* The kernel constants of a GPU: those of its id (an alias of the entry), otherwise of its architecture.
** PM_STATUS_NOT_FOUND if there are none: its kernels then run at the plain roofline. pm_catalog_new_system sets them in
** the system. */
PM_API int pm_catalog_get_kernels(const pm_catalog *catalog, const pm_gpu *gpu, pm_kernel_calibration *calibration,
                              pm_error *error);

/* Memory [B] of a GPU that programs can use: the value reported by its driver, or a rule from its nominal memory and
** inline ECC; pm_catalog_show shows which. */
PM_API int pm_catalog_get_usable_memory(const pm_catalog *catalog, const pm_gpu *gpu, double *bytes, pm_error *error);

/* The basis of a GPU's kernels at a precision, in words, from the provenance of its entry or that of its architecture:
** "matrix multiplications calibrated (5328 rows of h200-sxm5, 2026-11); convolutions ...". Owned by the caller:
** pm_string_free. NULL with an error. */
PM_API char *pm_catalog_explain_calibration(const pm_catalog *catalog, const pm_gpu *gpu, int precision,
                                            pm_error *error);

/* A framework with its cuDNN generation and the prediction interval of training rates: "pt-nchw", or "tf1-nchw@cudnn6"
** with another cuDNN generation. Without a release ("pytorch") it is the newest fitted release; with a GPU architecture
** ("hopper"; NULL or "": any) the newest fitted release whose libraries run on it, otherwise the newest that runs. A
** release without an entry ("pytorch-2.5") is the newest one before it; a month ("pytorch@2024-06") is the newest
** release up to it, with the GPU libraries of that time. A name that is NULL is PM_FRAMEWORK_DEFAULT. */
PM_API int pm_catalog_get_framework_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                       pm_framework_profile *profile, pm_error *error);
/* The same for any GPU. */
PM_INLINE int pm_catalog_get_framework(const pm_catalog *catalog, const char *name, pm_framework_profile *profile,
                                       pm_error *error)
{
  return pm_catalog_get_framework_on(catalog, name, NULL, profile, error);
}

/* The memory profile of that name, or of a framework: "pytorch-1.12", "pt-nhwc" or "tf1-nchw@cudnn6". If both exist,
** the memory profile is used; a release without an entry is the newest one before it. */
PM_API int pm_catalog_get_memory_profile(const pm_catalog *catalog, const char *name, pm_memory_profile *profile,
                                     pm_error *error);

/* The inference profile of that name, or of a framework, such as "pt-nchw@cudnn6". Values that a profile does not state
** come from its framework; a framework without a profile runs a kernel per layer. */
PM_API int pm_catalog_get_inference_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                       pm_inference_profile *profile, pm_error *error);
/* The same for any GPU. */
PM_INLINE int pm_catalog_get_inference(const pm_catalog *catalog, const char *name, pm_inference_profile *profile,
                                       pm_error *error)
{
  return pm_catalog_get_inference_on(catalog, name, NULL, profile, error);
}

/* A serving engine by name ("vllm-0.8"; "vllm" is the newest release), with the kernels that it runs on GPUs of that
** architecture. A name that is NULL is PM_ENGINE_DEFAULT. */
PM_API int pm_catalog_get_engine_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                    pm_engine_profile *profile, pm_error *error);

/* A list of one kind as a table (id, name and main facts), as in `perfmodel list`. */
PM_API pm_table *pm_catalog_list(const pm_catalog *catalog, const char *kind, pm_error *error);

/* One entry as a table of rows: field, value, unit, source, note. For a network its parameters and totals; for a system
** its facts and, as further rows, its links. */
PM_API pm_table *pm_catalog_show(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);

/* One entry as a file for pm_catalog_load, with the same numbers, including entries it refers to that are not shipped.
** `id` sets another id for a copy (NULL or "": its own). A network is written as a flat list of layers, under its own
** id. Released with pm_string_free. */
PM_API char *pm_catalog_export(const pm_catalog *catalog, const char *kind, const char *name, const char *id,
                               pm_error *error);

/* A type of link of any rate [B/s]: `family` is "infiniband", "ethernet" (TCP), "roce", "efa" or "slingshot" between
** nodes, "pcie" within one. `id` becomes that of the catalogue's type with this rate, and the text is empty; otherwise
** that of a new type, and the text is its entry for a user's file, with the calibration of the nearest type of the
** family. Released with pm_string_free; NULL with an error. */
PM_API char *pm_catalog_make_link(const pm_catalog *catalog, const char *family, double rate, char id[PM_TEXT_MAX],
                                  pm_error *error);

/* ---- Machines from other programs -------------------------------------------------------------------------------- */

/* A machine described by another program, as a catalogue file: `format` is "nccl" (NCCL_TOPO_DUMP_FILE), "topo" (the
** text of nvidia-smi topo -m) or "hwloc" (lstopo's XML); NULL: detected from the text. `file` is the name of the source
** in messages. `known` states what the source may lack: "gpu", the GPU of the catalogue; "nic", the rate of each port,
** "400 Gb/s" or "400 Gb/s roce". *report gets a line for everything that was assumed or left out (NULL: no report).
** Both texts are released with pm_string_free. NULL with an error that names the line; PM_STATUS_BAD_FILE if the format
** is not recognized. */
PM_API char *pm_import(const pm_catalog *catalog, const char *format, const char *text, const char *file,
                       const char *id, const pm_attribute *known, size_t known_count, char **report, pm_error *error);

/* A finding of the doctor in a catalogue file. */
#define PM_FINDING_FIELDS(X)                                                                       \
  X(INT, line, "1", "line of the value")                                                           \
  X(TEXT, entry, "", "id of the entry")                                                            \
  X(TEXT, field, "", "field")                                                                      \
  X(TEXT, value, "", "the value as written in the file")                                           \
  X(TEXT, finding, "", "why the value is implausible")                                             \
  X(TEXT, suggestion, "", "what was probably meant")

typedef struct pm_finding { PM_FINDING_FIELDS(PM_DECLARE) } pm_finding;

/* Checks a file for valid but implausible values: gigabits for gigabytes, both directions counted, peaks with sparsity,
** more bandwidth than the PCIe generation has. A table of findings, empty if all values are plausible; NULL with an
** error if the file cannot be read. */
PM_API pm_table *pm_file_diagnose(const char *path, pm_error *error);

/* The text of a file, decompressed if it is compressed (gzip); released with pm_string_free. PM_STATUS_BAD_FILE if it
** cannot be read, or is no text. */
PM_API char *pm_file_read(const char *path, pm_error *error);

/* The same for the bytes of a file; `name` is its name in messages. */
PM_API char *pm_file_unpack(const void *bytes, size_t size, const char *name, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
