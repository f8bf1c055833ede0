-- Options that several scripts share: reg.options { "gpus", "timeout", ... } takes them by name.

return {
  runtime = { "container runtime; unless given, docker or podman, whichever works", type = "runtime" },
  gpus = { "GPUs that the container sees: all, or numbers such as 0,1", type = "string" },
  network = { "network of the container, such as host or none", type = "string" },
  timeout = { "time limit of one build or test run", type = "duration", default = "1h" },
  metric = { "the number in the output of the test: 'MLUPS: {number}', or a Lua pattern", type = "metric",
             required = true },
  take = { "which number to use if the output has several", type = "string",
           choices = { "first", "last", "median", "min" }, needs = { "metric" } },
  drop = { "ignore the first N numbers, such as warm-up steps", type = "integer", min = 0, needs = { "metric" } },
  good_value = { "number reported for the good end; it stops if the ends do not reproduce the report", type = "number",
                 needs = { "bad_value", "metric" } },
  bad_value = { "number reported for the bad end", type = "number", needs = { "good_value", "metric" } },
  keep_going = { "continue even if the good end or the first three runs fail", type = "boolean" },
  min_effect = { "smallest change to report", type = "fraction", default = "1%" },
  budget = { "most runs; unless given, 200, or 4 times the runs of the first look if that is more", type = "integer",
             min = 1 },
  every = { "measure everything, not only what the answer needs", type = "boolean" },
}
