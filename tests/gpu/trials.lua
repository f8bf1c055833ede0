-- Trials beside this machine's GPUs: one that does not use the GPU it asked for, one while another GPU works, and
-- matmul. They run on the host, and lock nothing.

local t = require "rows"

if t.lacks_gpu() then return 77 end

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
  reg.sleep(1)  -- for some tenths of a second after its last program, the driver still reports a GPU as used
  local seen = trial("unused", "sleep 3")
  t.row("a program that does not use its GPU", seen.status .. ": " .. tostring(seen.message),
    "the GPU was not used", seen.status == "skipped" and seen.message == "the GPU was not used")
end)

t.part("used for a moment", function()
  if not t.can "python3 -c 'import torch'" then return t.row("5 ms of work in 2 s", "no torch") end
  reg.fs.write("moment.py", [[
import time, torch
torch.cuda._sleep(10_000_000)
torch.cuda.synchronize()
time.sleep(2)
]])
  local seen = trial("moment", "python3 moment.py")
  t.row("5 ms of work in 2 s is use", seen.status .. " " .. tostring(seen.message), "ok", seen.status == "ok")
end)

-- --- line 19: GPU 0 while GPU 1 works ----------------------------------------------------------------------------------
if #reg.gpu.list() < 2 then
  t.row("GPU 0 while GPU 1 works", "one GPU here")
else
  t.part("beside GPU 1", function()
    local WORK = [[
      local gpu <close> = reg.cuda.open()
      local a = gpu:alloc(4096 * 4096, "f32")
      local started = reg.time.now()
      while reg.time.now() - started < %d do
        for _ = 1, 100 do a:zero() end
        gpu:synchronize()
      end]]
    reg.fs.write("load.lua", WORK:format(10))
    reg.fs.write("work.lua", WORK:format(2))
    -- A process of this engine would not count as another's, so the trial is one of a second engine.
    reg.fs.write("beside.lua", [[
      local engine = reg.process.run({ shell = "readlink /proc/$PPID/exe" }).stdout:gsub("\n", "")
      local runner <close> = reg.runner { folders = { "." }, options = { gpus = "0" } }
      reg.sweep({ { id = "beside" } }, { into = "beside.db", config = {}, every = true, metric = "wall_s", suspect = "keep",
        measure = function(_, running) return running:run(runner:command { engine, "work.lua" }).wall_s end })
      local store <close> = reg.store.open "beside.db"
      print("suspicions: " .. table.concat((store:trials()[1].info.suspect or {}).why or {}, "; "))]])
    local load = reg.spawn(function()
      return reg.process.run { cmd = { engine, "load.lua" }, env = { CUDA_VISIBLE_DEVICES = "1", CUDA_DEVICE_ORDER = "PCI_BUS_ID" } }
    end)
    reg.sleep(3)
    local run = reg.process.run { cmd = { engine, "beside.lua" } }
    local why = run.stdout:match "suspicions: ([^\n]*)" or run.stderr:match "[^\n]*"
    t.row("GPU 0 while GPU 1 works: suspicions", why == "" and "none" or why, "none", why == "")
    assert(load:wait().ok, "the work on GPU 1 failed")
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
