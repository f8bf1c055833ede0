#!/usr/bin/env regengine
--- Shows what differs between two commands: variables and packages, and what they cost this machine:
--- regengine examples/differences.lua --before "env-a/bin/python x.py" --after "env-b/bin/python x.py"

local opt = reg.options {
  before = { "command that was fast", type = "command", default = "true" },
  after  = { "command that is slow", type = "command", default = "OMP_NUM_THREADS=1 sleep 0.3" },
}

-- A variable set before the command is one of its environment.
local function call(line)
  local env = {}
  for name, value in (" " .. line):gmatch "%s([%a_][%w_]*)=(%S*)" do env[name] = value end
  return { shell = line, env = env }
end

local before, after = call(opt.before), call(opt.after)
local function show(findings)
  for _, finding in ipairs(findings) do
    local share = finding.share and string.format(", %.0f %% of the difference", 100 * finding.share) or ""
    print(finding.level .. ": " .. finding.what .. share)
  end
end

show(reg.environment.diff(reg.environment.collect(before), reg.environment.collect(after)))
local function twice(command) return { reg.host.collect(command), reg.host.collect(command) } end
show(reg.host.diff(twice(before), twice(after)))
