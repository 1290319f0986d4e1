/* Which constants the rates of training decide, and where they stand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/kernel_stages.h"
#include "calibration/training.h"

#define FSDP "pytorch-2.1-fsdp,pytorch-2.1-fsdp-pure,pytorch-2.4-fsdp,pytorch-2.9-fsdp"
#define XLA "tf1-xla,tensorflow-2.4-xla"
#define LATER_MEGATRON "megatron-core-0.9,megatron-core-0.12"

/* Bounds are what is physically thinkable. Host times of a kernel are those of an interpreter, at most: 100 us on the
** cores of 2017. Before any row, those of the generic framework, and in PyTorch 2 half of them: 20 us on average, the
** forward pass more, the backward pass, which is not Python, less. A step of a whole machine may wait for 8 % of
** jitter. */
static const pm__lab_training_kind kinds[] = {
  {"framework", "kernel_time", 50e-6, 2, 2e-6, 75e-6, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"framework", "kernel_time", 20e-6, 1.5, 2e-6, 75e-6, 0, PM__SET_TRAINING, NULL, "pytorch-2", false},
  {"framework", "step_time", 700e-6, 3, 1e-6, 5e-3, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"framework", "straggler", 0.02, 2, 0.001, 0.08, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"cudnn_generation", "simt_factor", 1, 2, 0.6, 1.8, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"cudnn_generation", "tensor_factor", 1, 2, 0.6, 1.8, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"kernel_calibration", "conv_rate", 1, 1.5, 0.5, 1.5, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"kernel_calibration", "conv_tensor_efficiency", 0.63, 1.5, 0.2, 1, 0, PM__SET_TRAINING, NULL, NULL, false},
  /* Ada's SM has the tensor cores of GA102's: what those reach, where the power of the board hides it. */
  {"kernel_calibration", "conv_tensor_efficiency", 0.89, 1.1, 0.2, 1, 0, PM__SET_TRAINING, NULL, "ada", false},
  {"kernel_calibration", "gddr_efficiency", 0.86, 1.1, 0.6, 1, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"kernel_calibration", "pass_elements", 5, 2, 1, 100, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"kernel_calibration", "conv_tf32_layout", 0.7, 1.5, 0.1, 1.5, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"kernel_calibration", "conv_simt_volume", 1.5, 1.5, 0.5, 4, 0, PM__SET_TRAINING, NULL, NULL, false},
  {"kernel_calibration", "depthwise_efficiency", 0.2, 4, 0.01, 0.5, 1, PM__SET_TRAINING, NULL, NULL, false},
  /* Transformer Engine's layers are Python, with more to do for a kernel than PyTorch's own. */
  {"framework", "kernel_time", 50e-6, 2, 2e-6, 150e-6, 0, PM__SET_PLANS, LATER_MEGATRON, NULL, true},
  /* Products of CDNA 3 by the rule of kernels.xml, which no kernel confirms. */
  {"kernel_calibration", "tensor_efficiency", 0.6, 1.5, 0.2, 1, 1, PM__SET_PLANS, "cdna3", NULL, false},
  {"cudnn_generation", "group_gradient", 0.1, 2, 0.01, 1, 0, PM__SET_GROUPED, "cudnn8", NULL, false},
  {"kernel_calibration", "pass_elements", 5, 2, 1, 100, 0, PM__SET_GROUPED, "blackwell", NULL, false},
  {"kernel_calibration", "conv_tensor_efficiency", 0.63, 1.5, 0.2, 1, 0, PM__SET_GROUPED, "blackwell", NULL, false},
  {"framework", "framework_kernel_factor", 1.5, 2, 1, 5, 0, PM__SET_LANGUAGE,
   "pt-nchw,pt-nhwc,pytorch-1.10,pytorch-1.13,pytorch-2.1," XLA, NULL, false},
  {"framework", "kernel_time", 25e-6, 2, 2e-6, 75e-6, 0, PM__SET_LANGUAGE, XLA, NULL, false},
  {"kernel_calibration", "unaligned_lanes", 512, 2, 64, 4096, 0, PM__SET_LANGUAGE, NULL, NULL, false},
  {"inference_profile", "launch", 20e-6, 3, 2e-6, 100e-6, 0, PM__SET_INFERENCE, NULL, NULL, false},
  {"inference_profile", "step_time", 300e-6, 3, 1e-6, 20e-3, 0, PM__SET_INFERENCE, NULL, NULL, false},
  {"kernel_calibration", "depthwise_forward", 1, 2, 0.1, 2, 0, PM__SET_INFERENCE, NULL, NULL, false},
  {"kernel_calibration", "steady_flop_energy", 2e-12, 2, 0.1e-12, 10e-12, 0, PM__SET_INFERENCE, NULL, NULL, false},
  {"inference_profile", "plain_launch", 0.5, 2, 0.1, 1, 0, PM__SET_INFERENCE, NULL, NULL, false},
  {"inference_profile", "host_copy_bandwidth", 6e9, 2, 0.5e9, 30e9, 0, PM__SET_INFERENCE, NULL, NULL, false},
  {"inference_profile", "framework_kernel_factor", 1.2, 1.5, 1, 4, 0, PM__SET_INFERENCE, NULL, NULL, false},
  /* Frameworks of one line have one code below: attention, sharded data parallelism, hops that are waited for. */
  {"framework", "straggler", 0.02, 4, 0.001, 0.08, 0, PM__SET_LARGE_MODELS, FSDP, NULL, true},
  {"framework", "wide_attention_factor", 1.5, 1.5, 1, 3, 0, PM__SET_LARGE_MODELS, FSDP, NULL, true},
  {"framework", "straggler", 0.02, 4, 0.001, 0.08, 0, PM__SET_LARGE_MODELS, "megatron-v2,megatron-deepspeed", NULL,
   false},
  {"framework", "straggler", 0.02, 4, 0.001, 0.08, 0, PM__SET_LARGE_MODELS, "megatron-core-0.1,megatron-core-0.5", NULL,
   true},
  {"framework", "straggler", 0.02, 4, 0.001, 0.08, 0, PM__SET_LARGE_MODELS, LATER_MEGATRON, NULL, true},
  {"framework", "tensor_overlap", 0.5, 2, 0.01, 0.95, 0, PM__SET_LARGE_MODELS, LATER_MEGATRON, NULL, true},
  {"framework", "shard_bandwidth", 0.5, 2, 0.05, 1, 0, PM__SET_LARGE_MODELS, "deepspeed-0.3", NULL, false},
  {"framework", "hop_time", 100e-6, 3, 1e-6, 5e-3, 0, PM__SET_LARGE_MODELS,
   "megatron-v2,megatron-deepspeed,megatron-core-0.1",
   NULL, true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Whether it is the kind of that name for the entry: one that names the entry goes before one for all. */
static bool is_for(const pm__lab_training_kind *kind, const char *entry)
{
  if (kind->generation != NULL) return strncmp(entry, kind->generation, strlen(kind->generation)) == 0;
  for (size_t i = 0; i < KINDS; i++)
    if (kinds[i].generation != NULL && strcmp(kinds[i].name, kind->name) == 0 && is_for(&kinds[i], entry)) return false;
  return true;
}

static bool is_of(const pm__lab_training_kind *kind, const char *type)
{
  return strcmp(kind->type, type) == 0;
}

static size_t offset_of(const pm__lab_training_kind *kind)
{
  return pm_record_find_field(pm_record_type_find(kind->type), kind->name)->offset;
}

/* The entry whose value of the constant one of that name has: itself or one that it falls back to; `otherwise` if none
** states it. */
static const char *stating(const pm_catalog *catalog, const pm__lab_training_kind *kind, const char *id,
                           const char *otherwise)
{
  pm_value value = {.text = NULL};
  bool stated = pm_catalog_get_value(catalog, kind->type, id, kind->name, &value, NULL) == PM_OK && value.text != NULL;
  return stated ? value.entry : otherwise;
}

static const char *kernels_entry_of(const pm__lab_training_fit *fit, const pm__lab_training_kind *kind,
                                    const pm__lab_training_row *row)
{
  const pm__lab_predictor *predictor = fit->rows.reader.predictor;
  if (row->system < 0) return NULL;
  const pm_kernel_calibration *kernels = pm_system_get_kernels(pm__lab_predictor_built_system(predictor, row->system));
  return kernels != NULL ? stating(fit->catalog, kind, kernels->id, PM_KERNEL_GENERAL_ID) : NULL;
}

/* The entry that has the constant of a row's software or system with the predictor; NULL: none. */
static const char *entry_of(const pm__lab_training_fit *fit, const pm__lab_training_kind *kind,
                            const pm__lab_training_row *row)
{
  pm__lab_predictor *predictor = fit->rows.reader.predictor;
  if (is_of(kind, "inference_profile"))
    return fit->rows.set == PM__SET_INFERENCE
           ? stating(fit->catalog, kind, pm__lab_predictor_built_profile(predictor, row->software)->id, NULL) : NULL;
  if (is_of(kind, "kernel_calibration")) return kernels_entry_of(fit, kind, row);
  if (fit->rows.set == PM__SET_INFERENCE) return NULL;
  const pm_framework_profile *profile = row->software >= 0
                                        ? pm__lab_predictor_built_framework(predictor, row->software) : NULL;
  const char *software = profile == NULL ? NULL : is_of(kind, "framework") ? profile->framework.id : profile->cudnn.id;
  return software != NULL ? stating(fit->catalog, kind, software, software) : NULL;
}

bool pm__lab_training_is_for(const pm__lab_training_constant *constant, const char *entry)
{
  return constant->kind->shared ? pm__lab_listed(constant->kind->entries, entry) : strcmp(constant->entry, entry) == 0;
}

bool pm__lab_training_bears(const pm__lab_training_fit *fit, const pm__lab_training_constant *constant,
                            const pm__lab_training_row *row)
{
  if (strcmp(constant->kind->name, "straggler") == 0 && row->ranks < 2) return false;
  const char *entry = entry_of(fit, constant->kind, row);
  return entry != NULL && pm__lab_training_is_for(constant, entry);
}

static bool has_constant(const pm__lab_stage *stage, const char *name)
{
  for (const pm__lab_stage_constant *c = stage->constants; c->name != NULL; c++)
    if (strcmp(c->name, name) == 0) return true;
  return false;
}

/* What no row of kernels decides, of any architecture. */
static bool is_of_steps(const pm__lab_training_kind *kind)
{
  for (size_t i = 0; pm__lab_stage_at(i) != NULL; i++)
    if (has_constant(pm__lab_stage_at(i), kind->name)) return false;
  return true;
}

/* That, and what an architecture by rule states of itself. */
static bool is_left_to_training(const pm_catalog *catalog, const pm__lab_training_kind *kind, const char *entry)
{
  pm_kernel_calibration own;
  pm_value value = {.text = NULL};
  if (pm_catalog_get_record(catalog, "kernel_calibration", entry, &own, NULL) != PM_OK) return false;
  pm_catalog_get_value(catalog, "kernel_calibration", entry, kind->name, &value, NULL);
  bool stated = value.text != NULL && strcmp(value.entry, own.id) == 0;
  return (is_of_steps(kind) || own.simt_basis == PM_ORIGIN_RULE) && stated;
}

static bool is_fitted(const pm_catalog *catalog, const pm__lab_training_kind *kind, const char *entry)
{
  pm_framework framework;
  pm_inference_profile profile;
  if (is_of(kind, "framework"))
    return pm_catalog_get_record(catalog, "framework", entry, &framework, NULL) == PM_OK && framework.like[0] == '\0' &&
           framework.evidence == PM_EVIDENCE_FITTED;
  if (is_of(kind, "inference_profile"))
    return pm_catalog_get_record(catalog, "inference_profile", entry, &profile, NULL) == PM_OK &&
           profile.like[0] == '\0' && profile.origin == PM_ORIGIN_FITTED;
  return true;
}

/* Without a choice: cuDNN generations, rates by rule, and frameworks that are fitted and not like another one. What
** such a one states itself is known otherwise; guesses stay until they are asked for. */
static bool is_wanted(const pm__lab_training_fit *fit, const pm__lab_training_kind *kind, const char *entry)
{
  if (kind->entries != NULL && !pm__lab_listed(kind->entries, entry)) return false;
  if (is_of(kind, "kernel_calibration") && !is_left_to_training(fit->catalog, kind, entry)) return false;
  if (fit->options->entries != NULL) return pm__lab_listed(fit->options->entries, entry);
  return kind->entries != NULL || is_fitted(fit->catalog, kind, entry);
}

static int add_constant(pm__lab_training_fit *fit, const pm__lab_training_kind *kind, const char *entry, bool held_out,
                        pm_error *error)
{
  for (size_t i = 0; i < fit->count; i++)
    if (fit->constants[i].kind == kind && pm__lab_training_is_for(&fit->constants[i], entry)) {
      fit->constants[i].held_out = fit->constants[i].held_out || held_out;
      return PM_OK;
    }
  pm__lab_training_constant *constants = (pm__lab_training_constant *)pm__grow(fit->constants, fit->count,
                                                                               &fit->capacity,
                                                                               sizeof *constants);
  if (constants == NULL) return pm__no_memory(error);
  const pm__lab_training_constant constant = {.kind = kind, .entry = entry, .value = kind->start, .held_out = held_out};
  fit->constants = constants;
  constants[fit->count++] = constant;
  return PM_OK;
}

/* ---- Places ---- */

static int add_place(pm__lab_training_fit *fit, void *record, size_t constant, pm_error *error)
{
  pm__lab_training_place *places = (pm__lab_training_place *)pm__grow(fit->places, fit->place_count,
                                                                      &fit->place_capacity,
                                                                      sizeof *places);
  if (places == NULL || record == NULL) return pm__no_memory(error);
  double *place = (double *)(void *)((char *)record + offset_of(fit->constants[constant].kind));
  fit->places = places;
  for (size_t i = 0; i < fit->place_count; i++)
    if (places[i].place == place) return PM_OK;
  places[fit->place_count].place = place;
  places[fit->place_count++].constant = constant;
  return PM_OK;
}

/* The records with the predictor that the row is predicted with. */
static int add_places(pm__lab_training_fit *fit, const pm__lab_training_row *row, size_t constant, pm_error *error)
{
  pm__lab_predictor *predictor = fit->rows.reader.predictor;
  const pm__lab_training_constant *c = &fit->constants[constant];
  if (!pm__lab_training_bears(fit, c, row)) return PM_OK;
  if (is_of(c->kind, "kernel_calibration"))
    return add_place(fit, pm__lab_predictor_kernels(predictor, row->system, error), constant, error);
  if (is_of(c->kind, "inference_profile"))
    return add_place(fit, pm__lab_predictor_built_profile(predictor, row->software), constant, error);
  pm_framework_profile *profile = pm__lab_predictor_built_framework(predictor, row->software);
  return add_place(fit, is_of(c->kind, "framework") ? (void *)&profile->framework : (void *)&profile->cudnn, constant,
                   error);
}

void pm__lab_training_put(pm__lab_training_fit *fit, const double *values)
{
  for (size_t i = 0; i < fit->place_count; i++) *fit->places[i].place = values[fit->places[i].constant];
}

/* ---- Effect ---- */

/* Rows of the fit whose prediction changes with the constant; `base`: their errors without the change. */
static int count_rows(pm__lab_training_fit *fit, size_t constant, const double *base)
{
  pm__lab_training_constant *c = &fit->constants[constant];
  for (size_t i = 0; i < fit->place_count; i++)
    if (fit->places[i].constant == constant) *fit->places[i].place = 0.9 * c->kind->start;
  int status = pm__lab_predictor_predict_again(fit->rows.reader.predictor, fit->rows.runs);
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    pm__lab_training_row *row = &fit->rows.items[i];
    if (pm__lab_training_error(&fit->rows, row) == base[i]) continue;
    if (row->stage > c->kind->stage) continue;
    row->stage = c->kind->stage;
    c->rows++;
    if (row->source < 64) c->sources |= UINT64_C(1) << row->source;
  }
  for (size_t i = 0; i < fit->place_count; i++)
    if (fit->places[i].constant == constant) *fit->places[i].place = c->kind->start;
  return status;
}

static bool is_kept(const pm__lab_training_constant *constant)
{
  return constant->rows > 0 || constant->held_out;
}

/* Without the constants that nothing feels: the catalogue's values stay in their places. */
static void drop_unfelt(pm__lab_training_fit *fit, const double *before)
{
  size_t kept = 0, places = 0;
  for (size_t i = 0; i < fit->place_count; i++) {
    if (is_kept(&fit->constants[fit->places[i].constant])) fit->places[places++] = fit->places[i];
    else *fit->places[i].place = before[i];
  }
  fit->place_count = places;
  for (size_t i = 0; i < fit->count; i++) {
    if (!is_kept(&fit->constants[i])) continue;
    for (size_t j = 0; j < places; j++)
      if (fit->places[j].constant == i) fit->places[j].constant = kept;
    fit->constants[kept++] = fit->constants[i];
  }
  fit->count = kept;
}

static int keep_felt(pm__lab_training_fit *fit, pm_error *error)
{
  double *before = (double *)malloc((fit->place_count + fit->rows.fitted + 1) * sizeof *before);
  if (before == NULL) return pm__no_memory(error);
  double *base = before + fit->place_count;
  for (size_t i = 0; i < fit->place_count; i++) {
    before[i] = *fit->places[i].place;
    *fit->places[i].place = fit->constants[fit->places[i].constant].kind->start;
  }
  int status = pm__lab_predictor_predict_again(fit->rows.reader.predictor, fit->rows.runs);
  for (size_t i = 0; i < fit->rows.fitted; i++) base[i] = pm__lab_training_error(&fit->rows, &fit->rows.items[i]);
  for (int stage = PM__TRAINING_STAGES - 1; stage >= 0; stage--)
    for (size_t i = 0; i < fit->count && status == PM_OK; i++)
      if (fit->constants[i].kind->stage == stage) status = count_rows(fit, i, base);
  drop_unfelt(fit, before);
  free(before);
  return status;
}

int pm__lab_training_constants(pm__lab_training_fit *fit, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < fit->rows.count; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    if (row->use == PM_FIT_USE_EXCLUDED) continue;
    for (size_t k = 0; k < KINDS && status == PM_OK; k++) {
      if (kinds[k].set != fit->rows.set) continue;
      const char *entry = entry_of(fit, &kinds[k], row);
      bool wanted = entry != NULL && is_for(&kinds[k], entry) && is_wanted(fit, &kinds[k], entry);
      if (wanted) status = add_constant(fit, &kinds[k], entry, i >= fit->rows.fitted, error);
    }
  }
  for (size_t i = 0; i < fit->rows.count && status == PM_OK; i++)
    for (size_t c = 0; c < fit->count && status == PM_OK; c++)
      status = add_places(fit, &fit->rows.items[i], c, error);
  return status == PM_OK ? keep_felt(fit, error) : status;
}
