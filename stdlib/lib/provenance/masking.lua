-- Redacts text that leaves the machine: home folders and user names, tokens and passwords, mail addresses, host names
-- and network addresses. It rather redacts too much than too little, and guarantees nothing: read a text before you
-- share it.

local MASKED = "<redacted>"

-- Accounts that identify nobody, and ordinary words.
local NOBODY = { root = true, user = true, users = true, ubuntu = true, debian = true, runner = true, docker = true,
  jenkins = true, build = true, builder = true, test = true, admin = true, nobody = true, vagrant = true, jovyan = true,
  main = true, host = true, default = true, local_ = true, localhost = true, home = true, work = true, data = true }
local SHORTEST_NAME = 3  -- shorter ones are parts of too many words

-- Tokens by their issuers' formats: a prefix, the characters after it, and at least how many of them.
local TOKENS = {
  { "gh[pousr]_", "%w", 20 }, { "github_pat_", "[%w_]", 20 }, { "glpat%-", "[%w_-]", 16 }, { "hf_", "%w", 20 },
  { "npm_", "%w", 30 }, { "pypi%-", "[%w_-]", 20 }, { "dckr_pat_", "[%w_-]", 20 }, { "nvapi%-", "[%w_-]", 20 },
  { "A[KS]IA", "[%u%d]", 16 }, { "AIza", "[%w_-]", 30 }, { "xox[abeoprs]%-", "[%w-]", 10 }, { "sk%-", "[%w_-]", 20 },
  { "wandb_v1_", "[%w_-]", 20 }, { "eyJ", "[%w_.-]", 30 },
}

-- Words in the name of a variable that mark its value as secret; whole words, so MAX_TOKENS and KEYBOARD are none.
local SECRET_WORDS = { token = true, secret = true, password = true, passwd = true, passphrase = true, pwd = true,
  credential = true, credentials = true, auth = true, apikey = true, key = true, signature = true }
local WEAK_WORDS = { key = true, auth = true, pwd = true, signature = true }  -- ambiguous: only long values are secret

local Masking = {}
Masking.__index = Masking

-- "secret", "weak" or nil.
local function says_secret(name)
  local found
  for word in name:gsub("(%l)(%u)", "%1_%2"):lower():gmatch "%a+" do
    if SECRET_WORDS[word] then
      if not WEAK_WORDS[word] then return "secret" end
      found = "weak"
    end
  end
  return found
end

local function plain(text) return (text:gsub("%p", "%%%0")) end

function Masking:hit(kind)
  self.counts[kind] = (self.counts[kind] or 0) + 1
end

-- Long, in characters of base64 or hex, and neither a plain word nor a number.
local function looks_random(value)
  return #value >= 16 and value:match "^[%w+/=_.-]+$" ~= nil and value:match "%d" ~= nil and value:match "%a" ~= nil
end

-- TOKEN=$HF_TOKEN reveals nothing.
local function is_reference(value)
  local variable = value:match "^%$([%a_][%w_]*)$"
  return variable ~= nil and says_secret(variable) ~= nil
end

local function is_secret(name, value)
  local says = says_secret(name)
  if not says or value == "" or value:find(MASKED, 1, true) or is_reference(value) then return false end
  if says == "weak" then return looks_random(value) end
  return value:match "^[%d.]+$" == nil or #value >= 16 or name:lower():match "pass" ~= nil
end

local LITERALS = { ["true"] = true, ["false"] = true, ["nil"] = true, ["null"] = true, ["none"] = true,
  ["None"] = true }

function Masking:tokens(text)
  text = text:gsub("%-%-%-%-%-BEGIN [%u ]*PRIVATE KEY%-%-%-%-%-.-%-%-%-%-%-END [%u ]*PRIVATE KEY%-%-%-%-%-", function()
    self:hit "secret"
    return MASKED
  end)
  for _, token in ipairs(TOKENS) do
    text = text:gsub("%f[%w_]" .. token[1] .. token[2]:rep(token[3]) .. token[2] .. "*", function()
      self:hit "secret"
      return MASKED
    end)
  end
  text = text:gsub("(%f[%a][Bb]earer%s+)([%w+/=_.~-]+)", function(word, value)
    if #value < 8 then return nil end
    self:hit "secret"
    return word .. MASKED
  end)
  text = text:gsub("(%f[%a][Bb]asic%s+)([%w+/]+=*)", function(word, value)
    if #value < 16 then return nil end
    self:hit "secret"
    return word .. MASKED
  end)
  return (text:gsub("(%f[%w+.-]%a[%w+.-]*://)([^%s/@\"'`<>]+)@", function(scheme, who)
    if who == "git" or who:find(MASKED, 1, true) then return nil end
    self:hit "secret"
    return scheme .. MASKED .. "@"
  end))
end

local JUDGED = 1024  -- characters of a value that decide whether it is secret; it is redacted to its end
local VALUE = "^[^%s\"'`<>{}%[%];]+"

-- Replaces each NAME=value by what `replace` returns. If the name says nothing, the value may be an assignment too:
-- log:NAME=value.
local function without_assignments(text, replace)
  local parts, at = {}, 1
  while true do
    local from, to, name, between = text:find("%f[%w_-]([%w_-]+)([\"']?%s*[=:]%s*)", at)
    if not from then break end
    local value = says_secret(name) and text:sub(to + 1, to + JUDGED):match(VALUE)
    local masked = value and replace(name, between, value)
    parts[#parts + 1] = text:sub(at, from - 1) .. (masked or text:sub(from, to))
    at = masked and select(2, text:find(VALUE, to + 1)) + 1 or to + 1
  end
  return table.concat(parts) .. text:sub(at)
end

-- NAME=value, NAME: value, "NAME": "value", name = "value", --name value.
function Masking:assignments(text)
  local function replace(name, between, value)
    local bare = value:gsub("[,;)%]}.]+$", "")
    if LITERALS[bare] or bare:match "^%a[%w_]*[.(]" or not is_secret(name, bare) then return nil end
    -- Without quotes and with blanks around the sign it is code, where a value is a variable unless it looks random.
    if between:match "%s" and not between:match "%-%-" and not looks_random(bare) then return nil end
    self:hit "secret"
    return name .. between .. MASKED .. value:sub(#bare + 1)
  end
  local function replace_quoted(name, between, quote, value)
    if not is_secret(name, value) then return nil end
    self:hit "secret"
    return name .. between .. quote .. MASKED .. quote
  end
  text = text:gsub("([?&])([%w_.-]+)=([^%s&#\"'`<>]+)", function(mark, name, value)
    if not is_secret(name, value) then return nil end
    self:hit "secret"
    return mark .. name .. "=" .. MASKED
  end)
  for _, quote in ipairs { '"', "'" } do
    text = text:gsub("%f[%w_-]([%w_-]+)([\"']?%s*[=:]%s*)(" .. quote .. ")([^%s" .. quote .. "]*)" .. quote,
      replace_quoted)
    text = text:gsub("%f[%w_-](%-%-%a[%w_-]*)([ =])(" .. quote .. ")([^" .. quote .. "\n]*)" .. quote, replace_quoted)
  end
  text = without_assignments(text, replace)
  return (text:gsub("%f[%w_-](%-%-%a[%w_-]*)( )([^%s\"'`<>-][^%s\"'`<>]*)", function(name, between, value)
    if not is_secret(name, value) then return nil end
    self:hit "secret"
    return name .. between .. MASKED
  end))
end

-- Addresses that identify nobody: those that RFC 2606 reserves for examples, and GitHub's noreply ones.
local function is_impersonal(domain)
  domain = "." .. domain:lower()
  for _, ending in ipairs { "%.example%.%a+$", "%.example$", "%.test$", "%.invalid$", "%.noreply%.github%.com$" } do
    if domain:find(ending) then return true end
  end
  return false
end

function Masking:mail(text)
  return (text:gsub("%f[%w._%%+-]([%w._%%+-]+)@([%w-]+%.[%w.-]*%a%a)", function(who, domain)
    if who == "git" or is_impersonal(domain) then return nil end
    self:hit "mail address"
    return MASKED .. "@" .. MASKED
  end))
end

-- Every user's home folder. `whole`: the rest of the path too, where ~ would not work.
function Masking:homes(text, whole)
  local function masked(before, rest)
    self:hit "home path"
    if whole then return before .. MASKED end
    return before .. "~" .. rest
  end
  local rest = "([^%s\"'`<>|,;:)%]]*)"  -- braces belong to it: jax-{date}
  if self.home and #self.home > 1 and self.home ~= "/root" then
    text = (" " .. text):gsub("([^%w._/~-])" .. plain(self.home) .. "%f[^%w._-]" .. rest, masked):sub(2)
  end
  for _, top in ipairs { "/home/", "/Users/" } do
    text = (" " .. text):gsub("([^%w._/~-])" .. top .. "[%w._-]+" .. rest, masked):sub(2)
    text = text:gsub("(%f[%w-]%-%a)" .. top .. "[%w._-]+" .. rest, masked)  -- -I/home/ann/include
  end
  return (text:gsub("(%f[%a])%a:[\\/]+[Uu]sers[\\/]+[%w._-]+" .. rest, masked))
end

-- `within`: the characters that may continue a name.
function Masking:names_of(what, names, within, text)
  for _, name in ipairs(names) do
    text = text:gsub("%f[" .. within .. "]" .. plain(name) .. "%f[^" .. within .. "]", function()
      self:hit(what)
      return MASKED
    end)
  end
  return text
end

function Masking:users(text) return self:names_of("user name", self.names, "%w_", text) end

local INNER = { ["local"] = true, lan = true, internal = true, intranet = true, corp = true, localdomain = true }

local function is_address(a, b, c, d)
  for _, part in ipairs { a, b, c, d } do
    if #part > 3 or tonumber(part) > 255 then return false end
  end
  return not (a == "127" or a == "0" or a == "255")
end

-- Versions look the same: 12.4.5.8 after "cublas-" or "==" is one.
function Masking:addresses(text)
  local whole = " " .. text
  text = whole:gsub("([^%w._-])(%d+)%.(%d+)%.(%d+)%.(%d+)()", function(before, a, b, c, d, behind)
    local goes_on = whole:match("^[%w_-]", behind) or whole:match("^%.%w", behind)
    if goes_on or not is_address(a, b, c, d) then return nil end
    self:hit "network address"
    return before .. MASKED
  end):sub(2)
  text = text:gsub("%f[%x:]([%x:]+)%f[^%x:]", function(address)
    local _, colons = address:gsub(":", "")
    local mac = address:match "^%x%x:%x%x:%x%x:%x%x:%x%x:%x%x$"
    local one_gap = select(2, address:gsub("::", "")) == 1 and not address:find(":::", 1, true)
    local short = one_gap and (colons >= 4 or address:match "^f[ed]%x%x:" or address:match "^2%x%x%x:")
    if not mac and not short and not (colons == 7 and address:match "^%x+:") then return nil end
    self:hit "network address"
    return MASKED
  end)
  return (text:gsub("%f[%w.-]([%w.-]+)%.(%a+)%f[^%w.-]", function(_, last)
    if not INNER[last] then return nil end
    self:hit "host name"
    return MASKED
  end))
end

function Masking:hosts(text) return self:names_of("host name", self.host_names, "%w_-", text) end

function Masking:all(text, whole)
  text = self:assignments(self:tokens(text))
  text = self:homes(self:mail(text), whole)
  return self.keep_host and text or self:hosts(self:addresses(text))
end

--- Text for people: a home folder becomes ~.
function Masking:text(text) return self:users(self:all(text, false)) end

--- Text for the engine, a script or an option: a path in a home folder becomes <redacted> to its end, and words that
--- are also a user's name stay.
function Masking:code(text) return self:all(text, true) end

--- The value of a script's option.
function Masking:option(flag, value)
  if is_secret(flag, value) then return self:value(flag, value) end
  return self:code(value)
end

--- The value of a variable.
function Masking:value(name, value)
  if is_secret(name, value) then
    self:hit "secret"
    return MASKED
  end
  return self:text(value)
end

--- What was redacted since the last call, as "2 home paths, 1 secret"; nil if nothing was.
function Masking:said()
  local words = {}
  for kind, count in pairs(self.counts) do
    words[#words + 1] = count .. " " .. (count == 1 and kind or kind:gsub("ss$", "sse") .. "s")
  end
  self.counts = {}
  table.sort(words)
  return #words > 0 and table.concat(words, ", ") or nil
end

local masking = { MASKED = MASKED }

--- Whether any part of the value was redacted.
function masking.is_masked(value) return type(value) == "string" and value:find(MASKED, 1, true) ~= nil end

--- The option as it has to be passed again: "--repo xla=PATH".
function masking.to_give(text) return (text:gsub(MASKED .. ".*", "PATH")) end

--- `person`: home, user and host of this machine, more `hosts`, and keep_host.
function masking.new(person)
  local self = setmetatable({ counts = {}, home = person.home, keep_host = person.keep_host, names = {},
    host_names = {} }, Masking)
  local function learn(list, name)
    if type(name) == "string" and #name >= SHORTEST_NAME and not NOBODY[name:lower()] then list[#list + 1] = name end
  end
  learn(self.names, person.user)
  learn(self.host_names, person.host)
  for _, host in ipairs(person.hosts or {}) do
    learn(self.host_names, host)
    learn(self.host_names, host:match "^([^.]+)%.")
  end
  return self
end

return masking
