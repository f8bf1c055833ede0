---@meta

---@class compare.Options
---@field min_effect? number the smallest effect that matters, as a part: 0.01, one percent, when absent
---@field confidence? number of the interval, 0.99 when absent
---@field better? "lower"|"higher" "lower" when absent, as of seconds

---@class compare.Answer
---@field verdict "faster"|"slower"|"same"|"ambiguous" of b, held against a
---@field effect number b / a - 1
---@field low number the interval of the effect: -1 where there are too few processes to give one
---@field high number infinite where there are too few
---@field a number the median of a's processes
---@field b number
---@field n_a integer
---@field n_b integer

--- Whether b is faster than a, slower or the same, from the numbers of independent processes, one or a list of samples each:
--- a process counts once, by its median, since what slows it slows all its samples. Said only where the interval of the effect,
--- which needs no normal distribution (Hodges-Lehmann, Mann-Whitney), holds no zero and the effect is at least min_effect;
--- "same" where all of the interval is smaller than that; else "ambiguous": more processes would tell. With fewer than five a side
--- 0.99 cannot be had. Raises usage for what is no number above 0.
--- ```lua
--- local answer = reg.compare({ 1.00, 1.02, 0.99, 1.01, 1.00 }, { 1.05, 1.06, 1.04, 1.07, 1.05 })
--- print(answer.verdict, string.format("%+.1f %% (%+.1f to %+.1f)", 100 * answer.effect, 100 * answer.low, 100 * answer.high))
--- ```
---@param a (number|number[])[]
---@param b (number|number[])[]
---@param options? compare.Options
---@return compare.Answer answer
function reg.compare(a, b, options) end
