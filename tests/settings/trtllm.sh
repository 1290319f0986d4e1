# Llama 3.1 70B in two groups of pipeline stages.
trtllm-serve meta-llama/Llama-3.1-70B-Instruct --tp_size 4 --pp_size 2 --max_batch_size 256 --max_num_tokens 8192 \
  --kv_cache_free_gpu_memory_fraction 0.9 --kv_cache_dtype fp8 --port 8000
