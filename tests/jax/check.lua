--- Checks what reg.jit and reg.hlo count in the programs of this folder, with one release of jax.

local opt = reg.options {
  python   = { "interpreter with that release", type = "string", required = true },
  release  = { "release of jax", type = "string", required = true },
  programs = { "folder of the programs", type = "string", required = true },
  older    = { "jaxlib is a stand-in: nothing is compiled", type = "boolean" },
  inner    = { "how often inner.py's function is traced", type = "integer", required = true },
  each     = { "how often that of options.py is", type = "integer", required = true },
}

local failures = 0

local function expect(what, is, expected)
  if is == expected then return end
  failures = failures + 1
  print(("FAILED: jax %s: %s is %s, not %s"):format(opt.release, what, is, expected))
end

local function collect(name, words)
  local cmd = { opt.python, opt.programs .. "/" .. name, table.unpack(words or {}) }
  if opt.older then cmd[#cmd + 1] = "trace" end
  local folder = opt.release .. "-" .. table.concat({ name, table.unpack(words or {}) }, "-")
  local run = reg.jit.collect { cmd = cmd, folder = folder, env = { JAX_PLATFORMS = "cpu",
    XLA_FLAGS = "--xla_dump_to=" .. reg.fs.absolute(folder .. ".hlo") .. " --xla_dump_hlo_as_text" } }
  expect("jax in " .. name, run.jax[1], opt.release)
  expect("problems in " .. name, table.concat(run.problems, "; "), "")
  return run, folder .. ".hlo"
end

local row = { release = opt.release }
for _, way in ipairs { "inner", "inline" } do
  local run = collect("inner.py", { way })
  row[way] = reg.jit.traces(run, "inner")
  expect(way .. ": traces of inner", row[way], opt.inner)
  expect(way .. ": traces of outer", reg.jit.traces(run, "outer"), 1)
  if not opt.older then
    expect("compilations of inner", reg.jit.compiles(run, "inner"), 0)
    expect("compilations of outer", reg.jit.compiles(run, "outer"), 1)
  end
end

for _, f in ipairs(collect("forms.py").functions) do expect("traces of " .. f.name, f.traces, 1) end

-- Variables that the program sets before it imports jax, if compilers and the like read them.
local sets = reg.jit.collect { folder = opt.release .. "-sets", env = { JAX_PLATFORMS = "cpu" }, cmd = { opt.python, "-c",
  "import os; os.environ.update(OMP_NUM_THREADS='3', TOKEN='secret'); import jax; os.environ['MKL_DYNAMIC'] = '0'" } }
expect("OMP_NUM_THREADS", sets.variables.OMP_NUM_THREADS, "3")
for name in pairs(sets.variables) do expect("a variable", name, "OMP_NUM_THREADS") end

-- What JAX fails to explain does not end the program.
local minor, patch = opt.release:match "^0%.(%d+)%.(%d+)$"
if not opt.older then
  local run = reg.jit.collect { cmd = { opt.python, opt.programs .. "/unexplained.py" }, env = { JAX_PLATFORMS = "cpu" },
    folder = opt.release .. "-unexplained", explain = true }
  local explains = minor * 1000 + patch >= 4024
  expect("unexplained: traces", reg.jit.traces(run, "f"), 3)
  expect("unexplained: misses", #run.misses, 0)
  expect("unexplained: problems", run.problems[1], explains
    and "JAX cannot explain a miss of its tracing cache: ValueError('no explanation')" or nil)
end

-- Counted by hand in the dumps of 0.4.13, 0.4.30, 0.6.2 and 0.10.2: the CPU fuses all of outer into one, and each of the 7
-- calls has one gather, but for option 4.
local fusions, gathers = {}, {}
for option = 1, 4 do
  local run, dumps = collect("options.py", { tostring(option) })
  expect("option " .. option .. ": traces of inner", reg.jit.traces(run, "inner"), opt.each)
  if not opt.older then
    for _, module in ipairs(reg.hlo.read(dumps).modules) do
      if module.name == "jit_outer" then
        fusions[option], gathers[option] = reg.hlo.count(module, "fusion"), reg.hlo.count(module, "gather")
      end
    end
    expect("option " .. option .. ": fusions", fusions[option], 1)
    expect("option " .. option .. ": gathers", gathers[option], option == 4 and 0 or 7)
  end
end
print(("%-8s inner %2d, inline %2d, options 1 to 4 %d each, fusions %s, gathers %s"):format(opt.release, row.inner,
  row.inline, opt.each, opt.older and "-" or table.concat(fusions, " "), opt.older and "-" or table.concat(gathers, " ")))
return failures > 0 and 1 or 0
