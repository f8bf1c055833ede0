-- Finds the secrets in command lines: curl -u, docker login -p, wandb login KEY.

local command_line = require "lib/redaction/command_line"
local commands = require "lib/redaction/commands"
local plain = require("lib/redaction/words").plain

local add = command_line.add

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

--- Secrets in command lines.
return function(scan)
  for program, rows in pairs(PROGRAMS) do
    for from, to in scan:each(program) do
      local text = scan.text
      if not text:find("^[%w_-]", from - 1) and text:find("^[\"']?,?[ \t]", to + 1) or from == 1 and
        text:find("^[ \t]", to + 1) then
        local words
        for _, row in ipairs(rows) do
          words = words or command_line.words(scan, to + 1)
          look(scan, row, words)
        end
      end
    end
  end
end
