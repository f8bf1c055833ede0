-- The completion for fish.

local HEAD = [=[
# Completion of regengine for fish. Written by docs/generate when regengine is built.

function __regengine_images
    for tool in docker podman
        timeout 3 $tool image ls --format '{{.Repository}}:{{.Tag}}' 2>/dev/null | string match -v '*<none>*'
    end
end

# Prints the command: the first word that is neither an option of the engine nor its value.
function __regengine_command
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case %s
                set -e words[1]
            case '-*'
            case '*'
                string replace -r '\.lua$' '' -- $words[1]
                return 0
        end
        set -e words[1]
    end
    return 1
end

function __regengine_is
    contains -- (__regengine_command) $argv
end

function __regengine_files
    __fish_complete_path (commandline -ct) | string match -r '^.*(?:/|\.lua|\.md)(?:\t.*)?$'
end

complete -c regengine -f -n 'not __regengine_command' -a '(__regengine_files)'
]=]

local function quoted(text) return "'" .. text:gsub("[\\']", "\\%0") .. "'" end

return function(program)
  local function value_words(option)
    local kind = program.kind_of(option)
    if kind == "choices" then return " -x -a " .. quoted(table.concat(option.choices, " ")) end
    if kind == "images" then return " -x -a '(__regengine_images)'" end
    if kind == "folders" then return " -x -a '(__fish_complete_directories)'" end
    return kind == "files" and " -r -F" or " -x"
  end

  local lines, with_value = {}, {}
  local function add(condition, rest)
    lines[#lines + 1] = ("complete -c regengine -n %s%s"):format(quoted(condition), rest)
  end
  local function add_option(condition, option)
    if option.words then
      local kind = program.kind_of(option)
      if kind then add(condition, " -F") else add(condition, " -f") end
      return
    end
    add(condition, (option.short and " -s " .. option.short:sub(2) or "") .. " -l " .. option.flag:sub(3)
      .. (option.value and value_words(option) or " -f") .. " -d " .. quoted(option.what))
  end

  for _, strategy in ipairs(program.strategies) do
    add("not __regengine_command", " -f -a " .. strategy.name .. " -d " .. quoted(strategy.what))
  end
  for _, command in ipairs(program.commands) do
    local argument, is = command.argument, "__regengine_is " .. (command.name or "")
    if command.name then
      add("not __regengine_command", " -f -a " .. command.name .. " -d " .. quoted(command.what))
    end
    if argument == "TOPIC" then
      for _, strategy in ipairs(program.strategies) do add(is, " -f -a " .. strategy.name) end
    elseif argument and argument:find "^%[%-%-" then
      add(is, " -f -l " .. argument:match "%-%-(%l+)")
    end
  end
  for _, option in ipairs(program.options) do
    add_option("not __regengine_command", option)
    if option.value then with_value[#with_value + 1] = table.concat({ option.flag, option.short }, " ") end
  end
  for _, set in ipairs(program.sets) do
    local condition = "__regengine_is " .. table.concat(set.strategies, " ")
    for _, option in ipairs(set.options) do add_option(condition, option) end
  end
  return HEAD:format(table.concat(with_value, " ")) .. table.concat(lines, "\n") .. "\n"
end
