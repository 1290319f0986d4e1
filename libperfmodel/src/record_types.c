/* The field tables, all made from the lists that declare the structs. */
#include "perfmodel.h"

#define NAME_DOC(name, text, doc) {text, doc},
#define NAME_BYTES_DOC(name, text, bytes, doc) {text, doc},
#define END {NULL, NULL}

static const pm_choice precision_choices[] = {PM_PRECISION_LIST(NAME_BYTES_DOC) END};
static const pm_choice link_kind_choices[] = {PM_LINK_KIND_LIST(NAME_DOC) END};
static const pm_choice overlap_choices[] = {PM_OVERLAP_LIST(NAME_DOC) END};
static const pm_choice bound_choices[] = {PM_BOUND_LIST(NAME_DOC) END};
static const pm_choice bottleneck_choices[] = {PM_BOTTLENECK_LIST(NAME_DOC) END};
static const pm_choice basis_choices[] = {PM_BASIS_LIST(NAME_DOC) END};
static const pm_choice recompute_choices[] = {PM_RECOMPUTE_LIST(NAME_DOC) END};
static const pm_choice verdict_choices[] = {PM_VERDICT_LIST(NAME_DOC) END};
static const pm_choice origin_choices[] = {PM_ORIGIN_LIST(NAME_DOC) END};
static const pm_choice kernel_model_choices[] = {PM_KERNEL_MODEL_LIST(NAME_DOC) END};
static const pm_choice algorithm_choices[] = {PM_ALGORITHM_LIST(NAME_DOC) END};
static const pm_choice operator_choices[] = {PM_OPERATOR_LIST(NAME_DOC) END};
static const pm_choice status_choices[] = {PM_STATUS_LIST(NAME_DOC) END};
static const pm_choice yes_no_choices[] = {{"no", "no"}, {"yes", "yes"}, END};

#define KIND_TEXT PM_FIELD_TEXT, NULL
#define KIND_INT PM_FIELD_INT, NULL
#define KIND_REAL PM_FIELD_REAL, NULL
#define KIND_PRECISION PM_FIELD_CHOICE, precision_choices
#define KIND_LINK_KIND PM_FIELD_CHOICE, link_kind_choices
#define KIND_OVERLAP PM_FIELD_CHOICE, overlap_choices
#define KIND_BOUND PM_FIELD_CHOICE, bound_choices
#define KIND_BOTTLENECK PM_FIELD_CHOICE, bottleneck_choices
#define KIND_BASIS PM_FIELD_CHOICE, basis_choices
#define KIND_STATUS PM_FIELD_CHOICE, status_choices
#define KIND_RECOMPUTE PM_FIELD_CHOICE, recompute_choices
#define KIND_VERDICT PM_FIELD_CHOICE, verdict_choices
#define KIND_ORIGIN PM_FIELD_CHOICE, origin_choices
#define KIND_KERNEL_MODEL PM_FIELD_CHOICE, kernel_model_choices
#define KIND_ALGORITHM PM_FIELD_CHOICE, algorithm_choices
#define KIND_OPERATOR PM_FIELD_CHOICE, operator_choices
#define KIND_YES_NO PM_FIELD_CHOICE, yes_no_choices

/* One row of a table; RECORD is the struct whose list is being expanded. */
#define FIELD(kind, name, unit, doc) {#name, unit, doc, offsetof(RECORD, name), KIND_##kind},

#define RECORD pm_gpu
static const pm_field gpu_fields[] = {PM_GPU_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_link
static const pm_field link_fields[] = {PM_LINK_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_link_calibration
static const pm_field calibration_fields[] = {PM_LINK_CALIBRATION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_kernel_calibration
static const pm_field kernel_calibration_fields[] = {PM_KERNEL_CALIBRATION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_kernel
static const pm_field kernel_fields[] = {PM_KERNEL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_kernel_time
static const pm_field kernel_time_fields[] = {PM_KERNEL_TIME_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_machine
static const pm_field machine_fields[] = {PM_MACHINE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_edge
static const pm_field edge_fields[] = {PM_EDGE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_dataset
static const pm_field dataset_fields[] = {PM_DATASET_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_measurement
static const pm_field measurement_fields[] = {PM_MEASUREMENT_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_source
static const pm_field source_fields[] = {PM_SOURCE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_network_totals
static const pm_field network_fields[] = {PM_NETWORK_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_layer
static const pm_field layer_fields[] = {PM_LAYER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_layer_time
static const pm_field layer_time_fields[] = {PM_LAYER_TIME_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_layer_kind
static const pm_field layer_kind_fields[] = {PM_LAYER_KIND_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_layer_attribute
static const pm_field layer_attribute_fields[] = {PM_LAYER_ATTRIBUTE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_ring
static const pm_field ring_fields[] = {PM_RING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_run
static const pm_field run_fields[] = {PM_RUN_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_prediction
static const pm_field prediction_fields[] = {PM_PREDICTION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_memory_profile
static const pm_field memory_profile_fields[] = {PM_MEMORY_PROFILE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_optimizer
static const pm_field optimizer_fields[] = {PM_OPTIMIZER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_usable_memory
static const pm_field usable_memory_fields[] = {PM_USABLE_MEMORY_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_memory_run
static const pm_field memory_run_fields[] = {PM_MEMORY_RUN_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_memory_use
static const pm_field memory_use_fields[] = {PM_MEMORY_USE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_layer_memory
static const pm_field layer_memory_fields[] = {PM_LAYER_MEMORY_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_memory_advice
static const pm_field memory_advice_fields[] = {PM_MEMORY_ADVICE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_transformer_habit
static const pm_field transformer_habit_fields[] = {PM_TRANSFORMER_HABIT_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_transformer
static const pm_field transformer_fields[] = {PM_TRANSFORMER_FIELDS(FIELD)};
#undef RECORD

#define TYPE(name, record, doc) {#name, doc, sizeof(record), name##_fields, sizeof name##_fields / sizeof name##_fields[0]}

static const pm_record_type types[] = {
  TYPE(gpu, pm_gpu, "a GPU, from its datasheet"),
  TYPE(link, pm_link, "a link type, from its specification"),
  TYPE(calibration, pm_link_calibration, "what collectives get of a link type"),
  TYPE(kernel_calibration, pm_kernel_calibration, "what kernels get of an architecture"),
  TYPE(kernel, pm_kernel, "one kernel"),
  TYPE(kernel_time, pm_kernel_time, "time of one kernel"),
  TYPE(machine, pm_machine, "a machine, from its datasheet"),
  TYPE(edge, pm_edge, "one row of a link graph"),
  TYPE(dataset, pm_dataset, "a training set"),
  TYPE(measurement, pm_measurement, "a published training rate"),
  TYPE(source, pm_source, "where values come from"),
  TYPE(network, pm_network_totals, "totals of a network, per sample"),
  TYPE(layer, pm_layer, "counts of one layer"),
  TYPE(layer_time, pm_layer_time, "times of one layer on one GPU"),
  TYPE(layer_kind, pm_layer_kind, "a kind of layer"),
  TYPE(layer_attribute, pm_layer_attribute, "an attribute of a kind of layer"),
  TYPE(ring, pm_ring, "the ring that a group of GPUs uses"),
  TYPE(run, pm_run, "what to predict"),
  TYPE(prediction, pm_prediction, "what is predicted"),
  TYPE(memory_profile, pm_memory_profile, "how a framework handles memory"),
  TYPE(optimizer, pm_optimizer, "what an optimiser keeps per parameter"),
  TYPE(usable_memory, pm_usable_memory, "what programs can have of a GPU's memory"),
  TYPE(memory_run, pm_memory_run, "whose memory is wanted"),
  TYPE(memory_use, pm_memory_use, "memory of one GPU, part by part"),
  TYPE(layer_memory, pm_layer_memory, "memory of one layer in training"),
  TYPE(memory_advice, pm_memory_advice, "a change that takes less memory"),
  TYPE(transformer_habit, pm_transformer_habit, "what one layer of a transformer keeps"),
  TYPE(transformer, pm_transformer, "sizes of a transformer"),
};

const pm_record_type *pm_record_type_at(size_t index)
{
  return index < sizeof types / sizeof types[0] ? &types[index] : NULL;
}
