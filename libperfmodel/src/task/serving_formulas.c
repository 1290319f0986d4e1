/* What each field of an answer of serving comes from. */
#include "task/formulas.h"

#define PASS "serving.md#a-pass"
#define ARRIVALS "serving.md#arrivals"
#define MEMORY "serving.md#memory"
#define COST "serving.md#costs"
#define LATE(name) \
  name "_percentile|" name " and what the arrivals spread it by, at the percentile|" name " percentile arrivals|" \
  ARRIVALS

const char *const pm__task_formulas_of_serving[] = {
  STATUS,
  "ttft|the wait of a prompt, its passes, and what client and server add|queue_time prefill_time transfer_time "
  "engine.client_time engine.bunching|" ARRIVALS "|ttft",
  LATE("ttft"),
  "tpot|passes of decoding with the prompts of others in between, over the tokens after the first|step_time "
  "prefill_time running isl osl|" ARRIVALS "|tpot",
  LATE("tpot"),
  "latency|ttft and tpot for every token after the first; of a static batch its prefill and passes|ttft tpot osl|"
  ARRIVALS,
  "latency_percentile|= latency + ttft_percentile - ttft||" ARRIVALS,
  "request_rate|requests over the time of one, of all that run; at most largest_rate|concurrency rate latency "
  "replicas largest_rate|" ARRIVALS "|output_rate",
  "output_rate|= request_rate * osl||" ARRIVALS "|output_rate",
  "total_rate|= request_rate * (isl + osl)||" ARRIVALS "|output_rate",
  INTERVAL_ENDS("output_rate"),
  INTERVAL_ENDS("ttft"),
  INTERVAL_ENDS("tpot"),
  "user_rate|= 1 / tpot||" ARRIVALS "|tpot",
  "gpu_rate|= output_rate / total_gpus||" ARRIVALS "|output_rate",
  "largest_rate|requests over the time of one, with as many running as the cache and the engine hold|"
  "largest_concurrency step_time prefill_time replicas|" ARRIVALS,
  "running|sequences that run at once, from arrivals and latency (Little's law)|request_rate latency replicas|"
  ARRIVALS,
  "recomputed_tokens|of a full cache: osl times what the engine computes again; none while it has room|osl "
  "engine.recomputed largest_concurrency|" ARRIVALS,
  "step_time|decode_factor times the kernels of a pass, joined with the host's time of layers; and the host's time of "
  "a pass and of each sequence|engine.decode_factor engine.start_factor engine.step_time engine.sequence_time "
  "engine.layer_time product_time attention_time expert_time pass_time communication_time running|" PASS,
  "least_step_time|weights and cache that are read, over the bandwidth of the memory|weight_memory token_memory "
  "running gpu.memory_bandwidth|" PASS,
  "prefill_time|the passes over a prompt alone, likewise|engine.prefill_factor isl engine.token_budget|" PASS,
  "queue_time|wait for the prompts and passes that are before it|running prefill_time step_time|" ARRIVALS,
  "transfer_time|keys and values of a prompt, over the way from the worker that reads to the one that decodes|"
  "token_memory isl prefill_workers|" ARRIVALS,
  "product_time|linear layers, " EACH_KERNEL "|engine.decode_factor running " KERNELS "|" PASS,
  "attention_time|keys and values of the running sequences that are read, and their products|engine.decode_factor "
  "token_memory running gpu.memory_bandwidth|" PASS,
  "expert_time|experts that the tokens of a pass choose: their weights are read, or their products computed|"
  "engine.decode_factor running gpu.memory_bandwidth|" PASS,
  "pass_time|norms, rotations and activations, limited by memory and their starts|engine.decode_factor running "
  "gpu.memory_bandwidth|" PASS,
  "communication_time|two all-reduces of each layer, by the faster of library and engine|tensor_parallel "
  "expert_parallel engine.own_all_reduce link.bandwidth|" PASS,
  "host_time|step_time less the kernels of the pass|step_time engine.step_time engine.sequence_time "
  "engine.layer_time|" PASS,
  "bottleneck|the largest part of a pass, or what holds no more requests|product_time attention_time expert_time "
  "pass_time communication_time host_time|" PASS,
  "mbu|= least_step_time / step_time||" PASS,
  "memory|weight_memory, reserve_memory and the cache that the running sequences fill|weight_memory reserve_memory "
  "token_memory running|" MEMORY,
  "gpu_memory|what the driver leaves to programs of the memory of the GPU, or usable_memory of the run|gpu.memory "
  "usable_memory|" MEMORY,
  "verdict|fits where weights, reserve and one request do|weight_memory reserve_memory token_memory gpu_memory|" MEMORY,
  "weight_memory|parameters of a GPU times their bytes|model.parameters weights tensor_parallel|" MEMORY,
  "reserve_memory|the engine's, that of a group, and that of its sampler|engine.reserve engine.group_reserve "
  "engine.sampler_bytes|" MEMORY,
  "cache_memory|the engine's part of the memory, less weights and reserve|engine.memory_fraction gpu_memory "
  "weight_memory reserve_memory|" MEMORY,
  "token_memory|keys and values of all layers, times their bytes|kv_cache|" MEMORY,
  "cache_tokens|cache_memory over the bytes of a token on a GPU, of all groups|cache_memory token_memory|" MEMORY,
  "largest_concurrency|requests of isl + osl tokens that the cache holds, at most the sequences of the engine|"
  "cache_tokens isl osl engine.sequences|" MEMORY,
  "replicas|GPUs over those of a copy of the model|total_gpus tensor_parallel pipeline_parallel|" MEMORY,
  "paid_gpus|= nodes * machine.gpus||" COST,
  "hour_cost|= gpu_hour_price * paid_gpus||" COST,
  "output_cost|= hour_cost / (3600 * output_rate) * 1000000||" COST "|output_rate",
  "token_cost|= hour_cost / (3600 * total_rate) * 1000000||" COST "|output_rate",
  "input_cost|the share of the time in which GPUs read prompts, of output_cost, for the input tokens|output_cost isl "
  "osl prefill_time|" COST,
  "decode_cost|= output_cost - input_cost * isl / osl||" COST,
  "calibration|the least certain basis: of matrix multiplications, attention or the engine|engine.origin "
  "engine.calibrated_on|"
  "serving.md#intervals",
  "total_gpus|= gpus * nodes||" MEMORY,
  NULL,
};
