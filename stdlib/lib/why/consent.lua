-- Commands of an investigation that somebody else stored: they are shown, and run only after a "yes".

local read = require "lib/report/read"
local sorted_names = require "lib/sorted_names"

-- Options of an investigation that say what is run, and where.
local RUN <const> = { bad = true, build = true, cap_add = true, device = true, entrypoint = true, env = true,
  good = true, image = true, input = true, ipc = true, mount = true, network = true, patch = true, repo = true,
  test = true, user = true, workdir = true }

-- What the answer and the options of the investigation make commands from, a line each.
local function commands_of(stage)
  local lines = {}
  for _, command in ipairs(read.each(stage.answer.commands, read.text)) do lines[#lines + 1] = command end
  for _, name in ipairs(sorted_names(stage.options)) do
    local value = stage.options[name]
    for _, one in ipairs(RUN[name] and (type(value) == "table" and value or { value }) or {}) do
      lines[#lines + 1] = ("--%s %s"):format(name, tostring(one))
    end
  end
  return lines
end

--- Asks before anything of the investigation runs, unless a script of this user stored all of its stages here. Raises
--- permission where nobody can be asked, or the answer is no.
return function(path, stages)
  local foreign
  for _, stage in ipairs(stages) do
    if not stage.own then foreign = foreign or stage end
  end
  if not foreign or core.settings().dry_run then return end
  reg.log.warn("investigation %d of %s was not made by you on this machine. It runs:", foreign.id, path)
  for _, stage in ipairs(stages) do
    -- Each on one line: its blank lines would push the others off the screen.
    for _, line in ipairs(commands_of(stage)) do reg.log.warn("  %s", (line:gsub("\n", "\\n"))) end
  end
  if core.at_terminal() then
    reg.log.warn("Run them with all your rights? [y/N]")
    local answer = reg.read_line()
    if answer and answer:find "^%s*[yY]" then return end
  end
  core.fail("permission", "why: not permitted to run these commands", "Pass --yes to run them.")
end
