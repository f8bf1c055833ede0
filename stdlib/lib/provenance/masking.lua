-- Redacts text that leaves the machine: secrets, home folders, users, mail addresses, host names, network addresses and
-- ids of GPUs. The rules are in lib/redaction. It rather redacts too much than too little, and guarantees nothing: read
-- a text before you share it.

local accounts = require "lib/redaction/accounts"
local assigned = require "lib/redaction/assigned"
local calls = require "lib/redaction/calls"
local codes = require "lib/redaction/codes"
local columns = require "lib/redaction/columns"
local commanded = require "lib/redaction/commanded"
local issued = require "lib/redaction/issued"
local links = require "lib/redaction/links"
local logins = require "lib/redaction/logins"
local machines = require "lib/redaction/machines"
local passwords = require "lib/redaction/passwords"
local people = require "lib/redaction/people"
local piped = require "lib/redaction/piped"
local printed = require "lib/redaction/printed"
local scan_of = require "lib/redaction/scan"
local spots = require "lib/redaction/spots"
local unlisted = require "lib/redaction/unlisted"
local plain = require("lib/redaction/words").plain

local MASKED = "<redacted>"

local Masking = {}
Masking.__index = Masking

-- The same name has the same number in all of the text.
function Masking:numbered(kind, name)
  local key = kind .. " " .. (self.same[name:lower()] or name:lower())
  local number = self.numbers[key]
  if not number then
    number = (self.numbers[kind] or 0) + 1
    self.numbers[kind], self.numbers[key] = number, number
  end
  return "<" .. kind .. "-" .. number .. ">"
end

-- Names that are known at run time; `within`: the characters that may continue one.
local function find_names(scan, what, names, within, replace)
  for _, name in ipairs(names) do
    local pattern = "^%f[" .. within .. "]" .. plain(name:lower()) .. "%f[^" .. within .. "]"
    for from, to in scan:each(name:lower()) do
      if scan.lower:find(pattern, from) and (what == "host" or scan.text:sub(from, to) == name) then
        scan:add(from, to, what .. " name", what .. " name", replace(what, name))
      end
    end
  end
end

local function without_number() return nil end

-- Everything in the text that must not leave the machine. `code`: as in Masking:code.
function Masking:scan(text, code)
  local scan, replace = scan_of(text, code), code and without_number or self.replace
  issued.tokens(scan)
  issued.urls(scan)
  logins(scan)
  issued.private_keys(scan)
  assigned(scan)
  accounts(scan)
  calls(scan)
  codes(scan)
  links(scan)
  passwords(scan)
  commanded(scan)
  piped(scan)
  printed(scan)
  columns(scan)
  unlisted(scan)
  if self.only_secrets then return scan end
  people.mail(scan)
  people.homes(scan, self.home)
  machines.gpus(scan, replace)
  if not code then
    people.users(scan, replace)
    find_names(scan, "user", self.names, "%w_", replace)
  end
  if not self.keep_host then
    find_names(scan, "host", self.host_names, "%w_%-", replace)
    machines.addresses(scan, replace)
    machines.hosts(scan, replace)
  end
  return scan
end

function Masking:hit(class, kind)
  self.counts[class] = (self.counts[class] or 0) + 1
  if self.marked then return spots.mark(kind) end
  return ""
end

function Masking:masked(text, code)
  if text == "" then return text end
  return self:scan(text, code):replaced(function(span)
    return (span.by or MASKED) .. self:hit(span.class, span.kind)
  end)
end

--- Text for people: a home folder becomes ~, and users, hosts and GPUs have numbers.
function Masking:text(text) return self:masked(text, false) end

--- Text for the engine, a script or an option: a path in a home folder becomes <redacted> to its end, and words that
--- are also a user's name stay.
function Masking:code(text) return self:masked(text, true) end

--- The value of a script's option. A path in it ends where the value ends.
function Masking:option(flag, value)
  local whole = flag ~= "" and not value:find "^%-%-" and assigned.is_secret(flag, value)
  if whole then return MASKED .. self:hit("secret", "named secret") end
  return self:code(value)
end

--- The value of a variable.
function Masking:value(name, value)
  if assigned.is_secret(name, value) then return MASKED .. self:hit("secret", "named secret") end
  local shown = self:text(name .. "=" .. value)
  if shown:sub(1, #name + 1) == name .. "=" then return shown:sub(#name + 2) end
  return self:text(value)
end

--- The name of a host.
function Masking:host(name)
  if self.keep_host then return name end
  return self.replace("host", name) .. self:hit("host name", "host name")
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

--- `person`: home, user and host of this machine, more `hosts`, keep_host, only_secrets - for text that stays on the
--- machine -, and whether what is redacted is `marked` for lib/redaction/spots.lua.
function masking.new(person)
  local self = setmetatable({ counts = {}, home = person.home, keep_host = person.keep_host, names = {},
    only_secrets = person.only_secrets,
    host_names = {}, numbers = {}, same = {}, marked = person.marked }, Masking)
  self.replace = function(kind, name) return self:numbered(kind, name) end
  if people.identifies(person.user) then self.names[1] = person.user end
  local hosts = table.move(person.hosts or {}, 1, #(person.hosts or {}), 2, { person.host or "" })
  for _, host in ipairs(hosts) do
    local short = type(host) == "string" and host:match "^([^.]+)%."
    if people.identifies(host) then self.host_names[#self.host_names + 1] = host end
    if short and people.identifies(short) then
      self.host_names[#self.host_names + 1] = short
      self.same[short:lower()] = host:lower()
    end
  end
  return self
end

return masking
