-- Redacts text that leaves the machine: secrets, home folders, users, mail addresses, hosts, network addresses and ids
-- of GPUs. No rules find all of them: read a text before you share it.

local identities = require "lib/redaction/identities"
local secret_names = require "lib/redaction/secret_names"
local tokens = require "lib/redaction/tokens"
local values = require "lib/values"

local REDACTED = "<redacted>"

-- A text, and the spans of it that rules have found.
local Scan = {}
Scan.__index = Scan

--- Adds text[from, to], which is a secret, or with `by` what identifies somebody; `by` is what replaces it.
function Scan:add(from, to, kind, by)
  if to >= from then self.spans[#self.spans + 1] = { from = from, to = to, kind = kind, by = by, secret = not by } end
end

--- The positions of a plain, lowercase word in the text, in any case, as an iterator: from, to.
function Scan:each(word)
  local at = 1
  return function()
    local from, to = self.lower:find(word, at, true)
    at = to and to + 1
    return from, to
  end
end

local LONGEST_LINE = 1 << 15

--- The end of the line that holds this position.
function Scan:line_end(at)
  local piece = self.text:sub(at, at + LONGEST_LINE - 1)
  local stop = piece:find("\n", 1, true)
  return stop and at + stop - 2 or at + #piece - 1
end

--- The start of the line that holds this position; looks back only so far.
function Scan:line_start(at)
  local near = math.max(1, at - 400)
  local last = self.text:sub(near, at - 1):match "^.*()\n"
  return last and near + last or near
end

-- Escapes end in a letter that belongs to no word: \n in JSON, %20 in a URL, the color of a terminal.
local ESCAPES = { "\\[nrtbf]$", "%%%x%x$", "\27%[[%d;]*m$", "\\u00%x%x$" }

--- Whether a word may begin at this position.
function Scan:starts_word(at)
  if at == 1 or not self.text:find("^[%w_]", at - 1) then return true end
  local before = self.text:sub(math.max(1, at - 8), at - 1)
  return values.find(ESCAPES, function(escape) return before:find(escape) end) ~= nil
end

-- Of two that overlap, a secret stands over anything else, and a longer one over a shorter one.
local function merged(spans)
  table.sort(spans, function(a, b) return a.from < b.from or a.from == b.from and a.to > b.to end)
  local list = {}
  for _, span in ipairs(spans) do
    local last = list[#list]
    if last and span.from <= last.to then
      local over = span.secret and not last.secret
      if over then last.kind, last.secret, last.by = span.kind, true, nil end
      if over or span.secret == last.secret then last.to = math.max(last.to, span.to) end
    else
      list[#list + 1] = span
    end
  end
  return list
end

local redactor = { REDACTED = REDACTED }

-- While a text is put together, a mark follows each thing redacted: one of the code points that Unicode keeps for a
-- program's own use. Each stands for a kind; the last one for all others.
local FIRST <const>, COUNT <const> = 0xFDD0, 32
local MARK <const> = "\xEF\xB7([\x90-\xAF])"
local OTHER <const> = { what = "secret", secret = true }
local kinds, number_of = {}, {}

local function mark(kind, secret)
  local number = number_of[kind] or math.min(#kinds + 1, COUNT)
  kinds[number] = number_of[kind] and kinds[number] or number < COUNT and { what = kind, secret = secret } or OTHER
  number_of[kind] = number
  return utf8.char(FIRST + number - 1)
end

local function lines_of(text) return values.matches(text .. "\n", "([^\n]*)\n") end

--- The text without marks, and what they said: { what =, secret =, count =, lines = } for each kind, the most frequent
--- first.
function redactor.read(text)
  local of = {}
  local lines = values.map(lines_of(text), function(line, number)
    return (line:gsub(MARK, function(last)
      local kind = kinds[last:byte() - 0x8F] or OTHER
      local entry = of[kind.what] or { what = kind.what, secret = kind.secret, count = 0, lines = {} }
      of[kind.what], entry.count = entry, entry.count + 1
      if entry.lines[#entry.lines] ~= number then entry.lines[#entry.lines + 1] = number end
      return ""
    end))
  end)
  local list = values.map(values.sorted_names(of), function(what) return of[what] end)
  return table.concat(lines, "\n"), values.sort_by(list, function(entry) return -entry.count end)
end

-- Letters of both cases and digits that change as in no name.
local function is_suspect(word)
  if #word < 16 or #word > 256 or word:find "^_?_Z" or word:find "^[Ss][Hh][Aa]%d" or word:find "%l%l%l%l%l" then
    return false
  end
  local changes = select(2, word:gsub("%l%f[%u%d]", "")) + select(2, word:gsub("%u%f[%l%d]", ""))
    + select(2, word:gsub("%d%f[%a]", ""))
  return word:find "%l" and word:find "%u" and word:find "%d" and changes / #word >= 0.35
end

--- Words that look like secrets and were not redacted: { line =, text = }.
function redactor.suspects(text)
  local list, seen = {}, {}
  for number, line in ipairs(lines_of(text)) do
    for from, word in line:gmatch "()([%w+=_~%-]+)" do
      local digest = line:sub(math.max(1, from - 8), from - 1):lower():find "sha%d+[:=-]$"
      if not seen[word] and not digest and is_suspect((word:gsub("^[%a_][%w_]*=", ""))) then
        list[#list + 1], seen[word] = { line = number, text = word }, true
      end
    end
  end
  return list
end

local Redactor = {}
Redactor.__index = Redactor

-- Spans within the engine's own names, as the path of its store, are none.
local function drop_own(scan, own)
  for _, name in ipairs(own) do
    for from, to in scan:each(name:lower()) do
      for i = #scan.spans, 1, -1 do
        if scan.spans[i].from >= from and scan.spans[i].to <= to then table.remove(scan.spans, i) end
      end
    end
  end
end

local function redact(self, text, code)
  if text == "" then return text end
  local scan = setmetatable({ text = text, lower = text:lower(), code = code, spans = {} }, Scan)
  tokens(scan)
  secret_names.find(scan)
  -- In code nothing is numbered.
  if not self.only_secrets then identities.find(scan, self, code and function() return REDACTED end or self.replace) end
  drop_own(scan, self.own)
  local parts, at = {}, 1
  for _, span in ipairs(merged(scan.spans)) do
    parts[#parts + 1] = text:sub(at, span.from - 1) .. (span.by or REDACTED) .. self:count(span.kind, span.secret)
    at = span.to + 1
  end
  parts[#parts + 1] = text:sub(at)
  return table.concat(parts)
end

--- Counts what was redacted; returns its mark.
function Redactor:count(kind, secret)
  local name = secret and "secret" or kind
  self.counts[name] = (self.counts[name] or 0) + 1
  return self.marked and mark(kind, secret) or ""
end

--- Text for people: a home folder becomes ~, and users, hosts and GPUs have numbers.
function Redactor:text(text) return redact(self, text, false) end

--- Text for the engine, a script or an option: a path in a home folder becomes <redacted> to its end.
function Redactor:code(text) return redact(self, text, true) end

--- The value of a script's option. A path in it ends where the value ends.
function Redactor:option(flag, value)
  local whole = flag ~= "" and not value:find "^%-%-" and secret_names.is_secret(flag, value)
  return whole and REDACTED .. self:count("named secret", true) or self:code(value)
end

--- The value of a variable.
function Redactor:value(name, value)
  if secret_names.is_secret(name, value) then return REDACTED .. self:count("named secret", true) end
  local shown = self:text(name .. "=" .. value)
  return shown:sub(1, #name + 1) == name .. "=" and shown:sub(#name + 2) or self:text(value)
end

--- The name of a host.
function Redactor:host(name)
  return self.keep_host and name or self.replace("host", name) .. self:count("host name", false)
end

--- What was redacted since the last call, as "2 home folders, 1 secret"; nil if nothing was.
function Redactor:said()
  local counts = self.counts
  self.counts = {}
  local words = values.sorted(values.map(values.sorted_names(counts), function(kind)
    return counts[kind] .. " " .. (counts[kind] == 1 and kind or kind:gsub("ss$", "sse") .. "s")
  end))
  return #words > 0 and table.concat(words, ", ") or nil
end

--- Whether any part of the value was redacted.
function redactor.is_redacted(value) return type(value) == "string" and value:find(REDACTED, 1, true) ~= nil end

--- The option as it has to be passed again: "--repo xla=PATH".
function redactor.to_pass(text) return (text:gsub(REDACTED .. ".*", "PATH")) end

--- `o`: more `hosts` than that of this machine, keep_host, only_secrets - for text that stays on the machine -, `own`
--- names that stay, and whether what is redacted is `marked` for redactor.read.
function redactor.new(o)
  local self = setmetatable({ counts = {}, only_secrets = o.only_secrets, marked = o.marked, own = o.own or {} },
    Redactor)
  identities.prepare(self, values.merged(core.person(), o))
  return self
end

return redactor
