#!/usr/bin/env regengine
--- trace_client.lua PUBLIC.json [--batch K] [--budget B]: answers a recorded search, for the measuring of the search
--- itself. It asks for runs on stdout, reads what came of them on stdin, a JSON object a line, and ends with its answer.
--- PUBLIC.json says what is known beforehand: n, candidates[i].build, min_effect (of the logarithm; null: none is named),
--- min_dip_width, cost, max_error; ends: "differ" where a good and a bad end are named. Places there begin at 0.

local words = { ... }
local path = words[1] or error("usage: trace_client.lua PUBLIC.json [--batch K] [--budget B]", 0)
local given = {}
for i = 2, #words, 2 do given[words[i]] = math.tointeger(tonumber(words[i + 1])) end

-- Not reg.fs.read: the traces may lie outside the folder the engine was started in.
local public = reg.json.decode(reg.process.run({ cmd = { "cat", path }, keep_bytes = 64 << 20 }).stdout)
local builds = {}
for i, candidate in ipairs(public.candidates) do builds[i] = candidate.build end

-- null: nothing is told.
local function told(name) return public[name] ~= reg.json.null and public[name] or nil end

local search = reg.search {
  n = public.n, builds = builds, min_effect = told "min_effect" and math.exp(public.min_effect) - 1,
  min_width = told "min_dip_width", ends = public.ends == "differ",
  cost = { first = public.cost.build + public.cost.run, again = public.cost.run }, max_error = public.max_error,
  parallel = given["--batch"], budget = given["--budget"],
}

-- One round: true when it was played in full.
local function play(round)
  local places = reg.json.array {}
  for _, request in ipairs(round) do places[#places + 1] = request.place - 1 end
  print(reg.json.encode { run = places })
  local reply = reg.json.decode(reg.read_line() or error("no reply", 0))
  for _, result in ipairs(reply.results) do
    if result.status == "budget" then return false end
    if result.status == "ok" then
      search:tell(result.i + 1, result.value)
    else
      search:fail(result.i + 1, result.status == "build_failed" and "broken" or "crashed")
    end
  end
  return true
end

local round = search:ask()
while #round > 0 and play(round) do round = search:ask() end

local answer = search:answer()
local done = { steps = reg.json.array {}, dips = reg.json.array {}, verdict = answer.verdict,
  resolution = answer.resolution }
for _, c in ipairs(answer.changes) do  -- those of which the place is not known are left out
  local enter = { lo = c.lo - 1, hi = c.hi - 1, p = c.p }
  if c.kind == "step" and not c.open then
    done.steps[#done.steps + 1] = enter
  elseif not c.open then
    done.dips[#done.dips + 1] = { enter = enter, leave = { lo = c.leave_lo - 1, hi = c.leave_hi - 1 }, p = c.p }
  end
end
print(reg.json.encode { done = done })
