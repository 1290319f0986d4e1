/* Names that users bring from elsewhere: what other programs call an option, a value of a choice, a framework. */
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/finetune.h"

typedef struct alias_of {
  const char *of; /* of what it is a name */
  const char *usual, *name;
} alias_of;

static const alias_of aliases[] = {
  {"precision", "float16", "fp16"}, {"precision", "half", "fp16"}, {"precision", "amp", "fp16"},
  {"precision", "mixed", "fp16"}, {"precision", "mixed_float16", "fp16"}, {"precision", "f16", "fp16"},
  {"precision", "bfloat16", "bf16"}, {"precision", "mixed_bfloat16", "bf16"}, {"precision", "float32", "fp32"},
  {"precision", "single", "fp32"}, {"precision", "float", "fp32"}, {"precision", "f32", "fp32"},
  {"precision", "tensorfloat32", "tf32"}, {"precision", "float64", "fp64"}, {"precision", "double", "fp64"},
  {"precision", "float8", "fp8"}, {"precision", "nvfp4", "fp4"}, {"precision", "float4", "fp4"},
    {"precision", "16", "fp16"}, {"precision", "16-mixed", "fp16"},
  {"precision", "16-true", "fp16"}, {"precision", "bf16-mixed", "bf16"}, {"precision", "bf16-true", "bf16"},
  {"precision", "32", "fp32"}, {"precision", "32-true", "fp32"}, {"precision", "O1", "fp16"},
    {"precision", "O2", "fp16"},
  {"parallelism", "ddp", "all-reduce"}, {"parallelism", "horovod", "all-reduce"},
    {"parallelism", "allreduce", "all-reduce"},
  {"parallelism", "ps", "parameter-server"},
  {"option", "batch_size", "batch"}, {"option", "batchsize", "batch"}, {"option", "bs", "batch"},
  {"option", "bsz", "batch"}, {"option", "per_device_batch_size", "batch"}, {"option", "batch_per_gpu", "batch"},
  {"option", "micro_batch_size", "batch"}, {"option", "global_batch_size", "global-batch"},
  {"option", "num_gpus", "gpus"}, {"option", "n_gpus", "gpus"}, {"option", "ngpus", "gpus"},
  {"option", "gpu_count", "gpus"}, {"option", "num_devices", "gpus"}, {"option", "devices", "gpus"},
  {"option", "gpus_per_node", "gpus"}, {"option", "nproc_per_node", "gpus"}, {"option", "gpu", "gpus"},
  {"option", "num_nodes", "nodes"}, {"option", "n_nodes", "nodes"}, {"option", "nnodes", "nodes"},
  {"option", "dtype", "precision"},
  {"option", "tensor_parallel_size", "tp"}, {"option", "tp_size", "tp"}, {"option", "pipeline_parallel_size", "pp"},
  {"option", "pp_size", "pp"}, {"option", "ep_size", "ep"}, {"option", "expert_parallel_size", "ep"},
  {"option", "data_parallel_size", "dp"}, {"option", "max_num_seqs", "sequences"},
  {"option", "max_running_requests", "sequences"}, {"option", "max_num_batched_tokens", "token-budget"},
  {"option", "chunked_prefill_size", "token-budget"}, {"option", "gpu_memory_utilization", "memory-fraction"},
  {"option", "mem_fraction_static", "memory-fraction"}, {"option", "kv_cache_dtype", "kv-cache"},
  {"option", "quantization", "weights"}, {"option", "num_speculative_tokens", "draft-tokens"},
  {"option", "enable_prefix_caching", "hit-ratio"}, {"option", "prefix_hit", "hit-ratio"},
  {"option", "cache_hit", "hit-ratio"}, {"option", "max_concurrency", "concurrency"},
  {"option", "users", "concurrency"}, {"option", "clients", "concurrency"}, {"option", "batch", "concurrency"},
  {"option", "request_rate", "rate"}, {"option", "qps", "rate"}, {"option", "rps", "rate"},
  {"option", "input_len", "isl"}, {"option", "random_input_len", "isl"}, {"option", "prompt_tokens", "isl"},
  {"option", "input_tokens", "isl"}, {"option", "context", "isl"}, {"option", "max_model_len", "isl"},
  {"option", "output_len", "osl"}, {"option", "random_output_len", "osl"}, {"option", "output_tokens", "osl"},
  {"option", "max_tokens", "osl"}, {"option", "replicas", "gpus"},
  {"unmodelled", "max_loras", "adapters of LoRA in serving"},
  {"unmodelled", "enable_lora", "adapters of LoRA in serving"},
  {"unmodelled", "lora", "adapters of LoRA in serving"}, {"unmodelled", "lora_modules", "adapters of LoRA in serving"},
  {"unmodelled", "max_lora_rank", "adapters of LoRA in serving"},
  {"unmodelled", "lora_paths", "adapters of LoRA in serving"},
  {"unmodelled", "limit_mm_per_prompt", "encoders of images in serving"},
  {"unmodelled", "images", "encoders of images in serving"},
  {"unmodelled", "dcp", "groups of decode context parallelism"},
  {"unmodelled", "decode_context_parallel_size", "groups of decode context parallelism"},
  {"option", "gradient_accumulation", "gradient_accumulation_steps"},
    {"option", "accumulate_grad_batches", "gradient_accumulation_steps"},
  {"framework", "flax", "jax-0.5"}, {"framework", "xla", "tensorflow-2.18-xla"},
  {"framework", "tf2", "tensorflow-2.18"}, {"framework", "tensorflow2", "tensorflow-2.18"},
  {"framework", "inductor", "pytorch-2.4-compile"}, {"framework", "dynamo", "pytorch-2.4-compile"},
  {"framework", "fsdp", "pytorch-2.4-fsdp"}, {"framework", "fsdp2", "pytorch-2.4-fsdp"},
    {"framework", "cuda-graphs", "pytorch-2.4-graphs"},
  {"framework", "lightning", "pytorch-2.4"}, {"framework", "pytorch_lightning", "pytorch-2.4"},
  {"framework", "huggingface", "pytorch-2.4"}, {"framework", "transformers", "pytorch-2.4"},
    {"framework", "fastai", "pytorch-2.4"},
  {"framework", "megatron", "megatron-core-0.12"}, {"framework", "megatron-lm", "megatron-core-0.12"},
  {"framework", "nemo", "megatron-core-0.12"}, {"framework", "vllm", "pytorch-2.4"},
    {"framework", "ort", "onnxruntime-1.22"},
  {"framework", "onnx", "onnxruntime-1.22"}, {"framework", "tensorrt-llm", "tensorrt-10"},
  {"option", "optim", "optimizer"}, {"option", "model", "network"}, {"option", "net", "network"},
  {"option", "machine", "system"}, {"option", "node", "nodes"},
  {"option", "fp16", "precision"}, {"option", "bf16", "precision"}, {"option", "tf32", "precision"},
    {"option", "amp", "precision"},
  {"option", "mixed_precision", "precision"}, {"option", "data_type", "precision"}, {"option", "b", "batch"},
    {"option", "g", "gpus"},
  {"option", "json", "format"}, {"option", "csv", "format"}, {"option", "xla", "framework"},
    {"option", "backend", "framework"},
  {"option", "seq", "set"}, {"option", "seq_len", "set"}, {"option", "sequence_length", "set"},
    {"option", "image_size", "set"},
  {"option", "resolution", "set"}, {"option", "rate", "target-rate"}, {"option", "target_rate", "rate"},
  {"option", "models", "networks"}, {"option", "machines", "systems"}, {"option", "nets", "networks"},
  {"option", "train", "predict"}, {"option", "run", "predict"}, {"option", "simulate", "predict"},
    {"option", "estimate", "predict"},
  {"option", "bench", "predict"}, {"option", "benchmark", "predict"}, {"option", "inference", "infer"},
  {"option", "convert", "import"}, {"option", "info", "show"}, {"option", "describe", "show"},
};

/* ---- Layers with adapters, as others name them: parts joined by "+" ---- */

typedef struct part_name {
  const char *name;
  unsigned parts;
} part_name;

/* A feed-forward network has adapters as a whole: its matrices one by one add up to it. */
enum { UP = 64, DOWN = 128, GATE = 256, QKV = PM_LORA_PART_QUERIES | PM_LORA_PART_KEYS | PM_LORA_PART_VALUES };

static const part_name part_names[] = {
  {"q_proj", PM_LORA_PART_QUERIES}, {"query", PM_LORA_PART_QUERIES}, {"wq", PM_LORA_PART_QUERIES},
  {"k_proj", PM_LORA_PART_KEYS}, {"key", PM_LORA_PART_KEYS}, {"wk", PM_LORA_PART_KEYS},
  {"v_proj", PM_LORA_PART_VALUES}, {"value", PM_LORA_PART_VALUES}, {"wv", PM_LORA_PART_VALUES},
  {"o_proj", PM_LORA_PART_OUTPUT}, {"output_proj", PM_LORA_PART_OUTPUT}, {"out_proj", PM_LORA_PART_OUTPUT},
  {"wo", PM_LORA_PART_OUTPUT}, {"qkv_proj", QKV}, {"c_attn", QKV}, {"attn", PM_LORA_PART_ATTENTION},
  {"gate_proj", GATE}, {"w1", GATE}, {"up_proj", UP}, {"w3", UP}, {"fc1", UP}, {"down_proj", DOWN}, {"w2", DOWN},
  {"fc2", DOWN}, {"feed_forward", PM_LORA_PART_FEED_FORWARD}, {"experts", PM_LORA_PART_FEED_FORWARD},
  {"all", PM_LORA_PART_LINEAR}, {"head", PM_LORA_PART_HEAD}, {"lm_head", PM_LORA_PART_HEAD},
};

static const part_name targets[] = {
#define TARGETS(id, text, sum, doc) {text, sum},
  PM_LORA_TARGETS_LIST(TARGETS)
#undef TARGETS
};

enum { TARGETS_COUNT = sizeof targets / sizeof targets[0] };

static unsigned parts_of(const char *name)
{
  for (size_t i = 0; i < TARGETS_COUNT; i++)
    if (pm__same_name(targets[i].name, name)) return targets[i].parts;
  for (size_t i = 0; i < sizeof part_names / sizeof part_names[0]; i++)
    if (pm__same_name(part_names[i].name, name)) return part_names[i].parts;
  return 0;
}

/* NULL unless all parts are known, and some choice has just them. */
static const char *find_targets(const char *text)
{
  char name[PM_TEXT_MAX];
  unsigned sum = 0;
  for (size_t length; *text != '\0'; text += length + (text[length] != '\0')) {
    length = strcspn(text, "+ ");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    unsigned own = parts_of(name);
    if (own == 0 || (text[length] == '+' && text[length + 1] == '\0')) return NULL;
    sum |= own;
  }
  if ((sum & (UP | DOWN)) == (UP | DOWN)) sum = (sum & ~(unsigned)(UP | DOWN | GATE)) | PM_LORA_PART_FEED_FORWARD;
  for (size_t i = 0; i < TARGETS_COUNT; i++)
    if (targets[i].parts == sum) return targets[i].name;
  return NULL;
}

const char *pm_name_find_alias(const char *of, const char *name)
{
  if (of == NULL || name == NULL) return NULL;
  if (strcmp(of, "lora_targets") == 0) return find_targets(name);
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
    if (strcmp(aliases[i].of, of) == 0 && pm__same_name(aliases[i].usual, name)) return aliases[i].name;
  return NULL;
}

/* Near enough is a third of the letters, or a beginning of at least two. */
const char *pm_name_find_meant(const char *name, const char *const *names, size_t count)
{
  const char *usual = pm_name_find_alias("option", name), *nearest = NULL;
  int length = name != NULL ? (int)strlen(name) : 0, least = (length < 3 ? 1 : length / 3) + 1;
  for (size_t i = 0; name != NULL && i < count; i++) {
    if (usual != NULL && pm__same_name(usual, names[i])) return names[i];
    int apart = length >= 2 && pm__name_begins_with(names[i], name) ? 0 : pm__name_distance(name, names[i], least - 1);
    if (apart >= least || apart >= length) continue;
    nearest = names[i];
    least = apart;
  }
  return nearest;
}

const char *pm_field_find_meant(const pm_record_type *type, const char *name)
{
  enum { MOST = 256 };
  const char *names[MOST];
  size_t count = 0;
  for (; type != NULL && count < type->field_count && count < MOST; count++) names[count] = type->fields[count].name;
  return pm_name_find_meant(name, names, count);
}
