-- What is wrong with a command line: collected, so that the user sees all of it at once.

local Problems = {}
Problems.__index = Problems

function Problems.new(script) return setmetatable({ script = script:match "[^/]+$" or "regengine" }, Problems) end

--- What is wrong, and what to do, a sentence that may be nil.
function Problems:add(what, hint) self[#self + 1] = { what = what, hint = hint } end

--- Raises usage if there is a problem. It names no line of the script: the mistake is on the command line.
function Problems:raise()
  local help = "Run regengine " .. self.script .. " --help for the options."
  if #self == 0 then return end
  if #self == 1 then
    error({ kind = "usage", message = self.script .. ": " .. self[1].what, hint = self[1].hint or help }, 0)
  end
  local lines = { self.script .. ": " .. #self .. " problems on the command line" }
  for _, problem in ipairs(self) do
    local stop = problem.what:find "[.?]$" and " " or ". "
    lines[#lines + 1] = "  " .. problem.what .. (problem.hint and stop .. problem.hint or "")
  end
  error({ kind = "usage", message = table.concat(lines, "\n"), hint = help }, 0)
end

return Problems
