local test = require "harness"

test("what differs is an item, and both ends come out as they were", function()
  local flags = reg.flags({ "XLA_FLAGS=--a=1 --b --same=2 --gone", "THREADS=1", "MODE=x" },
    { "XLA_FLAGS=--same=2 --a=2 --new", "THREADS=4", "DEBUG=yes", "MODE=x" })
  table.sort(flags.items)
  test.equal(flags.items, { "--a=1 -> --a=2", "--new", "DEBUG=yes", "THREADS: 1 -> 4", "without --b",
    "without --gone" })
  test.equal(flags:env {}, { XLA_FLAGS = "--same=2 --gone --a=1 --b", THREADS = "1", MODE = "x" })
  test.equal(flags:env(flags.items), { XLA_FLAGS = "--same=2 --a=2 --new", THREADS = "4", DEBUG = "yes", MODE = "x" })
end)

test("flags of compilers, with words that belong to them, and quotes", function()
  local flags = reg.flags({ "CFLAGS=-O2 -mllvm -x" },
    { "CFLAGS=-O2 -mllvm -x -mllvm -y=1 --param max=3 -DNAME='a b' -DX=a\\ b -DY='\\' -I dir" })
  test.equal(flags.items, { "-mllvm -y=1", "--param max=3", "-DNAME='a b'", "-DX=a\\ b", "-DY='\\'", "-I dir" })
  test.equal(flags:env { "--param max=3" }, { CFLAGS = "-O2 -mllvm -x --param max=3" })
end)

test("candidates", function()
  local flags = reg.flags(nil, { "CFLAGS=-O3 -g" }, { "# of gcc", "-fno-inline", "", "-g", " -fno-ivopts " })
  test.equal(flags.items, { "-fno-inline", "-fno-ivopts" })
  test.equal(flags:env {}, { CFLAGS = "-O3 -g" })
  test.equal(flags:env { "-fno-ivopts" }, { CFLAGS = "-O3 -g -fno-ivopts" })
  flags = reg.flags({ "A=-x", "B=-y" }, nil, { "B=-z", "C=-w" })
  test.equal({ flags:env { "-z" }, flags:env { "-w" } }, { { A = "-x", B = "-y -z" }, { A = "-x", B = "-y", C = "-w" } })
end)

test("mistakes", function()
  test.refuses("usage", reg.flags, { { "a quote is not closed: A=-D'x", { "A=" }, { "A=-D'x" } },
    { "nothing differs", { "A=-x -y" }, { "A=-y  -x" } }, { "not a variable: 'x'", { "x" }, { "A=1" } },
    { "which variable is the candidate '-z' for?", { "A=-x", "B=-y" }, nil, { "-z" } } })
  test.raises("not one of the items: '-q'", function() reg.flags({ "A=" }, { "A=-x" }):env { "-q" } end, "usage")
end)

return test.finish()
