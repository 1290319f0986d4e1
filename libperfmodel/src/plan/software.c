/* Software of a plan, for training and for inference: what was not given costs nothing; the units, cuts, libraries and
** memory that it needs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lowering/library.h"
#include "plan/plan.h"
#include "plan/rows.h"
#include "software/profile.h"

static double given(double value, double otherwise)
{
  return isnan(value) ? otherwise : value;
}

/* ---- Units and cuts ---- */

static int add_units(pm_plan *plan, int mode, pm_error *error)
{
  for (size_t i = 0; i < plan->network_count; i++) {
    pm__plan_network *n = &plan->networks[i];
    if (n->units[mode] == NULL) n->units[mode] = pm__units_new(n->network, mode, error);
    if (n->units[mode] == NULL) return PM_STATUS_NO_MEMORY;
  }
  return PM_OK;
}

/* The cut of all networks; those that are cut already keep it if a later one fails, and are cut again then. */
static int cut_networks(pm_plan *plan, const pm__plan_cut *cut, pm_error *error)
{
  for (size_t i = 0; i < plan->network_count; i++) {
    pm__plan_network *n = &plan->networks[i];
    pm__segments **cuts = (pm__segments **)pm__grow(n->segments, plan->cut_count, &n->segment_capacity, sizeof *cuts);
    if (cuts == NULL) return pm__no_memory(error);
    n->segments = cuts;
    cuts[plan->cut_count] = NULL;
  }
  for (size_t i = 0; i < plan->network_count; i++) {
    pm__plan_network *n = &plan->networks[i];
    pm__segments *segments = pm__segments_new(n->network, n->units[cut->mode], cut->bucket, error);
    n->segments[plan->cut_count] = segments;
    if (segments != NULL) continue;
    while (i-- > 0) pm__segments_free(plan->networks[i].segments[plan->cut_count]);
    return PM_STATUS_NO_MEMORY;
  }
  return PM_OK;
}

/* The number of a cut, made if it is new; -1 with an error. */
static int cut_of(pm_plan *plan, int mode, double bucket, pm_error *error)
{
  const pm__plan_cut wanted = {mode, bucket};
  for (size_t i = 0; i < plan->cut_count; i++)
    if (plan->cuts[i].mode == mode && plan->cuts[i].bucket == bucket) return (int)i;
  pm__plan_cut *cuts = (pm__plan_cut *)pm__grow(plan->cuts, plan->cut_count, &plan->cut_capacity, sizeof *cuts);
  if (cuts == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->cuts = cuts;
  if (cut_networks(plan, &wanted, error) != PM_OK) return -1;
  plan->cuts[plan->cut_count] = wanted;
  return (int)plan->cut_count++;
}

static int prepare_cuts(pm_plan *plan, const pm_framework *f, int mode, int *cut, pm_error *error)
{
  static const double sizes[PM__GRADIENT_SIZES] = {1, 2, 4, 8};
  int status = add_units(plan, mode, error);
  for (int i = 0; i < PM__GRADIENT_SIZES && status == PM_OK; i++) {
    cut[i] = cut_of(plan, mode, f->bucket / sizes[i], error);
    if (cut[i] < 0) status = PM_STATUS_NO_MEMORY;
  }
  return status;
}

/* ---- Libraries ---- */

static bool same(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

/* By its name too: fits change the factors of one generation at a time. */
static bool same_cudnn(const pm_cudnn_generation *a, const pm_cudnn_generation *b)
{
  return strcmp(a->id, b->id) == 0 && a->no_winograd == b->no_winograd &&
         a->no_weight_winograd == b->no_weight_winograd &&
         a->odd_channels_padded == b->odd_channels_padded && a->grouped_kernels == b->grouped_kernels &&
         a->aligned_products == b->aligned_products && same(a->group_gradient, b->group_gradient) &&
         same(a->group_data_width, b->group_data_width) && a->group_gradients == b->group_gradients &&
         a->no_dilated == b->no_dilated && a->single_channels == b->single_channels &&
         a->no_grouped_tf32 == b->no_grouped_tf32;
}

static bool same_software(const pm__plan_software *a, const pm__plan_software *b)
{
  return same_cudnn(&a->cudnn, &b->cudnn) && a->simt_factor == b->simt_factor && a->tensor_factor == b->tensor_factor &&
         a->workspace == b->workspace && a->layout_simt == b->layout_simt && a->layout_tensor == b->layout_tensor &&
         a->layout_tf32 == b->layout_tf32 && a->pads_products == b->pads_products;
}

/* Of each different GPU, as the plan has it. */
static bool fill_library(const pm_plan *plan, pm__plan_library *library)
{
  library->devices = (pm__device (*)[PM_PRECISION_COUNT])calloc(plan->system_count, sizeof *library->devices);
  for (size_t i = 0; library->devices != NULL && i < plan->system_count; i++)
    if (plan->systems[i].device == (int)i)
      pm__plan_system_devices(plan->systems[i].system, &library->software, library->devices[i]);
  return library->devices != NULL;
}

/* The number of a library, made if it is new; -1 with an error. */
static int library_of(pm_plan *plan, const pm__plan_software *software, pm_error *error)
{
  for (size_t i = 0; i < plan->library_count; i++)
    if (same_software(&plan->libraries[i].software, software)) return (int)i;
  pm__plan_library *libraries = (pm__plan_library *)pm__grow(plan->libraries, plan->library_count,
                                                             &plan->library_capacity, sizeof *libraries);
  if (libraries != NULL) {
    plan->libraries = libraries;
    libraries[plan->library_count] = (pm__plan_library){.software = *software, .read = *software};
    if (fill_library(plan, &libraries[plan->library_count])) return (int)plan->library_count++;
  }
  pm__no_memory(error);
  return -1;
}

/* ---- Frameworks ---- */

static void complete(pm_framework *f)
{
  f->kernel_time = given(f->kernel_time, 0);
  f->step_time = given(f->step_time, 0);
  f->straggler = given(f->straggler, 0);
  f->waited_straggler = given(f->waited_straggler, 0);
  f->comparison = given(f->comparison, 0);
  f->coordinator_time = given(f->coordinator_time, 0);
  f->hop_time = given(f->hop_time, 0);
  f->variable_time = given(f->variable_time, 0);
  f->framework_kernel_factor = given(f->framework_kernel_factor, 1);
  f->update_kernels = given(f->update_kernels, 1);
  f->host_copy_bandwidth = given(f->host_copy_bandwidth, INFINITY);
  f->tensor_overlap = given(f->tensor_overlap, 0);
  f->shard_bandwidth = given(f->shard_bandwidth, 1);
  f->wide_attention_factor = given(f->wide_attention_factor, 1);
  f->attention_factor = given(f->attention_factor, 1);
  f->attention_width = given(f->attention_width, INFINITY);
  f->bucket = given(f->bucket, INFINITY);
  f->bucket_per_rank = given(f->bucket_per_rank, 0);
  f->workspace = given(f->workspace, INFINITY);
}

/* A framework's own factor stands before that of its library. */
static double factor_of(double own, double library)
{
  return own > 0 ? own : given(library, 1);
}

static pm__plan_software software_of(const pm_framework_profile *p)
{
  const pm_framework *f = &p->framework;
  return (pm__plan_software){.cudnn = p->cudnn,
                             .simt_factor = factor_of(f->simt_factor, p->cudnn.simt_factor),
                             .tensor_factor = factor_of(f->tensor_factor, p->cudnn.tensor_factor),
                             .workspace = f->workspace,
                             .layout_simt = f->layout_fp32,
                             .layout_tensor = f->layout_fp16,
                             .layout_tf32 = f->layout_tf32,
                             .pads_products = f->pads_products};
}

static int prepare_framework(pm_plan *plan, pm__plan_framework *entry, pm_error *error)
{
  const pm_framework *f = &entry->profile.framework;
  const pm__plan_software software = software_of(&entry->profile);
  entry->library = library_of(plan, &software, error);
  entry->memory = entry->library >= 0 ? pm__plan_memory(plan, &entry->profile.memory, error) : -1;
  if (entry->memory < 0) return PM_STATUS_NO_MEMORY;
  int status = PM_OK;
  for (int narrow = 0; narrow < 2 && status == PM_OK; narrow++) {
    entry->mode[narrow] = PM__TRAINING_MODE + (int)pm__execution_of(f->fused, f->eager, narrow != 0,
                                                                    f->bias_in_product, f->fuses_convolutions);
    status = prepare_cuts(plan, f, entry->mode[narrow], entry->cut[narrow], error);
  }
  return status;
}

static int make_framework(pm_plan *plan, const pm_framework_profile *profile, pm__plan_framework *entry,
                          pm_error *error)
{
  int status = pm__framework_check(profile, error);
  if (status != PM_OK) return status;
  *entry = (pm__plan_framework){.profile = *profile};
  complete(&entry->profile.framework);
  status = prepare_framework(plan, entry, error);
  if (status != PM_OK) return status;
  entry->rows = pm__plan_rows_of(plan, (pm__plan_lists){profile->framework.calibrated_on, profile->cudnn.calibrated_on,
                                      profile->cudnn.group_gradient_on, profile->cudnn.architectures}, error);
  return entry->rows != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

/* Whether `count` records are one and the same. */
static bool are_same(const void *records, size_t count, size_t size)
{
  for (size_t i = 1; i < count; i++)
    if (memcmp(records, (const char *)records + i * size, size) != 0) return false;
  return true;
}

static int make_frameworks(pm_plan *plan, const pm_framework_profile *profiles, size_t count, pm__plan_framework *entry,
                           pm_error *error)
{
  int status = make_framework(plan, &profiles[0], entry, error);
  if (status != PM_OK || are_same(profiles, count, sizeof *profiles)) return status;
  entry->by_system = (pm__plan_framework *)calloc(count, sizeof *entry->by_system);
  if (entry->by_system == NULL) status = pm__no_memory(error);
  for (size_t i = 0; i < count && status == PM_OK; i++)
    status = make_framework(plan, &profiles[i], &entry->by_system[i], error);
  if (status != PM_OK) pm__plan_framework_free(plan, entry);
  return status;
}

/* One for all systems of the plan, or one for each. */
static int check_count(const pm_plan *plan, const void *profiles, size_t count, const char *what, pm_error *error)
{
  if (plan == NULL || profiles == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s needs a plan and a record", what);
  if (count == 1 || count == plan->system_count) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s: %zu are given for the %zu systems of the plan", what, count,
                  plan->system_count);
}

int pm_plan_add_framework_by_system(pm_plan *plan, const pm_framework_profile *profiles, size_t count, pm_error *error)
{
  if (check_count(plan, profiles, count, "a framework", error) != PM_OK) return -1;
  void *frameworks = pm__grow(plan->frameworks, plan->framework_count, &plan->framework_capacity,
                              sizeof *plan->frameworks);
  if (frameworks == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->frameworks = (pm__plan_framework *)frameworks;
  pm__plan_framework entry;
  if (make_frameworks(plan, profiles, count, &entry, error) != PM_OK) return -1;
  plan->frameworks[plan->framework_count] = entry;
  return (int)plan->framework_count++;
}

/* What a framework does to the passes is part of the plan, and stays. */
static bool same_lowering(const pm_framework *a, const pm_framework *b)
{
  return a->fused == b->fused && a->eager == b->eager && a->bias_in_product == b->bias_in_product &&
         a->fuses_convolutions == b->fuses_convolutions;
}

int pm_plan_set_framework(pm_plan *plan, int index, const pm_framework_profile *profile, pm_error *error)
{
  if (plan == NULL || profile == NULL || index < 0 || index >= (int)plan->framework_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the plan has no framework %d", index);
  pm__plan_framework *entry = &plan->frameworks[index];
  if (entry->by_system != NULL || !same_lowering(&entry->profile.framework, &profile->framework))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "framework \"%.60s\" runs the layers of the plan differently",
                    profile->framework.id);
  entry->profile = *profile;
  complete(&entry->profile.framework);
  plan->libraries[entry->library].software = software_of(&entry->profile);
  return PM_OK;
}

/* ---- Profiles of inference ---- */

static int check_part(const char *id, const char *name, double value, double least, pm_error *error)
{
  if (isnan(value) || (isfinite(value) && value >= least)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "inference profile \"%.60s\": %s %g is out of range", id, name, value);
}

static int check_profile(const pm_inference_profile *p, pm_error *error)
{
  int status = check_part(p->id, "launch", p->launch, 0, error);
  if (status == PM_OK) status = check_part(p->id, "step_time", p->step_time, 0, error);
  if (status == PM_OK) status = check_part(p->id, "comparison", p->comparison, 0, error);
  if (status == PM_OK) status = check_part(p->id, "plain_launch", p->plain_launch, 0, error);
  if (status == PM_OK) status = check_part(p->id, "group_launch", p->group_launch, 0, error);
  if (status == PM_OK && !isinf(p->host_copy_bandwidth))
    status = check_part(p->id, "host_copy_bandwidth", p->host_copy_bandwidth, 1, error);
  if (status == PM_OK) status = check_part(p->id, "simt_factor", p->simt_factor, 1e-3, error);
  if (status == PM_OK) status = check_part(p->id, "tensor_factor", p->tensor_factor, 1e-3, error);
  if (status == PM_OK) status = check_part(p->id, "framework_kernel_factor", p->framework_kernel_factor, 1e-3, error);
  if (status != PM_OK) return status;
  if (p->fusion >= 0 && p->fusion < PM_FUSION_COUNT) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "inference profile \"%.60s\": there is no fusion %d", p->id, p->fusion);
}

static void complete_profile(pm_inference_profile *p)
{
  p->launch = given(p->launch, 0);
  p->comparison = given(p->comparison, 0);
  p->plain_launch = given(p->plain_launch, 1);
  p->group_launch = given(p->group_launch, 0);
  p->host_copy_bandwidth = given(p->host_copy_bandwidth, INFINITY);
  p->step_time = given(p->step_time, 0);
  p->simt_factor = given(p->simt_factor, 1);
  p->tensor_factor = given(p->tensor_factor, 1);
  p->framework_kernel_factor = given(p->framework_kernel_factor, 1);
}

static int profile_mode(const pm_inference_profile *p, bool narrow)
{
  if (p->fusion != PM_FUSION_NONE) return PM__FUSED_MODE + p->fusion - 1;
  return PM__INFERENCE_MODE + (int)pm__execution_of(p->fused != 0, p->eager != 0, narrow, p->bias_in_product != 0,
                                                    false);
}

static int prepare_profile(pm_plan *plan, pm__plan_profile *entry, const pm_memory_profile *memory, pm_error *error)
{
  const pm_inference_profile *p = &entry->profile;
  const pm__plan_software software = {
    .cudnn = {.no_winograd = p->no_winograd, .odd_channels_padded = !p->no_padding, .grouped_kernels = !p->no_grouped,
              .aligned_products = p->aligned_products, .single_channels = p->single_channels,
              .no_dilated = p->no_dilated, .no_grouped_tf32 = p->no_grouped_tf32},
    .simt_factor = p->simt_factor, .tensor_factor = p->tensor_factor, .workspace = INFINITY,
    .layout_simt = p->convert_simt, .layout_tensor = p->convert_tensor, .layout_tf32 = p->convert_tf32,
    .pads_products = p->pads_products};
  entry->memory = memory != NULL ? pm__plan_memory(plan, memory, error) : -1;
  if (memory != NULL && entry->memory < 0) return PM_STATUS_NO_MEMORY;
  entry->library = library_of(plan, &software, error);
  if (entry->library < 0) return PM_STATUS_NO_MEMORY;
  int status = PM_OK;
  for (int narrow = 0; narrow < 2 && status == PM_OK; narrow++) {
    entry->mode[narrow] = profile_mode(p, narrow != 0);
    status = add_units(plan, entry->mode[narrow], error);
  }
  return status;
}

static int make_profile(pm_plan *plan, const pm_inference_profile *profile, const pm_memory_profile *memory,
                        pm__plan_profile *entry, pm_error *error)
{
  int status = check_profile(profile, error);
  if (status != PM_OK) return status;
  *entry = (pm__plan_profile){.profile = *profile};
  complete_profile(&entry->profile);
  status = prepare_profile(plan, entry, memory, error);
  if (status != PM_OK) return status;
  entry->rows = pm__plan_rows_of(plan, (pm__plan_lists){profile->calibrated_on, profile->calibrated_on, "",
    profile->architectures}, error);
  return entry->rows != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

static int make_profiles(pm_plan *plan, const pm_inference_profile *profiles, size_t count,
                         const pm_memory_profile *memory,
                         pm__plan_profile *entry, pm_error *error)
{
  int status = make_profile(plan, &profiles[0], memory, entry, error);
  if (status != PM_OK || are_same(profiles, count, sizeof *profiles)) return status;
  entry->by_system = (pm__plan_profile *)calloc(count, sizeof *entry->by_system);
  if (entry->by_system == NULL) status = pm__no_memory(error);
  for (size_t i = 0; i < count && status == PM_OK; i++)
    status = make_profile(plan, &profiles[i], memory, &entry->by_system[i], error);
  if (status != PM_OK) pm__plan_profile_free(plan, entry);
  return status;
}

int pm_plan_add_inference_profile_by_system(pm_plan *plan, const pm_inference_profile *profiles, size_t count,
                                            const pm_memory_profile *memory, pm_error *error)
{
  if (check_count(plan, profiles, count, "an inference profile", error) != PM_OK) return -1;
  void *all = pm__grow(plan->profiles, plan->profile_count, &plan->profile_capacity, sizeof *plan->profiles);
  if (all == NULL) {
    pm__no_memory(error);
    return -1;
  }
  plan->profiles = (pm__plan_profile *)all;
  pm__plan_profile entry;
  if (make_profiles(plan, profiles, count, memory, &entry, error) != PM_OK) return -1;
  plan->profiles[plan->profile_count] = entry;
  return (int)plan->profile_count++;
}

int pm_plan_set_inference_profile(pm_plan *plan, int index, const pm_inference_profile *profile, pm_error *error)
{
  if (plan == NULL || profile == NULL || index < 0 || index >= (int)plan->profile_count)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the plan has no inference profile %d", index);
  pm__plan_profile *entry = &plan->profiles[index];
  if (entry->by_system != NULL || entry->profile.fusion != profile->fusion)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "inference profile \"%.60s\" runs the layers of the plan differently",
                    profile->id);
  entry->profile = *profile;
  complete_profile(&entry->profile);
  return PM_OK;
}
