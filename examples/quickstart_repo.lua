-- The repository that quickstart.lua investigates: a small C program that mixes numbers and prints how many it mixed a
-- second, with 200 commits over 30 days. What its history holds is in the code alone: nothing prints a made-up number.

local FIRST_DAY, DAYS, COMMITS = reg.time.parse "2024-03-01", 30, 200

local MAKEFILE = [[
CFLAGS = -O2 -Wall
bench: bench.c mix.c names.c mix.h
	$(CC) $(CFLAGS) -o $@ bench.c mix.c names.c
]]

local HEADER = [[
#include <stdint.h>
uint64_t mix(uint64_t x);
const char *name_of(int kind);
]]

-- A shared machine changes its clock by a quarter, and so would the number. So each round times a loop of a known
-- number of cycles as well, and the number printed is that of a clock of 3 GHz.
local BENCH = [[
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "mix.h"
enum { ROUNDS = 101, ITEMS = 60000, STEPS = 200000, CYCLES_PER_STEP = 4 };
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
static int order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
int main(void) {
  double per_cycle[ROUNDS];
  uint64_t sum = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    const double start = now();
    for (int i = 0; i < ITEMS; ++i) sum += mix(sum ^ (uint64_t)i);
    const double middle = now();
    for (int i = 0; i < STEPS; ++i) {
      sum ^= sum >> 13;
      sum ^= sum << 7;
    }
    const double cycle = (now() - middle) / STEPS / CYCLES_PER_STEP;
    per_cycle[round] = ITEMS * cycle / (middle - start);
  }
  qsort(per_cycle, ROUNDS, sizeof per_cycle[0], order);
  const double median = per_cycle[ROUNDS / 2];
  printf("%s %llx\nMitems/s: %.3f\n", name_of((int)(sum & 1)), (unsigned long long)sum, median * 3e9 / 1e6);
  return 0;
}
]]

local STEP = "  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;\n"

-- The program as it stands after commit number i.
local function mix_source(state)
  local lines = { '#include "mix.h"\n#include <stddef.h>\n' }
  lines[#lines + 1] = "static uint64_t rounds(uint64_t x) {\n" .. STEP:rep(state.rounds) .. "  return x;\n}\n"
  lines[#lines + 1] = "uint64_t mix(uint64_t x) {\n"
  if state.crashes then lines[#lines + 1] = "  volatile uint64_t *cache = NULL;\n  x += *cache;\n" end
  if state.checked then
    lines[#lines + 1] = "  const uint64_t y = rounds(x);\n  return rounds(y) == y ? y + 1 : y;\n"
  else
    lines[#lines + 1] = "  return rounds(x);\n"
  end
  lines[#lines + 1] = state.broken and "\n" or "}\n"
  return table.concat(lines)
end

local function names_source(i)
  return '#include "mix.h"\n/* revision ' .. i ..
    ' */\nconst char *name_of(int kind) { return kind ? "odd" : "even"; }\n'
end

-- What happened: at which commit, what its author wrote, and what it did to the state.
local function events_of(day_of)
  local first_of, last_of = {}, {}
  for i = 1, COMMITS do
    first_of[day_of[i]] = first_of[day_of[i]] or i
    last_of[day_of[i]] = i
  end
  return {
    [first_of[4] + 3] = { "mix: three more rounds, against collisions", function(s) s.rounds = s.rounds + 3 end },
    [first_of[8] + 2] = { "mix: check each item twice while hunting a bug", function(s) s.checked = true end },
    [first_of[16] + 4] = { "mix: the bug was elsewhere, check each item once", function(s) s.checked = false end },
    [first_of[18] + 2] = { "mix: two fewer rounds are enough", function(s) s.rounds = s.rounds - 2 end },
    [first_of[19]] = { "mix: tidy up", function(s) s.broken = true end },
    [first_of[20]] = { "mix: close the function again", function(s) s.broken = false end },
    [last_of[22]] = { "mix: remember the last item", function(s) s.crashes = true end },
    [first_of[23]] = { "Revert \"mix: remember the last item\"", function(s) s.crashes = false end },
    [first_of[26] + 1] = { "mix: one constant for all targets", function(s) s.rounds = s.rounds + 3 end },
  }
end

-- The commits' times: about seven each working day, some within the same hour.
local function times()
  local list, day_of = {}, {}
  for i = 1, COMMITS do
    local day = (i - 1) * DAYS // COMMITS
    local first_today = (day * COMMITS + DAYS - 1) // DAYS + 1
    list[i] = FIRST_DAY + day * 86400 + 9 * 3600 + (i - first_today) * 2900 + (i * 7919) % 600
    day_of[i] = day + 1
  end
  return list, day_of
end

local AUTHORS = { "Ada <ada@example.org>", "Ben <ben@example.org>", "Cleo <cleo@example.org>" }

local function data(text) return "data " .. #text .. "\n" .. text .. "\n" end

-- The history as `git fast-import` reads it.
local function history()
  local when, day_of = times()
  local events, state, out = events_of(day_of), { rounds = 8 }, {}
  for i = 1, COMMITS do
    local event = events[i]
    if event then event[2](state) end
    local author = string.format("%s %d +0000\n", AUTHORS[i % 3 + 1], when[i])
    out[#out + 1] = "commit refs/heads/main\nauthor " .. author .. "committer " .. author
    out[#out + 1] = data(event and event[1] or "names: revision " .. i)
    if i == 1 then
      for name, text in pairs { Makefile = MAKEFILE, ["mix.h"] = HEADER, ["bench.c"] = BENCH } do
        out[#out + 1] = "M 644 inline " .. name .. "\n" .. data(text)
      end
    end
    if i == 1 or event then out[#out + 1] = "M 644 inline mix.c\n" .. data(mix_source(state)) end
    out[#out + 1] = "M 644 inline names.c\n" .. data(names_source(i))
  end
  return table.concat(out)
end

local function git(folder, words, input)
  local run = reg.process.run { cmd = { "git", "-C", folder, table.unpack(words) }, stdin = input }
  if run.code ~= 0 then error("git " .. words[1] .. ": " .. run.stderr) end
end

--- Makes the repository in `folder`, unless it is there.
return function(folder)
  if reg.fs.exists(folder .. "/.git") then return end
  reg.fs.mkdir(folder)
  git(folder, { "init", "--quiet", "--initial-branch=main" })
  git(folder, { "fast-import", "--quiet" }, history())
  git(folder, { "reset", "--quiet", "--hard", "main" })
end
