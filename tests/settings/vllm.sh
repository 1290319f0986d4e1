#!/bin/sh
# Llama-3.3-70B in FP8 on half of a node of eight H100, and the load that it is measured with.
TP=4
vllm serve meta-llama/Llama-3.3-70B-Instruct \
  --tensor-parallel-size $TP --quantization fp8 --kv-cache-dtype fp8 \
  --max-num-seqs 256 --max-num-batched-tokens 8192 --gpu-memory-utilization 0.9 \
  --max-model-len 32768 --port 8000
vllm bench serve --random-input-len 2048 --random-output-len 256 --max-concurrency 64 --request-rate inf
