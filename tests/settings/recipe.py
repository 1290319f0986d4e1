import nemo_run as run


def recipe():
    strategy = run.Config(MegatronStrategy, tensor_model_parallel_size=4, pipeline_model_parallel_size=8,
                          virtual_pipeline_model_parallel_size=5, context_parallel_size=2, sequence_parallel=True)
    cfg = run.Config(Trainer, num_nodes=8, devices=8, strategy=strategy)
    cfg.data.global_batch_size = 512
    cfg.data.micro_batch_size = 1
    cfg.model.recompute_granularity = None
    cfg.ddp.use_distributed_optimizer = True
    cfg.model.moe_token_dispatcher_type = "alltoall"
    cfg.mixed_precision.precision = "bf16-mixed"
    return cfg
