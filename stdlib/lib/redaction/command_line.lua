-- The words of a command line in a text.

local command_line = {}

local LONGEST, MOST = 1500, 60  -- characters and words of a command that are looked at

--- The words of a command that begins at `at`, to the end of the command: { from =, to =, text = } without their
-- quotes.
-- A backslash at the end of a line continues it. The command may be a list in JSON or Python: "curl", "-u", "x".
function command_line.words(scan, at)
  local text, words = scan.text, {}
  local listed = text:find("^[\"'],%s*[\"']", at)
  local stop = math.min(#text, at + LONGEST)
  while at <= stop and #words < MOST do
    at = text:match(listed and "^[\"',%s%]]*()" or "^[ \t]*()", at)
    if text:find("^\\\r?\n", at) then
      at = text:match("^\\\r?\n()", at)
    elseif at > stop or text:find("^[\n|;&)]", at) or listed and text:find("^%]", at - 1) then
      break
    else
      local quote = text:match("^[\"']", at)
      local from, to, over
      if quote then
        from, to = at + 1, (text:find(quote, at + 1, true) or scan:line_end(at) + 1) - 1
        over = to + 2
      elseif listed then
        from, to = at, text:match("^[^\"'\n]*()", at) - 1
        over = to + 2
      else
        to = text:match("^[^%s|;&)\"']*()", at) - 1
        -- --user="a b"
        local inner = text:match("^[\"']", to + 1)
        if inner then to = (text:find(inner, to + 2, true) or scan:line_end(to) + 1) end
        from, over = at, to + 1
      end
      if over <= at then break end
      words[#words + 1] = { from = from, to = math.min(to, #text), text = text:sub(from, to) }
      at = over
    end
  end
  return words
end

local function is_reference(value)
  return value == "" or value == "-" or value:find "^%$[%u_({]" ~= nil or value:find "^<" ~= nil
    or value:find "^%*+$" ~= nil
end

--- Adds an argument, without its quotes, unless a variable or a mark stands for it.
function command_line.add(scan, from, to)
  while to > from and scan.text:find("^[\"']", to) do to = to - 1 end
  while from < to and scan.text:find("^[\"']", from) do from = from + 1 end
  if not is_reference(scan.text:sub(from, to)) then scan:add(from, to, "argument of a command") end
end

return command_line
