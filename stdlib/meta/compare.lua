---@meta

---@class compare.Options
---@field min_effect? number smallest effect that matters; default 0.01, one percent
---@field confidence? number of the interval; default 0.99
---@field better? "lower"|"higher" which values are better; unless given, what the name of the metric says
---@field metric? string name of the number, such as "seconds" or "items/s"

---@class compare.Answer
---@field verdict "faster"|"slower"|"same"|"ambiguous" of b compared with a
---@field effect number b / a - 1
---@field low number lower end of the interval of the effect; -1 with too few processes
---@field high number upper end; infinite with too few processes
---@field a number median of a's processes
---@field b number
---@field n_a integer
---@field n_b integer

--- Whether b is faster than a, slower or the same, from the numbers of independent processes: one number, or a list of
--- samples, for each. A process counts once, by its median, since its samples are not independent. faster or slower:
--- the interval of the effect excludes zero and the effect is at least min_effect. same: the whole interval is smaller
--- than min_effect. Otherwise ambiguous: run more processes. The interval (Hodges-Lehmann, Mann-Whitney) does not
--- assume a normal distribution. Confidence 0.99 takes at least five processes on each side. Raises usage for numbers
--- that are not positive, and where neither `better` nor `metric` says which values are better.
--- ```lua
--- local answer = reg.compare({ 1.00, 1.02, 0.99, 1.01, 1.00 }, { 1.05, 1.06, 1.04, 1.07, 1.05 },
---   { metric = "seconds" })
--- print(answer.verdict, string.format("%+.1f %%", 100 * answer.effect))
--- ```
---@param a (number|number[])[]
---@param b (number|number[])[]
---@param options? compare.Options
---@return compare.Answer answer
function reg.compare(a, b, options) end
