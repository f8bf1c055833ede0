-- What a script asks of reg.nvtx is what a tool hears: a second engine runs it under the recorder of
-- tests/support/fakes.

local test = require "harness"

-- Runs the script in an engine with the recorder attached; returns what the tool heard, a line each, and the run.
local function heard(script)
  reg.fs.write("case.lua", script)
  if reg.fs.exists "heard" then reg.fs.remove "heard" end
  local run = reg.process.run { env = { REGENGINE_FAKE_NVTX = "heard" }, shell = [[
    test -e "$REGENGINE_FAKES/nvtx_recorder.so" || exit 77
    NVTX_INJECTION64_PATH="$REGENGINE_FAKES/nvtx_recorder.so" exec "$REGENGINE" case.lua]] }
  if run.code == 77 then test.skip "no NVTX recorder: it needs the CUDA Toolkit's nvtx3 headers" end
  local text = reg.fs.exists "heard" and reg.fs.read "heard" or ""
  return test.lines((text:gsub("\t", " "))), run
end

test("a range ends where its block does, or where it is closed, and once; a category has a name", function()
  local lines, run = heard [[
    do local range <close> = reg.nvtx.range("a", { category = "io" }) end
    local b, c = reg.nvtx.range("b", { category = "io" }), reg.nvtx.range(("c"):rep(300))
    b:close() b:close() c:close()]]
  test.equal(run.stderr, "")
  test.equal(lines, { "domain regengine", "category regengine 1 io", "start 1 regengine io - a", "end 1 regengine",
    "start 2 regengine io - b", "start 3 regengine - - " .. ("c"):rep(200) .. "...", "end 2 regengine",
    "end 3 regengine" })
end)

test("ranges of tasks may overlap, and each ends its own; what a script leaves open ends with it", function()
  local lines = heard [[
    reg.parallel({ 0.2, 0.05 }, function(seconds)
      local range <close> = reg.nvtx.range("r" .. seconds)
      reg.sleep(seconds)
    end)]]
  test.equal(lines, { "domain regengine", "start 1 regengine - - r0.2", "start 2 regengine - - r0.05",
    "end 2 regengine", "end 1 regengine" })
  local left, run = heard [[  -- by error or by oversight
    kept = reg.nvtx.range "kept"
    local range <close> = reg.nvtx.range "closed"
    error "oops"]]
  test.equal(run.code, 1)
  test.equal({ table.unpack(left, 4) }, { "end 2 regengine", "end 1 regengine" })
end)

test("without a tool all of it may be called, and the status says why nothing is heard", function()
  local range = reg.nvtx.range("r", { category = "c" })
  range:close() range:close()
  test.raises("nvtx.range: the text must be a string, not a table", function() reg.nvtx.range {} end, "usage")
  test.raises("unknown option 'colour'", function() reg.nvtx.range("r", { colour = "red" }) end, "usage")
  local status = reg.nvtx.status()
  test.equal(status.ok, false)
  test.truthy(status.message:find "^no tool listens" or status.message:find "built without NVTX", status.message)
  test.truthy(#status.hint > 0)
end)

test("with a tool the status is plain ok; one that does not load is named", function()
  local _, run = heard [[ print(reg.json.encode(reg.nvtx.status())) ]]
  test.equal(reg.json.decode(run.stdout), { ok = true, message = "", hint = "" })
  run = reg.process.run { shell = [["$REGENGINE" -e 'print(reg.nvtx.status().message)']],
    env = { NVTX_INJECTION64_PATH = "/nowhere/tool.so" } }
  test.has(run.stdout, "/nowhere/tool.so")
end)

return test.finish()
