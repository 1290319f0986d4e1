/*
** The scripted interface, neutral: what Python, Lua and any later language see of libperfmodel.
**
** Every function is declared here by hand; no C header is ever %included: this file is the design of the binding API.
** It is private to each language's package: users see the hand-written module on top of it. Names lose their "pm_".
**
** Catalogue of patterns. A language provides bindings/<language>/<language>.i with exactly these typemaps and macros:
**
**   pm_error *error              in, numinputs=0: a pm_error of PM_ERROR_NONE on the C stack.
**                                argout: raises when status is not PM_OK, with status, text, file and line.
**   const char *                 in: text, required (nothing, NULL or an inner zero byte raises). UTF-8.
**   double                       in: a number, required. Counts cross as doubles too and are checked here, so that no
**                                language truncates 1.5 in silence.
**   int, double, const char *, char *  out: the language's own (char * is %newobject, see newfree below).
**
**   PM_HANDLE(type)              macro: check of `type *` and `const type *`: NULL (None, nil) raises.
**   PM_HANDLES_IN(type)          macro: in of (const type *const *HANDLES, size_t COUNT): a list of handles.
**   PM_RECORDS_IN(type, name)    macro: in of (const type *RECORDS, size_t COUNT): an array of records, `name` for
**                                pm_record_type_find. Python: a C-contiguous buffer; Lua: a table of tables by field.
**   (const double *NUMBERS, size_t COUNT)            in: an array of numbers. May be empty.
**   (const char *const *NAMES, size_t COUNT)         in: an array of texts. May be empty.
**   (const pm_attribute *ATTRIBUTES, size_t COUNT)   in: text by text: dict, table. May be empty.
**
**   records                      out: an array of records, converted by `type`, then freed with records_free (shims.h).
**   numbers                      out: an array of numbers, then freed with numbers_free.
**   names                        out: an array of texts, then freed with names_free.
**                                `data` is NULL when the call failed; `error` then raises after them.
**
** Handles are owned by the language's garbage collector. A plan refers to its networks and systems: the hand-written
** module keeps them alive as long as the plan. Functions worth releasing an interpreter lock for: plan_new, predict.
** All arguments are converted before anything is allocated in C.
*/
%module core

%{
#include "shims.h"
%}

/* What every language provides. */
#if defined(SWIGPYTHON)
%include "../python/python.i"
#elif defined(SWIGLUA)
%include "../lua/lua.i"
#else
#error "no typemaps for this language"
#endif

%rename("%(strip:[pm_])s") "";
%typemap(newfree) char * "free($1);"
%typemap(newfree) char *table_format "pm_string_free($1);"
%typemap(newfree) char *pm_network_write_xml "pm_string_free($1);"
%typemap(newfree) char *pm_kernel_fit_xml "pm_string_free($1);"

/* ---- Handles: opaque, made by functions only, freed by the language ---- */

%define PM_OWNED(type)
PM_HANDLE(type)
%nodefaultctor type;
typedef struct type {
  %extend {
    ~type() { type##_free($self); }
  }
} type;
%enddef

PM_OWNED(pm_catalog)
PM_OWNED(pm_network)
PM_OWNED(pm_system)
PM_OWNED(pm_plan)
PM_OWNED(pm_inference_plan)
PM_OWNED(pm_kernel_fit)
PM_OWNED(pm_table)

PM_HANDLES_IN(pm_network)
PM_HANDLES_IN(pm_system)
PM_HANDLES_IN(pm_table)

PM_RECORDS_IN(pm_gpu, "gpu")
PM_RECORDS_IN(pm_kernel_calibration, "kernel_calibration")
PM_RECORDS_IN(pm_kernel, "kernel")
PM_RECORDS_IN(pm_ring, "ring")
PM_RECORDS_IN(pm_run, "run")
PM_RECORDS_IN(pm_prediction, "prediction")
PM_RECORDS_IN(pm_framework, "framework")
PM_RECORDS_IN(pm_library_era, "library_era")
PM_RECORDS_IN(pm_band, "band")
PM_RECORDS_IN(pm_inference_profile, "inference_profile")
PM_RECORDS_IN(pm_inference_run, "inference_run")
PM_RECORDS_IN(pm_inference, "inference")
PM_RECORDS_IN(pm_size_goal, "size_goal")
PM_RECORDS_IN(pm_size_choice, "size_choice")
PM_RECORDS_IN(pm_memory_profile, "memory_profile")
PM_RECORDS_IN(pm_optimizer, "optimizer")
PM_RECORDS_IN(pm_memory_run, "memory_run")
PM_RECORDS_IN(pm_dataset, "dataset")
PM_RECORDS_IN(pm_storage, "storage")
PM_RECORDS_IN(pm_storage_access, "storage_access")
PM_RECORDS_IN(pm_decoder, "decoder")
PM_RECORDS_IN(pm_loader, "loader")
PM_RECORDS_IN(pm_machine, "machine")
PM_RECORDS_IN(pm_input_run, "input_run")

%newobject pm_catalog_new;
%newobject pm_catalog_network;
%newobject pm_catalog_system;
%newobject inference_plan_new;
%newobject inference_table;
%newobject size_table;
%newobject sensitivity_table;
%newobject upgrade_table;
%newobject system_with_gpu;
%newobject system_with_link;
%newobject pm_catalog_list;
%newobject pm_catalog_show;
%newobject pm_network_new;
%newobject pm_plan_new;
%newobject pm_network_write_xml;
%newobject network_table;
%newobject network_times;
%newobject system_edges;
%newobject collective_times;
%newobject collective_loads;
%newobject system_drawing;
%newobject prediction_table;
%newobject prediction_trace;
%newobject memory_layers;
%newobject memory_advice;
%newobject validate_table;
%newobject calibrate_kernels;
%newobject calibration_constants;
%newobject calibration_errors;
%newobject pm_kernel_fit_xml;
%newobject table_format;
%newobject quantity_format;

/* ---- Library ---- */

const char *pm_version(void);
double quantity_parse(const char *text, const char *unit, pm_error *error);
char *quantity_format(double value, const char *unit, pm_error *error);

/* ---- Records ---- */

%constant int TEXT_MAX = PM_TEXT_MAX;

/* Names of all record types; what a type is; its bytes. */
names record_types(pm_error *error);
const char *record_doc(const char *type, pm_error *error);
int record_size(const char *type, pm_error *error);

/* Seven texts per field: name, unit, doc, kind ("text", "int", "real", "choice"), offset, and the choices' names and
** docs, one per line. */
names record_fields(const char *type, pm_error *error);

/* ---- Catalogue ---- */

pm_catalog *pm_catalog_new(pm_error *error);
void pm_catalog_load(pm_catalog *catalog, const char *path, pm_error *error);
names catalog_notes(const pm_catalog *catalog, pm_error *error);
names catalog_kinds(pm_error *error);
names catalog_ids(const pm_catalog *catalog, const char *kind, pm_error *error);
const char *pm_catalog_resolve(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);

/* One record of the kind's type. */
records catalog_record(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);
pm_table *pm_catalog_list(const pm_catalog *catalog, const char *kind, pm_error *error);
pm_table *pm_catalog_show(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error);
pm_network *pm_catalog_network(const pm_catalog *catalog, const char *name, const pm_attribute *ATTRIBUTES,
                               size_t COUNT, pm_error *error);
pm_system *pm_catalog_system(const pm_catalog *catalog, const char *name, pm_error *error);

/* One GPU alone. */

/* How inference is run, by the name of a profile or a framework: one "inference_profile" record. */
records catalog_inference(const pm_catalog *catalog, const char *name, pm_error *error);

/* ---- Networks ---- */

/* The kinds of layers, and what each takes: "out_channels kernel stride=1"; one without a value must be given. */
names layer_kinds(pm_error *error);
names layer_attributes(pm_error *error);

pm_network *pm_network_new(const char *id, const char *name, pm_error *error);

/* network, name, shape -> number of the layer */
int network_add_input(pm_network *network, const char *name, const double *NUMBERS, size_t COUNT, pm_error *error);

/* network, kind, name ("": one of its own), numbers of the input layers, attributes -> number of the layer */
int network_add(pm_network *network, const char *kind, const char *name, const double *NUMBERS, size_t COUNT,
                const pm_attribute *ATTRIBUTES, size_t COUNT, pm_error *error);

/* The output shape of a layer by its number. */
numbers network_shape(const pm_network *network, double layer, pm_error *error);

/* The network as a file of the catalogue. */
char *pm_network_write_xml(const pm_network *network, pm_error *error);

/* One "network" record. */
records network_totals(const pm_network *network, pm_error *error);

/* Counts by "layer" or "kind", or as a "tree" of so many levels; `RECORDS` is one memory profile. The last row is the
** total if `total` is not 0. */
pm_table *network_table(const pm_network *network, const char *view, double depth, const pm_memory_profile *RECORDS,
                        size_t COUNT, double batch, const char *precision, double total, pm_error *error);

/* A table of "layer_time" records, one row per layer; `RECORDS` is one GPU and its constants. */
pm_table *network_times(const pm_network *network, const pm_gpu *RECORDS, size_t COUNT,
                        const pm_kernel_calibration *RECORDS, size_t COUNT, double batch,
                        const char *precision, pm_error *error);

/* ---- Kernels ---- */

/* The constants of one GPU as a "kernel_calibration" record; an empty array if its architecture has none. */
records catalog_kernels(const pm_catalog *catalog, const pm_gpu *RECORDS, size_t COUNT, pm_error *error);

/* GPU, its constants (none: the plain roofline), kernels -> a "kernel_time" record each. */
records kernel_times(const pm_gpu *RECORDS, size_t COUNT, const pm_kernel_calibration *RECORDS, size_t COUNT,
                     const pm_kernel *RECORDS, size_t COUNT, pm_error *error);

/* ---- Systems ---- */

/* One "machine" record, one "gpu" record, the link graph as a table of "edge" records. */
records system_machine(const pm_system *system, pm_error *error);
records system_gpu(const pm_system *system, pm_error *error);
pm_table *system_edges(const pm_system *system, pm_error *error);

/* One "ring" record: the ring of GPUs 0 .. gpus-1 of each node. */
records system_ring(const pm_system *system, double gpus, double nodes, pm_error *error);

/* One ring, bytes -> seconds of an all-reduce of each. */
numbers all_reduce_times(const pm_ring *RECORDS, size_t COUNT, const double *NUMBERS, size_t COUNT, pm_error *error);

/* system, collective, sizes, numbers of the GPUs (empty: the first `gpus`), GPUs, nodes, GPUs of a host thread, algorithm,
** protocol -> the times as a table, one row for each size; and, for one size, the load on every link. */
pm_table *collective_times(const pm_system *system, const char *collective, const double *NUMBERS, size_t COUNT,
                           const double *NUMBERS, size_t COUNT, double gpus, double nodes, double thread_gpus,
                           const char *algorithm, const char *protocol, pm_error *error);
pm_table *collective_loads(const pm_system *system, const char *collective, const double *NUMBERS, size_t COUNT,
                           const double *NUMBERS, size_t COUNT, double gpus, double nodes, double thread_gpus,
                           const char *algorithm, const char *protocol, pm_error *error);

/* Directed rings, their bandwidth, GPUs, and for each cycle its weight and the GPUs in order. */
numbers system_rings(const pm_system *system, const double *NUMBERS, size_t COUNT, double gpus, pm_error *error);

/* The link graph as "matrix", "dot" or "svg"; "copies" is what a peer-to-peer test prints. */
char *system_drawing(const pm_system *system, const char *as, pm_error *error);

/* ---- Predictions ---- */

%apply (const pm_network *const *HANDLES, size_t COUNT) { (const pm_network *const *networks, size_t network_count) };
%apply (const pm_system *const *HANDLES, size_t COUNT) { (const pm_system *const *systems, size_t system_count) };
pm_plan *pm_plan_new(const pm_network *const *networks, size_t network_count, const pm_system *const *systems,
                     size_t system_count, pm_error *error);

/* One "run" record: the defaults. */
records run_default(pm_error *error);

/* The timeline of the one run, JSON. */
char *prediction_trace(const pm_plan *plan, const pm_run *RECORDS, size_t COUNT, pm_error *error);

/* Raises if the one run cannot be predicted, and says why. */
void run_check(const pm_plan *plan, const pm_run *RECORDS, size_t COUNT, pm_error *error);

/* One "prediction" record per run. */
records predict(const pm_plan *plan, const pm_run *RECORDS, size_t COUNT, pm_error *error);

/* Every combination as "run" records, batch fastest: one run that says what no axis does, numbers of networks, systems
** and frameworks (0: as that run says), precisions, nodes, gpus, batch, whether batch is global. */
records grid_runs(const pm_run *RECORDS, size_t COUNT, double networks, double systems, double frameworks,
                  const char *const *NAMES, size_t COUNT, const double *NUMBERS, size_t COUNT, const double *NUMBERS,
                  size_t COUNT, const double *NUMBERS, size_t COUNT, double global_batch, pm_error *error);

/* A framework by name ("pt-nchw", "tf1-nchw@cudnn6"): its "framework", "library_era" or "band" record; and one added to
** a plan, before it is used: its number. */
records catalog_framework(const pm_catalog *catalog, const char *name, const char *part, pm_error *error);
int plan_add_framework(pm_plan *plan, const pm_framework *RECORDS, size_t COUNT, const pm_library_era *RECORDS,
                       size_t COUNT, const pm_band *RECORDS, size_t COUNT, pm_error *error);

/* Runs and their predictions as one table. */
pm_table *prediction_table(const pm_plan *plan, const pm_run *RECORDS, size_t COUNT, const pm_prediction *RECORDS,
                           size_t COUNT, pm_error *error);

/* ---- Inference ---- */

/* One "inference_run" record: the defaults. */
records inference_run_default(pm_error *error);

/* Networks, systems, profiles; `RECORDS` behind them is one memory profile. */
pm_inference_plan *inference_plan_new(const pm_network *const *networks, size_t network_count,
                                      const pm_system *const *systems, size_t system_count,
                                      const pm_inference_profile *RECORDS, size_t COUNT,
                                      const pm_memory_profile *RECORDS, size_t COUNT, pm_error *error);

/* One "inference" record per run; what is wrong with one run; one run with the largest batch within a latency. */
records infer(const pm_inference_plan *plan, const pm_inference_run *RECORDS, size_t COUNT, pm_error *error);
void infer_check(const pm_inference_plan *plan, const pm_inference_run *RECORDS, size_t COUNT, pm_error *error);
records infer_within(const pm_inference_plan *plan, const pm_inference_run *RECORDS, size_t COUNT, double latency,
                     pm_error *error);
pm_table *inference_table(const pm_inference_plan *plan, const pm_inference_run *RECORDS, size_t COUNT,
                          const pm_inference *RECORDS, size_t COUNT, pm_error *error);

/* ---- Sizing ---- */

/* One "size_goal" record: the defaults. */
records size_goal_default(pm_error *error);

/* Plan, one goal, choices as runs, prices, usable memory, network and memory profile and optimizer for it, input paths (one
** for each choice, or none) in six arrays and their runs; "size_choice" records: what is asked for is "least", "next" (what
** takes less than the first of least) or "front". */
records size_choices(const pm_plan *plan, const pm_size_goal *RECORDS, size_t COUNT, const pm_run *RECORDS, size_t COUNT,
                     const double *NUMBERS, size_t COUNT, const double *NUMBERS, size_t COUNT, const pm_network *network,
                     const pm_memory_profile *RECORDS, size_t COUNT, const pm_optimizer *RECORDS, size_t COUNT,
                     const pm_dataset *RECORDS, size_t COUNT, const pm_storage *RECORDS, size_t COUNT,
                     const pm_storage_access *RECORDS, size_t COUNT, const pm_decoder *RECORDS, size_t COUNT,
                     const pm_loader *RECORDS, size_t COUNT, const pm_machine *RECORDS, size_t COUNT,
                     const pm_input_run *RECORDS, size_t COUNT, const char *what, pm_error *error);

/* "size_choice" records as a table. */
pm_table *size_table(const pm_size_choice *RECORDS, size_t COUNT, pm_error *error);

/* ---- Sensitivities ---- */

/* Network, system, one run, a framework, its era and band (or none), an input path (or none): a table of "sensitivity" or of
** "upgrade" records. */
pm_table *sensitivity_table(const pm_network *network, const pm_system *system, const pm_run *RECORDS, size_t COUNT,
                            const pm_framework *RECORDS, size_t COUNT, const pm_library_era *RECORDS, size_t COUNT,
                            const pm_band *RECORDS, size_t COUNT, const pm_dataset *RECORDS, size_t COUNT, const pm_storage *RECORDS, size_t COUNT,
                            const pm_storage_access *RECORDS, size_t COUNT, const pm_decoder *RECORDS, size_t COUNT,
                            const pm_loader *RECORDS, size_t COUNT, const pm_machine *RECORDS, size_t COUNT,
                            const pm_input_run *RECORDS, size_t COUNT, double raise,
                            pm_error *error);
pm_table *upgrade_table(const pm_network *network, const pm_system *system, const pm_run *RECORDS, size_t COUNT,
                        const pm_framework *RECORDS, size_t COUNT, const pm_library_era *RECORDS, size_t COUNT,
                        const pm_band *RECORDS, size_t COUNT, const pm_dataset *RECORDS, size_t COUNT, const pm_storage *RECORDS, size_t COUNT,
                        const pm_storage_access *RECORDS, size_t COUNT, const pm_decoder *RECORDS, size_t COUNT,
                        const pm_loader *RECORDS, size_t COUNT, const pm_machine *RECORDS, size_t COUNT,
                        const pm_input_run *RECORDS, size_t COUNT, const pm_system *const *HANDLES, size_t COUNT,
                        const char *const *NAMES, size_t COUNT, const double *NUMBERS, size_t COUNT, pm_error *error);

/* The system with another GPU (constants: none is the plain roofline), or another link in place of one ("": its network). */
pm_system *system_with_gpu(const pm_system *system, const pm_gpu *RECORDS, size_t COUNT,
                           const pm_kernel_calibration *RECORDS, size_t COUNT, pm_error *error);
pm_system *system_with_link(const pm_catalog *catalog, const pm_system *system, const char *replaced, const char *link,
                            pm_error *error);

/* ---- Input pipeline ---- */

/* One "input_run" record: the defaults. */
records input_run_default(pm_error *error);

/* One "input_rates" record per run, of one path. Raises if a single run has no answer. */
records input_rates(const pm_dataset *RECORDS, size_t COUNT, const pm_storage *RECORDS, size_t COUNT,
                    const pm_storage_access *RECORDS, size_t COUNT, const pm_decoder *RECORDS, size_t COUNT,
                    const pm_loader *RECORDS, size_t COUNT, const pm_machine *RECORDS, size_t COUNT,
                    const pm_input_run *RECORDS, size_t COUNT, pm_error *error);

/* ---- Memory ---- */

/* One "memory_run" record: the defaults. */
records memory_run_default(pm_error *error);

/* One "memory_use" record per run, of one profile and one optimizer. Raises if a single run has no answer. */
records memory_use(const pm_network *network, const pm_memory_profile *RECORDS, size_t COUNT,
                   const pm_optimizer *RECORDS, size_t COUNT, const pm_memory_run *RECORDS, size_t COUNT,
                   pm_error *error);

/* Tables of "layer_memory" records, and of "memory_advice" records for one run: what would help, the others among the
** optimizers included. */
pm_table *memory_layers(const pm_network *network, const pm_memory_profile *RECORDS, size_t COUNT, double batch,
                        const char *precision, pm_error *error);
pm_table *memory_advice(const pm_network *network, const pm_memory_profile *RECORDS, size_t COUNT,
                        const pm_optimizer *RECORDS, size_t COUNT, const pm_memory_run *RECORDS, size_t COUNT,
                        const pm_optimizer *RECORDS, size_t COUNT, pm_error *error);

/* ---- Validation ---- */

names validation_sets(pm_error *error);

/* Measured beside predicted: a set, rows of one's own as the text of a table or the path of one ("" for none), and
** whether a row is wanted for each measurement. */
pm_table *validate_table(const pm_catalog *catalog, const char *set, const char *data, const char *path, double rows,
                         pm_error *error);

/* Constants of kernels fitted to measurements: the shipped ones, or `data` (CSV), or those of a file. Lists of ids parted by
** commas, empty: all architectures, no GPU kept out. */
pm_kernel_fit *calibrate_kernels(const pm_catalog *catalog, const char *data, const char *path, const char *architectures,
                                 const char *kept_gpus, double kept_shapes, pm_error *error);
pm_table *calibration_constants(const pm_kernel_fit *fit, pm_error *error);
pm_table *calibration_errors(const pm_kernel_fit *fit, pm_error *error);
char *pm_kernel_fit_xml(const pm_kernel_fit *fit, const pm_catalog *catalog, pm_error *error);

/* ---- Tables ---- */

double table_rows(const pm_table *table);
int table_has_total(const pm_table *table);

/* What there is to say besides, a text for each line. */
names table_notes(const pm_table *table, pm_error *error);

/* Four texts per column: name, unit, doc, kind. */
names table_columns(const pm_table *table, pm_error *error);
numbers table_numbers(const pm_table *table, double column, pm_error *error);
names table_texts(const pm_table *table, double column, pm_error *error);

/* The first rows of one column as people see them: quantities with prefixes, shares as percent, trees indented. */
names table_shown(const pm_table *table, double column, double rows, pm_error *error);

/* The whole table as "table", "csv" or "json"; `width` limits the text form (0: no limit). */
char *table_format(const pm_table *table, const char *format, double width, pm_error *error);

#if defined(SWIGPYTHON)
PyObject *table_arrow(const pm_table *const *HANDLES, size_t COUNT, pm_error *error);
void predict_into(const pm_plan *plan, const pm_run *RECORDS, size_t COUNT, pm_prediction *RESULTS, size_t COUNT,
                  pm_error *error);
#endif
