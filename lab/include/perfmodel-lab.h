/*
** libperfmodel-lab: predictions beside measurements, and constants of the model from measurements. A library of its
** own, over the public interface of libperfmodel, which works without it: programs that only predict need neither its
** code nor its rows. Its records are in perfmodel/evidence.h.
**
** Validation: published measurements beside what is predicted for them.
**
** A set is a table of measurements that the library ships, or one in the same layout that a user brings. Names that
** published tables use are matched to the catalogue by its names and aliases, and where these do not say enough by
** readings: rules of the catalogue such as "BERT in a table of pre-training is bert-large-pretraining".
**
**     pm_table *table = pm_validate(catalog, &(pm_validation){"training", NULL, NULL, 0}, &error);
**
** A summary has the columns set, group, rows, mape, median, p90, bias, all but the first three in per cent, and of
** kernels what a plain roofline's mape would be; a table of rows id, group, measured, predicted, unit, error, and what
** else its set has to say of a row. An error is (predicted - measured) / measured: of a rate, above 0 the prediction is
** too fast, of a time too slow.
**
**     statements   what the source documents state ("seeds" in release 0.1)
**     training     rates of training
**     inference    rates and latencies of inference
**     kernels      times of single kernels: the columns of docs/calibration.md
**     documents  what the source documents state -> constants of frameworks that nobody else ran, and the band of these
**     collectives  times of collectives, copies between two GPUs: the columns of data/measured/README.md
**     energy       power and energy of runs: the columns of data/measured/README.md
**     storage      rates and node counts of storage and decoding
*/
#ifndef PERFMODEL_LAB_H
#define PERFMODEL_LAB_H

#include "perfmodel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Validation ------------------------------------------------------------------------------------------------- */

/* What to validate: a set, on the shipped measurements or on yours. */
typedef struct pm_validation {
  const char *set;  /* one of pm_validation_get_set */
  const char *data; /* the text of your table; NULL: what is shipped */
  const char *file; /* how messages call that table; NULL: "data" */
  int rows;         /* 1: a row for each measurement, 0: for each group of them */
  const char *only; /* training, inference: only rows of these, as in pm_calibration_options.hold_out; NULL: all */
  const char *system; /* as in pm_calibration_options */
} pm_validation;

/* The sets by position, NULL past the last. */
PM_API const char *pm_validation_get_set(size_t index);

/* The table, which the caller owns; NULL with an error. Its notes (pm_table_get_notes) say how many rows have no
** prediction, and why. */
PM_API pm_table *pm_validate(const pm_catalog *catalog, const pm_validation *what, pm_error *error);

/* A shipped table by name ("measured/collectives.csv"), as text that the caller releases with pm_string_free; NULL with
** PM_STATUS_NOT_FOUND if there is none. */
PM_API char *pm_shipped_read(const char *name, pm_error *error);

/* ---- Measurements as other programs write them ------------------------------------------------------------------ */

/*
** Instead of a table, `data` may be what another program wrote; it is known by its text:
**
**     nccl-tests           what it prints, or the JSON of -J FILE            -> rows of collectives
**     rccl-tests           what it prints, or writes with -x FILE -Z json or csv  -> rows of collectives
**     PyTorch's profiler   export_chrome_trace, of profile(record_shapes=True)  -> rows of kernels
**     Nsight Systems       nsys stats --report cuda_gpu_trace:nvtx-name --format csv, of a run under
**                          torch.autograd.profiler.emit_nvtx(record_shapes=True)  -> rows of kernels
**     vLLM, SGLang         JSON of vllm bench serve --save-result and bench_serving --output-file, with what the client
**                          does not know in --metadata or --tag           -> rows of serving
**     nvidia-smi, DCGM,    --query-gpu=timestamp,power.draw,utilization.gpu --format=csv, dmon; dcgmi dmon; rocm-smi
**     rocm-smi, Zeus       --csv; power over time, or windows of ZeusMonitor    -> rows of energy
**     llama-bench          its table, -o csv, json, jsonl                    -> rows of serving
**     MLPerf Storage       summary.json of a training run                     -> rows of storage
**     MLPerf Training      a result log (:::MLLOG)                            -> packed rows of training
**     Megatron-LM, NeMo,   the log of a training run: its step lines, and the settings that it prints
**     torchtitan, DeepSpeed, Lightning, Hugging Face's Trainer            -> packed rows of training (large-models)
**
** Calls of one operator with the same sizes are one row, with the median of their times. Kernels of operators that the
** set of kernels does not have are counted and listed.
*/

/* The rows of such a file as a table (CSV) in the layout of its set. `known` says what the file may not, by names of
** columns: "system", of collectives "collective", "gpus" of one node, "nodes", and of logs of training "network",
** "framework", "global_batch", "seq" (tokens of a sample) and the fields of a run, of MLPerf Storage "storage", of
** llama-bench "network" and the engine to compare with, "framework". What contradicts the file is an
** error. *report gets a line for all that was left out (NULL: nothing). Both texts are released with pm_string_free.
** NULL with an error that names the place, or that lists what is read. */
PM_API char *pm_measurements_read(const pm_catalog *catalog, const char *text, const char *file,
                                  const pm_attribute *known, size_t known_count, char **report, pm_error *error);

/* Whether pm_measurements_read knows the text as a file of another program: what it is, or NULL. */
PM_API const char *pm_measurements_find_format(const char *text);

/* ---- Least squares ----------------------------------------------------------------------------------------------- */

/*
** Calibration: constants of the model from measurements.
**
** pm_fit is bounded least squares by Levenberg and Marquardt's method, for residuals of any kind; constants of the
** model are fitted on residuals log(predicted / measured), so that 10 % too fast and 10 % too slow count alike:
**
**     pm_fit_parameter parameters[2] = {pm_fit_parameter_make("efficiency", 0.9, 0.3, 1.2),
**                                       pm_fit_parameter_make("latency", 5e-6, 1e-7, 1e-3)};
**     pm_fit_options options = pm_fit_options_make();
**     pm_fit(parameters, 2, residuals, &my_rows, row_count, &options, &result, &error);
**
** Nothing is random: the same residuals give the same constants.
*/

/* A constant that is searched between `lower` and `upper`, from `start`; results are unknown. */
PM_API pm_fit_parameter pm_fit_parameter_make(const char *name, double start, double lower, double upper);

/* How the search goes; begin with the defaults. */
typedef struct pm_fit_options {
  double robust;     /* residuals well beyond this count by their size, not its square; 0: all by the square */
  int huber;         /* 1: by the square up to `robust`, by the size beyond (Huber); 0: with a soft passage (soft L1) */
  double step;       /* of numeric derivatives: share of a value, or of its range if its bounds include 0 */
  double tolerance;  /* share of the cost that an improvement must be worth */
  int iterations;    /* of each search, at most */
  int starts;        /* searches: one from the start, the others from points spread around it; the best counts */
} pm_fit_options;

/* All residuals by their squares, steps of 1 %, a tolerance of 1e-6, at most 100 iterations, one search. */
PM_API pm_fit_options pm_fit_options_make(void);

/* What the search came to. */
typedef struct pm_fit_result {
  double start_cost, cost; /* half the sum of squares, large residuals softened */
  int iterations, evaluations;
} pm_fit_result;

/* Fills `residuals` for these values of the parameters, in their order; anything but PM_OK ends the fit with it. A
** residual that is NAN makes the values unusable. */
typedef int pm_fit_residuals(void *context, const double *values, double *residuals, pm_error *error);

/* Finds the values with the least cost; the other results are filled in too. Parameters that reach a bound stay there
** while the measurements want more. Uncertainties suppose that the residuals are independent of each other: with many
** rows of like shape they are too small. */
PM_API int pm_fit(pm_fit_parameter *parameters, size_t count, pm_fit_residuals *residuals, void *context, size_t rows,
                  const pm_fit_options *options, pm_fit_result *result, pm_error *error);

/* ---- Calibrating the constants of the model -------------------------------------------------------------------- */

/*
** A set of measurements, those that the library ships or yours, gives constants of the catalogue:
**
**     kernels    times of kernels -> constants of architectures (kernel_calibration)
**     training   rates of training -> host times of frameworks, factors of cuDNN generations; the rate of convolutions
**                of an architecture without rows of kernels, if it states one
**     language   rates of training of language models -> what frameworks' own kernels take in them, and how fast tensor
**                cores multiply what is not aligned
**     collectives  times of collectives -> constants of architectures and links (fit, calibration)
**     operators  times of operators of language models -> what their software added to kernels (kernel_harness)
**     energy     power and energy -> what boards of an architecture draw, and what a power limit does to all
**
**     pm_calibration_options options = pm_calibration_options_make();
**     options.set = "training";
**     options.data = my_csv;
**     options.entries = "my-framework";
**     pm_calibration *calibration = pm_calibrate(catalog, &options, &error);
**     puts(pm_calibration_get_xml(calibration));
*/

/* What to calibrate; begin with the defaults. Texts are not copied. */
typedef struct pm_calibration_options {
  const char *set;    /* one of pm_calibration_get_set */
  const char *data;   /* the text of your measurements; NULL: what is shipped */
  const char *file;   /* how messages call it; NULL: "data" */
  /* ids of architectures, frameworks or cuDNN generations, with commas, whose constants are fitted; NULL: all that
  ** the rows decide, and what they share */
  const char *entries;
  const char *hold_out; /* hold-out, separated by commas; or NULL. Kernels: ids of GPUs. Training: sources, or gpu=NAME,
                        ** machine=NAME, source=NAME */
  double hold_out_shapes; /* share of the shapes of kernels in the hold-out */
  const char *date;   /* when this is done, as the file says: 2026-11; NULL: the month that it is */
  /* the machine (collectives) or GPU (kernels) that `data` is of, if that is a file of another program
  ** (pm_measurements_read) which does not say it; or NULL */
  const char *system;
} pm_calibration_options;

/* Kernels, by the shipped rows, a fifth of their shapes only predicted. */
PM_API pm_calibration_options pm_calibration_options_make(void);

/* The sets by position, NULL past the last. */
PM_API const char *pm_calibration_get_set(size_t index);

/* An opaque handle: constants found, their errors, and the entries that hold them. */
typedef struct pm_calibration pm_calibration;

/* Fits constants. Owned by the caller; NULL with an error. Kernels: of each GPU and source the newest library counts,
** products above the peak do not; the hold-out of shapes is chosen by a hash of the sizes, the same for all
** GPUs. Training: rows that readings of the catalogue leave out are only predicted; every source is left out once, or
** every network if there is one source, unless there is a hold-out. The same rows give the same constants. Cost: some
** seconds. */
PM_API pm_calibration *pm_calibrate(const pm_catalog *catalog, const pm_calibration_options *options, pm_error *error);

/* Releases the calibration with its arrays and texts; NULL is none. */
PM_API void pm_calibration_free(pm_calibration *calibration);

/* Arrays that live as long as the calibration. */
PM_API const pm_fitted_constant *pm_calibration_get_constants(const pm_calibration *calibration, size_t *count);

/* Errors by stage, group and use of the rows; lives as long as the calibration. */
PM_API const pm_fit_error *pm_calibration_get_errors(const pm_calibration *calibration, size_t *count);

/* What there is to say about the rows, a line each; "" if nothing. Lives as long as the calibration. */
PM_API const char *pm_calibration_get_notes(const pm_calibration *calibration);

/* A file for pm_catalog_load: the entries with the constants found in their places, the others of their values as they
** were. All entries of these kinds if the shipped rows were fitted without choosing, else those that have such a
** constant. Lives as long as the calibration. */
PM_API const char *pm_calibration_get_xml(const pm_calibration *calibration);

#ifdef __cplusplus
}
#endif
#endif
