-- Declares, as reg.needs does, what a script reaches through its options: images, repositories, commands, files.

local sorted_names = require "lib/sorted_names"

local READ = { file = true, script = true, patch = true }

local function is_outside(path)
  local folder = reg.fs.absolute "." .. "/"
  local may_look, whole = pcall(reg.fs.absolute, path)
  return not may_look or whole:sub(1, #folder) ~= folder
end

return function(specs, values)
  local given = { image = {}, runtime = {}, repo = {}, command = {}, script = {}, output = {}, mount = {}, input = {},
    output_folder = {} }
  for _, name in ipairs(sorted_names(specs)) do
    local spec, value = specs[name], values[name]
    local kind = spec.type == "repo_or_url" and "repo" or spec.type
    for _, one in ipairs(given[kind] and (spec.list and value or { value }) or {}) do
      -- The path of NAME=PATH.
      table.insert(given[kind], kind == "repo" and spec.list and one:match "=(.*)" or one)
    end
    for _, path in ipairs(READ[kind] and (spec.list and value or { value }) or {}) do
      if is_outside(path) then table.insert(given.input, path) end
    end
  end
  -- Without an image commands run on the host; so they do with --runtime local, where an image is a folder.
  local on_host = #given.image == 0 or given.runtime[1] == "local"
  if #given.repo > 0 then table.insert(given.repo, "submodules") end
  local files = given.output
  for _, one in ipairs(given.mount) do
    local host, _, read_only = core.container_mount(one)
    files[#files + 1] = host .. (read_only and ":ro" or "")
  end
  for _, path in ipairs(given.output_folder) do files[#files + 1] = path .. "/*" end
  for _, path in ipairs(given.input) do files[#files + 1] = path .. ":ro" end
  -- The highest clock that a GPU holds is found by running it.
  local clocks = values.lock_clocks and (values.lock_clocks == "auto" and { "lock", "run" } or "lock") or nil
  reg.needs { gpu = clocks, container = not on_host and given.image or nil, git = given.repo, files = files,
    process = on_host and #given.command + #given.script > 0 and "sh" or nil }
end
