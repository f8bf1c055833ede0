---@meta

---@class why.Options
---@field commands? (string|process.RunOptions|container.RunOptions)[] both ends: a good and a bad command line, or
--- options of reg.process.run or reg.container.run with `shell`; unless given, those of `investigation`
---@field investigation? integer|string number or name; by default the newest with two ends: commands of
--- reg.ab, images, or commits on the host, which are built again
---@field metric? string name or pattern of the number that got worse; without it, seconds of wall time
---@field better? "lower"|"higher"
---@field min_effect? number smallest difference that matters, as of reg.ab
---@field budget? integer most pairs of runs without collection, 8 by default
---@field into? string|store.Store by default the option --store
---@field take? string which number of the output, and
---@field drop? integer how many to ignore first: the options of the same names

---@class why.Finding
---@field level string "environment", "artifact", "jit", "program", "kernels" or "host"; "swap" of what was
--- exchanged
---@field what string in words
---@field before? string|number
---@field after? string|number
---@field share? number part of the slowdown, 0 to 1: seconds against seconds, or what moved in a swap. Shares add up
--- within a level, never across levels
---@field confidence number that it differs: 1 of what both runs of an end state alike, 0.92 of numbers of two runs each
---@field low? number of a swap: 95 % interval of the share
---@field high? number

---@class why.Level
---@field name string
---@field findings why.Finding[]
---@field said? string what the findings mean
---@field why? string why it was passed over

---@class why.Slowdown: ab.Answer
---@field sentence string "B is 38 % slower than A"

---@class why.Answer
---@field verdict "found"|"nothing_differs"|"inconclusive"|"no_difference" the last two: whether there is a slowdown to
--- explain is not clear, so nothing has a share; or there is none
---@field sentence string the whole answer in one sentence
---@field top? why.Finding the finding that is named first
---@field unexplained? number part of the slowdown that the findings of the top's level leave, 0 to 1
---@field identical boolean whether both ends were seen to run the same compiled program
---@field slowdown why.Slowdown without collection
---@field levels why.Level[] cheapest first
---@field swaps why.Finding[] what moves with each half that could be exchanged, the largest share first
---@field not_swapped string[] why others could not
---@field commands string[]
---@field runs integer without collection
---@field collected_runs integer with collection: at most 4 an end
---@field seconds number
---@field investigation integer its id in the store
---@field text string the sentence, the levels and a bar

--- Says why the second of two ends is slower. It compares them in pairs as reg.ab does, runs each end twice as it is
--- and counts its costs, and twice more with XLA's dumps if it imports JAX, TensorFlow or PyTorch/XLA. What differs by
--- more than an end differs from itself is a finding. Then what the command lines set and run - variables, Python,
--- image, command - is exchanged in at most 6 pairs each: the share of the slowdown that moves with it is evidence of
--- a cause. Without a slowdown nothing is collected. Where collecting removes more than half of the slowdown, its
--- findings have no shares. A level that cannot be collected says why and is passed over. It prints the answer, and
--- the store keeps it. A dry run prints what would run, and returns nothing. Raises usage, failed_trial if an end
--- fails, and not_found without two ends.
--- ```lua
--- reg.why { commands = { "venv-a/bin/python train.py", "venv-b/bin/python train.py" } }
--- -- B is 38 % slower than A: jaxlib 0.4.30 -> 0.4.31 (94 % of it moves with the Python; unexplained: 6 %)
--- ```
---@param options why.Options
---@return why.Answer answer
function reg.why(options) end
