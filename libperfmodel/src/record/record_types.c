/* The field tables, all made from the lists that declare the structs. */
#include "perfmodel.h"

/* What follows the doc is whatever else a list says of a value, by name. */
#define NAME_DOC(id, word, ...) {.name = word, .doc = __VA_ARGS__},
#define NAME_BYTES_DOC(id, word, bytes, ...) {.name = word, .doc = __VA_ARGS__},
#define NAME_RATE_DOC(id, word, rate, ...) {.name = word, .doc = __VA_ARGS__},
#define END {.name = NULL}

static const pm_choice precision_choices[] = {PM_PRECISION_LIST(NAME_BYTES_DOC) END};
static const pm_choice link_kind_choices[] = {PM_LINK_KIND_LIST(NAME_DOC) END};
static const pm_choice overlap_choices[] = {PM_OVERLAP_LIST(NAME_DOC) END};
static const pm_choice bound_choices[] = {PM_BOUND_LIST(NAME_DOC) END};
static const pm_choice bottleneck_choices[] = {PM_BOTTLENECK_LIST(NAME_DOC) END};
static const pm_choice calibration_status_choices[] = {PM_CALIBRATION_STATUS_LIST(NAME_DOC) END};
static const pm_choice recompute_choices[] = {PM_RECOMPUTE_LIST(NAME_DOC) END};
static const pm_choice verdict_choices[] = {PM_VERDICT_LIST(NAME_DOC) END};
static const pm_choice origin_choices[] = {PM_ORIGIN_LIST(NAME_DOC) END};
static const pm_choice power_basis_choices[] = {PM_POWER_BASIS_LIST(NAME_DOC) END};
static const pm_choice kernel_model_choices[] = {PM_KERNEL_MODEL_LIST(NAME_DOC) END};
static const pm_choice kernel_algorithm_choices[] = {PM_KERNEL_ALGORITHM_LIST(NAME_DOC) END};
static const pm_choice operator_choices[] = {PM_OPERATOR_LIST(NAME_DOC) END};
static const pm_choice status_choices[] = {PM_STATUS_LIST(NAME_DOC) END};
static const pm_choice collective_choices[] = {PM_COLLECTIVE_LIST(NAME_DOC) END};
static const pm_choice algorithm_choices[] = {PM_ALGORITHM_LIST(NAME_DOC) END};
static const pm_choice protocol_choices[] = {PM_PROTOCOL_LIST(NAME_DOC) END};
static const pm_choice nccl_choices[] = {PM_NCCL_LIST(NAME_DOC) END};
static const pm_choice sample_stored_choices[] = {PM_SAMPLE_FORMAT_LIST(NAME_DOC) END};
static const pm_choice cache_policy_choices[] = {PM_CACHE_POLICY_LIST(NAME_DOC) END};
static const pm_choice decode_place_choices[] = {PM_DECODE_PLACE_LIST(NAME_DOC) END};
static const pm_choice input_stage_choices[] = {PM_INPUT_STAGE_LIST(NAME_DOC) END};
static const pm_choice fit_state_choices[] = {PM_FIT_STATE_LIST(NAME_DOC) END};
static const pm_choice parallelism_choices[] = {PM_PARALLELISM_LIST(NAME_DOC) END};
static const pm_choice attention_choices[] = {PM_ATTENTION_LIST(NAME_DOC) END};
static const pm_choice optimizer_choices[] = {PM_OPTIMIZER_LIST(NAME_DOC) END};
static const pm_choice evidence_choices[] = {PM_EVIDENCE_LIST(NAME_DOC) END};
static const pm_choice fusion_choices[] = {PM_FUSION_LIST(NAME_DOC) END};
static const pm_choice decision_choices[] = {PM_DECISION_LIST(NAME_DOC) END};
static const pm_choice minimize_choices[] = {PM_MINIMIZE_LIST(NAME_DOC) END};
static const pm_choice resource_choices[] = {PM_RESOURCE_LIST(NAME_RATE_DOC) END};
static const pm_choice fit_use_choices[] = {PM_FIT_USE_LIST(NAME_DOC) END};
static const pm_choice pipeline_schedule_choices[] = {PM_PIPELINE_SCHEDULE_LIST(NAME_DOC) END};
static const pm_choice stage_layers_choices[] = {PM_STAGE_LAYERS_LIST(NAME_DOC) END};
static const pm_choice context_exchange_choices[] = {PM_CONTEXT_EXCHANGE_LIST(NAME_DOC) END};
static const pm_choice embedding_sharding_choices[] = {PM_EMBEDDING_SHARDING_LIST(NAME_DOC) END};
static const pm_choice expert_dispatch_choices[] = {PM_EXPERT_DISPATCH_LIST(NAME_DOC) END};
static const pm_choice cuda_graphs_choices[] = {PM_CUDA_GRAPHS_LIST(NAME_DOC) END};
static const pm_choice offload_choices[] = {PM_OFFLOAD_LIST(NAME_DOC) END};
static const pm_choice rank_order_choices[] = {PM_RANK_ORDER_LIST(NAME_DOC) END};
static const pm_choice stored_choices[] = {PM_STORED_LIST(NAME_BYTES_DOC) END};
static const pm_choice scheduler_choices[] = {PM_SCHEDULER_LIST(NAME_DOC) END};
static const pm_choice arrivals_choices[] = {PM_ARRIVALS_LIST(NAME_DOC) END};
static const pm_choice serving_layouts_choices[] = {PM_SERVING_LAYOUTS_LIST(NAME_DOC) END};
static const pm_choice serving_limit_choices[] = {PM_SERVING_LIMIT_LIST(NAME_DOC) END};
static const pm_choice lora_targets_choices[] = {PM_LORA_TARGETS_LIST(NAME_BYTES_DOC) END};
static const pm_choice base_weights_choices[] = {PM_BASE_WEIGHTS_LIST(NAME_DOC) END};
static const pm_choice yes_no_choices[] = {{.name = "no", .doc = "no"}, {.name = "yes", .doc = "yes"}, END};

#define KIND_TEXT .kind = PM_FIELD_TEXT
#define KIND_INT .kind = PM_FIELD_INT
#define KIND_REAL .kind = PM_FIELD_REAL
#define KIND_PRECISION .kind = PM_FIELD_CHOICE, .choices = precision_choices
#define KIND_LINK_KIND .kind = PM_FIELD_CHOICE, .choices = link_kind_choices
#define KIND_OVERLAP .kind = PM_FIELD_CHOICE, .choices = overlap_choices
#define KIND_BOUND .kind = PM_FIELD_CHOICE, .choices = bound_choices
#define KIND_BOTTLENECK .kind = PM_FIELD_CHOICE, .choices = bottleneck_choices
#define KIND_CALIBRATION_STATUS .kind = PM_FIELD_CHOICE, .choices = calibration_status_choices
#define KIND_STATUS .kind = PM_FIELD_CHOICE, .choices = status_choices
#define KIND_RECOMPUTE .kind = PM_FIELD_CHOICE, .choices = recompute_choices
#define KIND_VERDICT .kind = PM_FIELD_CHOICE, .choices = verdict_choices
#define KIND_COLLECTIVE .kind = PM_FIELD_CHOICE, .choices = collective_choices
#define KIND_ALGORITHM .kind = PM_FIELD_CHOICE, .choices = algorithm_choices
#define KIND_PROTOCOL .kind = PM_FIELD_CHOICE, .choices = protocol_choices
#define KIND_ERA .kind = PM_FIELD_CHOICE, .choices = nccl_choices
#define KIND_SAMPLE_FORMAT .kind = PM_FIELD_CHOICE, .choices = sample_stored_choices
#define KIND_CACHE_POLICY .kind = PM_FIELD_CHOICE, .choices = cache_policy_choices
#define KIND_DECODE_PLACE .kind = PM_FIELD_CHOICE, .choices = decode_place_choices
#define KIND_INPUT_STAGE .kind = PM_FIELD_CHOICE, .choices = input_stage_choices
#define KIND_ORIGIN .kind = PM_FIELD_CHOICE, .choices = origin_choices
#define KIND_POWER_BASIS .kind = PM_FIELD_CHOICE, .choices = power_basis_choices
#define KIND_KERNEL_MODEL .kind = PM_FIELD_CHOICE, .choices = kernel_model_choices
#define KIND_KERNEL_ALGORITHM .kind = PM_FIELD_CHOICE, .choices = kernel_algorithm_choices
#define KIND_OPERATOR .kind = PM_FIELD_CHOICE, .choices = operator_choices
#define KIND_FIT_STATE .kind = PM_FIELD_CHOICE, .choices = fit_state_choices
#define KIND_PARALLELISM .kind = PM_FIELD_CHOICE, .choices = parallelism_choices
#define KIND_ATTENTION .kind = PM_FIELD_CHOICE, .choices = attention_choices
#define KIND_OPTIMIZER .kind = PM_FIELD_CHOICE, .choices = optimizer_choices
#define KIND_EVIDENCE .kind = PM_FIELD_CHOICE, .choices = evidence_choices
#define KIND_FUSION .kind = PM_FIELD_CHOICE, .choices = fusion_choices
#define KIND_DECISION .kind = PM_FIELD_CHOICE, .choices = decision_choices
#define KIND_MINIMIZE .kind = PM_FIELD_CHOICE, .choices = minimize_choices
#define KIND_RESOURCE .kind = PM_FIELD_CHOICE, .choices = resource_choices
#define KIND_FIT_USE .kind = PM_FIELD_CHOICE, .choices = fit_use_choices
#define KIND_PIPELINE_SCHEDULE .kind = PM_FIELD_CHOICE, .choices = pipeline_schedule_choices
#define KIND_STAGE_LAYERS .kind = PM_FIELD_CHOICE, .choices = stage_layers_choices
#define KIND_CONTEXT_EXCHANGE .kind = PM_FIELD_CHOICE, .choices = context_exchange_choices
#define KIND_EMBEDDING_SHARDING .kind = PM_FIELD_CHOICE, .choices = embedding_sharding_choices
#define KIND_EXPERT_DISPATCH .kind = PM_FIELD_CHOICE, .choices = expert_dispatch_choices
#define KIND_CUDA_GRAPHS .kind = PM_FIELD_CHOICE, .choices = cuda_graphs_choices
#define KIND_OFFLOAD .kind = PM_FIELD_CHOICE, .choices = offload_choices
#define KIND_RANK_ORDER .kind = PM_FIELD_CHOICE, .choices = rank_order_choices
#define KIND_STORED .kind = PM_FIELD_CHOICE, .choices = stored_choices
#define KIND_SCHEDULER .kind = PM_FIELD_CHOICE, .choices = scheduler_choices
#define KIND_ARRIVALS .kind = PM_FIELD_CHOICE, .choices = arrivals_choices
#define KIND_SERVING_LAYOUTS .kind = PM_FIELD_CHOICE, .choices = serving_layouts_choices
#define KIND_SERVING_LIMIT .kind = PM_FIELD_CHOICE, .choices = serving_limit_choices
#define KIND_LORA_TARGETS .kind = PM_FIELD_CHOICE, .choices = lora_targets_choices
#define KIND_BASE_WEIGHTS .kind = PM_FIELD_CHOICE, .choices = base_weights_choices
#define KIND_YES_NO .kind = PM_FIELD_CHOICE, .choices = yes_no_choices

/* One row of a table; RECORD is the struct whose list is being expanded. What follows the name is unit and doc, and
** whatever else a list says of a field, by name. */
#define FIELD(kind, name, ...) {#name, __VA_ARGS__, .offset = offsetof(RECORD, name), KIND_##kind},

#define RECORD pm_gpu
static const pm_field gpu_fields[] = {PM_GPU_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_link
static const pm_field link_fields[] = {PM_LINK_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_link_calibration
static const pm_field calibration_fields[] = {PM_LINK_CALIBRATION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_operator_calibration
static const pm_field operator_calibration_fields[] = {PM_OPERATOR_CALIBRATION_FIELDS(FIELD)};
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

#define RECORD pm_source
static const pm_field source_fields[] = {PM_SOURCE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_assumption
static const pm_field assumption_fields[] = {PM_ASSUMPTION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_network_totals
static const pm_field network_fields[] = {PM_NETWORK_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_layer
static const pm_field layer_fields[] = {PM_LAYER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_counts
static const pm_field counts_fields[] = {PM_COUNTS_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_kernel_harness
static const pm_field kernel_harness_fields[] = {PM_KERNEL_HARNESS_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_measured_kernel
static const pm_field measured_kernel_fields[] = {PM_MEASURED_KERNEL_FIELDS(FIELD)};
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

#define RECORD pm_recomputation
static const pm_field recomputation_fields[] = {PM_RECOMPUTATION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_offloading
static const pm_field offloading_fields[] = {PM_OFFLOADING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_attention
static const pm_field attention_fields[] = {PM_ATTENTION_FIELDS(FIELD)};
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

#define RECORD pm_transformer_activations
static const pm_field transformer_activations_fields[] = {PM_TRANSFORMER_ACTIVATIONS_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_transformer
static const pm_field transformer_fields[] = {PM_TRANSFORMER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_protocol
static const pm_field protocol_fields[] = {PM_PROTOCOL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_tuning
static const pm_field tuning_fields[] = {PM_TUNING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_collective_fit
static const pm_field fit_fields[] = {PM_COLLECTIVE_FIT_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_group_choice
static const pm_field group_fields[] = {PM_GROUP_CHOICE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_call
static const pm_field call_fields[] = {PM_CALL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_collective_time
static const pm_field collective_fields[] = {PM_COLLECTIVE_TIME_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_load
static const pm_field load_fields[] = {PM_LOAD_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_pair
static const pm_field pair_fields[] = {PM_PAIR_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_fabric_choice
static const pm_field fabric_choice_fields[] = {PM_FABRIC_CHOICE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_fabric
static const pm_field fabric_fields[] = {PM_FABRIC_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_finding
static const pm_field finding_fields[] = {PM_FINDING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_reading
static const pm_field reading_fields[] = {PM_READING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_storage
static const pm_field storage_fields[] = {PM_STORAGE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_storage_access
static const pm_field storage_access_fields[] = {PM_STORAGE_ACCESS_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_decoder
static const pm_field decoder_fields[] = {PM_DECODER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_loader
static const pm_field loader_fields[] = {PM_LOADER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_input_run
static const pm_field input_run_fields[] = {PM_INPUT_RUN_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_input_rates
static const pm_field input_rates_fields[] = {PM_INPUT_RATES_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_fit_parameter
static const pm_field fit_parameter_fields[] = {PM_FIT_PARAMETER_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_framework
static const pm_field framework_fields[] = {PM_FRAMEWORK_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_cudnn_generation
static const pm_field cudnn_generation_fields[] = {PM_CUDNN_GENERATION_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_prediction_interval
static const pm_field prediction_interval_fields[] = {PM_PREDICTION_INTERVAL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_inference_profile
static const pm_field inference_profile_fields[] = {PM_INFERENCE_PROFILE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_engine
static const pm_field engine_fields[] = {PM_ENGINE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_serving_run
static const pm_field serving_run_fields[] = {PM_SERVING_RUN_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_serving
static const pm_field serving_fields[] = {PM_SERVING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_serving_goal
static const pm_field serving_goal_fields[] = {PM_SERVING_GOAL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_serving_choice
static const pm_field serving_choice_fields[] = {PM_SERVING_CHOICE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_inference_run
static const pm_field inference_run_fields[] = {PM_INFERENCE_RUN_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_inference
static const pm_field inference_fields[] = {PM_INFERENCE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_size_goal
static const pm_field size_goal_fields[] = {PM_SIZE_GOAL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_size_choice
static const pm_field size_choice_fields[] = {PM_SIZE_CHOICE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_stage
static const pm_field stage_fields[] = {PM_STAGE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_search_choice
static const pm_field search_choice_fields[] = {PM_SEARCH_CHOICE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_training_goal
static const pm_field training_goal_fields[] = {PM_TRAINING_GOAL_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_comparison
static const pm_field comparison_fields[] = {PM_COMPARISON_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_training
static const pm_field training_fields[] = {PM_TRAINING_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_goodput
static const pm_field goodput_fields[] = {PM_GOODPUT_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_sensitivity
static const pm_field sensitivity_fields[] = {PM_SENSITIVITY_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_upgrade
static const pm_field upgrade_fields[] = {PM_UPGRADE_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_fitted_constant
static const pm_field fitted_constant_fields[] = {PM_FITTED_CONSTANT_FIELDS(FIELD)};
#undef RECORD

#define RECORD pm_fit_error
static const pm_field fit_error_fields[] = {PM_FIT_ERROR_FIELDS(FIELD)};
#undef RECORD

#define TYPE(name, record, doc) {#name, doc, sizeof(record), name##_fields,                                            \
  sizeof name##_fields / sizeof name##_fields[0]}

static const pm_record_type types[] = {
  TYPE(gpu, pm_gpu, "a GPU, from its datasheet"),
  TYPE(link, pm_link, "a link type, from its specification"),
  TYPE(calibration, pm_link_calibration, "what collectives get of a link type"),
  TYPE(kernel_calibration, pm_kernel_calibration, "what kernels get of an architecture"),
  TYPE(kernel, pm_kernel, "one kernel"),
  TYPE(kernel_time, pm_kernel_time, "time of one kernel"),
  TYPE(kernel_harness, pm_kernel_harness, "what the host adds to measured kernels"),
  TYPE(measured_kernel, pm_measured_kernel, "a measured kernel"),
  TYPE(machine, pm_machine, "a machine, from its datasheet"),
  TYPE(edge, pm_edge, "one row of a link graph"),
  TYPE(dataset, pm_dataset, "a training set"),
  TYPE(source, pm_source, "where values come from"),
  TYPE(network, pm_network_totals, "totals of a network, per sample"),
  TYPE(assumption, pm_assumption, "a value of a run that was not given"),
  TYPE(layer, pm_layer, "counts of one layer"),
  TYPE(counts, pm_counts, "counts of a layer, of a kind of layer, or of a part of a network"),
  TYPE(layer_time, pm_layer_time, "times of one layer on one GPU"),
  TYPE(layer_kind, pm_layer_kind, "a kind of layer"),
  TYPE(layer_attribute, pm_layer_attribute, "an attribute of a kind of layer"),
  TYPE(ring, pm_ring, "the ring that a group of GPUs uses"),
  TYPE(protocol, pm_protocol, "a protocol of the collective library, from its source"),
  TYPE(tuning, pm_tuning, "what the collective library assumes of a GPU architecture"),
  TYPE(fit, pm_collective_fit, "constants of collectives fitted to measurements"),
  TYPE(group, pm_group_choice, "how a group of GPUs is driven"),
  TYPE(call, pm_call, "one collective to evaluate"),
  TYPE(collective, pm_collective_time, "time and bandwidth of one collective"),
  TYPE(load, pm_load, "what a collective moves over one link"),
  TYPE(pair, pm_pair, "copies from one GPU to another"),
  TYPE(fabric_choice, pm_fabric_choice, "a network of many nodes to lay out"),
  TYPE(fabric, pm_fabric, "a fat tree: switches, cables, bisection"),
  TYPE(finding, pm_finding, "something implausible in a file"),
  TYPE(fitted_constant, pm_fitted_constant, "a fitted constant of kernels"),
  TYPE(fit_error, pm_fit_error, "errors of a calibration of kernels"),
  TYPE(fit_parameter, pm_fit_parameter, "a constant to fit"),
  TYPE(run, pm_run, "what to predict"),
  TYPE(prediction, pm_prediction, "what is predicted"),
  TYPE(stage, pm_stage, "one stage of a pipeline"),
  TYPE(framework, pm_framework, "what a framework adds to kernels and collectives"),
  TYPE(cudnn_generation, pm_cudnn_generation, "a generation of the GPU libraries"),
  TYPE(operator_calibration, pm_operator_calibration, "what the times of a GPU's kernels rest on"),
  TYPE(prediction_interval, pm_prediction_interval, "spread of measured over predicted rates"),
  TYPE(inference_profile, pm_inference_profile, "how a framework or an engine runs a forward pass"),
  TYPE(inference_run, pm_inference_run, "what inference to predict"),
  TYPE(inference, pm_inference, "what is predicted of inference"),
  TYPE(engine, pm_engine, "how an engine serves"),
  TYPE(serving_run, pm_serving_run, "what to serve"),
  TYPE(serving, pm_serving, "what is predicted of serving"),
  TYPE(serving_goal, pm_serving_goal, "limits of latency that serving is sized for"),
  TYPE(serving_choice, pm_serving_choice, "a layout of serving, and what it takes"),
  TYPE(size_goal, pm_size_goal, "what a system is to reach, and what is to be least"),
  TYPE(size_choice, pm_size_choice, "so many nodes of a system, and what they take"),
  TYPE(search_choice, pm_search_choice, "the best plan with one value of one choice"),
  TYPE(training_goal, pm_training_goal, "so much training within a time"),
  TYPE(training, pm_training, "the best plan on so many nodes, and what training with it takes"),
  TYPE(comparison, pm_comparison, "one part of the time of two runs, on the way from one to the other"),
  TYPE(goodput, pm_goodput, "training that failures and checkpoints leave"),
  TYPE(sensitivity, pm_sensitivity, "one number of the hardware raised"),
  TYPE(upgrade, pm_upgrade, "one thing replaced by another"),
  TYPE(memory_profile, pm_memory_profile, "how a framework handles memory"),
  TYPE(recomputation, pm_recomputation, "what the backward pass computes again"),
  TYPE(offloading, pm_offloading, "what the host keeps"),
  TYPE(attention, pm_attention, "what an implementation of attention does"),
  TYPE(optimizer, pm_optimizer, "what an optimizer keeps, reads and writes for each parameter"),
  TYPE(usable_memory, pm_usable_memory, "what programs can have of a GPU's memory"),
  TYPE(memory_run, pm_memory_run, "whose memory is wanted"),
  TYPE(memory_use, pm_memory_use, "memory of one GPU, part by part"),
  TYPE(layer_memory, pm_layer_memory, "memory of one layer in training"),
  TYPE(memory_advice, pm_memory_advice, "a change that takes less memory"),
  TYPE(transformer_activations, pm_transformer_activations,
       "what one layer of a transformer keeps for its backward pass"),
  TYPE(transformer, pm_transformer, "sizes of a transformer"),
  TYPE(reading, pm_reading, "how rows of published tables are read"),
  TYPE(storage, pm_storage, "where samples are stored"),
  TYPE(storage_access, pm_storage_access, "what one read of a storage takes"),
  TYPE(decoder, pm_decoder, "how fast a CPU decodes"),
  TYPE(loader, pm_loader, "how a framework reads and prepares samples"),
  TYPE(input_run, pm_input_run, "what is asked of an input pipeline"),
  TYPE(input_rates, pm_input_rates, "rates of an input pipeline"),
};

const pm_record_type *pm_record_type_get(size_t index)
{
  return index < sizeof types / sizeof types[0] ? &types[index] : NULL;
}
