-- Finds the secrets in command lines: curl -u, docker login -p, wandb login KEY, echo KEY | docker login.

local commands = require "lib/redaction/commands"
local plain = require("lib/redaction/words").plain

local LONGEST, MOST = 1500, 60  -- characters and words of a command that are looked at

local function words_of(list)
  local words = {}
  for word in (list or ""):gmatch "%S+" do words[#words + 1] = word end
  return words
end

-- Each program with its rows.
local PROGRAMS = {}
for _, row in ipairs(commands) do
  local arguments = {}
  for _, number in ipairs(words_of(row.argument)) do arguments[tonumber(number)] = true end
  for _, program in ipairs(words_of(row[1])) do
    PROGRAMS[program] = PROGRAMS[program] or {}
    table.insert(PROGRAMS[program], { sub = words_of(row.sub), flags = words_of(row.flags), glued = words_of(row.glued),
      arguments = next(arguments) and arguments or nil })
  end
end

-- The words of a command that begins at `at`, to the end of the command: { from =, to =, text = } without their quotes.
-- A backslash at the end of a line continues it. The command may be a list in JSON or Python: "curl", "-u", "x".
local function split(scan, at)
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

-- The number of the last word of the subcommand; 0 if it needs none, nil if this is another command.
local function after_sub(words, sub)
  if #sub == 0 then return 0 end
  local wanted = 1
  for i, word in ipairs(words) do
    if word.text:find("^" .. plain(sub[wanted])) then
      if wanted == #sub then return i end
      wanted = wanted + 1
    elseif wanted > 1 and not word.text:find "^%-" then
      wanted = 1
    end
  end
end

local function is_reference(value)
  return value == "" or value == "-" or value:find "^%$[%u_({]" ~= nil or value:find "^<" ~= nil
    or value:find "^%*+$" ~= nil
end

local function add(scan, from, to)
  while to > from and scan.text:find("^[\"']", to) do to = to - 1 end
  while from < to and scan.text:find("^[\"']", from) do from = from + 1 end
  if not is_reference(scan.text:sub(from, to)) then scan:add(from, to, "argument of a command") end
end

local function find_flag(scan, words, i, flag)
  local word = words[i]
  if word.text == flag or #flag == 2 and word.text:find("^%-%a+$") and word.text:sub(-1) == flag:sub(2)
    and word.text:sub(1, 2) ~= "--" and #word.text <= 5 then
    local value = words[i + 1]
    if value and not value.text:find "^%-%-?%a" then add(scan, value.from, value.to) end
  elseif word.text:sub(1, #flag + 1) == flag .. "=" then
    add(scan, word.from + #flag + 1, word.to)
  elseif #flag == 2 and word.text:sub(1, 2) == flag then
    add(scan, word.from + 2, word.to)
  end
end

local function look(scan, row, words)
  local first = after_sub(words, row.sub)
  if not first then return end
  local count, skip = 0, false
  for i, word in ipairs(words) do
    for _, flag in ipairs(row.flags) do find_flag(scan, words, i, flag) end
    for _, flag in ipairs(row.glued) do
      if #word.text > #flag and word.text:sub(1, #flag) == flag then add(scan, word.from + #flag, word.to) end
    end
    if row.arguments and i > first then
      if word.text:find "^%-" then
        -- An option takes the next word; a switch does not.
        skip = word.text:find "^%-%-?%a[%w-]*$" ~= nil and not word.text:find "relogin" and not word.text:find "^%-b"
          and not word.text:find "verify" and not word.text:find "cloud" and not word.text:find "no%-print"
          and words[i + 1] ~= nil and i + 1 < #words
      elseif skip then
        skip = false
      else
        count = count + 1
        if row.arguments[count] and not word.text:find "^[<>%d]+$" then add(scan, word.from, word.to) end
      end
    end
  end
end

-- What is piped into a command that reads a secret.
local READERS = { "password%-stdin", "token%-stdin", "with%-token", "sudo .*%-S", "chpasswd", "passwd",
  "passphrase%-fd", "cryptsetup", "stdin=true", "wandb login", "huggingface%-cli login", "kinit", "auth login",
  "base64" }

local function find_piped(scan)
  for _, writer in ipairs { "echo", "printf" } do
    for from, to in scan:each(writer) do
      local line = scan.text:sub(from, math.min(scan:line_end(from), from + LONGEST))
      local before, after = line:match "^([^|]*)|(.*)$"
      local reads = false
      for _, reader in ipairs(after and scan:starts_word(from) and READERS or {}) do
        reads = reads or after:find(reader) ~= nil
      end
      if reads then
        local words = split(scan, to + 1)
        for i, word in ipairs(words) do
          if word.to > from + #before then break end
          local is_format = writer == "printf" and i == 1 and word.text:find "^%%"
          if not word.text:find "^%-[neE]+$" and not is_format then add(scan, word.from, word.to) end
        end
      end
    end
  end
  for from, to in scan:each "<<<" do
    local before = scan.text:sub(scan:line_start(from), from - 1)
    for _, reader in ipairs(READERS) do
      if before:find(reader) then
        local words = split(scan, to + 1)
        if words[1] then add(scan, words[1].from, words[1].to) end
        break
      end
    end
  end
end

--- Secrets in command lines.
return function(scan)
  for program, rows in pairs(PROGRAMS) do
    for from, to in scan:each(program) do
      local text = scan.text
      if not text:find("^[%w_-]", from - 1) and text:find("^[\"']?,?[ \t]", to + 1) or from == 1 and
        text:find("^[ \t]", to + 1) then
        local words
        for _, row in ipairs(rows) do
          words = words or split(scan, to + 1)
          look(scan, row, words)
        end
      end
    end
  end
  find_piped(scan)
end
