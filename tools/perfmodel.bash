# Completion for bash. Written by perfmodel --completion.
_perfmodel_ids() {
  perfmodel list $1 --quiet --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | tr -d '\r"'
}

_perfmodel() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options words many first
  COMPREPLY=()
  case $command in
    predict) options=" --gpus --nodes --batch --precision --overlap --kernel-model --epoch-samples --parallelism --optimizer --gradient-accumulation-steps --input-rate --no-prefetch --usable-memory --ignore-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --global-batch --run --framework --dataset --set --trace --columns --layers --stages --format --output --catalog --quiet --help"
      case $before in
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv" ;;
        --overlap) words="none backward framework" ;;
        --kernel-model) words="calibrated roofline" ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid" ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none" ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p" ;;
        --stage-layers) words="even balanced" ;;
        --recompute) words="none selective full operations" ;;
        --context-exchange) words="all-gather ring all-to-all" ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp" ;;
        --offload) words="none optimizer gradients parameters" ;;
        --run) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --framework) words="none $(_perfmodel_ids frameworks)" ;;
        --dataset) words="$(_perfmodel_ids datasets)" ;;
        --trace) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    sweep) options=" --gpus --nodes --batch --precision --overlap --kernel-model --epoch-samples --parallelism --optimizer --gradient-accumulation-steps --input-rate --no-prefetch --usable-memory --ignore-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --global-batch --framework --axis --columns --dataset --set --format --output --catalog --quiet --help"
      case $before in
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv"; many=1 ;;
        --overlap) words="none backward framework"; many=1 ;;
        --kernel-model) words="calibrated roofline"; many=1 ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid"; many=1 ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none"; many=1 ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p"; many=1 ;;
        --stage-layers) words="even balanced"; many=1 ;;
        --recompute) words="none selective full operations"; many=1 ;;
        --context-exchange) words="all-gather ring all-to-all"; many=1 ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp"; many=1 ;;
        --offload) words="none optimizer gradients parameters"; many=1 ;;
        --framework) words="none $(_perfmodel_ids frameworks)"; many=1 ;;
        --dataset) words="$(_perfmodel_ids datasets)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    infer) options=" --gpus --nodes --batch --precision --kernel-model --usable-memory --ignore-memory --framework --latency --columns --set --format --output --catalog --quiet --help"
      case $before in
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv"; many=1 ;;
        --kernel-model) words="calibrated roofline"; many=1 ;;
        --framework) words="$(_perfmodel_ids inference_profiles)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    size) options=" --system --target-rate --epochs --within --latency --dataset --minimize --gpus --batch --precision --overlap --kernel-model --parallelism --optimizer --gradient-accumulation-steps --input-rate --no-prefetch --usable-memory --ignore-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --global-batch --framework --price --price-date --pue --storage --units --loader --cpu --cache --switch-ports --oversubscription --max-nodes --pareto --set --columns --format --output --catalog --quiet --help"
      case $before in
        --system) words="$(_perfmodel_ids systems)"; many=1 ;;
        --dataset) words="$(_perfmodel_ids datasets)" ;;
        --minimize) words="nodes cost power rack-units" ;;
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv"; many=1 ;;
        --overlap) words="none backward framework"; many=1 ;;
        --kernel-model) words="calibrated roofline"; many=1 ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid"; many=1 ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none"; many=1 ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p"; many=1 ;;
        --stage-layers) words="even balanced"; many=1 ;;
        --recompute) words="none selective full operations"; many=1 ;;
        --context-exchange) words="all-gather ring all-to-all"; many=1 ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp"; many=1 ;;
        --offload) words="none optimizer gradients parameters"; many=1 ;;
        --framework) words="none $(_perfmodel_ids frameworks)"; many=1 ;;
        --storage) words="$(_perfmodel_ids storages)" ;;
        --loader) words="$(_perfmodel_ids loaders)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    search) options=" --gpus --nodes --precision --overlap --kernel-model --parallelism --optimizer --gradient-accumulation-steps --input-rate --no-prefetch --usable-memory --ignore-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --global-batch --framework --set --top --front --why --choices --as --within --tokens --samples --max-nodes --gpu-mtbf --node-mtbf --checkpoint-rate --checkpoint --restart --interval --pue --price --gpu-hour-price --columns --format --output --catalog --quiet --help"
      case $before in
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv"; many=1 ;;
        --overlap) words="none backward framework"; many=1 ;;
        --kernel-model) words="calibrated roofline"; many=1 ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid"; many=1 ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none"; many=1 ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p"; many=1 ;;
        --stage-layers) words="even balanced"; many=1 ;;
        --recompute) words="none selective full operations"; many=1 ;;
        --context-exchange) words="all-gather ring all-to-all"; many=1 ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp"; many=1 ;;
        --offload) words="none optimizer gradients parameters"; many=1 ;;
        --framework) words="$(_perfmodel_ids frameworks)"; many=1 ;;
        --as) words="megatron torchtitan deepspeed" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    sensitivity) options=" --inference --gpus --nodes --batch --precision --overlap --kernel-model --parallelism --optimizer --gradient-accumulation-steps --input-rate --no-prefetch --usable-memory --ignore-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --framework --raise --upgrade --storage --dataset --loader --cpu --set --columns --format --output --catalog --quiet --help"
      case $before in
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv" ;;
        --overlap) words="none backward framework" ;;
        --kernel-model) words="calibrated roofline" ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid" ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none" ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p" ;;
        --stage-layers) words="even balanced" ;;
        --recompute) words="none selective full operations" ;;
        --context-exchange) words="all-gather ring all-to-all" ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp" ;;
        --offload) words="none optimizer gradients parameters" ;;
        --framework) words="none $(_perfmodel_ids frameworks)" ;;
        --storage) words="$(_perfmodel_ids storages)" ;;
        --dataset) words="$(_perfmodel_ids datasets)" ;;
        --loader) words="$(_perfmodel_ids loaders)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    memory) options=" --gpus --nodes --batch --precision --parallelism --optimizer --gradient-accumulation-steps --usable-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --global-batch --framework --inference --set --layers --stages --columns --format --output --catalog --quiet --help"
      case $before in
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv" ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid" ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none" ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p" ;;
        --stage-layers) words="even balanced" ;;
        --recompute) words="none selective full operations" ;;
        --context-exchange) words="all-gather ring all-to-all" ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp" ;;
        --offload) words="none optimizer gradients parameters" ;;
        --framework) words="$(_perfmodel_ids frameworks)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    input) options=" --storage --rate --network --gpus --nodes --batch --precision --overlap --kernel-model --parallelism --optimizer --gradient-accumulation-steps --usable-memory --ignore-memory --micro-batch --tp --pp --vp --cp --ep --etp --sp --schedule --stage-layers --zero --shard-group --recompute --recompute-layers --gradient-bytes --context-exchange --rank-order --capacity-factor --expert-imbalance --offload --global-batch --framework --units --loader --cpu --workers --decode --prefetch --samples --chunk --reads --cache --policy --first-epoch --sample-out --gpus-per-uplink --set --columns --format --output --catalog --quiet --help"
      case $before in
        --storage) words="$(_perfmodel_ids storages)" ;;
        --network) words="$(_perfmodel_ids networks)" ;;
        --precision) words="fp64 fp32 tf32 fp16 fp16-storage bf16 fp8 int8 fp4 tf32-conv" ;;
        --overlap) words="none backward framework" ;;
        --kernel-model) words="calibrated roofline" ;;
        --parallelism) words="framework all-reduce single-process parameter-server async tensor-parallel pipeline-parallel hybrid" ;;
        --optimizer) words="momentum sgd adam adamw lamb rmsprop adagrad lion rmsprop-unfused adam-unfused adamw-unfused lamb-unfused none" ;;
        --schedule) words="1f1b gpipe interleaved zb-h1 zb-h2 zb-v zb-2p" ;;
        --stage-layers) words="even balanced" ;;
        --recompute) words="none selective full operations" ;;
        --context-exchange) words="all-gather ring all-to-all" ;;
        --rank-order) words="tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-cp-dp-tp pp-dp-tp-cp pp-dp-cp-tp" ;;
        --offload) words="none optimizer gradients parameters" ;;
        --framework) words="$(_perfmodel_ids frameworks)" ;;
        --loader) words="$(_perfmodel_ids loaders)" ;;
        --cpu) words="$(_perfmodel_ids decoders)" ;;
        --decode) words="cpu gpu none" ;;
        --samples) words="packed files" ;;
        --policy) words="lru random keep sequential" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    collective) options=" --gpus --nodes --bytes --algorithm --protocol --thread-gpus --servers --nccl --in-network --loads --columns --format --output --catalog --quiet --help"
      case $before in
        --algorithm) words="auto ring tree nvls nvls-tree pairs collnet halving-doubling hierarchical parameter-server data-parallel" ;;
        --protocol) words="auto ll ll128 simple" ;;
        --nccl) words="current nccl-2.0 nccl-1" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    rings) options=" --gpus --in-order --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    copies) options=" --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    fabric) options=" --nodes --switch-ports --oversubscription --coding --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    layers) options=" --by --depth --batch --precision --framework --set --columns --format --output --catalog --quiet --help"
      case $before in
        --by) words="layer kind tree" ;;
        --precision) words="$(_perfmodel_ids precisions)" ;;
        --framework) words="$(_perfmodel_ids memory_profiles)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    list) options=" --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    show) options=" --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    topology) options=" --as --format --output --catalog --quiet --help"
      case $before in
        --as) words="matrix dot svg" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    kernel) options=" --gpu --precision --kernel-model --pass --batch --m --n --k --count --tn --operand-bytes --channels --out-channels --groups --size --kernel --stride --padding --heads --tokens --keys --head-size --unfused --causal --window --kv-heads --kv-bytes --value-size --latent --hidden --steps --persistent --rows --row-size --elements --tensors --parameters --optimizer --bytes --pageable --columns --format --output --catalog --quiet --help"
      case $before in
        --gpu) words="$(_perfmodel_ids gpus)" ;;
        --precision) words="$(_perfmodel_ids precisions)" ;;
        --kernel-model) words="calibrated roofline" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    calibrate) options=" --set --data --system --architecture --framework --hold-out --errors --xml --columns --format --output --catalog --quiet --help"
      case $before in
        --set) words="kernels training language inference large-models documents collectives operators" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    validate) options=" --set --data --system --hold-out --rows --columns --format --output --catalog --quiet --help"
      case $before in
        --set) words="statements training inference large-models kernels operators collectives storage" ;;
        --hold-out) words="gpu source machine=NAME" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    check) options=" --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    doctor) options=" --columns --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    import) options=" --from --gpu --system --id --format --output --catalog --quiet --help"
      case $before in
        --from) words="nccl topo hwloc" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    export) options=" --set --id --format --output --catalog --quiet --help"
      case $before in
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
    new) options=" --gpu --gpus --topology --network --like --id --format --output --catalog --quiet --help"
      case $before in
        --gpu) words="$(_perfmodel_ids gpus)" ;;
        --topology) words="pcie nvswitch pairs sockets" ;;
        --like) words="$(_perfmodel_ids frameworks)" ;;
        --format) words="table csv json" ;;
        --output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        --catalog) COMPREPLY=($(compgen -f -- "$word")); return ;;
      esac ;;
  esac
  if [ -n "$words" ]; then :
  elif [ "$COMP_CWORD" -eq 1 ]; then words="predict sweep infer size search sensitivity memory input collective rings copies fabric layers list show topology kernel calibrate validate check doctor import export new --help --version"
  elif [[ $word == -* ]]; then words=$options
  else case $command-$COMP_CWORD in
    list-2) words=$(_perfmodel_ids) ;;
    show-2|export-2) words="$(_perfmodel_ids) $(_perfmodel_ids systems) $(_perfmodel_ids networks)" ;;
    show-3|export-3) words=$(_perfmodel_ids "$before") ;;
    predict-2) words=$(_perfmodel_ids networks) ;;
    predict-3) words=$(_perfmodel_ids systems) ;;
    sweep-2) words=$(_perfmodel_ids networks) ;;
    sweep-3) words=$(_perfmodel_ids systems) ;;
    infer-2) words=$(_perfmodel_ids networks) ;;
    infer-3) words="$(_perfmodel_ids gpus) $(_perfmodel_ids systems)" ;;
    size-2) words=$(_perfmodel_ids networks) ;;
    search-2) words=$(_perfmodel_ids networks) ;;
    search-3) words=$(_perfmodel_ids systems) ;;
    sensitivity-2) words=$(_perfmodel_ids networks) ;;
    sensitivity-3) words=$(_perfmodel_ids systems) ;;
    memory-2) words=$(_perfmodel_ids networks) ;;
    memory-3) words="$(_perfmodel_ids gpus) $(_perfmodel_ids systems)" ;;
    input-3) words=$(_perfmodel_ids systems) ;;
    collective-2) words=$(_perfmodel_ids systems) ;;
    rings-2) words=$(_perfmodel_ids systems) ;;
    copies-2) words=$(_perfmodel_ids systems) ;;
    fabric-2) words=$(_perfmodel_ids systems) ;;
    layers-2) words=$(_perfmodel_ids networks) ;;
    topology-2) words=$(_perfmodel_ids systems) ;;
    check-*) COMPREPLY=($(compgen -f -- "$word")); return ;;
    import-*) COMPREPLY=($(compgen -f -- "$word")); return ;;
    new-2) words="system framework" ;;
  esac; fi
  if [ -n "$many" ] && [[ $word == *,* ]]; then first=${word%,*},; fi
  COMPREPLY=($(compgen -P "$first" -W "$words" -- "${word#"$first"}"))
}
complete -F _perfmodel perfmodel
