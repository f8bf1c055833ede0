#!/usr/bin/env regengine
--- Shows the commits of several repositories at each hour of a time span: the
--- subjects of an hourly sweep. It builds nothing.

local opt = reg.options {
  repo = { "repository, as NAME=PATH", type = "string", list = true, required = true },
  from = { "first hour", type = "time", required = true },
  to   = { "last hour", type = "time", required = true },
}

local repos, names = {}, {}
for i, word in ipairs(opt.repo) do
  local name, path = word:match("^([^=]+)=(.+)$")
  names[i], repos[name] = name, reg.git.open(path)
end

local rows = {}
for _, point in ipairs(reg.git.timeline { repos = repos, from = opt.from, to = opt.to, every = "1h" }) do
  local row = { hour = point.at, moved = table.concat(point.moved, " ") }
  for _, name in ipairs(names) do row[name] = point.commits[name].short end
  rows[#rows + 1] = row
end
print(reg.report.table(rows))
