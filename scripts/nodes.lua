#!/usr/bin/env regengine
--- Finds the nodes of a Slurm partition, or of --hosts, that are unlike the others: runs
--- the test once on each, and those that are far off twice more, beside two good ones.
--- Exit code: 4 if a node is odd or gave no number.
---
---   regengine nodes --runtime slurm --partition gpu --test ./bench --metric 'MLUPS: {number}'

local opt = reg.options {
  "container", "cluster", "metric", "take", "drop", "better", "timeout",
  test  = { "command that tests", type = "command", required = true },
  image = { "image of the container to test in", type = "image" },
}

local runner <close> = reg.runner { folders = { "." }, image = opt.image, options = opt }
local found = reg.nodes {
  metric = opt.metric or "wall time", better = opt.better,
  measure = function(_, trial)
    local call = runner:command(opt.test, opt.timeout)
    return opt.metric and trial:test(call, opt) or trial:run(call).wall_s
  end,
}

local rows = {}
for i, node in ipairs(found.nodes) do
  rows[i] = { node.name, node.value and string.format("%.4g", node.value) or "-",
    node.off and string.format("%+.1f %%", 100 * node.off) or "", node.runs, node.odd and "odd" or node.failure or "" }
end
print(reg.report.table(rows, { columns = { "node", found.metric, "off", "runs", "" } }))
print(reg.report.wrap(found.text))
if opt.json then print(reg.json.encode(found)) end
return found.odd + found.failed > 0 and 4 or 0
