-- The completion for zsh.

local HEAD = [=[
#compdef regengine
# Completion of regengine for zsh. Written by docs/generate when regengine is built.

_regengine_images() {
  local tool
  local -a images
  for tool in docker podman; do
    images+=(${(f)"$(timeout 3 $tool image ls --format '{{.Repository}}:{{.Tag}}' 2>/dev/null | grep -v '<none>')"})
  done
  compadd -a images
}

_regengine_first() {
  _describe -t strategies strategy _regengine_strategies
  _describe -t commands command _regengine_commands
  _path_files -g '*.(lua|md)'
  _path_files -/
}

_regengine_topic() {
  _describe -t strategies strategy _regengine_strategies
  _describe -t commands command _regengine_commands
}
]=]

local BODY = [=[

_regengine() {
  local curcontext=$curcontext state line
  local -A opt_args
  local -a options
  local -a _regengine_strategies=(
%s
  )
  local -a _regengine_commands=(
%s
  )
  _arguments -C \
%s
    '1: :->first' \
    '*:: :->rest' && return 0
  case $state in
    first) _regengine_first ;;
    rest)
      _regengine_options ${line[1]%%.lua}
      _arguments $options
      ;;
  esac
}

_regengine "$@"
]=]

-- Between single quotes, with what is special in a specification of _arguments escaped.
local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
local function escaped(text) return (text:gsub("[%[%]:\\]", "\\%0")) end

return function(program)
  local function action(option)
    local kind = program.kind_of(option)
    if kind == "choices" then return "(" .. table.concat(option.choices, " ") .. ")" end
    return ({ files = "_files", folders = "_files -/", images = "_regengine_images" })[kind] or " "
  end

  -- '*--env=[what it is]:NAME:action'
  local function specifications(option)
    if option.words then
      return { quoted((option.list and "*" or "1") .. ":" .. escaped(option.name) .. ":" .. action(option)) }
    end
    local specs = {}
    for _, flag in ipairs { option.flag, option.short } do
      local value = option.value and ":" .. escaped(option.value) .. ":" .. action(option) or ""
      local takes = option.value and (flag == option.flag and "=" or "+") or ""
      local again = option.list and "*" or ""
      specs[#specs + 1] = quoted(again .. flag .. takes .. "[" .. escaped(option.what) .. "]" .. value)
    end
    return specs
  end

  local function all_specifications(options, indent)
    local lines = {}
    for _, option in ipairs(options) do
      for _, spec in ipairs(specifications(option)) do lines[#lines + 1] = indent .. spec end
    end
    return lines
  end

  local lines = { HEAD, "# Adds the options of the command `$1`.", "_regengine_options() {" }
  for _, set in ipairs(program.sets) do
    lines[#lines + 1] = "  case $1 in\n    " .. table.concat(set.strategies, " | ") .. ")\n      options+=("
    lines[#lines + 1] = table.concat(all_specifications(set.options, "        "), "\n") .. "\n      )\n      ;;\n  esac"
  end

  local strategies, commands, arguments = {}, {}, { "  case $1 in" }
  for i, strategy in ipairs(program.strategies) do
    strategies[i] = "    " .. quoted(strategy.name .. ":" .. escaped(strategy.what))
  end
  for _, command in ipairs(program.commands) do
    local argument = command.argument
    if command.name then commands[#commands + 1] = "    " .. quoted(command.name .. ":" .. escaped(command.what)) end
    if argument == "TOPIC" then
      arguments[#arguments + 1] = "    help) options=('1:topic:_regengine_topic') ;;"
    elseif argument and argument:find "^%[%-%-" then
      arguments[#arguments + 1] = ("    %s) options=('%s') ;;"):format(command.name, argument:match "%-%-%l+")
    elseif argument then
      arguments[#arguments + 1] = ("    %s) options=('*:%s:_files') ;;"):format(command.name, argument:match "%u+")
    end
  end
  table.move(arguments, 1, #arguments, #lines + 1, lines)
  lines[#lines + 1] = "  esac\n}"
  local engine = table.concat(all_specifications(program.options, "    "), " \\\n") .. " \\"
  return table.concat(lines, "\n") .. BODY:format(table.concat(strategies, "\n"), table.concat(commands, "\n"), engine)
end
