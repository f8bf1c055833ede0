-- Finds host names, network addresses and the ids of GPUs.

local set = require("lib/redaction/words").set

local machines = {}

-- Domains of no public service.
local INNER = set "local lan internal intranet corp localdomain"
-- The last parts of a public domain, without those that are also the endings of files.
local TOP = set [[
  com net org edu gov mil int io ai dev cloud tech app info biz eu de uk fr ch at it es nl be se no fi dk pl cz pt ie gr
  hu ro jp cn kr tw in sg au nz ca us mx br ar il tr za ru ua]]
-- Services that everybody uses.
local PUBLIC = set [[
  github.com githubusercontent.com github.io gitlab.com bitbucket.org python.org nvidia.com
  nvcr.io docker.io docker.com ghcr.io quay.io gcr.io pkg.dev k8s.io huggingface.co hf.co google.com googleapis.com
  googlesource.com amazonaws.com aws.amazon.com azure.com microsoft.com windows.net readthedocs.io readthedocs.org
  apache.org kernel.org canonical.com archlinux.org fedoraproject.org redhat.com anaconda.org
  anaconda.com conda.io pytorch.org tensorflow.org openxla.org jax.dev llvm.org gnu.org gcc.gnu.org cmake.org w3.org
  wandb.ai wandb.com openai.com anthropic.com slack.com discord.com discordapp.com office.com sentry.io stripe.com
  sendgrid.com npmjs.org npmjs.com crates.io rust-lang.org golang.org go.dev rubygems.org maven.org sonatype.org
  mozilla.org cloudflare.com jsdelivr.net unpkg.com wikipedia.org stackoverflow.com ietf.org iana.org kaggle.com
  arxiv.org zenodo.org telegram.org jsonschema.org schema.org json-schema.org sqlite.org lua.org opencontainers.org
  docker.elastic.co elastic.co mlcommons.org intel.com amd.com arm.com ibm.com oracle.com zapier.com ifttt.com]]
local EXAMPLES = set "example test invalid localhost"

local function is_public(host)
  local last = host:match "[^.]+$"
  if EXAMPLES[last] or host:find "%f[%w]example%.%a+$" then return true end
  return PUBLIC[host] or PUBLIC[host:match "[^.]+%.[^.]+$" or ""] or PUBLIC[host:match "[^.]+%.[^.]+%.[^.]+$" or ""]
end

-- Names of machines are numbered, or end in a domain of no public service.
local function is_machine(host)
  local labels = select(2, host:gsub("%.", "")) + 1
  local last = host:match "[^.]+$"
  if labels >= 2 and INNER[last] then return true end
  if labels < 3 or not TOP[last] or is_public(host) then return false end
  return true
end

local function add(scan, replace, from, to)
  scan:add(from, to, "host name", "host name", replace("host", scan.text:sub(from, to)))
end

-- node7.cluster.site.edu, build7.corp: without a mark before them they need a number or a word of a cluster, since code
-- looks the same: threading.local.
local function find_domains(scan, replace)
  local text, at = scan.text, 1
  while true do
    local from, host, stop = text:match("%f[%w.-]()(%w[%w-]*%.[%w.-]*%a)()", at)
    if not from then return end
    at = stop
    local lower = host:lower()
    local first, rest = lower:match "^([^.]+)%.(.*)$"
    local behind = text:sub(stop, stop)
    local whole = not lower:find("..", 1, true) and behind ~= "(" and behind ~= "_"
      and not text:find("^[_@/\\$]", from - 1)
    local numbered = first and (first:find "[%d-]" or first:find "node" or first:find "gpu" or first:find "login")
    if whole and first and is_machine(lower) and (numbered or rest:find "%..*%." or rest:find "%f[%w]hpc%f[%W]"
      or rest:find "cluster" or not scan.code and INNER[rest:match "%.([^.]+)$"]) then
      add(scan, replace, from, stop - 1)
    end
  end
end

-- Where a host follows, with these characters in its name.
local BEFORE = { "://", "hostname=", "hostname: ", "nodename=", "nodelist=", "slurmd_nodename=", "host=", "nodes=",
  "ssh ", "scp ", "rsync ", "sftp ", "mosh ", "master_addr=", "coordinator_address=", "server_addr=", "--host ",
  "worker_hostname=", "\"hostname\": \"", "\"host\": \"", "'hostname': '", "'host': '", "on host ", "on node " }

local function is_word(name)
  return not name:find "%d" and not name:find "[.-]"
end

local function find_after(scan, replace)
  local text = scan.text
  for _, mark in ipairs(BEFORE) do
    for from, to in scan:each(mark) do
      local user, at_sign = text:match("^[%w._-]+()@", to + 1)
      local start = user and at_sign and at_sign + 1 or text:match("^[%w._-]+@()", to + 1) or to + 1
      local host, stop = text:match("^(%w[%w._-]*%w)()", start)
      local url = mark == "://"
      local whole = mark == "://" or text:find("^[^%w_]", from - 1) ~= nil or from == 1 or mark:find "[=_]"
      if host and whole and not host:find "^[%d.]+$" and not is_public(host:lower()) then
        local dotted = host:find(".", 1, true)
        local behind = text:sub(stop, stop)
        local known = not url and (mark:find "=$" or mark:find "\"$" or mark:find "'$" or mark:find ": $")
          and not is_word(host) or dotted and (is_machine(host:lower()) or url and host:lower():find "^[^.]*%d[^.]*%.")
          or url and not dotted and behind == ":" and host:lower() ~= "localhost"
          or not dotted and host:find "%d$" and not host:find "^%d" and not url
          or text:find("^[%w._-]+@", to + 1) ~= nil and not url and host:find "%d" ~= nil
        if known and behind ~= "(" then add(scan, replace, start, stop - 1) end
      end
    end
  end
end

-- ann@gpu07:~/src$, ann@gpu07:/data/x
local function find_prompts(scan, replace)
  local text = scan.text
  for at in scan:each "@" do
    local user = text:sub(math.max(1, at - 33), at - 1):match "%f[%w_]%l[%w._-]*$"
    local host, stop = text:match("^(%a[%w.-]*%w)():[%w/~.]", at + 1)
    local is_prompt = user and host and user ~= "git" and not host:find "^sha%d" and not host:find "^%u+_"
    if is_prompt and not is_public(host:lower()) and text:sub(at - #user - 1, at - #user - 1) ~= "/" then
      scan:add(at - #user, at - 1, "user name", "user name", replace("user", user))
      add(scan, replace, at + 1, stop - 1)
    end
  end
end

-- Logs whose lines begin with a host, or have it after their date.
local LINES = { "^(%a[%w.-]*):%d+:%d+ %[%d+%] NCCL ", "^%u%l%l +%d+ %d%d:%d%d:%d%d (%a[%w.-]*) %S+:",
  "^srun: error: (%a[%w.-]*%d): ",
  "^%d%d%d%d%-%d%d%-%d%dT%S+ (%a[%w.-]*) %l[%w._-]*%[%d+%]:" }
local OF_LINES = { "nccl ", "]: ", "kernel: ", "srun: " }

local function find_lines(scan, replace)
  local found = false
  for _, mark in ipairs(OF_LINES) do found = found or scan.lower:find(mark, 1, true) ~= nil end
  if not found then return end
  local text, at = scan.text, 1
  while at <= #text do
    local stop = scan:line_end(at)
    local line = text:sub(at, math.min(stop, at + 160))
    for _, pattern in ipairs(LINES) do
      local host = line:match(pattern)
      if host and host ~= "localhost" then
        local from = at + line:find(host, 1, true) - 1
        add(scan, replace, from, from + #host - 1)
      end
    end
    at = stop + 2
  end
end

--- Host names.
function machines.hosts(scan, replace)
  find_domains(scan, replace)
  find_after(scan, replace)
  if scan.text:find("@", 1, true) then find_prompts(scan, replace) end
  find_lines(scan, replace)
end

local function is_address(a, b, c, d)
  for _, part in ipairs { a, b, c, d } do
    if #part > 3 or tonumber(part) > 255 then return false end
  end
  return not (a == "127" or a == "0" or a == "255")
end

-- Versions look the same: 12.4.5.8 after "cublas-" or "==" is one.
local function find_ipv4(scan, add_address)
  local text, at = " " .. scan.text, 1
  while true do
    local from, before, a, b, c, d, behind = text:match("()([^%w._-])(%d+)%.(%d+)%.(%d+)%.(%d+)()", at)
    if not from then return end
    at = behind
    local goes_on = text:find("^[%w_-]", behind) or text:find("^%.%w", behind)
    local version = before == "=" and text:find("^=", from - 1)
      or text:sub(math.max(1, from - 12), from):find "[vV]ersion[:= ]+$"
    if not goes_on and not version and is_address(a, b, c, d) then add_address(from, behind - 2) end
  end
end

local function is_ipv6(address)
  local colons = select(2, address:gsub(":", ""))
  if address:find "^%x%x:%x%x:%x%x:%x%x:%x%x:%x%x$" then return true end
  local one_gap = select(2, address:gsub("::", "")) == 1 and not address:find(":::", 1, true)
  local short = one_gap and (colons >= 4 or address:find "^f[ed]%x%x:" or address:find "^2%x%x%x:")
  return short or colons == 7 and address:find "^%x+:" ~= nil
end

--- Network addresses.
function machines.addresses(scan, replace)
  local text = scan.text
  local function add_address(from, to)
    scan:add(from, to, "network address", "network address", replace("address", text:sub(from, to)))
  end
  find_ipv4(scan, add_address)
  local at = 1
  while true do
    local from, address, stop = text:match("%f[%x:]()([%x:]*:[%x:]*:[%x:]*)()%f[^%x:]", at)
    if not from then return end
    at = math.max(stop, at + 1)
    if is_ipv6(address) then add_address(from, stop - 1) end
  end
end

local UUID = ("%x"):rep(8) .. "%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-" .. ("%x"):rep(12)

local SERIAL = "^[%a _-]*%f[%a][nN][%a.]*[ \t]*[:=][ \t]*()[%w-]*%d[%w-]*()%f[%s%z]"

-- Serial Number : 1650522000001
local function find_serials(scan)
  for _, to in scan:each "serial" do
    local from, over = scan.text:match(SERIAL, to + 1)
    if from and over - from >= 6 then scan:add(from, over - 1, "serial number", "serial number") end
  end
end

--- The ids of GPUs and of their parts, and serial numbers.
function machines.gpus(scan, replace)
  find_serials(scan)
  local text = scan.text
  for _, kind in ipairs { "gpu", "mig" } do
    for from, to in scan:each(kind .. "-") do
      local stop = scan:starts_word(from) and text:match("^" .. UUID .. "()", to + 1)
      if stop then scan:add(from, stop - 1, "GPU id", "GPU id", replace(kind, text:sub(from, stop - 1))) end
    end
  end
end

return machines
