#!/usr/bin/env regengine
--- Tests nightly container images and finds the nights at which the number of
--- --metric changed, or at which the test began to fail. It tests only as many
--- nights as the answer needs. A night that has no image, or whose test gives no
--- number, is skipped and listed. Without --from it goes back from the last night by
--- 1, 2, 4, 8 ... nights to a good one. Images without dates in their names are searched
--- by commit ({sha}), by version or creation date (--tags), or in the order of a list
--- (--images). --dry-run shows the order.
---
---   regengine nightly --image 'ghcr.io/nvidia/jax:jax-{date}' --from 2024-03-01 --to yesterday --test test.sh

local opt = reg.options {
  "container", "cluster", "search", "min_effect", "budget", "every", "which_node", "keep_images",
  image     = { "image with {date}, {date:%Y%m%d} or {sha} in it, such as ghcr.io/nvidia/jax:jax-{date}; for --tags "
                .. "and --images the repository; a folder with --runtime local", type = "image" },
  tags      = { "search the images of the repository whose tags match this regular expression", type = "string",
                needs = { "image" }, not_with = { "images" } },
  images    = { "file that lists images, or tags and digests of the repository, in order, one per line; - is stdin",
                type = "file", stdin = true },
  order     = { "order of --tags", type = "string", choices = { "version", "created" }, needs = { "tags" } },
  repo      = { "clone whose main branch orders the commits of {sha}; unless given, the images' creation dates do",
                type = "repo", needs = { "image" } },
  from      = { "first night, such as 2023-07-06; unless given, it goes back to a good one", type = "time",
                not_after = "to", goes_back = "image" },
  to        = { "last night", type = "time" },
  test      = { "script to run in each image; its folder is mounted at /dir", type = "script", required = true },
}

reg.container.use { runtime = opt.runtime }
local test = reg.test_command(opt.test, opt)
local nights, kind = reg.container.nights(opt.image, { tags = opt.tags, images = opt.images, order = opt.order,
  repo = opt.repo, from = opt.from, to = opt.to })

local series = reg.sweep(nights, {
  title = kind .. "s", kind = kind, files = { opt.test }, parallel = opt.parallel, keep_images = opt.keep_images,
  metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect, every = opt.every, budget = opt.budget,
  reported = { good = opt.good_value, bad = opt.bad_value },

  prepare = function(night) reg.container.pull(night.image, { pull = opt.pull or "missing" }) end,

  [opt.metric and "measure" or "passes"] = function(night, trial)
    return trial:test(test:command(night.image, opt.timeout), opt)
  end,
})

return reg.answer(series)
