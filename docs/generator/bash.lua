-- The completion for bash.

local HEAD = [=[
# Completion of regengine for bash. Written by docs/generate when regengine is built.

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
]=]

local BODY = [=[

_regengine() {
  local words cur value before= command= kind options commands='%s'
  local -A kinds=(%s)
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

  options='%s'
  if [[ -n $command ]]; then
    options=
    kinds=()
    _regengine_options "${command%%.lua}"
  fi

  if [[ $cur == --*=* ]]; then
    before=${cur%%%%=*}= value=${cur#*=}
    kind=${kinds[${cur%%%%=*}]}
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
]=]

return function(program)
  local function kind_text(option)
    local kind = program.kind_of(option)
    return kind == "choices" and "choices " .. table.concat(option.choices, " ") or kind or "any"
  end

  -- The words that a list of options adds, and for those with a value its kind: { "[--image]=images", ... }.
  local function flags_and_kinds(options)
    local flags, kinds = {}, {}
    for _, option in ipairs(options) do
      for _, flag in ipairs { option.flag, option.short } do
        if not option.words then flags[#flags + 1] = flag end
        if option.value and not option.words then kinds[#kinds + 1] = ("[%s]='%s'"):format(flag, kind_text(option)) end
      end
      if option.words then kinds[#kinds + 1] = ("[words]='%s'"):format(kind_text(option)) end
    end
    return table.concat(flags, " "), kinds
  end

  local lines = { HEAD, "# Adds the options of the command `$1`, and what their values are.", "_regengine_options() {" }
  for _, set in ipairs(program.sets) do
    local flags, kinds = flags_and_kinds(set.options)
    lines[#lines + 1] = "  case $1 in\n    " .. table.concat(set.strategies, " | ") .. ")"
    if flags ~= "" then lines[#lines + 1] = "      options+=' " .. flags .. "'" end
    if #kinds > 0 then lines[#lines + 1] = "      kinds+=(" .. table.concat(kinds, " ") .. ")" end
    lines[#lines + 1] = "      ;;\n  esac"
  end

  local names = {}
  for _, strategy in ipairs(program.strategies) do names[#names + 1] = strategy.name end
  lines[#lines + 1] = "  case $1 in"
  for _, command in ipairs(program.commands) do
    names[#names + 1] = command.name
    if command.argument == "TOPIC" then
      lines[#lines + 1] = "    help) kinds[words]=\"choices $commands\" ;;"
    elseif command.argument and command.argument:find "^%[%-%-" then
      lines[#lines + 1] = ("    %s) options+=' %s' ;;"):format(command.name, command.argument:match "%-%-%l+")
    end
  end
  lines[#lines + 1] = "  esac\n}"
  local flags, kinds = flags_and_kinds(program.options)
  local text = table.concat(lines, "\n")
  return text .. BODY:format(table.concat(names, " "), table.concat(kinds, " "), flags)
end
