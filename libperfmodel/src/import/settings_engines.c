/*
** Flags of serving engines, and what they mean together: degrees that one engine counts over all GPUs and another over
** a group of them, and formats of numbers that are the run's precision or only how weights are stored.
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "import/settings.h"

#define DTYPE "bfloat16=bf16 float16=fp16 half=fp16 float32=fp32 auto=bf16"
#define CACHE "fp8=fp8 fp8_e4m3=fp8 fp8_e5m2=fp8 nvfp4=nvfp4 bfloat16=16-bit auto=as-run"
#define NUMBERS "fp8=fp8 modelopt=fp8 awq=int4 awq_marlin=int4 gptq=int4 gptq_marlin=int4 mxfp4=mxfp4" \
  " modelopt_fp4=nvfp4"
#define GIVEN "=yes true=yes True=yes"
#define NONE(key) {key, "-", NULL, false}

/* `data_parallel`, `apart` (experts), `shared` (GPUs of attention DP counted as tensor parallel) and `numbers` are no
** fields of a run: pm__settings_follow_engine makes them of these. */
const pm__settings_key pm__settings_vllm[] = {
  {"tensor_parallel_size", "tensor_parallel", NULL, true},
  {"pipeline_parallel_size", "pipeline_parallel", NULL, true},
  {"data_parallel_size", "data_parallel", NULL, true},
  {"enable_expert_parallel", "apart", GIVEN, true},
  {"max_num_seqs", "sequences", NULL, true},
  {"max_num_batched_tokens", "token_budget", NULL, true},
  {"gpu_memory_utilization", "memory_fraction", NULL, true},
  {"dtype", "precision", DTYPE, true},
  {"quantization", "numbers", NUMBERS, true},
  {"kv_cache_dtype", "kv_cache", CACHE, true},
  {"num_speculative_tokens", "draft_tokens", NULL, false},
  {"nnodes", "nodes", NULL, false},
  {"max_concurrency", "concurrency", NULL, false}, /* of `vllm bench serve` */
  {"random_input_len", "isl", NULL, false},
  {"random_output_len", "osl", NULL, false},
  {"request_rate", "rate", NULL, false},
  {"enforce_eager", "?", "false=off False=off", false},
  {"speculative_config", "?", "none=off", false},
  {"decode_context_parallel_size", "?", "1=off", false},
  {"enable_lora", "?", "false=off False=off", false},
  {"max_loras", "?", "0=off", false},
  {"max_lora_rank", "?", "0=off", false},
  {"lora_modules", "?", "none=off", false},
  {"limit_mm_per_prompt", "?", "none=off", false},
  {"enable_dbo", "?", "false=off False=off", false},
  {"enable_eplb", "?", "false=off False=off", false},
  {"no_enable_chunked_prefill", "?", "false=off", false},
  {"cpu_offload_gb", "?", "0=off", false},
  NONE("model"), NONE("host"), NONE("port"), NONE("served_model_name"), NONE("trust_remote_code"), NONE("api_key"),
  NONE("max_model_len"), NONE("enable_chunked_prefill"), NONE("enable_prefix_caching"),
  NONE("no_enable_prefix_caching"), NONE("disable_log_requests"), NONE("disable_log_stats"), NONE("seed"),
  NONE("download_dir"), NONE("load_format"), NONE("tokenizer"), NONE("chat_template"), NONE("tool_call_parser"),
  NONE("enable_auto_tool_choice"), NONE("reasoning_parser"), NONE("revision"), NONE("distributed_executor_backend"),
  NONE("backend"), NONE("base_url"), NONE("endpoint"), NONE("dataset_name"), NONE("num_prompts"), NONE("ignore_eos"),
  {NULL, NULL, NULL, false},
};

const pm__settings_key pm__settings_sglang[] = {
  {"tp_size", "shared", NULL, true},
  {"tp", "shared", NULL, false},
  {"tensor_parallel_size", "shared", NULL, false},
  {"pp_size", "pipeline_parallel", NULL, true},
  {"pp", "pipeline_parallel", NULL, false},
  {"dp_size", "data_parallel", NULL, true},
  {"dp", "data_parallel", NULL, false},
  {"enable_dp_attention", "attention", GIVEN, true},
  {"ep_size", "expert_parallel", NULL, true},
  {"ep", "expert_parallel", NULL, false},
  {"max_running_requests", "sequences", NULL, true},
  {"chunked_prefill_size", "token_budget", NULL, true},
  {"mem_fraction_static", "memory_fraction", NULL, true},
  {"dtype", "precision", DTYPE, true},
  {"quantization", "numbers", NUMBERS, true},
  {"kv_cache_dtype", "kv_cache", "fp8_e4m3=fp8 fp8_e5m2=fp8 bfloat16=16-bit auto=as-run", true},
  {"speculative_num_steps", "draft_tokens", NULL, false},
  {"nnodes", "nodes", NULL, false},
  {"enable_mixed_chunk", "?", "false=off", false},
  {"enable_two_batch_overlap", "?", "false=off", false},
  {"disable_cuda_graph", "?", "false=off", false},
  {"disable_overlap_schedule", "?", "false=off", false},
  {"enable_lora", "?", "false=off", false},
  {"lora_paths", "?", "none=off", false},
  {"max_loras_per_batch", "?", "0=off", false},
  {"limit_mm_data_per_request", "?", "none=off", false},
  {"disaggregation_mode", "?", "null=off", false},
  NONE("model_path"), NONE("model"), NONE("host"), NONE("port"), NONE("trust_remote_code"), NONE("api_key"),
  NONE("context_length"), NONE("disable_radix_cache"), NONE("log_level"), NONE("served_model_name"),
  NONE("tokenizer_path"), NONE("load_format"), NONE("random_seed"), NONE("node_rank"), NONE("dist_init_addr"),
  NONE("reasoning_parser"), NONE("tool_call_parser"), NONE("chat_template"),
  {NULL, NULL, NULL, false},
};

const pm__settings_key pm__settings_trtllm[] = {
  {"tp_size", "shared", NULL, true},
  {"tp", "shared", NULL, false},
  {"pp_size", "pipeline_parallel", NULL, true},
  {"pp", "pipeline_parallel", NULL, false},
  {"ep_size", "expert_parallel", NULL, true},
  {"ep", "expert_parallel", NULL, false},
  {"max_batch_size", "sequences", NULL, true},
  {"max_num_tokens", "token_budget", NULL, true},
  {"kv_cache_dtype", "kv_cache", CACHE, true},
  {"kv_cache_free_gpu_memory_fraction", "?", "0.9=off 0.90=off", false},
  {"num_nodes", "nodes", NULL, false},
  NONE("backend"), NONE("host"), NONE("port"), NONE("model"), NONE("tokenizer"), NONE("max_seq_len"),
  NONE("max_input_len"), NONE("trust_remote_code"), NONE("log_level"), NONE("num_postprocess_workers"),
  NONE("reasoning_parser"), NONE("gpus_per_node"), NONE("cluster_size"),
  {NULL, NULL, NULL, false},
};

/* ---- Theirs as ours ---- */

static bool is(const pm__settings *s, const char *option)
{
  return pm__settings_find(s, option) != NULL;
}

/* Groups of GPUs with requests of their own share the experts, or are copies of the model. */
static int follow_groups(const pm__settings_format *format, pm__settings *s, pm_error *error)
{
  double data = pm__settings_number(s, "data_parallel", 1), shared = pm__settings_number(s, "shared", NAN);
  double tensor = pm__settings_number(s, "tensor_parallel", isnan(shared) ? 1 : shared);
  bool attention = data > 1 && (is(s, "apart") || is(s, "attention"));
  int status = PM_OK;
  if (!isnan(shared))
    status = pm__settings_assume_number(s, "tensor_parallel", attention ? fmax(1, shared / data) : shared,
                                        "GPUs of a group", error);
  if (status == PM_OK && attention)
    status = pm__settings_assume_number(s, "attention_parallel", data, "attention DP", error);
  if (status == PM_OK && is(s, "apart"))
    status = pm__settings_assume_number(s, "expert_parallel", tensor * data, "experts over all GPUs", error);
  double gpus = tensor * (attention && !isnan(shared) ? 1 : data) * pm__settings_number(s, "pipeline_parallel", 1);
  if (status == PM_OK && !is(s, "gpus"))
    status = pm__settings_assume_number(s, "gpus", gpus / pm__settings_number(s, "nodes", 1),
                                        format->name, error);
  if (status == PM_OK && !is(s, "engine"))
    status = pm__settings_assume(s, "engine", format->name, "its flags", error);
  return status;
}

/* Numbers in FP8 and NVFP4 are multiplied as they are stored, others only stored. */
static int follow_numbers(pm__settings *s, pm_error *error)
{
  const pm__setting *numbers = pm__settings_find(s, "numbers");
  if (numbers == NULL) return PM_OK;
  char stored[PM__SETTING_MAX];
  memcpy(stored, numbers->set_to, sizeof stored);
  const char *precision = strcmp(stored, "fp8") == 0 ? "fp8" : strcmp(stored, "nvfp4") == 0 ? "fp4" : NULL;
  const char *weights = strcmp(stored, "mxfp4") == 0 ? "expert_weights" : "weights";
  int status = pm__settings_assume(s, weights, stored, "quantization", error);
  if (status == PM_OK && precision != NULL)
    status = pm__settings_assume(s, "precision", precision, "quantization", error);
  return status;
}

/* An open loop has a rate; "inf" is all at once. */
static int follow_rate(pm__settings *s, pm_error *error)
{
  pm__setting *rate = pm__settings_find(s, "rate");
  if (rate == NULL) return PM_OK;
  if (isfinite(pm__settings_number(s, "rate", INFINITY)))
    return pm__settings_assume(s, "arrivals", "open", "requests have a rate", error);
  pm__settings_drop(s, "rate");
  return is(s, "concurrency") ? PM_OK : pm__settings_assume(s, "arrivals", "offline", "all requests at once", error);
}

int pm__settings_follow_engine(const pm__settings_format *format, pm__settings *s, pm_error *error)
{
  static const char *const words[] = {"data_parallel", "shared", "attention", "apart", "numbers"};
  int status = follow_groups(format, s, error);
  if (status == PM_OK) status = follow_numbers(s, error);
  if (status == PM_OK) status = follow_rate(s, error);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) pm__settings_drop(s, words[i]);
  return status;
}

/* ---- Ours as theirs ---- */

static const char *value_of(const pm__settings_told *told, const char *option)
{
  for (size_t i = 0; i < told->count; i++)
    if (strcmp(told->items[i].name, option) == 0) return told->items[i].value;
  return NULL;
}

static double number_of(const pm__settings_told *told, const char *option)
{
  double number;
  const char *value = value_of(told, option);
  return value != NULL && pm_number_parse(value, &number) == PM_OK ? number : 1;
}

static void tell(pm__settings_told *told, const char *option, const char *value)
{
  if (told->count < sizeof told->items / sizeof told->items[0])
    told->items[told->count++] = (pm_attribute){option, value};
}

static void forget(pm__settings_told *told, const char *option)
{
  size_t kept = 0;
  for (size_t i = 0; i < told->count; i++)
    if (strcmp(told->items[i].name, option) != 0) told->items[kept++] = told->items[i];
  told->count = kept;
}

/* What is multiplied in FP8 or FP4 is stored so; what is only stored so is said by the same flag. */
static void tell_numbers(pm__settings_told *told)
{
  const char *precision = value_of(told, "precision"), *weights = value_of(told, "weights");
  const char *experts = value_of(told, "expert_weights");
  bool narrow = precision != NULL && strncmp(precision, "fp", 2) == 0 && strchr("84", precision[2]) != NULL;
  const char *numbers = narrow ? (precision[2] == '8' ? "fp8" : "nvfp4") : weights != NULL ? weights : experts;
  if (numbers == NULL) return;
  tell(told, "numbers", numbers);
  if (narrow) forget(told, "precision");
  if (weights != NULL && strcmp(weights, numbers) == 0) forget(told, "weights");
  if (numbers == experts) forget(told, "expert_weights");
}

/* Of attention DP each engine has a word for its groups; SGLang counts their GPUs as tensor parallel, as TensorRT-LLM
** does, which has no flag for it. */
static void tell_groups(const pm__settings_format *format, pm__settings_told *told, double tensor, double attention)
{
  bool counts = format->keys != pm__settings_vllm, says = format->keys != pm__settings_trtllm;
  if (attention > 1 && says) {
    tell(told, "data_parallel", pm_number_format(told->data, attention));
    forget(told, "attention_parallel");
  }
  if (attention > 1 && says && counts) tell(told, "attention", "yes");
  if (!counts) return;
  forget(told, "tensor_parallel");
  if (tensor * attention > 1) tell(told, "shared", pm_number_format(told->tensor, tensor * attention));
}

void pm__settings_tell_engine(const pm__settings_format *format, pm__settings_told *told)
{
  double tensor = number_of(told, "tensor_parallel"), attention = number_of(told, "attention_parallel");
  double expert = number_of(told, "expert_parallel");
  if (format->keys != pm__settings_trtllm) tell_numbers(told);
  tell_groups(format, told, tensor, attention);
  if (format->keys != pm__settings_vllm || expert <= 1 || expert != tensor * attention) return;
  tell(told, "apart", "yes");
  forget(told, "expert_parallel");
}
