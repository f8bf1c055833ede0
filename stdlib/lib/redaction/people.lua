-- Finds home folders, users and mail addresses.

local owners = require "lib/redaction/owners"
local set = require("lib/redaction/words").set
local plain = require("lib/redaction/words").plain

local people = {}

-- Folders of the system, which have no homes.
local SYSTEM = set "usr opt etc var proc sys lib lib64 dev bin sbin root run snap boot app api static www assets"
-- What is in a folder of homes besides homes.
local SHARED = set [[
  shared public common index new list login me all lost+found sign_in cdrom floppy usb usb0 usb1]]

local REST = "^[^%s\"'`<>|,;:)%]]*()"  -- braces belong to a path: jax-{date}

-- The start of the absolute path that goes on at `at`; nil if it is a part of something else.
local function path_start(text, at)
  local before = text:sub(math.max(1, at - 160), at - 1):match "[%w._/~@+%-]*$"
  local outside = text:sub(math.max(1, at - #before - 5), at - #before - 1)
  local escape = outside:find "\\$" and before:find "^[nrt]"
  if escape then before = before:sub(2) end
  if before:find "^%-%a/?" or before == "-L" then before = before:sub(3) end
  if before:find "^//" and outside:find "file:$" then return at end
  if before == "" or before == "/" then return at end
  local first = before:match "^/([%w._+-]+)"
  if not first or SYSTEM[first] or select(2, before:gsub("/", "")) > 4 then return nil end
  return at - #before
end

local function add_home(scan, from, to)
  if scan.code then
    scan:add(from, scan.text:match(REST, to + 1) - 1, "home folder", "home path")
  else
    scan:add(from, to, "home folder", "home path", "~")
  end
end

-- /home/ann, /nfs/home/ann, /data/users/ann, C:\Users\ann
local function find_below(scan, pattern, at_root)
  local text, at = scan.lower, 1
  while true do
    local from, top, name, stop = text:match("()" .. pattern .. "([%w._%-]+)()", at)
    if not from then return end
    at = stop
    local start = path_start(scan.text, from)
    if at_root and start ~= from then start = nil end
    -- /user/c/carlos
    local inner, over = nil, nil
    if #name == 1 then inner, over = text:match("^/(" .. plain(name) .. "[%w._%-]+)()", stop) end
    if inner then name, stop = inner, over end
    if start and name:find "%a" and not SHARED[name] and (start < from or name:find "^[%w_.]") then
      -- A sentence ends with a dot, a name does not.
      while top and text:find("^[.]", stop - 1) do stop = stop - 1 end
      add_home(scan, start, stop - 1)
    end
  end
end

--- Every user's home folder; `home` is one's own.
function people.homes(scan, home)
  local text = scan.text
  if home and #home > 1 and home ~= "/root" then
    local at, pattern = 1, plain(home) .. "()%f[^%w._-]"
    while true do
      local from, stop = text:match("()" .. pattern, at)
      if not from then break end
      at = stop
      if path_start(text, from) == from then add_home(scan, from, stop - 1) end
    end
  end
  if scan.lower:find("/home", 1, true) then find_below(scan, "(/homes?%d*/+)") end
  if scan.lower:find("/user", 1, true) then find_below(scan, "(/users?%d*/+)") end
  if scan.lower:find("/u/", 1, true) then find_below(scan, "(/u/+)", true) end
  if scan.lower:find("/media/", 1, true) then find_below(scan, "(/media/+)", true) end
  if scan.lower:find("users\\", 1, true) or scan.lower:find("\\home", 1, true) or scan.lower:find(":/users/", 1,
    true) then
    local at = 1
    while true do
      local from, stop = text:match("%f[%w\\]()%a:[\\/]+[Uu]sers[\\/]+[%w._-]+()", at)
      if not from then from, stop = text:match("()\\\\+[%w._-]+\\+[Uu]sers\\+[%w._-]+()", at) end
      if not from then from, stop = text:match("()\\\\+[%w._-]+\\+[Hh]omes?%$?\\+[%w._-]+()", at) end
      if not from then from, stop = text:match("%f[%w\\]()[Uu]sers\\+[%w._-]+()\\", at) end
      if not from then break end
      at = stop
      add_home(scan, from, stop - 1)
    end
  end
end

local function is_name(name) return #name >= 2 and name:find "^%l" ~= nil end

-- ~bob/src
local function find_tilde(scan, add)
  local text = scan.text
  for at in scan:each "~" do
    local name, stop = text:match("^([%l_][%l%d_.-]+)()", at + 1)
    local inside = at > 1 and text:find("^[%w~._/)%]]", at - 1)
    if name and not inside and #name >= 3 then
      -- In code ~name is a complement.
      local folder = text:find("^/", stop) or text:sub(math.max(1, at - 6), at - 1):find "%f[%a][ch][do]m?e?[ =]$"
      if folder then add(at + 1, stop - 1, name) end
    end
  end
end

local ESCAPED = set "n t r b f v u x d w s a e 0"
local DOMAINS = set "corp ad workgroup domain office internal company emea apac amer intra ntdom local"

-- CORP\bob
local function find_domain(scan, add)
  local text, at = scan.text, 1
  while true do
    local from, domain, slashes, start, name, stop = text:match("%f[%w_.-]()(%u[%u%d_-]+)(\\\\?)()(%a[%w._-]+)()", at)
    if not from then return end
    at = start
    -- "ERROR\nnext" in a string is an end of line.
    local first = name:sub(1, 1)
    local escaped = slashes == "\\" and ESCAPED[first] and not DOMAINS[domain:lower()]
      and (#name < 4 or first:find "[ntrux]")
    local named = text:sub(math.max(1, from - 24), from - 1):lower():find "user%w*[\"']?%s*[=:]?%s*[\"']?$"
    if #domain <= 15 and not text:find("^\\", stop) and (named or not escaped) and not name:find "^%u+$" then
      add(from, stop - 1, name)
      at = stop
    end
  end
end

local NOBODY = set [[
  root user users ubuntu debian centos runner docker jenkins build builder test tester admin nobody vagrant jovyan main
  host default localhost home work data daemon git www-data node app postgres mysql redis none null true false
  anonymous guest ec2-user core system self name username]]

-- Where the next word is a user.
local BEFORE = { "%f[%w]sudo %-u $", "%f[%w]su %- $", "submitted by $", "uid=%d+%($", "gid=%d+%($", "%f[%w_]USER=$",
  "%f[%w_]LOGNAME=$", "%f[%w_]USERNAME=$",
  "%f[%w_]SUDO_USER=$", "%f[%w_]SLURM_JOB_USER=$", "[uU]serId=$", "session opened for user $",
  "session closed for user $", "Accepted publickey for $", "Accepted password for $", "Failed password for $",
  "su: %(to [%w_-]+%) $" }
local MARKS = { "uid=", "gid=", "user=", "logname=", "username=", "userid=", "for user ", "publickey for ",
  "password for ", "sudo -u ", "su - ", "submitted by " }

-- Whether a word is the name of a person's account.
local function is_user(name) return is_name(name) and not NOBODY[name] end

local function find_named(scan, add)
  local text = scan.text
  for _, mark in ipairs(MARKS) do
    for from, to in scan:each(mark) do
      local name_at = mark:find "id=$" and text:match("^%d+%(()", to + 1) or to + 1
      local name, stop = text:match("^([%a_][%w._-]*)()", name_at)
      if name and is_user(name) then
        local before = text:sub(math.max(1, from - 20), name_at - 1)
        for _, pattern in ipairs(BEFORE) do
          if before:find(pattern) then
            add(name_at, stop - 1, name)
            break
          end
        end
      end
    end
  end
end

--- Users other than those that are known.
function people.users(scan, replace)
  local function add(from, to, name) scan:add(from, to, "user name", "user name", replace("user", name)) end
  if scan.text:find("~", 1, true) then find_tilde(scan, add) end
  if scan.text:find("\\", 1, true) then find_domain(scan, add) end
  find_named(scan, add)
  for _, to in scan:each "_bazel_" do
    local name, stop = scan.text:match("^([%l_][%w._-]*)()", to + 1)
    if name and is_user(name) then add(to + 1, stop - 1, name) end
  end
  owners(scan, is_user, add)
end

--- Whether a user or a host of this name identifies anybody.
function people.identifies(name) return type(name) == "string" and #name >= 3 and not NOBODY[name:lower()] end

-- Addresses that identify nobody: those that RFC 2606 reserves for examples, and GitHub's noreply ones.
local function is_impersonal(domain)
  domain = "." .. domain:lower()
  for _, ending in ipairs { "%.example%.%a+$", "%.example$", "%.test$", "%.invalid$", "%.noreply%.github%.com$" } do
    if domain:find(ending) then return true end
  end
  return false
end

--- Mail addresses.
function people.mail(scan)
  local text = scan.text
  local last = 0
  for at in scan:each "@" do
    local who = text:sub(math.max(last + 1, at - 64), at - 1):match "[%w._%%+-]+$"
    local domain = who and text:match("^[%w-]+%.[%w.-]*%a%a", at + 1)
    local in_url = who and text:sub(math.max(1, at - 200), at - #who - 1):find "://[^%s/]*$"
    if domain and not in_url and who ~= "git" and not is_impersonal(domain) then
      last = at + #domain
      scan:add(at - #who, last, "mail address", "mail address", "<redacted>@<redacted>")
    end
  end
end

return people
