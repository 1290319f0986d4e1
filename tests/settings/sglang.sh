# DeepSeek-V3 on a node of eight H200, attention of eight groups, experts over all GPUs.
python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention \
  --ep-size 8 --mem-fraction-static 0.88 --max-running-requests 512 --chunked-prefill-size 16384 \
  --kv-cache-dtype fp8_e4m3 --trust-remote-code --port 30000
