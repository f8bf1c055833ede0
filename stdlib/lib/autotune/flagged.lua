-- Runs a command with one more flag of XLA, which names a file of autotuning results.

local instrumented = require "lib/instrumented"

local FILE <const> = "results.txt"  -- the suffix asks for text
local SHELL <const> = 'export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }%s=$0";'

-- XLA splits its flags at spaces, except in quotes.
local function word(folder)
  local path = folder .. "/" .. FILE
  return path:find "%s" and "'" .. path .. "'" or path
end

--- What execute(call) returns, and the path of the file, which lies in `folder`. Changes `call`.
return function(call, flag, folder, execute)
  local o = { folder = folder, inside = "/regengine-autotune", shell = SHELL:format(flag), word = word }
  return instrumented(call, o, execute), folder .. "/" .. FILE
end
