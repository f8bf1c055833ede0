# numbers.lua, for the tests of more than one machine. To be read after lib.sh.
# A search over numbers: each is measured by --test, which finds it in $N.
cat >numbers.lua <<'LUA'
local opt = reg.options { "cluster", "metric", "timeout", "exact", "every", "env", "min_effect",
  runtime = { "run the test on Slurm", type = "string", choices = { "slurm" } },
  test = { "command", type = "command", required = true },
  of = { "how many numbers", type = "integer", default = 16 } }
local all, variables = {}, {}
for i = 1, opt.of do all[i] = tostring(i) end
for _, one in ipairs(opt.env) do
  local name, value = one:match "^(.-)=(.*)$"
  variables[name] = value
end
return reg.answer(reg.sweep(all, { metric = opt.metric, exact = opt.exact, every = opt.every, into = opt.store,
  min_effect = opt.min_effect,
  [opt.metric and "measure" or "passes"] = function(number, trial)
    variables.N = number
    return trial:test({ shell = opt.test, env = variables, timeout_s = opt.timeout }, opt)
  end }))
LUA
