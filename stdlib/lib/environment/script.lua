-- What `sh` runs on the host or in a container to tell its environment: parts, each with its exit code; and what they
-- say. It writes nothing, and needs no tool beyond those that say a part.

local values = require "lib/values"
local redactor = require "lib/redaction/redactor"

local script = {}

-- The variables first, before the script sets its own.
local SHELL <const> = [==[
part() {
  name=$1; shift
  printf '\n--part-begins %s\n' "$name"
  "$@" 2>&1
  printf '\n--part-ends %s %s\n' "$name" $?
}
os() { cat /etc/os-release || cat /usr/lib/os-release; }
first_cpu() { sed '/^$/q' /proc/cpuinfo; }
count_cpus() { grep -c '^processor' /proc/cpuinfo; }
allowed_cpus() { grep '^Cpus_allowed_list:' /proc/self/status; }
toolkit() { cat /usr/local/cuda/version.json || cat /usr/local/cuda/version.txt; }
libraries() {
  computing='cud|cublas|cufft|curand|cusolver|cusparse|cupti|nv|nccl|stdc|gomp|iomp|mkl_rt|openblas'
  found=$(ldconfig -p || /sbin/ldconfig -p) || return
  printf '%s\n' "$found" | sed -n 's/.* => //p' | grep -E "/lib($computing)[^/]*\.so\." |
    while read -r path; do readlink -f "$path" || echo "$path"; done
}
conda() { ls "${CONDA_PREFIX:-$(python3 -c 'import sys; print(sys.prefix)')}/conda-meta"; }
dpkg_packages() { dpkg-query -W -f '${db:Status-Status} ${binary:Package} ${Version}\n'; }
part variables cat /proc/self/environ
LC_ALL=C; export LC_ALL
part os os
part kernel uname -rm
part cpu first_cpu
part cpu_count count_cpus
part cpus allowed_cpus
part cpu_quota cat /sys/fs/cgroup/cpu.max
part cuda toolkit
part libraries libraries
part pip python3 -c "$1"
part conda conda
part dpkg dpkg_packages
]==]

-- Packages by the metadata beside them, without pip. What is first on the path is what is imported: the current folder,
-- which may be somebody else's, is taken off it first.
local PYTHON <const> = [==[
import sys
sys.path[:] = [place for place in sys.path if place]
import json, os
def head(path):
    found = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.strip():
                break
            key, _, value = line.partition(":")
            found.setdefault(key, value.strip())
    return found
def commit(folder):
    try:
        with open(os.path.join(folder, "direct_url.json")) as file:
            return json.load(file).get("vcs_info", {}).get("commit_id", "")
    except (OSError, ValueError):
        return ""
print("python\t%d.%d.%d\t" % sys.version_info[:3])
for place in sys.path:
    if not place or not os.path.isdir(place):
        continue
    for entry in sorted(os.listdir(place)):
        folder = os.path.join(place, entry)
        for end, name in ((".dist-info", "METADATA"), (".egg-info", "PKG-INFO")):
            if not entry.endswith(end):
                continue
            try:
                facts = head(os.path.join(folder, name) if os.path.isdir(folder) else folder)
            except OSError:
                continue
            print("%s\t%s\t%s" % (facts.get("Name", ""), facts.get("Version", ""), commit(folder)))
]==]

--- The command that prints the parts.
script.CMD = { "sh", "-c", SHELL, "sh", PYTHON }

-- What adds what a part says to an environment, by its name in the script.
local PARTS <const> = {
  variables = function(into, text)
    local all = {}
    for name, value in text:gmatch "([^=%z]+)=(%Z*)" do all[name] = value end
    into.variables = script.redacted(all)
  end,
  os = function(into, text) into.os = ("\n" .. text):match '\nPRETTY_NAME="([^"\n]*)"' or text:match "[^\n]+" end,
  kernel = function(into, text) into.kernel, into.architecture = text:match "^(%S+) (%S+)" end,
  cpu = function(into, text)  -- Arm has a number for the model, and features
    local function field(name) return text:match("\n" .. name .. "%s*:%s*([^\n]*)") end
    into.cpu.model = field "model name" or field "CPU part"
    into.cpu.flags = values.sorted(values.matches(field "flags" or field "Features" or "", "%S+"))
  end,
  cpu_count = function(into, text) into.cpu.count = math.tointeger(tonumber(text:match "%d+")) end,
  cpus = function(into, text) into.cpu.allowed = text:match ":%s*(%S+)" end,
  cpu_quota = function(into, text)  -- "max 100000" without a limit
    local quota, period = text:match "^(%d+) (%d+)"
    into.cpu.quota = quota and tonumber(quota) / tonumber(period)
  end,
  cuda = function(into, text)
    into.cuda = text:match '"cuda"%s*:%s*{[^}]-"version"%s*:%s*"([^"]+)"' or text:match "CUDA Version (%S+)"
  end,
  -- { libcudnn = "9.1.0" } of paths of files. A shorter version of the same name is a link for programs of another
  -- processor.
  libraries = function(into, text)
    into.libraries = {}
    for name, version in text:gmatch "([^/\n]+)%.so%.([%d.]+)%s*%f[\n%z]" do
      if #version > #(into.libraries[name] or "") then into.libraries[name] = version end
    end
  end,
  -- { jaxlib = "0.4.31" }, and the version of Python; what was installed from a repository has the commit, too.
  pip = function(into, text)
    local found = {}
    for name, version, commit in text:gmatch "([^\t\n]+)\t([^\t\n]*)\t(%x*)%f[\n%z]" do
      local normal = values.plain_name(name)
      if not into.python then
        into.python = version
      else
        found[normal] = found[normal] or commit == "" and version or version .. " of commit " .. commit:sub(1, 10)
      end
    end
    into.packages.pip = found
  end,
  conda = function(into, text)  -- { numpy = "1.26.4 py311h64a7726_0" }
    into.packages.conda = {}
    for name, version, build in text:gmatch "([^\n]+)%-([^-\n]+)%-([^-\n]+)%.json" do
      into.packages.conda[name] = version .. " " .. build
    end
  end,
  dpkg = function(into, text)
    into.packages.dpkg = {}
    for name, version in text:gmatch "installed (%S+) (%S+)" do into.packages.dpkg[name] = version end
  end,
}

--- Variables with their values; those of secrets redacted.
function script.redacted(variables)
  local mask, shown = redactor.new { only_secrets = true }, {}
  for name, value in pairs(variables) do shown[name] = mask:value(name, value) end
  return shown
end

--- Adds what the script printed to an environment, and to its `missing` why a part could not be told: `why` if nothing
--- was printed. Returns whether there was a part.
function script.add(into, printed, why)
  local any = false
  for name, add in pairs(PARTS) do
    local text, code = printed:match("\n%-%-part%-begins " .. name .. "\n(.-)\n%-%-part%-ends " .. name .. " (%d+)\n")
    into.missing[name] = nil
    if code == "0" then
      any = true
      add(into, text)
    else
      into.missing[name] = not text and (why or "was not printed") or values.last_line(text) or "exit code " .. code
    end
  end
  into.missing.cpu_quota = nil  -- a machine without such limits has no file that says so
  return any
end

return script
