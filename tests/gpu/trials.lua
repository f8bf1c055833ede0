-- Trials beside this machine's GPUs: one that does not use the GPU it asked for, one while another GPU works, and
-- matmul. They run on the host, and lock nothing.

local t = require "rows"

local status = reg.gpu.status()
if not status.ok then
  print("SKIPPED: " .. status.message)
  return 77
end

local engine = t.engine()

-- One trial of a command that asks for GPU 0, as it is stored.
local function trial(name, command)
  local runner <close> = reg.runner { folders = { "." }, options = { gpus = "0" } }
  reg.sweep({ { id = name } }, { into = name .. ".db", config = {}, every = true, metric = "wall_s", suspect = "keep",
    measure = function(_, running) return running:run(runner:command(command)).wall_s end })
  local store <close> = reg.store.open(name .. ".db")
  return store:trials()[1]
end

-- --- line 17: a program that falls back to the processor ---------------------------------------------------------------
t.part("unused", function()
  local seen = trial("unused", "sleep 3")
  t.row("a program that does not use its GPU", seen.status .. ": " .. tostring(seen.message),
    "the GPU was not used", seen.status == "skipped" and seen.message == "the GPU was not used")
end)

-- --- line 19: GPU 0 while GPU 1 works ----------------------------------------------------------------------------------
if #reg.gpu.list() < 2 then
  t.row("GPU 0 while GPU 1 works", "one GPU here")
else
  t.part("beside GPU 1", function()
    reg.fs.write("load.lua", [[
      local gpu <close> = reg.cuda.open(1)
      local a = gpu:alloc(4096 * 4096, "f32")
      local started = reg.time.now()
      while reg.time.now() - started < 8 do
        for _ = 1, 100 do a:zero() end
        gpu:synchronize()
      end]])
    local load = reg.spawn(function() return reg.process.run { cmd = { "setsid", engine, "load.lua" } } end)
    reg.sleep(3)
    local seen = trial("beside", "sleep 2")
    local why = table.concat((seen.info.suspect or {}).why or {}, "; ")
    t.row("GPU 0 while GPU 1 works: suspicions", why == "" and "none" or why, "none", why == "")
    load:wait()
  end)
end

-- --- line 8: matmul, and the same again --------------------------------------------------------------------------------
local MATMUL = { "matmul.lua", "--from", "1024", "--to", "1024", "--dtype", "f32", "--store", "matmul.db" }
local function matmul(name)
  local cmd = table.move(MATMUL, 1, #MATMUL, 2, { engine })
  table.move({ "--name", name }, 1, 2, #cmd + 1, cmd)
  return reg.process.run { cmd = cmd, timeout_s = 120 }
end

local function message(run) return (run.stderr .. run.stdout):match "regengine: ([^\n]*)" or "" end

t.part("matmul", function()
  if not reg.cuda.versions().cublas then
    local run = matmul "none"
    t.row("matmul without cuBLAS", message(run), "pip install nvidia-cublas",
      run.code ~= 0 and run.stderr:find("pip install nvidia-cublas", 1, true) ~= nil)
    return
  end
  for _, name in ipairs { "first", "second" } do
    local run = matmul(name)
    t.row("matmul, " .. name .. " run", run.ok and "ends well" or message(run), "ends well", run.ok)
  end
end)

return t.finish()
