-- Finds what identifies a person or a machine: home folders, users, mail addresses, host names, network addresses and
-- ids of GPUs.

local find, set = require("lib/values").find, require("lib/values").words

-- Folders of the system, which have no homes, and what is in a folder of homes besides homes.
local SYSTEM = set "usr opt etc var proc sys lib lib64 dev bin sbin root run snap boot app api static www assets"
local SHARED = set "shared public common index new list login me all lost+found sign_in"
-- Accounts of no person.
local NOBODY = set [[
  root user users ubuntu debian centos runner docker jenkins build builder test tester admin nobody vagrant jovyan main
  host default localhost home work data daemon git www-data node app postgres mysql redis none null true false
  anonymous guest ec2-user core system self name username]]
local REST <const> = "^[^%s\"'`<>|,;:)%]]*()"  -- braces belong to a path: jax-{date}

local function identifies(name) return type(name) == "string" and #name >= 3 and not NOBODY[name:lower()] end
local function is_user(name) return #name >= 2 and name:find "^%l" ~= nil and not NOBODY[name] end

local function add_home(scan, from, to)
  if scan.code then to = scan.text:match(REST, to + 1) - 1 end
  scan:add(from, to, "home folder", scan.code and "<redacted>" or "~")
end

-- The start of the absolute path that goes on at `at`; nil if it is a part of something else.
local function path_start(text, at)
  local before = text:sub(math.max(1, at - 160), at - 1):match "[%w._/~@+-]*$"
  if text:find("^\\", at - #before - 1) and before:find "^[nrt]" then before = before:sub(2) end
  if before:find "^%-%a" then before = before:sub(3) end
  if before == "" or before == "/" then return at end
  local first = before:match "^/([%w._+-]+)"
  if not first or SYSTEM[first] or select(2, before:gsub("/", "")) > 4 then return nil end
  return at - #before
end

-- /home/ann, /nfs/home/ann, /data/users/ann, C:\Users\ann, ~ann/src
local function find_homes(scan, home, replace)
  local text = scan.text
  for from, to in scan:each(home or "\n\n") do
    local whole = text:sub(from, to) == home and text:find("^%f[^%w._-]", to + 1) and path_start(text, from) == from
    if whole then add_home(scan, from, to) end
  end
  for _, folder in ipairs { "/home", "/user" } do
    for from in scan:each(folder) do
      local name, stop = scan.lower:match("^" .. folder .. "s?%d*/+([%w._-]+)()", from)
      local start = name and name:find "^[%w_.]" and name:find "%a" and not SHARED[name] and path_start(text, from)
      if start then
        while text:find("^%.", stop - 1) do stop = stop - 1 end  -- a sentence ends with a dot, a name does not
        add_home(scan, start, stop - 1)
      end
    end
  end
  for from, stop in text:gmatch "%f[%w\\]()%a:[\\/]+[Uu]sers[\\/]+[%w._-]+()" do add_home(scan, from, stop - 1) end
  for from, name, stop in text:gmatch "~()([%l_][%l%d_.-]+)()/" do
    local inside = from > 2 and text:find("^[%w~._/)%]]", from - 2)
    if #name >= 3 and not inside then scan:add(from, stop - 1, "user name", replace("user", name)) end
  end
end

-- Before the name of a user.
local USERS = { "uid=", "gid=", "user=", "logname=", "username=", "userid=", "for user ", "publickey for ", "sudo -u ",
  "_bazel_" }

local function add_host(scan, replace, from, to)
  scan:add(from, to, "host name", replace("host", scan.text:sub(from, to)))
end

-- Services that everybody uses: their names identify nobody.
local SERVICES = set [[
  github.com githubusercontent.com github.io gitlab.com bitbucket.org python.org nvidia.com nvcr.io docker.io docker.com
  ghcr.io quay.io gcr.io pkg.dev k8s.io huggingface.co hf.co google.com googleapis.com googlesource.com amazonaws.com
  azure.com microsoft.com windows.net readthedocs.io apache.org kernel.org canonical.com redhat.com anaconda.org
  anaconda.com pytorch.org tensorflow.org openxla.org jax.dev llvm.org gnu.org cmake.org w3.org wandb.ai slack.com
  npmjs.org npmjs.com crates.io rust-lang.org golang.org go.dev rubygems.org sqlite.org lua.org arxiv.org zenodo.org
  elastic.co intel.com amd.com arm.com]]
local TOP = set "com net org edu gov mil io ai dev cloud tech de uk fr ch at it es nl be se no fi dk pl jp cn kr in au"
local INNER = set "local lan internal intranet corp localdomain"

-- Whether a name with dots is one of a machine: in a domain of a site, or at least three parts of no known service.
local function is_machine(host)
  local last, parts = host:match "[^.]+$", select(2, host:gsub("%.", "")) + 1
  if INNER[last] then return parts >= 2 end
  if parts < 3 or not TOP[last] or host:find "%f[%w]example%.%a+$" or host:find("..", 1, true) then return false end
  return not SERVICES[host:match "[^.]+%.[^.]+$"] and not SERVICES[host:match "[^.]+%.[^.]+%.[^.]+$"]
end

-- Before the name of a host.
local HOSTS = { "://", "hostname=", "nodename=", "nodelist=", "host=", "nodes=", "hostname: ", "host: ", "ssh ", "scp ",
  "master_addr=", "coordinator_address=", "--host ", "on host ", "on node ", "srun: error: ", "\"host\": \"" }

-- gpu7.hpc.site.edu, ssh gpu07, host=gpu07, ann@gpu07:~/src$, gpu07:12:34 [0] NCCL INFO
local function find_hosts(scan, replace)
  local text = scan.text
  for from, host, stop in text:gmatch "%f[%w.-]()(%w[%w-]*%.[%w.-]*%a)()" do
    local lower = host:lower()
    local numbered = lower:match "^[^.]+":find "[%d-]" or lower:find "node" or lower:find "gpu" or lower:find "login"
    local long = select(2, lower:gsub("%.", "")) > 2 or lower:find "%f[%w]hpc%f[%W]" or lower:find "cluster"
    local inner = not scan.code and INNER[lower:match "[^.]+$"]
    if (numbered or long or inner) and is_machine(lower) and not text:find("^[_@/\\$]", from - 1)
      and not text:find("^[(_]", stop) then
      add_host(scan, replace, from, stop - 1)
    end
  end
  for _, before in ipairs(HOSTS) do
    for _, to in scan:each(before) do
      local start = text:match("^[%w._-]+@()", to + 1) or to + 1
      local host, stop = text:match("^(%w[%w._-]*%w)()", start)
      local dotted = host and host:find(".", 1, true)
      local known = host and (dotted and is_machine(host:lower()) or not dotted and host:find "%a" and before ~= "://"
        and host:find "%d")
      if known and not text:find("^%(", stop) then add_host(scan, replace, start, stop - 1) end
    end
  end
  for at in scan:each "@" do
    local user = text:sub(math.max(1, at - 33), at - 1):match "%f[%w_]%l[%w._-]*$"
    local host, stop = text:match("^(%a[%w.-]*%w)():[%w/~]", at + 1)
    local service = host and (SERVICES[host:match "[^.]+%.[^.]+$" or ""] or host:find "^sha%d" or user == "git")
    if user and host and not service and not text:find("^/", at - #user - 1) then
      scan:add(at - #user, at - 1, "user name", replace("user", user))
      add_host(scan, replace, at + 1, stop - 1)
    end
  end
  for from, host, stop in ("\n" .. text):gmatch "\n()(%a[%w.-]*)():%d+:%d+ %[%d+%] NCCL " do
    if host ~= "localhost" then add_host(scan, replace, from - 1, stop - 2) end
  end
end

-- Versions look the same: 12.4.5.8 after "cublas-" or "==" is one.
local function find_addresses(scan, replace)
  local text = " " .. scan.text
  local function add(from, to) scan:add(from, to, "network address", replace("address", scan.text:sub(from, to))) end
  for from, before, address, stop in text:gmatch "()([^%w._-])(%d+%.%d+%.%d+%.%d+)()" do
    local version = before == "=" and text:find("^=", from - 1)
      or text:sub(math.max(1, from - 12), from):find "[vV]ersion[:= ]+$"
    local fits = not (text:find("^[%w_-]", stop) or text:find("^%.%w", stop) or address:find "^127%."
      or address:find "^0%." or address:find "^255%.")
    for part in address:gmatch "%d+" do fits = fits and #part <= 3 and tonumber(part) <= 255 end
    if fits and not version then add(from, stop - 2) end
  end
  for from, address, stop in scan.text:gmatch "%f[%x:]()([%x:]*:[%x:]*:[%x:]*)()%f[^%x:]" do
    local colons = select(2, address:gsub(":", ""))
    local gap = select(2, address:gsub("::", "")) == 1 and not address:find(":::", 1, true)
    local short = gap and (colons >= 4 or address:find "^f[ed]%x%x:" or address:find "^2%x%x%x:")
    if short or colons == 7 and address:find "^%x+:" or address:find "^%x%x:%x%x:%x%x:%x%x:%x%x:%x%x$" then
      add(from, stop - 1)
    end
  end
end

-- Addresses that identify nobody: those that RFC 2606 reserves for examples, and GitHub's noreply ones.
local IMPERSONAL = { "%.example%.%a+$", "%.example$", "%.test$", "%.invalid$", "%.noreply%.github%.com$" }

local function is_impersonal(domain)
  return find(IMPERSONAL, function(ending) return ("." .. domain:lower()):find(ending) end) ~= nil
end

local function find_mail(scan)
  local text, last = scan.text, 0
  for at in scan:each "@" do
    local who = text:sub(math.max(last + 1, at - 64), at - 1):match "[%w._%%+-]+$"
    local domain = who and text:match("^[%w-]+%.[%w.-]*%a%a", at + 1)
    local in_url = who and text:sub(math.max(1, at - 200), at - #who - 1):find "://[^%s/]*$"
    if domain and not in_url and who ~= "git" and not is_impersonal(domain) then
      last = at + #domain
      scan:add(at - #who, last, "mail address", "<redacted>@<redacted>")
    end
  end
end

local UUID <const> = ("%x"):rep(8) .. ("%-" .. ("%x"):rep(4)):rep(3) .. "%-" .. ("%x"):rep(12)

local function find_gpus(scan, replace)
  for _, kind in ipairs { "gpu", "mig" } do
    for from, to in scan:each(kind .. "-") do
      local stop = scan:starts_word(from) and scan.text:match("^" .. UUID .. "()", to + 1)
      if stop then scan:add(from, stop - 1, "GPU id", replace(kind, scan.text:sub(from, stop - 1))) end
    end
  end
end

-- Names that are known at run time; `within`: the characters that may continue one.
local function find_known(scan, what, names, within, replace)
  for _, name in ipairs(names) do
    local pattern = "^%f[" .. within .. "]" .. name:lower():gsub("%p", "%%%0") .. "%f[^" .. within .. "]"
    for from, to in scan:each(name:lower()) do
      if scan.lower:find(pattern, from) and (what == "host" or scan.text:sub(from, to) == name) then
        scan:add(from, to, what .. " name", replace(what, name))
      end
    end
  end
end

local identities = {}

--- Adds what identifies a person or a machine. `who`: a redactor that `prepare` has seen; `replace(kind, name)` gives
--- what stands for a name.
function identities.find(scan, who, replace)
  find_mail(scan)
  find_homes(scan, who.home, replace)
  find_gpus(scan, replace)
  if not scan.code then
    find_known(scan, "user", who.users, "%w_", replace)
    for _, before in ipairs(USERS) do
      for _, to in scan:each(before) do
        local from, name, stop = scan.text:match("^[%d(]*()([%a_][%w._-]*)()", to + 1)
        if name and is_user(name) then scan:add(from, stop - 1, "user name", replace("user", name)) end
      end
    end
  end
  if who.keep_host then return end
  find_known(scan, "host", who.hosts, "%w_%-", replace)
  find_addresses(scan, replace)
  find_hosts(scan, replace)
end

--- Sets the fields of a redactor that `find` needs: the names that are known, and `replace`, which numbers them: the
--- same name has the same number in all of the text.
function identities.prepare(who, person)
  local numbers, same = {}, {}
  who.keep_host, who.users, who.hosts = person.keep_host, { identifies(person.user) and person.user or nil }, {}
  who.home = person.home and #person.home > 1 and person.home ~= "/root" and person.home or nil
  for _, host in ipairs(table.move(person.hosts or {}, 1, #(person.hosts or {}), 2, { person.host or "" })) do
    local short = type(host) == "string" and host:match "^([^.]+)%."
    if identifies(host) then who.hosts[#who.hosts + 1] = host end
    if short and identifies(short) then
      who.hosts[#who.hosts + 1] = short
      same[short:lower()] = host:lower()
    end
  end
  function who.replace(kind, name)
    local key = kind .. " " .. (same[name:lower()] or name:lower())
    if not numbers[key] then
      numbers[kind] = (numbers[kind] or 0) + 1
      numbers[key] = numbers[kind]
    end
    return "<" .. kind .. "-" .. numbers[key] .. ">"
  end
end

return identities
