#!/usr/bin/env regengine
--- Measures nightly container images and names the nights at which the number changed.
--- It looks at as few nights as the answer needs; a night without an image, or whose test fails, is left out and listed.

local opt = reg.options {
  image      = { reg.required, "image with {date} in it, as ghcr.io/nvidia/jax:jax-{date}; with --runtime local a folder" },
  from       = { reg.required, "first night, as 2023-07-06" },
  to         = { reg.required, "last night" },
  test       = { reg.required, "script to run in each image, its folder mounted at /dir", file = true },
  metric     = { reg.required, "the number in its output, as 'MLUPS: {number}' or a Lua pattern" },
  runtime    = { reg.optional, "docker, podman or local; the first that works unless said" },
  gpus       = { reg.optional, "GPUs the container sees: all, or 0,1" },
  network    = { reg.optional, "the container's network, as host or none" },
  timeout    = { "1h", "limit of one run" },
  min_effect = { 0.01, "smallest change worth finding, 0.01 = 1 %" },
  budget     = { 0, "most runs; 0 = 200, or four times the nights looked at first" },
  parallel   = { 1, "nights measured at a time" },
  reference  = { reg.optional, "a night that is measured again now and then, to see whether the machine changed" },
  every      = { false, "measure every night" },
}

local here = opt.runtime == "local"
reg.needs { container = not here and opt.image or nil, process = here and "sh" or nil }
local runtime = reg.container.use { runtime = opt.runtime }
local nights = reg.container.nights(opt.image, { from = opt.from, to = opt.to })
local test = reg.test_command(opt.test, runtime)
local reference = opt.reference and reg.container.nights(opt.image, { from = opt.reference, to = opt.reference })[1]

local series = reg.sweep(nights, {
  title = "nights", kind = "night", into = opt.store,
  metric = reg.metric.name(opt.metric), min_effect = opt.min_effect, every = opt.every,
  budget = opt.budget, parallel = opt.parallel, reference = reference,
  config = { pattern = opt.metric, gpus = opt.gpus, network = opt.network }, files = { opt.test },

  prepare = function(night) reg.container.pull(night.image) end,

  measure = function(night, trial)
    local run = trial:run {
      image = night.image, cmd = test.cmd, mounts = test.mounts,
      gpus = opt.gpus, network = opt.network, timeout_s = opt.timeout,
    }
    return reg.metric.find(run.stdout, opt.metric)
  end,
})

return reg.answer(series)
