/* What keys of other programs mean, as data. */
#include <stdio.h>
#include <string.h>
#include "import/settings.h"

#define YES "true=yes True=yes yes=yes 1=yes !=no"
#define PRECISION "bf16=bf16 fp16=fp16 no=fp32 fp8=fp8 bf16-mixed=bf16 16-mixed=fp16 bf16_mixed=bf16"                  \
  " fp16_mixed=fp16 32=fp32"
#define OFF "false=off False=off none=off"
#define OFFLOAD "cpu=gradients cpu=optimizer cpu=parameters none=none"
#define FULLY_SHARDED "FULL_SHARD=3 SHARD_GRAD_OP=2 NO_SHARD=0 HYBRID_SHARD=3 1=3 2=2 3=0 4=3"

/* Flags of Megatron-LM, whose names NeMo and Megatron-Bridge have with '_'. */
static const pm__settings_key megatron[] = {
  {"nproc_per_node", "gpus", NULL, false},
  {"gpus_per_node", "gpus", NULL, false},
  {"num_gpus_per_node", "gpus", NULL, false},
  {"devices", "gpus", NULL, false},
  {"ntasks_per_node", "tasks", NULL, false},
  {"gres", "gpus", "gpu:1=1 gpu:2=2 gpu:4=4 gpu:8=8 gpu:16=16", false},
  {"nnodes", "nodes", NULL, false},
  {"nodes", "nodes", NULL, false},
  {"num_nodes", "nodes", NULL, false},
  {"tensor_model_parallel_size", "tensor_parallel", NULL, true},
  {"pipeline_model_parallel_size", "pipeline_parallel", NULL, true},
  {"num_virtual_stages_per_pipeline_rank", "virtual_pipeline", NULL, true},
  {"virtual_pipeline_model_parallel_size", "virtual_pipeline", NULL, false},
  {"num_layers_per_virtual_pipeline_stage", "layers_of_chunk", NULL, false},
  {"account_for_embedding_in_pipeline_split", "stage_layers", "=balanced true=balanced True=balanced !=even", true},
  {"account_for_loss_in_pipeline_split", "stage_layers", "=balanced true=balanced True=balanced !=even", true},
  {"context_parallel_size", "context_parallel", NULL, true},
  {"cp_comm_type", "context_exchange", "p2p=ring all_gather=all-gather allgather=all-gather a2a=all-to-all", true},
  {"expert_model_parallel_size", "expert_parallel", NULL, true},
  {"expert_tensor_parallel_size", "expert_tensor_parallel", NULL, true},
  {"sequence_parallel", "sequence_parallel", "=yes " YES, true},
  {"micro_batch_size", "micro_batch", NULL, true},
  {"global_batch_size", "global_batch", NULL, true},
  {"data_parallel_sharding_strategy", "zero",
   "no_shard=0 optim=1 optim_grads=2 optim_grads_params=3", false},
  {"use_distributed_optimizer", "zero", "=1 true=1 True=1 !=0", true},
  {"use_torch_fsdp2", "zero", "=3 true=3 True=3 !=0", true},
  {"recompute_granularity", "recompute", "full=full selective=selective none=none None=none", true},
  {"activations_checkpoint_granularity", "recompute", "full=full selective=selective null=none", false},
  {"recompute_activations", "recompute", "=selective true=selective", false},
  {"recompute_num_layers", "recompute_layers", NULL, false},
  {"bf16", "precision", "=bf16 true=bf16 True=bf16", true},
  {"fp16", "precision", "=fp16 true=fp16 True=fp16", true},
  {"fp8_format", "precision", "hybrid=fp8 *=fp8", true},
  {"fp8", "precision", "*=fp8", false},
  {"fp8_param_gather", "primary_weights", "=yes " YES, true},
  {"fp8_param", "primary_weights", "=yes " YES, false},
  {"fp8_params", "primary_weights", "=yes " YES, false},
  {"precision", "precision", PRECISION, false},
  {"no_gradient_accumulation_fusion", "unfused_accumulation", "=yes " YES, true},
  {"optimizer", "optimizer", PM__OPTIMIZER_NAMES, true},
  {"accumulate_allreduce_grads_in_fp32", "gradient_bytes", "=4 true=4 True=4 !=2", false},
  {"grad_reduce_in_fp32", "gradient_bytes", "=4 true=4 True=4 !=2", false},
  {"overlap_grad_reduce", "overlap", "=backward true=backward True=backward !=none", false},
  {"optimizer_cpu_offload", "offload", "=optimizer true=optimizer True=optimizer !=none", true},
  {"optimizer_offload_fraction", "?", "1=off 1.0=off", false},
  {"cpu_offloading", "?", OFF, false},
  {"moe_expert_capacity_factor", "capacity_factor", NULL, true},
  {"moe_token_dispatcher_type", "expert_dispatch", "alltoall=all-to-all flex=deepep", true},
  {"overlap_moe_expert_parallel_comm", "expert_overlap", "=yes " YES, true},
  {"num_layers", "network.layers", NULL, false},
  {"hidden_size", "network.hidden", NULL, false},
  {"num_attention_heads", "network.heads", NULL, false},
  {"num_query_groups", "network.kv_heads", NULL, false},
  {"group_query_attention", "network.kv_heads", NULL, false},
  {"kv_channels", "network.head_features", NULL, false},
  {"ffn_hidden_size", "network.ffn", NULL, false},
  {"seq_length", "network.seq", NULL, false},
  {"sequence_length", "network.seq", NULL, false},
  {"max_position_embeddings", "network.positions", NULL, false},
  {"vocab_size", "network.vocabulary", NULL, false},
  {"num_experts", "network.experts", NULL, false},
  {"num_moe_experts", "network.experts", NULL, false},
  {"moe_router_topk", "network.top_k", NULL, false},
  {"moe_ffn_hidden_size", "network.expert_ffn", NULL, false},
  {"swiglu", "network.gated", NULL, false},
  {"normalization", "network.norm", NULL, false},
  {"disable_bias_linear", "network.bias", NULL, false},
  {"untie_embeddings_and_output_weights", "network.tied", NULL, false},
  {"position_embedding_type", "network.positions", NULL, false},
  {"use_flash_attn", "network.flash", NULL, false},
  {"attention_backend", "network.flash", NULL, false},
  {"node_rank", "-", NULL, false}, {"master_addr", "-", NULL, false}, {"master_port", "-", NULL, false},
  {"rdzv_id", "-", NULL, false}, {"rdzv_backend", "-", NULL, false}, {"rdzv_endpoint", "-", NULL, false},
  {"lr", "-", NULL, false}, {"min_lr", "-", NULL, false}, {"lr_decay_style", "-", NULL, false},
  {"lr_decay_iters", "-", NULL, false}, {"lr_decay_samples", "-", NULL, false}, {"lr_warmup_iters", "-", NULL, false},
  {"lr_warmup_samples", "-", NULL, false}, {"lr_warmup_fraction", "-", NULL, false}, {"weight_decay", "-", NULL, false},
  {"adam_beta1", "-", NULL, false}, {"adam_beta2", "-", NULL, false}, {"adam_eps", "-", NULL, false},
  {"init_method_std", "-", NULL, false}, {"seed", "-", NULL, false}, {"train_iters", "-", NULL, false},
  {"train_samples", "-", NULL, false}, {"eval_iters", "-", NULL, false}, {"eval_interval", "-", NULL, false},
  {"save", "-", NULL, false}, {"load", "-", NULL, false}, {"save_interval", "-", NULL, false},
  {"log_interval", "-", NULL, false}, {"log_throughput", "-", NULL, false}, {"data_path", "-", NULL, false},
  {"split", "-", NULL, false}, {"tokenizer_type", "-", NULL, false}, {"tokenizer_model", "-", NULL, false},
  {"vocab_file", "-", NULL, false}, {"merge_file", "-", NULL, false}, {"tensorboard_dir", "-", NULL, false},
  {"wandb_project", "-", NULL, false}, {"distributed_backend", "-", NULL, false}, {"loss_scale", "-", NULL, false},
  {"job_name", "-", NULL, false}, {"time", "-", NULL, false}, {"partition", "-", NULL, false},
  {"account", "-", NULL, false}, {"output", "-", NULL, false}, {"error", "-", NULL, false},
  {"mem", "-", NULL, false}, {"cpus_per_task", "-", NULL, false}, {"exclusive", "-", NULL, false},
  {"constraint", "-", NULL, false}, {"qos", "-", NULL, false}, {"mail_type", "-", NULL, false},
  {"mail_user", "-", NULL, false}, {"export", "-", NULL, false}, {"dependency", "-", NULL, false},
  {NULL, NULL, NULL, false},
};
_Static_assert(sizeof megatron / sizeof megatron[0] <= PM__SETTINGS_KEYS, "places of keys of a recipe");

static const pm__settings_key torchtitan[] = {
  {"parallelism.tensor_parallel_degree", "tensor_parallel", NULL, true},
  {"parallelism.pipeline_parallel_degree", "pipeline_parallel", NULL, true},
  {"parallelism.context_parallel_degree", "context_parallel", NULL, true},
  {"parallelism.expert_parallel_degree", "expert_parallel", NULL, true},
  {"parallelism.expert_tensor_parallel_degree", "expert_tensor_parallel", NULL, true},
  {"parallelism.data_parallel_shard_degree", "shard_degree", NULL, false},
  {"parallelism.data_parallel_replicate_degree", "replicas", NULL, false},
  {"parallelism.data_parallel_shard_degree", "zero", "-1=3 1=0", true}, /* as it is written */
  {"parallelism.pipeline_parallel_schedule", "pipeline_schedule",
   "1F1B=1f1b 1f1b=1f1b GPipe=gpipe Interleaved1F1B=interleaved ZBVZeroBubble=zb-v InterleavedZeroBubble=zb-h1", true},
  {"parallelism.pipeline_parallel_microbatch_size", "micro_batch", NULL, true},
  {"parallelism.context_parallel_rotate_method", "context_exchange", "allgather=all-gather alltoall=ring", true},
  {"experimental.context_parallel_degree", "context_parallel", NULL, false},
  {"experimental.pipeline_parallel_degree", "pipeline_parallel", NULL, false},
  {"experimental.pipeline_parallel_schedule", "pipeline_schedule", "1F1B=1f1b GPipe=gpipe Interleaved1F1B=interleaved",
   false},
  {"training.tensor_parallel_degree", "tensor_parallel", NULL, false},
  {"training.local_batch_size", "batch", NULL, false},
  {"training.batch_size", "batch", NULL, false},
  {"training.global_batch_size", "global_batch", NULL, true},
  {"training.enable_cpu_offload", "offload", "true=parameters false=none", true},
  {"training.mixed_precision_param", "precision", "bfloat16=bf16 float16=fp16 float32=fp32", true},
  {"training.mixed_precision_reduce", "gradient_bytes", "float32=4 bfloat16=2", false},
  {"training.seq_len", "network.seq", NULL, false},
  {"activation_checkpoint.mode", "recompute", "none=none selective=selective full=full", true},
  {"model.converters", "precision", "float8=fp8 [\"float8\"]=fp8 ['float8']=fp8", false},
  {"float8.enable_float8_linear", "precision", "true=fp8", false},
  {"optimizer.name", "optimizer", PM__OPTIMIZER_CLASSES, true},
  {"model.name", "network.name", NULL, false}, {"model.flavor", "network.name", NULL, false},
  {"optimizer.lr", "-", NULL, false}, {"optimizer.eps", "-", NULL, false}, {"training.steps", "-", NULL, false},
  {"training.dataset", "-", NULL, false}, {"training.max_norm", "-", NULL, false},
    {"training.warmup_steps", "-", NULL, false},
  {"lr_scheduler.warmup_steps", "-", NULL, false}, {"job.dump_folder", "-", NULL, false},
    {"job.description", "-", NULL, false},
  {"metrics.log_freq", "-", NULL, false}, {"profiling.enable_profiling", "-", NULL, false},
  {"model.tokenizer_path", "-", NULL, false}, {"model.hf_assets_path", "-", NULL, false},
  {NULL, NULL, NULL, false},
};

static const pm__settings_key deepspeed[] = {
  {"train_batch_size", "global_batch", NULL, true},
  {"train_micro_batch_size_per_gpu", "micro_batch", NULL, true},
  {"gradient_accumulation_steps", "accumulation", NULL, false},
  {"zero_optimization.stage", "zero", NULL, true},
  {"zero_optimization.zero_hpz_partition_size", "shard_group", NULL, false},
  {"zero_optimization.offload_param.device", "offload", "cpu=parameters none=none", true},
  {"zero_optimization.offload_optimizer.device", "offload", OFFLOAD, true},
  {"zero_optimization.offload_optimizer.ratio", "?", "1=off 1.0=off", false},
  {"zero_optimization.offload_optimizer.pin_memory", "-", NULL, false},
  {"zero_optimization.offload_param.pin_memory", "-", NULL, false},
  {"zero_optimization.overlap_comm", "overlap", "true=backward false=none", false},
  {"bf16.enabled", "precision", "true=bf16", true},
  {"fp16.enabled", "precision", "true=fp16", true},
  {"communication_data_type", "gradient_bytes", "fp32=4 fp16=2 bf16=2", false},
  {"tensor_parallel.autotp_size", "tensor_parallel", NULL, true},
  {"pipeline.stages", "pipeline_parallel", NULL, true},
  {"sequence_parallel_size", "context_parallel", NULL, true},
  {"optimizer.type", "optimizer", PM__OPTIMIZER_CLASSES, true},
  {"optimizer.params.lr", "-", NULL, false}, {"optimizer.params.betas", "-", NULL, false},
    {"optimizer.params.eps", "-", NULL, false},
  {"optimizer.params.weight_decay", "-", NULL, false}, {"steps_per_print", "-", NULL, false},
  {"wall_clock_breakdown", "-", NULL, false}, {"gradient_clipping", "-", NULL, false},
  {NULL, NULL, NULL, false},
};

static const pm__settings_key accelerate[] = {
  {"num_processes", "all_gpus", NULL, false},
  {"num_machines", "nodes", NULL, false},
  {"mixed_precision", "precision", PRECISION, false},
  {"gradient_accumulation_steps", "accumulation", NULL, false},
  {"fsdp_config.fsdp_sharding_strategy", "zero", FULLY_SHARDED, false},
  {"fsdp_config.fsdp_reshard_after_forward", "zero", "true=3 false=2 " FULLY_SHARDED, false},
  {"fsdp_config.fsdp_activation_checkpointing", "recompute", "true=full false=none", false},
  {"fsdp_config.fsdp_offload_params", "offload", "true=parameters false=none", false},
  {"deepspeed_config.zero_stage", "zero", NULL, false},
  {"deepspeed_config.gradient_accumulation_steps", "accumulation", NULL, false},
  {"deepspeed_config.offload_optimizer_device", "offload", OFFLOAD, false},
  {"deepspeed_config.offload_param_device", "offload", "cpu=parameters none=none", false},
  {"megatron_lm_config.megatron_lm_tp_degree", "tensor_parallel", NULL, false},
  {"megatron_lm_config.megatron_lm_pp_degree", "pipeline_parallel", NULL, false},
  {"megatron_lm_config.megatron_lm_sequence_parallelism", "sequence_parallel", YES, false},
  {"megatron_lm_config.megatron_lm_recompute_activations", "recompute", "true=selective false=none", false},
  {"megatron_lm_config.megatron_lm_use_distributed_optimizer", "zero", "true=1 false=0", false},
  {"parallelism_config.parallelism_config_tp_size", "tensor_parallel", NULL, false},
  {"parallelism_config.parallelism_config_cp_size", "context_parallel", NULL, false},
  {"machine_rank", "-", NULL, false}, {"main_training_function", "-", NULL, false},
    {"compute_environment", "-", NULL, false},
  {"debug", "-", NULL, false}, {"rdzv_backend", "-", NULL, false}, {"same_network", "-", NULL, false},
  {"main_process_ip", "-", NULL, false}, {"main_process_port", "-", NULL, false}, {"use_cpu", "-", "false=", false},
  {"distributed_type", "-", NULL, false}, {"fsdp_config.fsdp_version", "-", NULL, false},
  {NULL, NULL, NULL, false},
};

static const char *const megatron_marks[] = {"--tensor-model-parallel-size", "--micro-batch-size", "--num-layers",
                                             "torchrun",
                                             NULL};
static const char *const accelerate_marks[] = {"distributed_type", "fsdp_config", "compute_environment", NULL};
static const char *const torchtitan_marks[] = {"[parallelism]", "[training]", "[activation_checkpoint]", NULL};
static const char *const deepspeed_marks[] = {"\"zero_optimization\"", "\"train_batch_size\"",
                                              "\"train_micro_batch_size_per_gpu\"", NULL};
static const char *const nemo_marks[] = {"_model_parallel_size", "micro_batch_size", NULL};

/* The command, or, of flags alone, those that only this engine spells so. */
static const char *const vllm_marks[] = {"vllm serve", "vllm.entrypoints", "vllm bench", "--tensor-parallel-size",
                                         "--max-num-seqs", "--gpu-memory-utilization", NULL};
static const char *const sglang_marks[] = {"sglang.launch_server", "sglang serve", "--tp-size",
                                           "--mem-fraction-static", "--max-running-requests", NULL};
static const char *const trtllm_marks[] = {"trtllm-serve", "trtllm-bench", "--tp_size", "--kv_cache_free_gpu", NULL};

static const pm__settings_format formats[] = {
  {"deepspeed", PM__SETTINGS_JSON, false, false, deepspeed, deepspeed_marks},
  {"accelerate", PM__SETTINGS_LINES, false, false, accelerate, accelerate_marks},
  {"torchtitan", PM__SETTINGS_TOML, false, false, torchtitan, torchtitan_marks},
  {"vllm", PM__SETTINGS_FLAGS, true, false, pm__settings_vllm, vllm_marks},
  {"sglang", PM__SETTINGS_FLAGS, true, false, pm__settings_sglang, sglang_marks},
  {"trtllm", PM__SETTINGS_FLAGS, true, true, pm__settings_trtllm, trtllm_marks},
  {"megatron", PM__SETTINGS_FLAGS, false, false, megatron, megatron_marks},
  {"nemo", PM__SETTINGS_RECIPE, false, false, megatron, nemo_marks},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const pm__settings_format *pm__settings_format_at(size_t index)
{
  return index < FORMATS ? &formats[index] : NULL;
}

const char *pm__settings_get_format(size_t index)
{
  return index < FORMATS ? formats[index].name : NULL;
}

const pm__settings_format *pm__settings_format_find(const char *name, pm_error *error)
{
  for (size_t i = 0; i < FORMATS; i++)
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  pm__fail(error, PM_STATUS_NOT_FOUND, "format \"%.40s\" is unknown; it is one of deepspeed, accelerate, torchtitan, "
                                       "vllm, sglang, trtllm, megatron, nemo",
           name);
  return NULL;
}
