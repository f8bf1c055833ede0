-- Shared by the attack tests. An attack is a table
--   { "what it tries", "what it must not do", code = [[the script]], ends = "its error message", ... }
-- Each runs in its own engine, because many of them end it.

local test = require "harness"

local attacks = { engine = reg.process.run({ shell = "printf %s \"$REGENGINE\"" }).stdout }

--- The output of a shell command; raises an error if it fails.
function attacks.sh(line, env)
  local run = reg.process.run { shell = line, env = env }
  if run.code ~= 0 then error(line .. ": " .. run.stderr, 2) end
  return run.stdout
end

--- The path of the injection library: beside the engine, or where it is installed.
function attacks.injection()
  for _, place in ipairs { "libregengine_inject.so", "../lib/regengine/libregengine_inject.so" } do
    local found = attacks.sh(("realpath -q \"$(dirname '%s')/%s\" || true"):format(attacks.engine, place)):match "%S+"
    if found then return found end
  end
end

--- A journal beside the database that names `victim`, which SQLite deletes when it rolls the journal back.
function attacks.write_super_journal(database, victim)
  -- SQLite's file format: a header of no pages, and at the end the name of the file that spans several databases.
  local magic, sum = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 0
  for i = 1, #victim do sum = sum + victim:byte(i) end
  local header = magic .. string.pack(">I4I4I4I4I4", 0, 0, #reg.fs.read(database) // 4096, 512, 4096)
  reg.fs.write(database .. "-journal", header .. ("\0"):rep(512 - #header) ..
    string.pack(">I4", 0) .. victim .. string.pack(">I4I4", #victim, sum) .. magic)
end

-- CPU time counts as instructions, too: attacks that end in another way get enough for half a minute.
local FEW_INSTRUCTIONS = { "--instructions", "3000000", "--memory", "64M" }
local LITTLE_MEMORY = { "--instructions", "300000000", "--memory", "64M" }

--- Runs a script in an engine with small limits; returns exit code, stdout and stderr.
function attacks.run(code, options)
  reg.fs.write("attack.lua", code)
  local cmd = { attacks.engine, table.unpack(options or LITTLE_MEMORY) }
  cmd[#cmd + 1] = "attack.lua"
  local run = reg.process.run { cmd = cmd, timeout_s = 600 }
  return run.code, run.stdout, run.stderr
end

--- Runs each attack as a test. stderr must contain `ends`, with exit code 1; without `ends` the exit code must be 0.
--- `says` is the exact output of the script. Neither output may contain `never`.
function attacks.all(list)
  for _, attack in ipairs(list) do
    test(attack[1] .. " must not " .. attack[2], function()
      local by_instructions = attack.ends and attack.ends:find("stopped after 3000000 Lua instructions", 1, true)
      local code, out, err = attacks.run(attack.code, attack.options or by_instructions and FEW_INSTRUCTIONS)
      local all = string.format("code %s\n%s\n%s", code, out:sub(1, 500), err:sub(1, 1000))
      test.equal(code, attack.exit or attack.ends and 1 or 0, all)
      if attack.ends then test.truthy(err:find(attack.ends, 1, true), all) end
      if attack.says then test.equal(out, attack.says .. "\n") end
      if attack.never then test.truthy(not (out .. err):find(attack.never, 1, true), all) end
    end)
  end
end

return attacks
