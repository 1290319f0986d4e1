# Completion for bash. Written by perfmodel --completion.
_perfmodel_ids() {
  perfmodel list $1 --quiet --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | tr -d '\r"'
}

_perfmodel() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options words
  COMPREPLY=()
  case $command in
    predict) options=" --gpus --nodes --batch --global-batch --precision --kernels --framework --overlap --parallel --optimizer --accumulation --input-rate --in-turn --dataset --set --trace --layers --format --output --catalog --quiet --help" ;;
    sweep) options=" --gpus --nodes --batch --global-batch --precision --kernels --framework --overlap --parallel --optimizer --accumulation --input-rate --in-turn --dataset --set --format --output --catalog --quiet --help" ;;
    infer) options=" --batch --precision --framework --latency --gpus --nodes --kernels --set --format --output --catalog --quiet --help" ;;
    size) options=" --system --target-rate --epochs --within --latency --dataset --minimize --batch --global-batch --precision --gpus --framework --overlap --parallel --optimizer --accumulation --input-rate --in-turn --price --price-date --pue --storage --units --loader --cpu --cache --switch-ports --oversubscription --nodes-most --kernels --front --set --format --output --catalog --quiet --help" ;;
    sensitivity) options=" --inference --gpus --nodes --batch --precision --framework --overlap --parallel --optimizer --accumulation --input-rate --in-turn --raise --upgrade --storage --dataset --loader --cpu --kernels --set --format --output --catalog --quiet --help" ;;
    memory) options=" --batch --precision --optimizer --framework --dp --zero --recompute --inference --set --layers --format --output --catalog --quiet --help" ;;
    input) options=" --storage --rate --network --batch --precision --nodes --gpus --units --loader --cpu --workers --decode --prefetch --samples --chunk --reads --cache --policy --first-epoch --sample-out --uplink-gpus --set --format --output --catalog --quiet --help" ;;
    collective) options=" --gpus --nodes --bytes --algorithm --protocol --thread-gpus --servers --era --in-network --loads --format --output --catalog --quiet --help" ;;
    rings) options=" --gpus --in-order --format --output --catalog --quiet --help" ;;
    copies) options=" --format --output --catalog --quiet --help" ;;
    fabric) options=" --nodes --switch-ports --oversubscription --coding --format --output --catalog --quiet --help" ;;
    layers) options=" --by --depth --batch --precision --framework --set --format --output --catalog --quiet --help" ;;
    list) options=" --format --output --catalog --quiet --help" ;;
    show) options=" --format --output --catalog --quiet --help" ;;
    topology) options=" --as --format --output --catalog --quiet --help" ;;
    kernel) options=" --gpu --precision --kernels --pass --batch --m --n --k --count --tn --channels --out-channels --groups --size --kernel --stride --padding --heads --tokens --keys --head-size --unfused --hidden --steps --persistent --rows --columns --elements --tensors --parameters --optimizer --bytes --pageable --format --output --catalog --quiet --help" ;;
    calibrate) options=" --set --data --architecture --framework --keep-out --errors --xml --format --output --catalog --quiet --help" ;;
    validate) options=" --set --data --rows --format --output --catalog --quiet --help" ;;
    check) options=" --format --output --catalog --quiet --help" ;;
    doctor) options=" --format --output --catalog --quiet --help" ;;
    import) options=" --from --gpu --id --format --output --catalog --quiet --help" ;;
    export) options=" --set --format --output --catalog --quiet --help" ;;
  esac
  case $before in
    --format) words="table csv json" ;;
    --overlap) words="none backward" ;;
    --precision) words=$(_perfmodel_ids precisions) ;;
    --dataset) words=$(_perfmodel_ids datasets) ;;
    --framework) words=$(_perfmodel_ids memory_profiles) ;;
    --optimizer) words=$(_perfmodel_ids optimizers) ;;
    --recompute) words="none selective full" ;;
    --catalog|--output|-o) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if [ -n "$words" ]; then :
  elif [ "$COMP_CWORD" -eq 1 ]; then words="predict sweep infer size sensitivity memory input collective rings copies fabric layers list show topology kernel calibrate validate check doctor import export --help --version"
  elif [[ $word == -* ]]; then words=$options
  else case $command-$COMP_CWORD in
    list-2) words=$(_perfmodel_ids) ;;
    show-2) words="$(_perfmodel_ids) $(_perfmodel_ids systems) $(_perfmodel_ids networks)" ;;
    show-3) words=$(_perfmodel_ids "$before") ;;
    layers-2|memory-2|predict-2|sweep-2) words=$(_perfmodel_ids networks) ;;
    predict-3|sweep-3) words=$(_perfmodel_ids systems) ;;
    memory-3) words="$(_perfmodel_ids) $(_perfmodel_ids systems)" ;;
    check-*) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _perfmodel perfmodel
