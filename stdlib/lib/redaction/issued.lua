-- Finds what is secret by its own form: tokens of known issuers, private keys, and the user and password of a URL.

local issuers = require "lib/redaction/issuers"
local randomness = require "lib/redaction/randomness"

local issued = {}

-- One row for each prefix.
local PREFIXES = {}
for _, row in ipairs(issuers.PREFIXES) do
  for prefix in row[4]:gmatch "%S+" do
    PREFIXES[#PREFIXES + 1] = { kind = row[1], prefix = prefix, run = "^" .. row[2] .. "*()", least = row[3],
      exactly = row.exactly, within = row.within }
  end
end

local CUT = 4  -- of a token that the end of the text cuts off, how many characters are enough
local GLUED, LONG = 4, 20
local LETTERS = 8  -- a prefix as long as this is enough of a sign

-- Where the text was cut off: at its end, or at an ellipsis.
local function is_cut(text, at)
  return at > #text or text:find("^%.%.%.", at) ~= nil or text:find("^\u{2026}", at) ~= nil
    or text:find("^%s*[%[(<]?truncated", at) ~= nil
end

local function find_prefix(scan, row)
  local text, at = scan.text, 1
  while true do
    local from, to = text:find(row.prefix, at, true)
    if not from then return end
    at = to + 1
    local stop = text:match(row.run, to + 1)
    while stop > to + 1 and text:find("^%.", stop - 1) do stop = stop - 1 end
    local length = stop - to - 1
    -- Within a word, as in MY_ghp_..., only what is certain counts.
    local glued = #row.prefix >= GLUED and length >= LONG and randomness.certain(text:sub(to + 1, stop - 1))
    if glued or scan:starts_word(from) then
      local enough = length >= row.least and not (row.exactly and length > row.least)
        or length >= CUT and #row.prefix >= 4 and is_cut(text, stop) and text:sub(to + 1, stop - 1):find "[%d%u]"
        or length >= LETTERS and #row.prefix >= LETTERS
      if enough and row.within and not text:sub(to + 1, stop - 1):find(row.within) then enough = false end
      if enough then
        scan:add(from, stop - 1, row.kind)
        at = stop
      end
    end
  end
end

--- Tokens of known issuers.
function issued.tokens(scan)
  for _, row in ipairs(PREFIXES) do find_prefix(scan, row) end
  for _, form in ipairs(issuers.FORMS) do
    local at = scan.text:find(form.near, 1, true) and 1 or nil
    while at do
      local from, to, inner, over = scan.text:find(form.pattern, at)
      if from then scan:add(inner or from, over and over - 1 or to, form[1]) end
      at = to and to + 1
    end
  end
end

--- scheme://user:password@host
function issued.urls(scan)
  local text = scan.text
  for from, to in scan:each "://" do
    local stop = text:match("^[^%s/\"'`<>]*()@", to + 1)
    local who = stop and text:sub(to + 1, stop - 1)
    if who and who ~= "git" and who ~= "" and text:find("^%w", from - 1) then
      scan:add(to + 1, stop - 1, "credentials in a URL")
    end
  end
end

-- The lines of a key: base64, in a log also with what is before each line, or escaped in a string.
local BODY = "^[%s\"',|>#%+%-]*[%w+/=]+"

local function is_body(line)
  local bare = line:gsub("\\[nr]", ""):match "([%w+/=]+)[%s\"',\\]*$"
  return bare ~= nil and #bare >= 16 and not bare:find "^%l+$" and line:find(BODY) ~= nil and not line:find "%S%s+%S"
end

local KEY = "PRIVATE KEY"

-- Where the mark before or after a key begins, whose last words are at `at`; nil if they are of no mark.
local function mark_of(scan, at, word)
  local near = math.max(1, at - 40)
  local from = scan.text:sub(near, at - 1):match("()%-%-%-%-%-?" .. word .. "[%u%d ]*$")
  return from and near + from - 1
end

local function lines_after(scan, at)
  local text = scan.text
  local last = scan:line_end(at)
  while last < #text do
    local stop = scan:line_end(last + 2)
    local line = text:sub(last + 2, stop)
    local more = line:find "^%s*%u[%w-]*: " or line:find "^%s*$" or line:find "^=?[%w+/=]+%s*$"
    if not (is_body(line) or more) then break end
    last = stop
  end
  return last
end

local function lines_before(scan, at)
  local text, first = scan.text, scan:line_start(at)
  while first > 1 do
    local start = scan:line_start(first - 1)
    local line = text:sub(start, first - 2)
    if not (is_body(line) or start == 1 and line:find "^[%w+/=]+%s*$") then break end
    first = start
  end
  return first
end

-- A key from its first mark to its last one; if one of them was cut off, the lines of the key that are there.
local function marked_keys(scan)
  local text, at = scan.text, 1
  while true do
    local from, to = text:find(KEY, at, true)
    if not from then return end
    at = to + 1
    local head = mark_of(scan, from, "BEGIN")
    if head then
      local next_key, over = text:find(KEY, to + 1, true)
      local stop
      if next_key and mark_of(scan, next_key, "END") then
        stop = text:match("^[%u ]*%-*()", over + 1) - 1
      else
        stop = lines_after(scan, to)
      end
      at = stop + 1
      scan:add(head, stop, "private key")
    elseif mark_of(scan, from, "END") then
      local start = scan:line_start(from)
      local stop = select(2, text:find("^[%u ]*%-*", to + 1))
      scan:add(lines_before(scan, start), stop, "private key")
    end
  end
end

-- How the base64 of an unencrypted key begins: an ASN.1 sequence, or the mark of OpenSSH.
local HEADS = { "MII", "b3BlbnNzaC1rZXk", "LS0tLS1CRUdJTi" }

-- Lines of one length at the start of the text, without a mark: its tail has them.
local function unmarked_key(scan)
  local text = scan.text
  local first = scan:line_end(1)
  local at, length, lines = first + 2, nil, 0
  while at <= #text do
    local stop = scan:line_end(at)
    local line = text:sub(at, stop):gsub("\r$", "")
    if not line:find "^[%w+/]+=*$" or #line > 80 or length and #line > length or #line < 8 then break end
    length = length or #line
    if length < 48 or #line == length and not (line:find "%u" and line:find "%l") then break end
    lines, first, at = lines + 1, stop, stop + 2
  end
  if lines >= 2 and text:find "^[%w+/]+=*\r?\n" then scan:add(1, first, "private key") end
end

--- Private keys, also without their head or their tail.
function issued.private_keys(scan)
  local text = scan.text
  if text:find(KEY, 1, true) then marked_keys(scan) end
  for _, head in ipairs(HEADS) do
    local at = 1
    while true do
      local from, to = text:find(head, at, true)
      if not from then break end
      to = text:match("^[%w+/]*()", to + 1) - 1
      at = to + 1
      local goes_on = from > 1 and text:find("^[%w+/]", from - 1)
      local key = to - from >= 40 and not goes_on and not scan:in_public_block(from)
      if key then scan:add(from, math.max(to, lines_after(scan, to)), "private key") end
    end
  end
  local putty = text:match "\nPrivate%-Lines: %d+()"
  if putty then scan:add(scan:line_end(putty) + 2, lines_after(scan, putty), "private key") end
  unmarked_key(scan)
end

return issued
