-- The parts of lib/environment/script as values.

local redactor = require "lib/redaction/redactor"
local wording = require "lib/environment/wording"

local parse = {}

-- Variables with their values; of a secret only that it is set.
function parse.variables(text)
  local found, mask = {}, redactor.new { only_secrets = true }
  for name, value in text:gmatch "([^=%z]+)=(%Z*)" do found[name] = mask:value(name, value) end
  return found
end

function parse.os(text)
  local name = text:match '\nPRETTY_NAME="([^"\n]*)"' or text:match '^PRETTY_NAME="([^"\n]*)"'
  return name or text:match "[^\n]+"
end

function parse.kernel(text) return text:match "^%S+", text:match "^%S+ (%S+)" end

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  table.sort(list)
  return list
end

--- Model and flags; Arm has a number for the model, and features.
function parse.cpu(text)
  local function field(name) return text:match("\n" .. name .. "%s*:%s*([^\n]*)") end
  return field "model name" or field "CPU part", words(field "flags" or field "Features" or "")
end

function parse.cpu_count(text) return math.tointeger(tonumber(text:match "%d+")) end

function parse.cpus(text) return text:match ":%s*(%S+)" end

--- CPUs that a control group may use; nil without a limit.
function parse.cpu_quota(text)
  local quota, period = text:match "^(%d+) (%d+)"
  return quota and tonumber(quota) / tonumber(period)
end

function parse.cuda(text)
  return text:match '"cuda"%s*:%s*{[^}]-"version"%s*:%s*"([^"]+)"' or text:match "CUDA Version (%S+)"
end

--- { libcudnn = "9.1.0" } of paths of files.
function parse.libraries(text)
  local found = {}
  for name, version in text:gmatch "([^/\n]+)%.so%.([%d.]+)%s*%f[\n%z]" do
    -- A shorter one of the same name is a link for programs of another processor.
    if not found[name] or #version > #found[name] then found[name] = version end
  end
  return found
end

--- { jaxlib = "0.4.31" }, and the version of Python; what was installed from a repository has the commit, too.
function parse.pip(text)
  local found, python = {}, nil
  for name, version, commit in text:gmatch "([^\t\n]+)\t([^\t\n]*)\t(%x*)%f[\n%z]" do
    local normal = wording.pip_name(name)
    if not python then
      python = version
    elseif not found[normal] then
      found[normal] = commit == "" and version or version .. " of commit " .. commit:sub(1, 10)
    end
  end
  return found, python
end

--- { numpy = "1.26.4 py311h64a7726_0" }
function parse.conda(text)
  local found = {}
  for name, version, build in text:gmatch "([^\n]+)%-([^-\n]+)%-([^-\n]+)%.json" do
    found[name] = version .. " " .. build
  end
  return found
end

function parse.dpkg(text)
  local found = {}
  for name, version in text:gmatch "installed (%S+) (%S+)" do found[name] = version end
  return found
end

return parse
