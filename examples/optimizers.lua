--- The optimizations of a compiler, as it lists them itself; a module for other scripts.

local optimizers = {}

local function listed(command) return reg.process.run({ shell = command }).stdout end

local function enabled(level)
  return listed("gcc -Q " .. level .. " --help=optimizers"):gmatch "%s(%-f[%w-]+)%s+%[enabled%]"
end

--- Those that gcc switches on at `level` and not at `below`, by default -O0, such as { "-fsplit-loops" }.
function optimizers.added(level, below)
  local before, flags = {}, {}
  for flag in enabled(below or "-O0") do before[flag] = true end
  for flag in enabled(level) do
    if not before[flag] then flags[#flags + 1] = flag end
  end
  return flags
end

--- The options that switch off one optimization of clang each: of loops, vectors and inlining, and those of LLVM's
--- passes.
function optimizers.off_in_clang()
  local flags, seen = {}, {}
  local function add(flag)
    if not seen[flag] then flags[#flags + 1], seen[flag] = flag, true end
  end
  for name in listed "clang --help":gmatch "\n%s+%-f([%w-]+)%s" do
    name = name:gsub("^no%-", "")
    if name:match "vectorize$" or name:match "loops$" or name:match "^inline%-functions" then add("-fno-" .. name) end
  end
  local passes = listed "clang -mllvm --help-hidden -c -x c /dev/null -o /dev/null"
  for pass in passes:gmatch "\n%s+%-%-?(disable%-[%w-]+)%s" do add("-mllvm -" .. pass) end
  return flags
end

return optimizers
