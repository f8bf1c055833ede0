-- Finds secrets in the path and the query of a URL, where no name beside them says that they are.

local randomness = require "lib/redaction/randomness"
local set = require("lib/redaction/words").set

-- In a part of the path: what follows it is known only to those who may use it.
local OF_PATH = { "hook", "integration", "invite", "reset", "trigger", "token", "secret", "ping", "callback", "robot",
  "confirm", "verify", "magic", "signin", "login", "share", "unsubscribe", "activate", "capability", "feed" }
-- In the query these are public.
local PUBLIC = set [[
  sha sha1 sha256 md5 hash commit rev revision ref digest etag checksum v ver version id run job build trace span
  request
  object item page cursor from to branch tag h t]]

local function is_public(name)
  local lower = name:lower()
  return PUBLIC[lower] or PUBLIC[lower:match "%a+$" or ""] or PUBLIC[lower:gsub("id$", "")]
end

local function is_random(value)
  return randomness.is_uuid(value) or #value >= 24 and value:find "^%x+$" ~= nil
    or randomness.likely(value) and (value:find "%d%l" or value:find "%l%d") and value:find "[%u%d]%l" ~= nil
end

-- A key in a query may be short.
local function is_key(name, value)
  return name:lower():find "key$" and #value >= 8 and value:find "%d" and value:find "%l" and value:find "%u"
end

local function find_in_path(scan, from, path)
  local hooked = false
  for at, part in path:gmatch "()([^/?#]+)" do
    if hooked and is_random(part) then
      return scan:add(from + at - 1, from + #path:match "^[^?#]*" - 1, "secret in a URL")
    end
    for _, word in ipairs(OF_PATH) do hooked = hooked or part:lower():find(word, 1, true) ~= nil end
  end
end

--- Secrets in URLs.
return function(scan)
  for _, to in scan:each "://" do
    local at, rest = scan.text:match("^[^%s/\"'`<>]+()([/?#][^%s\"'`<>]*)", to + 1)
    if at then
      find_in_path(scan, at, rest)
      for name, start, value in rest:gmatch "[?&#]([%w_.-]+)=()([^&#;]+)" do
        if not is_public(name) and (is_random(value) or is_key(name, value)) then
          scan:add(at + start - 1, at + start + #value - 2, "secret in a URL")
        end
      end
    end
  end
end
