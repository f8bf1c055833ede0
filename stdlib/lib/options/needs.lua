-- Declares, as reg.needs does, what a script reaches through its options: images, repositories, commands, files.

local sorted_names = require "lib/sorted_names"

return function(specs, values)
  local given = { image = {}, runtime = {}, repo = {}, command = {}, script = {}, output = {} }
  for _, name in ipairs(sorted_names(specs)) do
    local spec, value = specs[name], values[name]
    for _, one in ipairs(given[spec.type] and (spec.list and value or { value }) or {}) do
      -- The path of NAME=PATH.
      table.insert(given[spec.type], spec.type == "repo" and spec.list and one:match "=(.*)" or one)
    end
  end
  -- Without an image commands run on the host; so they do with --runtime local, where an image is a folder.
  local on_host = #given.image == 0 or given.runtime[1] == "local"
  if #given.repo > 0 then table.insert(given.repo, "submodules") end
  reg.needs { container = not on_host and given.image or nil, git = given.repo, files = given.output,
    process = on_host and #given.command + #given.script > 0 and "sh" or nil }
end
