/* Kinds of entries, and what is a name. */
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"

/* Main columns of a list are "" for all; a kind without fields of its own has no fallback. */
static const pm__kind kinds[PM__KINDS] = {
  [PM__GPUS] = {"gpus", "gpu", "gpu", " peak_fp32 memory memory_bandwidth ",
   " id name architecture peak_fp32 peak_fp16_tensor memory memory_bandwidth "},
  [PM__LINKS] = {"links", "link", "link", " kind bandwidth ", ""},
  [PM__SYSTEMS] = {"systems", "system", "machine", " gpu gpus ", " id name gpu gpus host_memory power power_basis "},
  [PM__NETWORKS] = {"networks", "network", "network", "", " id name input layers parameters mac training_flop "},
  [PM__DATASETS] = {"datasets", "dataset", "dataset", " samples ", ""},
  [PM__SOURCES] = {"sources", "source", "source", "", ""},
  [PM__FRAMEWORKS] = {"frameworks", "framework", "framework", " cudnn evidence parallelism overlap ",
   " id name cudnn evidence kernel_time step_time parallelism ",
   " id name versions evidence like min_batch max_batch max_gpus calibrated_on fitted_to rows date since "},
  [PM__CUDNN_GENERATIONS] = {"cudnn_generations", "cudnn_generation", "cudnn_generation", "",
   " id name like simt_factor tensor_factor ",
   " id name like since architectures calibrated_on "},
  [PM__PREDICTION_INTERVALS] = {"prediction_intervals", "prediction_interval", "prediction_interval",
   "", ""},
  [PM__OPERATOR_CALIBRATIONS] = {"operator_calibrations", "operator_calibration", "operator_calibration", "", ""},
  [PM__MEMORY_PROFILES] = {"memory_profiles", "memory_profile", "memory_profile", " context ",
   " id name context allocator in_place mask ", " id name like "},
  [PM__USABLE_MEMORIES] = {"usable_memories", "usable_memory", "usable_memory", " memory ", ""},
  [PM__TRANSFORMER_ACTIVATIONS] = {"transformer_activations", "transformer_activations", "transformer_activations",
   " split scores ", ""},
  [PM__KERNEL_CALIBRATIONS] = {"kernel_calibrations", "kernel_calibration", "kernel_calibration", "",
   " id name simt_basis simt_efficiency tensor_basis tensor_efficiency ",
   " id name like energy_factor simt_basis tensor_basis simt_power_basis tensor_power_basis product_simt product_tensor"
   " convolution_simt convolution_tensor recurrent_simt recurrent_tensor attention passes "},
  [PM__KERNEL_HARNESSES] = {"kernel_harnesses", "kernel_harness", "kernel_harness", " repository ",
   " id name repository gpu gemm conv stream ", " id name repository gpu kernels "},
  [PM__CALIBRATIONS] = {"calibrations", "calibration", "calibration", " efficiency hop_latency base_latency ",
   " id name efficiency hop_latency base_latency "},
  [PM__PROTOCOLS_KIND] = {"protocols", "protocol", "protocol",
   " payload ring_base ring_nvlink ring_pcie ring_network tree_base tree_nvlink tree_pcie tree_network ",
   " id name payload ring_base ring_nvlink ring_pcie ring_network "},
  [PM__TUNINGS] = {"tunings", "tuning", "tuning", "", ""},
  [PM__FITS] = {"fits", "fit", "fit", " launch ", " id name launch knee network_knee network_hop "},
  [PM__STORAGES] = {"storages", "storage", "storage", " bandwidth ",
   " id name shared bandwidth operations uplink gateway node_ports "},
  [PM__STORAGE_ACCESSES] = {"storage_accesses", "storage_access", "storage_access", "", ""},
  [PM__DECODERS] = {"decoders", "decoder", "decoder", " scale pixel_time byte_time ",
   " id name scale pixel_time byte_time threads_per_core "},
  [PM__LOADERS] = {"loaders", "loader", "loader", "", " id name library augment_time gpu_pixel_rate "},
  [PM__INFERENCE_PROFILES] = {"inference_profiles", "inference_profile", "inference_profile", " origin fusion ",
   " id name origin fusion launch step_time simt_factor tensor_factor ",
   " id name origin like architectures calibrated_on "},
  [PM__ENGINES] = {"engines", "engine", "engine", " scheduler ",
   " id name since scheduler token_budget sequences memory_fraction ",
   " id name like since calibrated_on "},
  [PM__READINGS] = {"readings", "reading", "reading", " decides value ", " id decides value model framework version "},
};

/* Elements of an earlier release whose values have no meaning any more, and what is written instead. */
static const struct {
  int kind;
  const char *names, *instead;
} retired[] = {
  {PM__PREDICTION_INTERVALS, " fitted documents uncalibrated kernel_rule roofline line_rate ",
   "<extrapolated> and <not_calibrated>"},
  {PM__KERNEL_CALIBRATIONS, " spread spread_rule ", "<product_spread>, <convolution_spread> and the like"},
  {PM__KERNEL_CALIBRATIONS, " simt_energy ", "<simt_flop_energy>, which is above what waiting draws"},
  {PM__KERNEL_CALIBRATIONS, " tensor_energy ", "<tensor_flop_energy>, which is above <tensor_power>"},
  {PM__KERNEL_CALIBRATIONS, " tensor_split_threads ", "<threads>, as many as are resident"},
  {PM__KERNEL_CALIBRATIONS, " host_cpu_share ", "<host_cpu_power>, the draw for each CPU socket"},
  {PM__FRAMEWORKS, " fused_attention ", "<attention>"},
  {PM__INFERENCE_PROFILES, " fused_attention ", "<attention>"},
  {PM__INFERENCE_PROFILES, " spread_rule spread_roofline ", "<spread_extrapolated> and <spread_not_calibrated>"},
};

const char *pm__kind_retired(int kind, const char *name)
{
  for (size_t i = 0; i < sizeof retired / sizeof retired[0]; i++)
    if (retired[i].kind == kind && pm__list_has(retired[i].names, name)) return retired[i].instead;
  return NULL;
}

const pm__kind *pm__kind_at(size_t index)
{
  return index < PM__KINDS ? &kinds[index] : NULL;
}

int pm__kind_find(const char *name, pm_error *error)
{
  char known[600] = "";
  for (int i = 0; name != NULL && i < PM__KINDS; i++) {
    if (pm__same_name(name, kinds[i].plural) || pm__same_name(name, kinds[i].singular)) return i;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", kinds[i].plural);
  }
  if (name == NULL) pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the kind of entry is missing");
  else pm__fail(error, PM_STATUS_NOT_FOUND, "unknown kind \"%.60s\"; it must be one of %s", name, known);
  return -1;
}

int pm__kind_of_element(const char *name)
{
  for (int i = 0; i < PM__KINDS; i++)
    if (strcmp(name, kinds[i].singular) == 0) return i;
  return -1;
}

bool pm__is_name(const char *text)
{
  pm__name_reader reader = {text, false};
  return pm__name_next(&reader) != '\0';
}
