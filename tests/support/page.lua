-- page.lua ENGINE ROOT PAGE FOLDER: runs the commands of a documentation page in a folder, and compares what
-- they print with what the page shows.
--
-- A fenced block with lines that begin with `$ ` is a session. A page's sessions run in order, in one shell, in
-- FOLDER/home, which is /home/ann on the page. Below a command is its standard output, or if it has none its error
-- output; `...` stands for any lines. Numbers, hashes, times, blanks and plots may differ. A block below
-- `<!-- file: NAME -->` is written to that file, one below `<!-- not run: needs ... -->` is not run, nor is one below
-- `<!-- needs: COMMAND -->` where COMMAND fails, which is a problem where all real parts are required. In such blocks, in
-- those without `$ ` and in `inline code`, the options of each `regengine` command must exist. COMMAND may also make
-- what the block needs, and print a line `export NAME=VALUE ...` for the commands below it: $ROOT is the source tree.

local engine, root, page, folder = ...
local problems = 0
local function problem(line, text)
  problems = problems + 1
  print(page .. ":" .. line .. ": " .. text)
end

-- The fenced blocks of the page: { line, lines, reason, needs, file }; and the inline code outside of them: { line, text }.
local function parse()
  local blocks, inline, block, above, number = {}, {}, nil, {}, 0
  for line in (reg.fs.read(root .. "/" .. page) .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local fence = line:find "^%s*```"
    if fence and block then
      block = nil
    elseif fence then
      block = { line = number, lines = {}, reason = above["not run"], needs = above.needs, file = above.file }
      table.insert(blocks, block)
      above = {}
    elseif block then
      table.insert(block.lines, line)
    else
      local what, value = line:match "^<!%-%- ([%l ]+): (.-) %-%->$"
      above = what and { [what] = value } or {}
      for text in line:gmatch "`([^`]+)`" do table.insert(inline, { line = number, text = text }) end
    end
  end
  return blocks, inline
end

-- The commands of a block: { line, text, shown }. A command goes on below a line that ends with a backslash, below `> `,
-- and to the end of a here-document.
local function commands_of(block)
  local commands, command, open = {}, nil, nil
  for i, line in ipairs(block.lines) do
    local text = line:match "^%$ (.*)$"
    if open then
      command.text = command.text .. "\n" .. line
      if line == open then open = nil end
    elseif text then
      command = { line = block.line + i, text = text, shown = {} }
      table.insert(commands, command)
      open = text:match "<<'(%u+)'"
    elseif command and #command.shown == 0 and (command.text:sub(-1) == "\\" or line:find "^> ") then
      command.text = command.text .. "\n" .. line:gsub("^> ", "")
    elseif command then
      table.insert(command.shown, line)
    end
  end
  return commands
end

-- A line as it is compared; nil for one that only draws. What the resolution line says besides follows from the noise.
local function masked(line)
  for _, edge in ipairs { "│", "┤", "└" } do
    if line:find(edge, 1, true) then return nil end
  end
  if not line:find "%a" or line:find "^Wall time has .* noise here" then return nil end  -- that depends on the machine
  line = line:gsub("[#.][#.][#.][#.][#.]+", "BAR")
  line = line:gsub("()%f[%w](%x%x%x%x%x%x%x+)%f[%W]", function(at, word)  -- but for the digits of 0.0081945
    return word:find "%d" and not line:find("^%d%.", at - 2) and "HASH" or word
  end)
  line = line:gsub("[-+]?%f[%w.]%d[%d.,]*%d", "N"):gsub("[-+]?%f[%w.]%d", "N")
  for _, unit in ipairs { "us", "ms", "min", "s", "h" } do line = line:gsub("N " .. unit .. "%f[%W]", "TIME") end
  for _ = 1, 3 do line = line:gsub("TIME TIME", "TIME") end
  line = line:gsub("N %%", "N"):gsub("Nx", "N")  -- an effect near a factor of two is given as the one or the other
  line = line:gsub("confidence > N", "confidence N"):gsub("^.*(No other lasting %l+ of N or more).*$", "%1")
  return (line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function masked_lines(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line == "..." and line or masked(line) end
  return lines
end

-- nil if the lines are those shown; otherwise what is wrong.
local function difference(shown, printed)
  local at, any = 1, false
  for _, line in ipairs(shown) do
    if line == "..." then
      any = true
    else
      while any and printed[at] and printed[at] ~= line do at = at + 1 end
      if not printed[at] then return "it does not print: " .. line end
      if printed[at] ~= line then return "it prints: " .. printed[at] .. "\n  the page shows: " .. line end
      at, any = at + 1, false
    end
  end
  return not any and printed[at] and "the page lacks: " .. printed[at] or nil
end

local function run(commands)
  local script = { "code=0" }
  for i, command in ipairs(commands) do
    local base = folder .. "/" .. i
    table.insert(script, command.before)
    table.insert(script, ("{ (exit $code)\n%s\n} >'%s.out' 2>'%s.err' </dev/null"):format(command.text, base, base))
    table.insert(script, ("code=$?; echo $code >'%s.code'"):format(base))
  end
  reg.process.run { cmd = { "bash", "-c", table.concat(script, "\n") }, cwd = folder .. "/home", timeout_s = 3600 }
  for i, command in ipairs(commands) do
    local function output(kind) return reg.fs.read(("%s/%d.%s"):format(folder, i, kind)) end
    local code = tonumber(output "code")
    local printed = output(output "out" == "" and "err" or "out"):gsub(folder .. "/home", "/home/ann")
    local found = difference(masked_lines(table.concat(command.shown, "\n")), masked_lines(printed))
    if found then
      problem(command.line,
        ("%s\n$ %s\n%s%sexit code %d"):format(found, command.text, output "out", output "err", code))
    end
  end
end

local helps = {}
local function help_of(topic)
  helps[topic] = helps[topic] or reg.process.run { cmd = { engine, topic, "--help" } }.stdout
  return helps[topic]
end
local program_help = reg.process.run { cmd = { engine, "--help" } }.stdout

-- Each option of each `regengine` command in a text is one of the program's or of the strategy's.
local checked = 0
local function check_options(line, text)
  for command in text:gsub("\\\n", " "):gmatch "regengine ([^\n|;&]*)" do
    local plain = command:gsub("'[^']*'", "''"):gsub('"[^"]*"', '""')
    local topic = plain:match "^(%l+)%f[^%w/]"
    local help = program_help .. (topic and help_of(topic) or "")
    checked = checked + 1
    for option in plain:gmatch "%f[%S](%-%-?%a[%w-]*)" do
      if not help:find(option, 1, true) then problem(line, ("no option %s: regengine %s"):format(option, command)) end
    end
  end
end

local blocks, inline = parse()
local session, left_out = {}, 0
for _, block in ipairs(blocks) do
  local commands = commands_of(block)
  if block.needs then
    local needs = reg.process.run { shell = block.needs, cwd = folder .. "/home", env = { ROOT = root }, timeout_s = 300 }
    if needs.ok then
      if commands[1] then commands[1].before = needs.stdout:match "export [^\n]*" end
    else
      block.reason = "needs " .. block.needs
      if reg.process.run { shell = '[ "$REGENGINE_REQUIRE_REAL" = 1 ]' }.ok then
        problem(block.line, "missing here: " .. block.needs .. "\n" .. needs.stderr)
      end
    end
  end
  if block.file then
    reg.fs.write(folder .. "/home/" .. block.file, table.concat(block.lines, "\n") .. "\n")
  elseif #commands > 0 and not block.reason then
    table.move(commands, 1, #commands, #session + 1, session)
  else
    check_options(block.line, table.concat(block.lines, "\n"))
    if block.reason then
      left_out = left_out + math.max(#commands, 1)
      print(("%s:%d: not run: %s"):format(page, block.line, block.reason))
    end
  end
end
for _, code in ipairs(inline) do check_options(code.line, code.text) end
if #session > 0 then run(session) end
print(("%s: %d commands run, %d not run, options of %d checked"):format(page, #session, left_out, checked))
return problems > 0 and 1 or 0
