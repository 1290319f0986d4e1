/*
** The catalogue: names -> records, networks and systems.
**
** The shipped catalogue is compiled into the library, so nothing has to be found at run time. A user's file or folder
** of XML adds to it, or overrides entries by id, and the catalogue keeps a note of what was overridden.
**
**     pm_catalog *catalog = pm_catalog_new(&error);
**     pm_catalog_load(catalog, "my-cluster.xml", &error);
**     pm_system *node = pm_catalog_new_system(catalog, "DGX-1 V100", &error);
**
** Names: ids are short and stay. Case, spaces, '-', '_', '.' and '/' do not matter, and entries may have aliases. An
** unknown name is an error that says what it may have meant: `unknown network "resnet5"; did you mean "resnet50"?`
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

/* The shipped catalogue. Owned by the caller. Cost: some ten milliseconds. */
PM_API pm_catalog *pm_catalog_new(pm_error *error);

/* Releases the catalogue; networks, systems and tables made from it stay; NULL is none. */
PM_API void pm_catalog_free(pm_catalog *catalog);

/* Adds a file, or every *.xml file of a folder in the order of their names. All of it or nothing: on an error the
** catalogue is as it was. Errors name file and line. */
PM_API int pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error);

/* The same for the text of a file, which messages call `name`. */
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

/* What else an entry is called, by position: its id, its name, its aliases; NULL past the last. */
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
  const char *entry;     /* id of the entry that states it: the one asked for, or one that it takes its values from */
  const char *text;      /* as it is written, "12 us"; NULL: no entry states it */
  const char *source, *note, *origin, *fitted_to, *date; /* the attributes of those names; "" or NULL: not given */
  int rows;              /* measurements that it was fitted on; 0: not given */
} pm_value;

/* A value, with the evidence for it. */
PM_API int pm_catalog_get_value(const pm_catalog *catalog, const char *kind, const char *name, const char *field,
                                pm_value *value, pm_error *error);

/* An entry as text of a file for pm_catalog_load, between <perfmodel> and </perfmodel>, with these values instead of
** its own. Released with pm_string_free; NULL with an error. Not for networks and systems, which pm_catalog_export
** writes. */
PM_API char *pm_catalog_format_entry(const pm_catalog *catalog, const char *kind, const char *name,
                                     const pm_value *values, size_t count, pm_error *error);

/* The text of a file of ours with the values that the catalogue has for its entries: those that differ are written in
** their places, new ones beside them, and what the catalogue has no more is left out. All else, the order of entries,
** comments and blanks, stays byte for byte; networks and systems stay as they are. `name` is how messages call it.
** Released with pm_string_free; NULL with an error. */
PM_API char *pm_catalog_format_file(const pm_catalog *catalog, const char *text, const char *name, pm_error *error);

/* Gives an entry other values, as loading such a file does. What was made of the catalogue before stays as it was. */
PM_API int pm_catalog_set_values(pm_catalog *catalog, const char *kind, const char *name, const pm_value *values,
                                 size_t count, pm_error *error);

/* Builds the network; sets[i] gives a parameter of it another value than its default ("classes" = "10").
** Owned by the caller, independent of the catalogue. */
PM_API pm_network *pm_catalog_new_network(const pm_catalog *catalog, const char *name, const pm_attribute *sets,
                                      size_t set_count, pm_error *error);

/* Builds the system with its link graph. Owned by the caller, independent of the catalogue. A name that is no
** system's but a GPU's ("t4") is a machine with one of it on its host link, "gpu:t4"; written so, it is never taken
** for a system. What its host is like is unknown. "8xh100" is the server of eight that the catalogue calls so, else a
** machine whose GPUs are joined in the usual way; "h100-sxm5*8:nvswitch" one that is joined as <topology> says: pcie,
** nvswitch, pairs or sockets. The same holds wherever a system is named: pm_catalog_resolve, _record and
** _show. */
PM_API pm_system *pm_catalog_new_system(const pm_catalog *catalog, const char *name, pm_error *error);

/* The kernel constants of a GPU: those of its own id (an alias of the entry), else of its architecture.
** PM_STATUS_NOT_FOUND if
** there are none: its kernels then run at the plain roofline. pm_catalog_new_system gives them to the system. */
PM_API int pm_catalog_get_kernels(const pm_catalog *catalog, const pm_gpu *gpu, pm_kernel_calibration *calibration,
                              pm_error *error);

/* Memory [B] of a GPU that programs can have: what its driver was seen to report, or by a rule from the memory as sold
** and its check bits; pm_catalog_show says which. */
PM_API int pm_catalog_get_usable_memory(const pm_catalog *catalog, const pm_gpu *gpu, double *bytes, pm_error *error);

/* What the kernels of a GPU rest on at a precision, in words, from the provenance of its entry or of that of its
** architecture: "matrix multiplications calibrated (5328 rows of h200-sxm5, 2026-11); convolutions ...". Owned by the
** caller: pm_string_free. NULL with an error. */
PM_API char *pm_catalog_explain_calibration(const pm_catalog *catalog, const pm_gpu *gpu, int precision,
                                            pm_error *error);

/* A framework with its cuDNN generation and the prediction interval of training rates: "pt-nchw", or with another
** cuDNN generation, "tf1-nchw@cudnn6". Without a release ("pytorch") it is the newest that was fitted, and of a GPU's
** architecture ("hopper"; NULL or "": any) the newest fitted whose libraries run on it, else the newest that does; with
** one that has no entry ("pytorch-2.5") the newest up to it, and of a month ("pytorch@2024-06") the newest up to it,
** with its GPU libraries. A name that is NULL is PM_FRAMEWORK_DEFAULT. */
PM_API int pm_catalog_get_framework_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                       pm_framework_profile *profile, pm_error *error);
/* The same of any GPU. */
PM_INLINE int pm_catalog_get_framework(const pm_catalog *catalog, const char *name, pm_framework_profile *profile,
                                       pm_error *error)
{
  return pm_catalog_get_framework_on(catalog, name, NULL, profile, error);
}

/* How a framework handles memory, by the name of a memory profile or of a framework, "pytorch-1.12", "pt-nhwc" or
** "tf1-nchw@cudnn6". A profile is first, where both have that name; a release without an entry is the newest up to
** it. */
PM_API int pm_catalog_get_memory_profile(const pm_catalog *catalog, const char *name, pm_memory_profile *profile,
                                     pm_error *error);

/* How inference is run, by the name of an inference profile or of a framework, "pt-nchw@cudnn6" too. What a profile
** does not give comes from the framework that it names; a framework without a profile runs a kernel for each layer. */
PM_API int pm_catalog_get_inference_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                       pm_inference_profile *profile, pm_error *error);
/* The same of any GPU. */
PM_INLINE int pm_catalog_get_inference(const pm_catalog *catalog, const char *name, pm_inference_profile *profile,
                                       pm_error *error)
{
  return pm_catalog_get_inference_on(catalog, name, NULL, profile, error);
}

/* A serving engine by its name ("vllm-0.8"; without a release, "vllm", the newest), with the kernels that it runs on
** GPUs of that architecture. A name that is NULL is PM_ENGINE_DEFAULT. */
PM_API int pm_catalog_get_engine_on(const pm_catalog *catalog, const char *name, const char *architecture,
                                    pm_engine_profile *profile, pm_error *error);

/* A list of one kind as a table (id, name and what matters most), for people and for `perfmodel list`. */
PM_API pm_table *pm_catalog_list(const pm_catalog *catalog, const char *kind, pm_error *error);

/* One entry as a table of rows: field, value, unit, source, note. For a network its parameters and totals; for a system
** its facts and, as further rows, its links. */
PM_API pm_table *pm_catalog_show(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);

/* One entry as a file of its own that pm_catalog_load reads again, with the same numbers; what it refers to and is not
** shipped goes with it. `id` gives it another id, beside the one it is a copy of (NULL or "": its own). A network is
** written as a flat list of layers, under its own id. Released with pm_string_free. */
PM_API char *pm_catalog_export(const pm_catalog *catalog, const char *kind, const char *name, const char *id,
                               pm_error *error);

/* A type of link of any rate [B/s]: `family` is "infiniband", "ethernet" (TCP), "roce", "efa" or "slingshot" between
** nodes, "pcie" within one. `id` becomes that of the catalogue's type with this rate, and the text is empty; else that
** of a new one, and the text is its entry, with the calibration of the nearest of the family, for a file of the user.
** Released with pm_string_free; NULL with an error. */
PM_API char *pm_catalog_make_link(const pm_catalog *catalog, const char *family, double rate, char id[PM_TEXT_MAX],
                                  pm_error *error);

/* ---- Machines from elsewhere ------------------------------------------------------------------------------------- */

/* A machine described by another program, as an XML file of ours: `format` is "nccl" (NCCL_TOPO_DUMP_FILE), "topo" (the
** text of nvidia-smi topo -m) or "hwloc" (lstopo's XML); NULL: by the text. `file` is how messages name the source.
** `known` says what it may not: "gpu", the GPU of the catalogue; "nic", the rate of each port, "400 Gb/s" or "400 Gb/s
** roce". *report gets a line for everything that was assumed or
** left out (NULL: nothing). Both texts are released with pm_string_free. NULL with an error that names the line;
** PM_STATUS_BAD_FILE if the text is of no format. */
PM_API char *pm_import(const pm_catalog *catalog, const char *format, const char *text, const char *file,
                       const char *id, const pm_attribute *known, size_t known_count, char **report, pm_error *error);

/* What a doctor finds in a file of ours. */
#define PM_FINDING_FIELDS(X)                                                                       \
  X(INT, line, "1", "line of the value")                                                           \
  X(TEXT, entry, "", "id of the entry")                                                            \
  X(TEXT, field, "", "field")                                                                      \
  X(TEXT, value, "", "the value as written in the file")                                           \
  X(TEXT, finding, "", "why the value is implausible")                                             \
  X(TEXT, suggestion, "", "what was probably meant")

typedef struct pm_finding { PM_FINDING_FIELDS(PM_DECLARE) } pm_finding;

/* Looks a file's values over for what can be read but is hardly meant: gigabits for gigabytes, both directions counted,
** peaks with sparsity, more bandwidth than the PCIe generation has. A table of findings, empty if all is plausible;
** NULL with an error if the file cannot be read at all. */
PM_API pm_table *pm_file_diagnose(const char *path, pm_error *error);

/* The text of a file, decompressed if it is compressed (gzip); released with pm_string_free. PM_STATUS_BAD_FILE if it
** cannot be read, or is no text. */
PM_API char *pm_file_read(const char *path, pm_error *error);

/* The same of the bytes of a file, which messages call `name`. */
PM_API char *pm_file_unpack(const void *bytes, size_t size, const char *name, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
