-- The commits of the repositories in an image: what its manifest file says was cloned, and its checkouts.

-- With --git-dir, git neither checks the owner nor searches parent folders of a broken checkout. An image may lack git,
-- hence the fallback to the files themselves.
local SCRIPT <const> = [==[
root=$1; shift
if [ $# -eq 0 ]; then
  cd "$root/" && set -- opt/*
fi
head_of() {
  h=$(git --git-dir="$1/.git" rev-parse HEAD 2>/dev/null) && { echo "$h"; return; }
  read -r h < "$1/.git/HEAD" || return
  case $h in
    "ref: "*)
      ref=${h#ref: }
      if [ -f "$1/.git/$ref" ]; then read -r h < "$1/.git/$ref"
      else h=$(grep " $ref\$" "$1/.git/packed-refs") && h=${h%% *}; fi ;;
  esac
  echo "$h"
}
url_of() {
  git --git-dir="$1/.git" config --get remote.origin.url 2>/dev/null && return
  section=
  while read -r key equals value; do
    case $key in
      "["*) section="$key $equals" ;;
      url) if [ "$section" = '[remote "origin"]' ]; then echo "$value"; fi ;;
    esac
  done < "$1/.git/config"
}
for path; do
  path=/${path#/}
  if [ -e "$root$path/.git" ]; then
    printf '%s\t%s\t%s\n' "$path" "$(head_of "$root$path" 2>/dev/null)" "$(url_of "$root$path" 2>/dev/null)"
  fi
done
echo "--- manifest"
if [ -f "$root/opt/manifest.d/git-clone.yaml" ]; then cat "$root/opt/manifest.d/git-clone.yaml"; fi
]==]

local function bare(value)
  local quote, inside = value:match "^([\"'])(.-)%1"
  return quote and inside or (value:gsub("%s+#.*", ""))
end

-- The packages of the manifest of JAX-Toolbox: a map of maps in YAML.
local function of_manifest(yaml)
  local packages, package = {}, nil
  for line in yaml:gmatch "[^\r\n]+" do
    local indent, key, value = line:match "^(%s*)[\"']?([^\"':#]+)[\"']?:%s*(.-)%s*$"
    if key and indent == "" then
      package = {}
      packages[key] = package
    elseif package and key == "url" then
      package.url = bare(value)
    elseif package and key == "latest_verified_commit" then
      package.commit = bare(value)
    end
  end
  return packages
end

-- The manifest stands over a checkout of the same name: it says what was cloned. jax is in /opt/jax and was in
-- /opt/jax-source before November 2023.
local function parsed(printed)
  local listed, yaml = printed:match "^(.-)%-%-%- manifest(.*)$"
  local packages = of_manifest(yaml or "")
  for path, commit, url in (listed or ""):gmatch "([^\t\n]+)\t([^\t\n]*)\t([^\t\n]*)" do
    local name = path:match "[^/]*$"
    name = name:match "^(.+)%-source$" or name
    local one = packages[name] or {}
    packages[name], one.path = one, commit ~= "" and path or nil
    one.commit = one.commit or commit ~= "" and commit or nil
    one.url = one.url or commit ~= "" and url ~= "" and url or nil
  end
  for name, one in pairs(packages) do
    if not one.commit then packages[name] = nil end
  end
  return packages
end

-- On the host git obeys what it finds in the folder, and so do HEAD files: these may lead to any file.
local function run_on_host(folder, words, paths)
  for _, path in ipairs(paths) do reg.fs.exists(folder .. "/" .. path) end  -- asks whether it may be read
  return reg.process.run { cmd = { "sh", table.unpack(words) }, reads = true }
end

--- See reg.container.commits.
return function(image, runtime, paths)
  local on_host = (runtime or reg.container.use {}) == "local"
  local root = on_host and reg.container.inspect(image, { runtime = runtime }).id or ""
  local words = { "-c", SCRIPT, "sh", root, table.unpack(paths) }
  local run = on_host and run_on_host(root, words, paths)
    -- The image's own entrypoint may print a banner.
    or reg.container.run { image = image, runtime = runtime, entrypoint = "sh", cmd = words, network = "none" }
  if run.dry then return {} end
  if run.ok then return parsed(run.stdout) end
  local why = require("lib/values").last_line(run.stderr)
  core.fail("io", "could not read the commits in " .. image .. ": " .. (why or ""))
end
