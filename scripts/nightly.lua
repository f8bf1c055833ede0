#!/usr/bin/env regengine
--- Tests nightly container images and finds the nights at which the number of
--- --metric changed, or at which the test began to fail. It tests only as many
--- nights as the answer needs. A night that has no image, or whose test gives no
--- number, is skipped and listed. Without --from it goes back from the last night by
--- 1, 2, 4, 8 ... nights to a good one.
---
---   regengine nightly --image 'ghcr.io/nvidia/jax:jax-{date}' --from 2024-03-01 --to yesterday --test test.sh

local opt = reg.options {
  "container", "metric", "take", "drop", "crash", "timeout_is_bad", "good_value", "bad_value", "timeout",
  "min_effect", "budget", "every", "direction", "exact", "keep_going", "try_skipped", "keep_images", "overlap",
  image     = { "image with {date} in it, such as ghcr.io/nvidia/jax:jax-{date}; a folder with --runtime local",
                type = "image", required = true, contains = "{date}" },
  from      = { "first night, such as 2023-07-06; unless given, it goes back to a good one", type = "date",
                not_after = "to", goes_back = true },
  to        = { "last night", type = "date", required = true },
  test      = { "script to run in each image; its folder is mounted at /dir", type = "script", required = true },
  parallel  = { "nights to measure at the same time", type = "integer", default = 1, min = 1 },
  reference = { "night that is measured again now and then, to notice when the machine changes", type = "date",
                needs = { "metric" } },
}

reg.container.use { runtime = opt.runtime }
local test = reg.test_command(opt.test, opt)
local function nights_from(from) return reg.container.nights(opt.image, { from = from, to = opt.to }) end
local function nights_back(n) return nights_from(reg.time.parse(opt.to) - n * 86400) end
local nights = opt.from and nights_from(opt.from) or nights_back
local reference = opt.reference and reg.container.nights(opt.image, { from = opt.reference, to = opt.reference })[1]

local series = reg.sweep(nights, {
  title = "nights", kind = "night", into = opt.store,
  metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect, every = opt.every,
  budget = opt.budget, parallel = opt.parallel, reference = reference, keep_images = opt.keep_images,
  overlap = opt.overlap, reported = { good = opt.good_value, bad = opt.bad_value }, files = { opt.test },

  prepare = function(night) reg.container.pull(night.image, { pull = opt.pull or "missing" }) end,

  [opt.metric and "measure" or "passes"] = function(night, trial)
    return trial:test(test:command(night.image, opt.timeout), opt)
  end,
})

return reg.answer(series)
