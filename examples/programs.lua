--- A suite file: eight programs that every Debian has, in three settings each. Run it by
---   regengine suite.lua --suite examples/programs.lua --repeat 10
--- A suite is a table: what there is to run, and how each experiment's command is made.

local LEVELS = { fast = 1, default = 6, best = 9 }
local HASHES = { fast = "md5sum", default = "sha1sum", best = "sha512sum" }
local PATTERNS = { fast = "77", default = "7.*8", best = "(7|8).*9.*(1|2)" }
local SORTS = { fast = "sort", default = "sort -n", best = "sort -R --random-source=data" }
local COUNTS = { fast = 30000, default = 60000, best = 90000 }

local function count(line)
  return function(c) return (line:gsub("COUNT", COUNTS[c.setting])) end
end

local COMMANDS = {
  gzip = function(c) return "gzip -" .. LEVELS[c.setting] .. " -c data > /dev/null" end,
  grep = function(c) return "grep -E '" .. PATTERNS[c.setting] .. "' data data data data | wc -l > /dev/null" end,
  hash = function(c) return HASHES[c.setting] .. " data data data data > /dev/null" end,
  sort = function(c) return SORTS[c.setting] .. " data > /dev/null" end,
  awk = count "awk 'BEGIN { for (i = 0; i < COUNT; i++) { seen[i % 977] = seen[i % 977] \"x\" } }'",
  perl = count "perl -e 'for my $i (1..COUNT) { $h{$i} = \"v$i\" } print scalar(keys %h)' > /dev/null",
  factor = count "seq COUNT | factor > /dev/null",
  sed = count "seq COUNT | sed -e 's/\\([0-9]\\)\\([0-9]\\)/\\2\\1/g' > /dev/null",
}

return {
  name = "programs",
  workloads = { "gzip", "grep", "hash", "sort", "factor", "awk", "perl", "sed" },
  axes = { { setting = { "fast", "default", "best" } } },
  tiers = { files = { "gzip", "grep", "hash", "sort" }, interpreters = { "awk", "perl", "sed" } },
  prepare = "seq 40000 | awk '{ print ($1 * 7919) % 65536, $1 }' > data",
  command = function(c) return COMMANDS[c.workload](c) end,
  env = { LC_ALL = "C" },
}
