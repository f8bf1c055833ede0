-- Where in a text a name stands that says something is secret, and where the values after it do.

local names = require "lib/redaction/names"

local place = {}

local LONGEST_NAME = 80

--- The name around text[from, to], as it stands in the text: its first and last position.
function place.name(text, from, to)
  local near = math.max(1, from - LONGEST_NAME)
  local before = text:sub(near, from - 1):match "[%w_.%-]*$"
  if text:find("^%s/", from - #before - 2) then before = "/" .. before end  -- an option of Windows
  -- "shared key": in a name of two words the first says what key it is.
  local of_key = before == "" and text:sub(from, to):lower() == "key" and text:sub(near, from - 1):match "%f[%w](%a+ )$"
  if of_key and names(of_key .. "key") == "strong" then before = of_key end
  local after = text:sub(to + 1, to + LONGEST_NAME):match "^[%w_%-]*"
  return from - #before, to + #after
end

--- A value in quotes that begins at `at`: its first and last position, and where its quotes end; nil if none begins.
function place.quoted(scan, at)
  local text = scan.text
  local open, start = text:match("^%a?%a?@?(\\*[\"'`])()", at)
  if not open then return nil end
  local last = scan:line_end(start)
  local from = start
  while true do
    local stop, over = text:find(open, from, true)
    if not stop or stop > last then
      -- The text was cut off within them, or it is an apostrophe.
      if open == "'" and text:find("^%s", start) then return nil end
      return start, last
    end
    if #open > 1 or text:sub(stop - 1, stop - 1) ~= "\\" or text:sub(stop - 2, stop - 2) == "\\" then
      return start, stop - 1, over
    end
    from = over + 1
  end
end

--- Characters of a value that decide whether it is secret; it is redacted to its end.
place.JUDGED = 4096

--- A value without quotes: to the next blank, or to what separates it from the next name. In a URL & and # do.
function place.bare(scan, at, in_url)
  local text = scan.text
  local word = text:sub(at, at + place.JUDGED):match(in_url and "^[^%s\"'`<>&#]*" or "^[^%s\"'`]*")
  local stop = at + #word - 1
  if in_url then return at, stop end
  local cut = word:find "[,;&|][%w_.%-\"' ]+[=:]" or word:find "^[^<{$]*[<>]" and word:find "[<>]"
    or word:find ";" or word:find "[&|][&|]?$" or word:find "\\[nrt\"]"
  if cut then stop = at + cut - 2 end
  while stop >= at and text:find("^[,;)%]}.>]", stop) do stop = stop - 1 end
  return at, stop
end

--- A header's value: the rest of the line, or of the quotes around the header. The scheme before it stays.
function place.rest(scan, name_from, at)
  local text, stop = scan.text, scan:line_end(at)
  local quote = text:match("^[\"'`]", name_from - 1)
  local ending = quote and text:find(quote, at, true)
  if ending and ending <= stop then stop = ending - 1 end
  local scheme = text:match("^%a[%w%-]*%s+()%S", at)
  local word = scheme and text:sub(at, scheme - 1):match "%a[%w%-]*"
  local kept = word and (word:lower():find "^bearer" or word:lower():find "^basic" or word:lower():find "^token"
    or word:lower():find "^digest" or word:lower():find "^negotiate" or word:lower():find "^apikey"
    or word:lower():find "^aws4" or word:lower():find "^sharedkey" or word:lower():find "^ntlm"
    or word:lower():find "^hmac" or word:lower():find "^signature")
  while stop >= at and text:find("^[%s,;\\}%]]", stop) do stop = stop - 1 end
  return kept and scheme or at, stop
end

return place
