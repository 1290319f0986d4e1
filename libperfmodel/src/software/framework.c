/* What a framework's profile must hold to, and its constants of training as those of its inference. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/framework.h"
#include "software/libraries.h"
#include "software/profile.h"

static int check_positive(const pm_framework *framework, const char *name, double value, bool needed, pm_error *error)
{
  if (isnan(value) && !needed) return PM_OK;
  if (value > 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "framework \"%s\": %s %g is not above 0", framework->id, name, value);
}

static int check_time(const pm_framework *framework, const char *name, double value, pm_error *error)
{
  if (isnan(value) || (value >= 0 && isfinite(value))) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "framework \"%s\": %s %g is not a time", framework->id, name, value);
}

static int check_times(const pm_framework *f, pm_error *error)
{
  int status = check_time(f, "kernel_time", f->kernel_time, error);
  if (status == PM_OK) status = check_time(f, "step_time", f->step_time, error);
  if (status == PM_OK) status = check_time(f, "coordinator_time", f->coordinator_time, error);
  if (status == PM_OK) status = check_time(f, "variable_time", f->variable_time, error);
  if (status == PM_OK) status = check_time(f, "hop_time", f->hop_time, error);
  if (status == PM_OK) status = check_time(f, "waited_straggler", f->waited_straggler, error);
  if (status == PM_OK) status = check_time(f, "comparison", f->comparison, error);
  return status == PM_OK ? check_time(f, "straggler", f->straggler, error) : status;
}

static int check_rates(const pm_framework *f, pm_error *error)
{
  bool server = f->parallelism == PM_PARALLELISM_PARAMETER_SERVER || f->parallelism == PM_PARALLELISM_ASYNCHRONOUS;
  int status = check_positive(f, "bucket", f->bucket, false, error);
  if (status == PM_OK) status = check_positive(f, "bucket_per_rank", f->bucket_per_rank, false, error);
  if (status == PM_OK) status = check_positive(f, "workspace", f->workspace, false, error);
  if (status == PM_OK) status = check_positive(f, "gradient", f->gradient, false, error);
  if (status == PM_OK) status = check_positive(f, "gradient_fp16", f->gradient_fp16, false, error);
  if (status == PM_OK) status = check_positive(f, "update_kernels", f->update_kernels, false, error);
  if (status == PM_OK) status = check_positive(f, "host_copy_bandwidth", f->host_copy_bandwidth, false, error);
  if (status == PM_OK) status = check_positive(f, "server_memory", f->server_memory, server, error);
  if (status == PM_OK) status = check_positive(f, "simt_factor", f->simt_factor, false, error);
  return status == PM_OK ? check_positive(f, "tensor_factor", f->tensor_factor, false, error) : status;
}

static bool is_choice(int32_t value, int32_t count)
{
  return value >= 0 && value < count;
}

int pm__framework_check(const pm_framework_profile *profile, pm_error *error)
{
  if (profile == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a framework is missing");
  const pm_framework *f = &profile->framework;
  if (f->inference_only) return pm__fail(error, PM_STATUS_BAD_VALUE,
                                         "framework \"%s\" cannot train; it only runs inference", f->id);
  if (!is_choice(f->parallelism, PM_PARALLELISM_COUNT) || f->parallelism == PM_PARALLELISM_FRAMEWORK ||
      !is_choice(f->overlap, PM_OVERLAP_COUNT) || f->overlap == PM_OVERLAP_FRAMEWORK ||
      !is_choice(f->evidence, PM_EVIDENCE_COUNT))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "framework \"%s\" does not state its parallelism", f->id);
  int status = check_times(f, error);
  if (status == PM_OK) status = check_rates(f, error);
  if (status == PM_OK && profile->cudnn.simt_factor > 0 && profile->cudnn.tensor_factor > 0) return PM_OK;
  if (status != PM_OK) return status;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "cuDNN generation \"%s\" has no factors", profile->cudnn.id);
}

static int check_gpu(const char *id, const char *libraries, const char *architectures, const pm_gpu *gpu,
                     pm_error *error)
{
  if (pm__libraries_support(architectures, gpu->architecture)) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_MODELLED,
                  "%s does not run on %s: %s support %s, not %s; the prediction interval is the widest",
                  id, gpu->name, libraries, architectures, gpu->architecture);
}

int pm__framework_check_gpu(const pm_framework_profile *profile, const pm_gpu *gpu, pm_error *error)
{
  if (profile == NULL || gpu == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a framework or a GPU is missing");
  return check_gpu(profile->framework.id, profile->cudnn.name, profile->cudnn.architectures, gpu, error);
}

int pm__inference_profile_check_gpu(const pm_inference_profile *profile, const pm_gpu *gpu, pm_error *error)
{
  if (profile == NULL || gpu == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a profile or a GPU is missing");
  return check_gpu(profile->id, "its libraries", profile->architectures, gpu, error);
}

/* "keras2018 u39kun" -> "keras2018, u39kun" */
static void list_words(const char *words, char *out, size_t size)
{
  size_t used = 0;
  for (const char *p = words; *p != '\0' && used + 3 < size; p++) {
    if (*p == ' ' && used > 0 && out[used - 1] != ' ') out[used++] = ',';
    if (*p != ' ' || (used > 0 && out[used - 1] != ' ')) out[used++] = *p;
  }
  out[used] = '\0';
}

const char *pm_framework_format_basis(const pm_framework *f, char *text)
{
  const pm_choice *words = pm_record_find_field(pm_record_type_find("framework"), "evidence")->choices;
  char to[PM_TEXT_MAX + 40], rows[40] = "rates of ", date[PM_TEXT_MAX + 2] = "";
  bool fitted = f->evidence == PM_EVIDENCE_FITTED || f->evidence == PM_EVIDENCE_DOCUMENTS;
  if (!fitted || f->fitted_to[0] == '\0') {
    const char *doc = is_choice(f->evidence, PM_EVIDENCE_COUNT) ? words[f->evidence].doc : "unknown";
    snprintf(text, PM_FRAMEWORK_BASIS_MAX, "%s", doc);
    return text;
  }
  list_words(f->fitted_to, to, sizeof to);
  if (f->rows > 0) snprintf(rows, sizeof rows, "%d %s of ", (int)f->rows, f->rows == 1 ? "row" : "rows");
  if (f->date[0] != '\0') snprintf(date, sizeof date, ", %s", f->date);
  snprintf(text, PM_FRAMEWORK_BASIS_MAX, "fitted to %s%s%s%s", rows, to,
           f->evidence == PM_EVIDENCE_DOCUMENTS ? " (source documents)" : "", date);
  return text;
}

/* ---- Inference. */

static void fill(double *place, double value)
{
  if (isnan(*place)) *place = value;
}

void pm__inference_profile_fill(pm_inference_profile *profile, const pm_framework_profile *framework)
{
  if (profile == NULL || framework == NULL) return;
  const pm_framework *f = &framework->framework;
  fill(&profile->framework_kernel_factor, f->framework_kernel_factor);
  fill(&profile->launch, PM_INFERENCE_LAUNCH_SHARE * f->kernel_time);
  fill(&profile->step_time, f->step_time);
  fill(&profile->comparison, f->comparison);
  if (f->fused) fill(&profile->group_launch, framework->cudnn.group_launch);
  fill(&profile->simt_factor, isnan(f->simt_factor) ? framework->cudnn.simt_factor : f->simt_factor);
  fill(&profile->tensor_factor, isnan(f->tensor_factor) ? framework->cudnn.tensor_factor : f->tensor_factor);
  if (framework->cudnn.no_winograd) profile->no_winograd = 1;
  if (!framework->cudnn.grouped_kernels) profile->no_grouped = 1;
  if (!framework->cudnn.odd_channels_padded) profile->no_padding = 1;
  if (framework->cudnn.aligned_products) profile->aligned_products = 1;
  if (framework->cudnn.single_channels) profile->single_channels = 1;
  if (framework->cudnn.no_dilated) profile->no_dilated = 1;
  if (framework->cudnn.no_grouped_tf32) profile->no_grouped_tf32 = 1;
  if (f->pads_products) profile->pads_products = 1;
  if (f->bias_in_product) profile->bias_in_product = 1;
  if (f->fused) profile->fused = 1;
  if (f->eager) profile->eager = 1;
  if (f->attention != PM_ATTENTION_UNFUSED) profile->attention = f->attention;
  if (f->tf32_convolutions) profile->tf32_convolutions = 1;
  if (f->layout_fp32) profile->convert_simt = 1;
  if (f->layout_tf32) profile->convert_tf32 = 1;
  if (f->layout_fp16) profile->convert_tensor = 1;
  if (profile->architectures[0] == '\0')
    memcpy(profile->architectures, framework->cudnn.architectures, sizeof profile->architectures);
}
