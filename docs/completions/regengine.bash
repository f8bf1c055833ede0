# Completion of regengine for bash. Written by docs/generate; do not edit.

_regengine_images() {
  local tool
  for tool in docker podman; do
    timeout 3 "$tool" image ls --format '{{.Repository}}:{{.Tag}}' 2>/dev/null | grep -v '<none>'
  done
}

# Sets `words` to the words up to the cursor; bash splits words at "=" and ":".
_regengine_words() {
  local i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if ((i > 1)) && [[ ${COMP_WORDS[i]} =~ ^[:=]+$ || ${COMP_WORDS[i - 1]} =~ ^[:=]+$ ]]; then
      words[${#words[@]} - 1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
}

# The candidates that begin with `value`, each after `before`, "--option=" or nothing. bash replaces only what follows
# the last "=" or ":".
_regengine_offer() {
  local separator head cut= candidate
  for separator in : =; do
    [[ $COMP_WORDBREAKS == *$separator* && $cur == *$separator* ]] || continue
    head=${cur%"$separator"*}$separator
    ((${#head} > ${#cut})) && cut=$head
  done
  while IFS= read -r candidate; do
    candidate=$before$candidate
    COMPREPLY+=("${candidate#"$cut"}")
  done < <(compgen "$@" -- "$value")
}

# A value of the kind `$1`. For a kind that is not known, and for files, bash offers files.
_regengine_value() {
  case $1 in
    files | any) ;;
    folders) compopt -o dirnames ;;
    images) _regengine_offer -W "$(_regengine_images)" ;;
    *) _regengine_offer -W "${1#choices }" ;;
  esac
}

# Adds the options of the command `$1`, and what their values are.
_regengine_options() {
  case $1 in
    ab)
      options+=' --budget --image --metric --min-effect --resume'
      kinds+=([words]='any' [--budget]='any' [--image]='images' [--metric]='any' [--min-effect]='any')
      ;;
  esac
  case $1 in
    ab | why)
      options+=' --predict'
      kinds+=([--predict]='any')
      ;;
  esac
  case $1 in
    ab | bisect | checkpoint | descend | flags | hourly | investigate | nightly | prove | why)
      options+=' --take --drop --better'
      kinds+=([--take]='choices first last median min' [--drop]='any' [--better]='choices higher lower')
      ;;
  esac
  case $1 in
    ab | bisect | checkpoint | descend | flags | hourly | investigate | nightly)
      options+=' --fail-on-regression'
      ;;
  esac
  case $1 in
    ab | bisect | checkpoint | descend | flags | hourly | investigate | nightly | prove | retrace | why)
      options+=' --timeout'
      kinds+=([--timeout]='any')
      ;;
  esac
  case $1 in
    ab | bisect | descend | flags | hourly | investigate | nightly | prove | suite)
      options+=' --runtime --gpus --gpus-per-trial --network --env --mount --input --shm-size --ipc --ulimit --device --cap-add --user --memory --cpus --workdir --entrypoint --no-init --pull'
      kinds+=([--runtime]='choices docker podman local' [--gpus]='any' [--gpus-per-trial]='any' [--network]='any' [--env]='any' [--mount]='files' [--input]='files' [--shm-size]='any' [--ipc]='any' [--ulimit]='any' [--device]='any' [--cap-add]='any' [--user]='any' [--memory]='any' [--cpus]='any' [--workdir]='folders' [--entrypoint]='any' [--pull]='choices missing always never')
      ;;
  esac
  case $1 in
    ab | bisect | descend | flags | hourly | investigate | matmul | nightly | prove | suite)
      options+=' --lock-clocks'
      kinds+=([--lock-clocks]='any')
      ;;
  esac
  case $1 in
    ab | aggregate | analyze | bisect | checkpoint | compare | descend | flags | hourly | investigate | list | matmul | nightly | open | prove | report | retrace | share | show | why)
      options+=' --store'
      kinds+=([--store]='files')
      ;;
  esac
  case $1 in
    ab | aggregate | analyze | bisect | checkpoint | compare | descend | flags | hourly | investigate | list | matmul | nightly | open | prove | report | retrace | share | show | suite | why)
      options+=' --dry-run --json --quiet --help -h'
      ;;
  esac
  case $1 in
    ab | bisect | descend | flags | hourly | investigate | nightly | prove | retrace)
      options+=' --explain --redo --reuse --retry-for'
      kinds+=([--redo]='choices timeout test_failed build_failed crashed oom not_finite' [--reuse]='choices any-machine' [--retry-for]='any')
      ;;
  esac
  case $1 in
    ab | bisect | descend | flags | hourly | investigate | nightly | prove | retrace | why)
      options+=' --fresh'
      ;;
  esac
  case $1 in
    aggregate)
      options+=' --accelerator --backends --baseline --by --exclude -x --exclude-by-tier --fig-height --fig-width --filter -k --filter-by-tier --format --metric --report --test --tiers --title'
      kinds+=([words]='files' [--accelerator]='any' [--backends]='choices inductor openxla+dynamo openxla+lazytensor eager' [--baseline]='choices oldest latest' [--by]='any' [--exclude]='any' [-x]='any' [--exclude-by-tier]='any' [--fig-height]='any' [--fig-width]='any' [--filter]='any' [-k]='any' [--filter-by-tier]='any' [--format]='choices csv tab plot png svg' [--metric]='choices exec compile' [--report]='choices speedup histogram latest latest_grouped' [--test]='choices inference training' [--tiers]='files' [--title]='any')
      ;;
  esac
  case $1 in
    aggregate | share)
      options+=' --output -o'
      kinds+=([--output]='files' [-o]='files')
      ;;
  esac
  case $1 in
    analyze)
      options+=' --database --hide-errors --output-dirname --output-format --results --timestamp'
      kinds+=([--database]='files' [--output-dirname]='any' [--output-format]='choices csv jsonl both' [--results]='any' [--timestamp]='any')
      ;;
  esac
  case $1 in
    bisect)
      options+=' --bad --repo --budget --good --min-effect --patch --prove --skip --suspect'
      kinds+=([--bad]='any' [--repo]='folders' [--budget]='any' [--good]='any' [--min-effect]='any' [--patch]='files' [--skip]='any' [--suspect]='any')
      ;;
  esac
  case $1 in
    bisect | descend | hourly | prove)
      options+=' --test'
      kinds+=([--test]='any')
      ;;
  esac
  case $1 in
    bisect | descend | prove)
      options+=' --build'
      kinds+=([--build]='any')
      ;;
  esac
  case $1 in
    bisect | descend)
      options+=' --first-parent --flaky'
      ;;
  esac
  case $1 in
    bisect | descend | flags | hourly | prove)
      options+=' --image'
      kinds+=([--image]='images')
      ;;
  esac
  case $1 in
    bisect | descend | flags | hourly | investigate | nightly | prove)
      options+=' --metric --crash --timeout-is-bad'
      kinds+=([--metric]='any' [--crash]='any')
      ;;
  esac
  case $1 in
    bisect | descend | flags | hourly | investigate | nightly)
      options+=' --exact'
      ;;
  esac
  case $1 in
    bisect | descend | hourly | investigate | nightly)
      options+=' --good-value --bad-value --only'
      kinds+=([--good-value]='any' [--bad-value]='any' [--only]='choices regressions')
      ;;
  esac
  case $1 in
    bisect | descend | hourly | investigate)
      options+=' --artifact'
      kinds+=([--artifact]='any')
      ;;
  esac
  case $1 in
    bisect | descend | hourly | investigate | prove)
      options+=' --check-build --says'
      kinds+=([--check-build]='any' [--says]='any')
      ;;
  esac
  case $1 in
    bisect | descend | hourly | investigate | prove | suite)
      options+=' --submodules --no-submodules'
      kinds+=([--submodules]='folders')
      ;;
  esac
  case $1 in
    bisect | descend | hourly | investigate | nightly | retrace)
      options+=' --keep-going --try-skipped'
      ;;
  esac
  case $1 in
    checkpoint)
      options+=' --test --collect --metric --min-effect --move --name --runs'
      kinds+=([--test]='any' [--collect]='choices environment host' [--metric]='any' [--min-effect]='any' [--name]='any' [--runs]='any')
      ;;
  esac
  case $1 in
    compare)
      options+=' --better --confidence --csv --fail-on-regression --ignore --metric --min-effect --warmup'
      kinds+=([words]='files' [--better]='choices lower higher' [--confidence]='any' [--csv]='files' [--ignore]='any' [--metric]='any' [--min-effect]='any' [--warmup]='any')
      ;;
  esac
  case $1 in
    descend)
      options+=' --commit --repo --budget --patch --pin'
      kinds+=([--commit]='any' [--repo]='folders' [--budget]='any' [--patch]='files' [--pin]='any')
      ;;
  esac
  case $1 in
    descend | hourly | investigate | nightly)
      options+=' --min-effect'
      kinds+=([--min-effect]='any')
      ;;
  esac
  case $1 in
    flags | retrace)
      options+=' --test'
      kinds+=([--test]='any')
      ;;
  esac
  case $1 in
    flags)
      options+=' --bad --budget --build --candidates --good'
      kinds+=([--bad]='any' [--budget]='any' [--build]='any' [--candidates]='files' [--good]='any')
      ;;
  esac
  case $1 in
    hourly)
      options+=' --repo --to --branch --build --every-hours --from'
      kinds+=([--repo]='folders' [--to]='any' [--branch]='any' [--build]='any' [--every-hours]='any' [--from]='any')
      ;;
  esac
  case $1 in
    hourly | nightly | retrace)
      options+=' --budget --every'
      kinds+=([--budget]='any')
      ;;
  esac
  case $1 in
    investigate)
      options+=' --image --test --to --budget --build --descend --from --prove --repo'
      kinds+=([--image]='images' [--test]='files' [--to]='any' [--budget]='any' [--build]='any' [--from]='any' [--repo]='folders')
      ;;
  esac
  case $1 in
    investigate | nightly)
      options+=' --parallel --keep-images'
      kinds+=([--parallel]='any' [--keep-images]='any')
      ;;
  esac
  case $1 in
    matmul)
      options+=' --baseline --clock --csv --device --dtype --from --ieee --name --step --timeout --to'
      kinds+=([--baseline]='any' [--clock]='any' [--csv]='files' [--device]='any' [--dtype]='choices f32 f16 bf16' [--from]='any' [--name]='any' [--step]='any' [--timeout]='any' [--to]='any')
      ;;
  esac
  case $1 in
    nightly)
      options+=' --test --from --image --images --order --repo --tags --to'
      kinds+=([--test]='files' [--from]='any' [--image]='images' [--images]='files' [--order]='choices version created' [--repo]='folders' [--tags]='any' [--to]='any')
      ;;
  esac
  case $1 in
    open | report | share | show)
      kinds+=([words]='files')
      ;;
  esac
  case $1 in
    open | report)
      options+=' --output -o'
      kinds+=([--output]='files' [-o]='files')
      ;;
  esac
  case $1 in
    prove)
      options+=' --repo --bad --budget --commit --fix --good --min-effect --patch'
      kinds+=([--repo]='folders' [--bad]='any' [--budget]='any' [--commit]='any' [--fix]='any' [--good]='any' [--min-effect]='any' [--patch]='files')
      ;;
  esac
  case $1 in
    report)
      options+=' --follow --repo --yes -y'
      kinds+=([--repo]='any')
      ;;
  esac
  case $1 in
    report | share)
      options+=' --keep-host --with-output'
      ;;
  esac
  case $1 in
    retrace)
      options+=' --function --count --environments --install --package'
      kinds+=([--function]='any' [words]='files' [--count]='choices traces compiles' [--environments]='any' [--install]='any' [--package]='any')
      ;;
  esac
  case $1 in
    share)
      options+=' --yes -y'
      ;;
  esac
  case $1 in
    suite)
      options+=' --suite --config --dump --exclude -x --filter -k --filter-by-tier --image --iterations --no-resume --order --output-dirname --patch --print-output --processes --profile --repeat --repo --rev --seed --shard --store --timeout --verify --warmup'
      kinds+=([--suite]='files' [--config]='any' [--exclude]='any' [-x]='any' [--filter]='any' [-k]='any' [--filter-by-tier]='any' [--image]='images' [--iterations]='any' [--order]='choices abba random none' [--output-dirname]='any' [--patch]='files' [--processes]='any' [--repeat]='any' [--repo]='folders' [--rev]='any' [--seed]='any' [--shard]='any' [--store]='files' [--timeout]='any' [--warmup]='any')
      ;;
  esac
  case $1 in
    why)
      options+=' --budget --metric --min-effect --nsys --reproduce --yes -y'
      kinds+=([--budget]='any' [words]='files' [--metric]='any' [--min-effect]='any' [--nsys]='folders' [--reproduce]='folders')
      ;;
  esac
  case $1 in
    gc) options+=' --remove' ;;
    help) kinds[words]="choices $commands" ;;
  esac
}
_regengine() {
  local words cur value before= command= kind options commands='ab aggregate analyze bisect checkpoint compare descend flags hourly investigate list matmul nightly open prove report retrace share show suite why doctor gc help recover trust'
  local -A kinds=([--execute]='any' [-e]='any' [--stdlib]='folders' [--audit]='files' [--block]='any' [--stubs]='folders' [--allow]='any' [--memory]='any' [--instructions]='any')
  COMPREPLY=()
  _regengine_words
  cur=${words[${#words[@]} - 1]} value=$cur

  # The command is the first word that is neither an option of the engine nor its value.
  local i last=$((${#words[@]} - 1))
  for ((i = 1; i < last; i++)); do
    case ${words[i]} in
      -e | --execute | --execute=*) return ;;
      -*) [[ -n ${kinds[${words[i]}]} ]] && ((i++)) ;;
      *) command=${words[i]} && break ;;
    esac
  done

  options='--help -h --execute -e --stdlib --audit --block --stubs --trust --allow --dry-run --quiet -q --memory --instructions --version -V'
  if [[ -n $command ]]; then
    options=
    kinds=()
    _regengine_options "${command%.lua}"
  fi

  if [[ $cur == --*=* ]]; then
    before=${cur%%=*}= value=${cur#*=}
    kind=${kinds[${cur%%=*}]}
  elif ((last > 1)); then
    kind=${kinds[${words[last - 1]}]}
  fi
  if [[ -n $kind ]]; then
    _regengine_value "$kind"
  elif [[ $cur == -* ]]; then
    _regengine_offer -W "$options"
  elif [[ -z $command ]]; then
    _regengine_offer -W "$commands"
    _regengine_offer -f -X '!*.lua'
    _regengine_offer -f -X '!*.md'
    _regengine_offer -d
    compopt -o filenames  # bash then quotes them: a folder of somebody else may have a file named "a;date;.lua"
  elif [[ -n ${kinds[words]} ]]; then
    _regengine_value "${kinds[words]}"
  fi
  return 0
}

complete -o bashdefault -o default -F _regengine regengine
