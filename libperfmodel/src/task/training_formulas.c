/* What each field of a training step comes from. */
#include "task/formulas.h"

#define ONE_GPU "model.md#one-gpu"
#define RATE "throughput"
#define EFFICIENCY "model.md#efficiency-prediction-interval"
#define PARALLEL "parallel.md#how-it-is-computed"
#define DEADLINE "parallel.md#how-many-gpus-for-a-deadline"
#define STATE "parameters, in the types and shards of the plan"

const char *const pm__task_formulas_of_training[] = {
  STATUS,
  "verdict|fits up to gpu_memory, tight up to 8 % above it|memory gpu_memory|model.md#memory",
  "throughput|= batch * gradient_accumulation_steps * data_parallel / step_time||" EFFICIENCY "|" RATE,
  "tokens_per_second|= throughput * model.tokens||" EFFICIENCY "|" RATE,
  INTERVAL_ENDS("throughput"),
  "step_time|= forward_time + dgrad_time + wgrad_time + recompute_time + update_time + launch_overhead_time + "
  "exposed_communication_time + bubble_time + offload_time + straggler_wait_time + input_wait_time||"
  "model.md#step|" RATE,
  "epoch_time|= ceil(epoch_samples / (batch * gradient_accumulation_steps * data_parallel)) * step_time||"
  "model.md#step|" RATE,
  "gpu_hours|= total_gpus * epoch_time / 3600||model.md#step|" RATE,
  "forward_time|the forward kernels of the slowest stage, " EACH_KERNEL ", for each micro-batch|micro_batches "
  "framework.tensor_factor framework.framework_kernel_factor " KERNELS "|" ONE_GPU,
  "dgrad_time|the kernels of gradients of activations, likewise|micro_batches framework.tensor_factor "
  "framework.framework_kernel_factor " KERNELS "|" ONE_GPU,
  "wgrad_time|the kernels of gradients of parameters, likewise|micro_batches framework.tensor_factor " KERNELS
  "|" ONE_GPU,
  "update_time|what the optimizer reads and writes of the parameters of a GPU, over the bandwidth that kernels reach|"
  "optimizer model.parameters model.parameter_tensors zero gpu.memory_bandwidth framework.update_kernels|" ONE_GPU,
  "compute_time|= forward_time + dgrad_time + wgrad_time + recompute_time + update_time||" ONE_GPU,
  "launch_overhead_time|what the host adds: the root of the sum of squares of compute_time and launch_time, less "
  "compute_time, in each span; and framework.step_time for each micro-batch|compute_time launch_time "
  "framework.step_time framework.comparison micro_batches framework.host_copy_bandwidth|" ONE_GPU,
  "communication_time|exchanges of tensor, context and expert parallelism, hops, and those of data parallelism|"
  "tensor_communication_time context_communication_time expert_communication_time embedding_communication_time "
  "pipeline_communication_time "
  "data_communication_time|model.md#gradients",
  "exposed_communication_time|communication_time, but of data parallelism only what no backward pass hides, and of "
  "tensor parallelism what no product hides|communication_time exposed_data_communication_time overlap "
  "framework.bucket framework.tensor_overlap|model.md#gradients",
  "straggler_wait_time|the step of a GPU alone times the spread of steps, and the calls that it waits for times "
  "theirs, times the expected maximum of so many; between nodes also the coordinator's time|framework.straggler "
  "framework.waited_straggler framework.coordinator_time total_gpus|"
  "model.md#waiting",
  "input_wait_time|samples of a node over input_rate, less the step that hides it where input is prefetched|"
  "input_rate no_prefetch|model.md#waiting",
  "launch_time|host time of a kernel, times the kernels that the host launches in a step, on a core of this host|"
  "framework.kernel_time machine.cpu_core_clock machine.cpu_core_work micro_batches|" ONE_GPU,
  "layout_time|bytes of the tensors whose layout changes, over the bandwidth that kernels reach|"
  "framework.layout_fp16 framework.layout_fp32 gpu.memory_bandwidth|" ONE_GPU,
  "compute_share|the kernels whose arithmetic takes longer than their memory traffic, over step_time|"
  "step_time peak|model.md#kernel-time-calibrated",
  "memory_bandwidth_share|= compute_time / step_time - compute_share||model.md#kernel-time-calibrated",
  "communication_share|= exposed_communication_time / step_time||model.md#step",
  "launch_overhead_share|= launch_overhead_time / step_time||model.md#step",
  "straggler_wait_share|= straggler_wait_time / step_time||model.md#step",
  "input_wait_share|= input_wait_time / step_time||model.md#step",
  "gpu_busy|= compute_time / step_time||model.md#step",
  "scaling_efficiency|the step of one GPU alone at this batch, over step_time; unknown where a GPU alone has another "
  "part of the network|step_time|" EFFICIENCY,
  "strong_scaling_efficiency|the time of the whole batch on one GPU, over total_gpus times step_time|step_time "
  "total_gpus|" EFFICIENCY,
  "staleness|updates by the other GPUs while a GPU computes|parallelism|model.md#other-kinds-of-parallelism",
  "flop|arithmetic of the layers for all samples of the step, and four for each parameter that is updated|"
  "model.training_flop model.parameters|model.md#counts",
  "flop_rate|= flop / total_gpus / step_time||" EFFICIENCY "|" RATE,
  "mfu|= flop_rate / peak||" EFFICIENCY "|" RATE,
  "gradient_size|parameters of the fullest stage on a GPU, times the bytes in which gradients travel|model.parameters "
  "framework.gradient framework.gradient_fp16|model.md#gradients",
  "bus_bandwidth|the ring through these GPUs: its slowest link, of what large collectives get of it|link.bandwidth "
  "link.flow_bandwidth|collectives.md",
  "memory|what the fullest stage keeps of its activations, and " STATE "|recompute zero optimizer "
  "memory_profile.context model.parameters|model.md#memory",
  "gpu_memory|what the driver leaves to programs of the memory of the GPU, or usable_memory of the run|gpu.memory "
  "usable_memory|model.md#memory",
  "largest_batch|the largest whose memory is at most gpu_memory|memory gpu_memory|model.md#memory",
  "bottleneck|the largest of the parts of the step|compute_share memory_bandwidth_share communication_share "
  "launch_overhead_share straggler_wait_share|model.md#step",
  "calibration|the worst of what the kinds of work rest on that take a tenth of the step; at best extrapolated outside "
  "of the rows of the framework|framework.rows framework.calibrated_on framework.min_batch framework.max_batch "
  "framework.max_gpus|" EFFICIENCY,
  "bubble_time|what the order of the pipeline adds to the micro-batches of the slowest stage, without hops|"
  "pipeline_stages micro_batches pipeline_schedule virtual_pipeline|" PARALLEL,
  "recompute_time|forward kernels that the backward pass runs again|recompute forward_time|" PARALLEL,
  "tensor_communication_time|all-reduces, or gathers and scatters, of activations in each layer, for each micro-batch|"
  "tensor_parallel sequence_parallel micro_batches link.bandwidth|" PARALLEL,
  "context_communication_time|keys and values between the GPUs that share a sequence, for each micro-batch|"
  "context_parallel context_exchange micro_batches link.bandwidth|" PARALLEL,
  "expert_communication_time|tokens to their experts and back, for each micro-batch|expert_parallel expert_imbalance "
  "capacity_factor micro_batches link.bandwidth|" PARALLEL,
  "embedding_communication_time|pooled embeddings to the GPUs of their samples, and gradients back, for each "
  "micro-batch|embedding_sharding micro_batches link.bandwidth|" PARALLEL,
  "pipeline_communication_time|activations from stage to stage, as far as a stage waits for them|pipeline_stages "
  "micro_batches framework.hop_time|" PARALLEL,
  "data_communication_time|collectives of gradients, and of sharded weights, bucket by bucket|gradient_size "
  "bus_bandwidth data_parallel zero framework.bucket|model.md#gradients",
  "exposed_data_communication_time|the part of data_communication_time that the backward pass does not hide|"
  "data_communication_time dgrad_time wgrad_time overlap|model.md#gradients",
  "hfu|flop_rate, with what is computed again and without what Winograd and FFT save, over peak|flop_rate peak "
  "recompute|" EFFICIENCY "|" RATE,
  "micro_batches|samples of a data-parallel rank over those of a micro-batch|batch micro_batch "
  "gradient_accumulation_steps|parallel.md#the-plan",
  "data_parallel|= total_gpus / (tensor_parallel * context_parallel * pipeline_stages)||parallel.md#the-plan",
  "slowest_stage|the stage whose micro-batch takes longest|pipeline_stages stage_layers|"
  "parallel.md#stages-and-timelines",
  "fullest_stage|the stage with most memory|pipeline_stages stage_layers|parallel.md#stages-and-timelines",
  "pipeline_stages|the degree of pipeline parallelism|pipeline_parallel|parallel.md#the-plan",
  "bubble_share|= bubble_time / step_time||" PARALLEL,
  "offload_time|copies between GPU and host and the update there, as far as nothing hides them|offload "
  "model.parameters gpu.pcie|parallel.md#offloading",
  "offload_share|= offload_time / step_time||parallel.md#offloading",
  "host_memory|" STATE ", that are kept by the host|offload model.parameters gpus|parallel.md#offloading",
  "total_gpus|= gpus * nodes||parallel.md#the-plan",
  "training_time|= ceil(whole.goal / (batch * gradient_accumulation_steps * data_parallel)) * step_time / goodput|"
  "tokens samples model.tokens|" DEADLINE "|" RATE,
  "training_time_p10|= training_time * throughput / throughput_p90||" DEADLINE "|" RATE,
  "training_time_p90|= training_time * throughput / throughput_p10||" DEADLINE "|" RATE,
  "training_gpu_hours|= total_gpus * training_time / 3600||" DEADLINE "|" RATE,
  "training_energy|= site_power * training_time||" DEADLINE,
  "training_cost|= training_gpu_hours * gpu_hour_price||" DEADLINE "|" RATE,
  "mtbf|1 over the failures in a second of all GPUs and nodes|gpu_mtbf node_mtbf total_gpus nodes|" DEADLINE,
  "checkpoint_size|weights and optimizer states of the whole network|model.parameters optimizer precision|" DEADLINE,
  "checkpoint_time|checkpoint of the run, or checkpoint_size over checkpoint_rate|checkpoint checkpoint_size "
  "checkpoint_rate|" DEADLINE,
  "checkpoint_interval|interval of the run, or the best by Daly, from mtbf and checkpoint_time|interval mtbf "
  "checkpoint_time|" DEADLINE,
  "goodput|what is left after checkpoints, restarts and lost work (Daly)|mtbf checkpoint_time checkpoint_interval "
  "restart|" DEADLINE,
  "training_design_energy|= design_power * pue * training_time||" DEADLINE,
  "training_carbon|= training_energy / 3600000 * carbon||" DEADLINE,
  "training_energy_cost|= training_energy / 3600000 * energy_price||" DEADLINE,
  NULL,
};
