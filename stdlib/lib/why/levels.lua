-- The levels of the evidence, cheapest first. Each is a table:
--   name
--   pass        in which collected runs it looks: "plain", those of the program as it is, or "dump", those in which a
--               compiler writes what it makes; nil if the command need not run
--   look(one)   what it sees of an end without a run
--   part_of     the level whose findings it adds to, by add(findings, after), after the comparison
--   measures    whether it collects numbers that the load of the machine moves
--   applies(runs, one)              whether it has something to collect of an end, by its plain runs; else why not
--   around(call, execute, folder, seen)   runs the command so that it can be read: what execute(call) returns. It may
--                                   change `call`; `folder` is its own for this run, and stays until the findings are
--                                   used. `seen`: what it read of each end so far, as two lists; with both `ends`, and
--                                   `protos` where the modules of XLA are wanted as such
--   read(run, one, looked)          what it collected of a run; nil and why not. `looked`: what look saw before it
--   compare(before, after)          findings of two lists of what was collected, and in a sentence what they mean
-- An end `one` has `call`, options of reg.process.run or reg.container.run, and `parts` (lib/why/command).

return {
  require "lib/why/levels/environment",
  require "lib/why/levels/artifact",
  require "lib/why/levels/jit",
  require "lib/why/levels/autotune",
  require "lib/why/levels/program",
  require "lib/why/levels/kernels",
  require "lib/why/levels/host",
  require "lib/why/levels/misses",
}
