#!/usr/bin/env regengine
--- Which option of gcc -O3 makes this function larger? The options that -O3 adds to -O2, in sets, each compiled once:
--- the size is an exact number. For a time, leave out `exact` and return what a benchmark prints.

reg.needs { process = "sh", files = "." }

local SOURCE = [==[
int histogram[256];
int classify(const unsigned char *text, int n, int upper) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (upper) sum += text[i] > 128 ? 2 : 1; else sum += text[i] & 3;
    ++histogram[text[i]];
  }
  return sum;
}
]==]

local items = require "optimizers".added("-O3", "-O2")
reg.fs.write("classify.c", SOURCE)

local found = reg.minimize {
  items = items, metric = "text bytes", exact = true, files = { "classify.c" },
  ends = { none = "-O2", all = "-O2 plus all" },
  measure = function(flags, trial)
    trial:build { shell = "gcc -O2 " .. table.concat(flags, " ") .. " -c classify.c -o classify.o" }
    return tonumber(trial:run({ shell = "size classify.o" }).stdout:match "(%d+)")
  end,
}
print(found.text)
