-- Options that several scripts share: reg.options { "gpus", "timeout", ... } takes them by name.

return {
  runtime = { "container runtime; unless given, docker or podman, whichever works", type = "runtime" },
  gpus = { "GPUs that the container sees: all, or numbers such as 0,1", type = "string" },
  network = { "network of the container, such as host or none", type = "string" },
  timeout = { "time limit of one build or test run", type = "duration", default = "1h" },
  metric = { "the number in the output of the test: 'MLUPS: {number}', or a Lua pattern", type = "string",
             required = true },
  min_effect = { "smallest change to report", type = "fraction", default = "1%" },
  budget = { "most runs; unless given, 200, or 4 times the runs of the first look if that is more", type = "integer",
             min = 1 },
  keep_images = { "keep so many of the images that it pulls, and those it needs again; unless given, all",
                  type = "integer", min = 0 },
  every = { "measure everything, not only what the answer needs", type = "boolean" },
}
