-- reg.suite: a benchmark suite - workloads x configurations - as a table, and its runs. The parts are in lib/suite/:
-- definition (the table), order (interleaving), build (checkout and container), experiment, record (a line of
-- results.jsonl), verification, runner.

local definition = require "lib/suite/definition"
local check_keys = require "lib/options/check_keys"
local order = require "lib/suite/order"
local runner = require "lib/suite/runner"

local CHOICE = { "filter", "exclude", "tier", "shard", "config" }
local RUN = { "folder", "store", "repeat", "iterations", "processes", "warmup", "timeout", "order", "seed", "resume",
  "redo", "print_output", "verify", "profile", "dump", "repo", "rev", "patch", "image", "options" }
table.move(CHOICE, 1, #CHOICE, #RUN + 1, RUN)

local suite = {}
local files = setmetatable({}, { __mode = "k" })  -- the file that a suite was loaded from

local function usage(message, hint) core.fail("usage", "suite: " .. message, hint) end

--- Reads and checks a suite file. Returns its table and its text.
function suite.load(path)
  local text = reg.fs.read(path)
  core.join_script(path, text)
  local chunk, why = load(text, "@" .. path, "t")
  if not chunk then core.fail("usage", "suite: " .. why) end
  local d = chunk()
  definition.check(d)
  files[d] = path
  return d, text
end

local function check_count(o, name, least)
  local value = o[name]
  local whole = math.type(value) == "integer" or type(value) == "number" and math.tointeger(value)
  if not whole or value < least then usage(name .. " must be an integer of at least " .. least) end
  o[name] = math.tointeger(value)
end

local function print_output(run)
  if run.stdout ~= "" then print((run.stdout:gsub("\n$", ""))) end
  if run.stderr ~= "" then reg.log.info("%s", (run.stderr:gsub("\n$", ""))) end
end

local function complete(d, o)
  check_keys("suite.run", o, RUN)
  local all = { folder = "output", ["repeat"] = 10, iterations = 1, processes = 1, warmup = d.metric and 0 or 1,
    timeout = "30m", order = "abba", seed = 1, options = {}, show = o.print_output and print_output or nil }
  for name, value in pairs(o) do all[name] = value end
  for name, least in pairs { ["repeat"] = 1, iterations = 1, processes = 1, warmup = 0, seed = 0 } do
    check_count(all, name, least)
  end
  reg.time.seconds(all.timeout)  -- raises usage for an invalid duration
  local valid = false
  for _, choice in ipairs(order.choices) do valid = valid or choice == all.order end
  if not valid then
    usage("not a valid order: '" .. tostring(all.order) .. "'", "Valid: " .. table.concat(order.choices, ", ") .. ".")
  end
  for _, name in ipairs { "image", "rev" } do
    if all[name] and type(d[name]) == "function" then
      usage("the suite chooses " .. name .. " for each configuration, so --" .. name .. " has no effect",
        "Leave it out, and choose among the configurations.")
    end
  end
  if all.verify and not d.verify then
    usage("--verify needs `verify` in the suite", 'Write verify = { result = "out.npy", reference = { ... } }.')
  end
  return all
end

--- The experiments of a suite that the options choose, in order: a matrix.
function suite.experiments(d, o)
  definition.check(d)
  check_keys("suite.experiments", o or {}, CHOICE)
  return definition.choose(d, o or {})
end

--- What a run would do: a row for each experiment, { experiment =, command =, env =, skipped = }, and a line that says
--- how often.
function suite.plan(d, o)
  definition.check(d)
  local all = complete(d, o or {})
  return runner.plan(d, definition.choose(d, all), all)
end

--- Runs the experiments that the options choose.
function suite.run(d, o)
  definition.check(d)
  local all = complete(d, o or {})
  return runner.run(d, definition.choose(d, all), all, files[d])
end

return suite
