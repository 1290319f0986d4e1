#!/bin/bash
# GPT-3 175B on 128 nodes of 8 GPUs
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-128}
DISTRIBUTED_ARGS="--nproc_per_node $GPUS_PER_NODE --nnodes ${NNODES} --master_port 6000"
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536   # over all GPUs
    --bf16
    --lr 6.0e-5
    --use-distributed-optimizer
    --recompute-activations
    --tp-comm-overlap
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${GPT_MODEL_ARGS[@]} ${TRAINING_ARGS[@]} \
    --tensor-model-parallel-size 8 --pipeline-model-parallel-size=16 \
    --num-layers-per-virtual-pipeline-stage 3 \
    --sequence-parallel
