-- What `sh` runs on the host or in a container to tell its environment: parts, each with its exit code. It writes
-- nothing, and needs no tool beyond those that say a part.

local script = {}

-- The variables first, before the script sets its own.
script.SHELL = [==[
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
script.PYTHON = [==[
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

--- The parts, in the order of the script.
script.PARTS = { "variables", "os", "kernel", "cpu", "cpu_count", "cpus", "cpu_quota", "cuda", "libraries", "pip",
  "conda", "dpkg" }

--- The parts of what the script printed: { name = text } and { name = why it could not be told }.
function script.parts(printed)
  local texts, whys = {}, {}
  for _, name in ipairs(script.PARTS) do
    local text, code = printed:match("\n%-%-part%-begins " .. name .. "\n(.-)\n%-%-part%-ends " .. name .. " (%d+)\n")
    if code == "0" then
      texts[name] = text
    else
      whys[name] = text and text:match "([^\n]+)%s*$" or text and "exit code " .. code or "was not printed"
    end
  end
  return texts, whys
end

return script
