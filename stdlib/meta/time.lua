---@meta

--- Times are seconds since 1970, always UTC. Where a function takes a time it takes such a number, or a text:
--- "2023-08-24", "2023-08-24T13", "2023-08-24 13:00", with "Z" or "+02:00" behind it; what is none of these raises usage.
---@class reg.time
reg.time = {}

--- Seconds since 1970.
--- ```lua
--- local started = reg.time.now()
--- ```
---@return integer time
function reg.time.now() end

--- The time as seconds since 1970. Raises usage where the text is no time.
--- ```lua
--- local noon = reg.time.parse "2023-08-24T12:00"
--- ```
---@param time integer|string
---@return integer time
function reg.time.parse(time) end

--- The time as "2023-08-24T13:00:00Z", or in the form that the strftime format says.
--- ```lua
--- print(reg.time.format(reg.time.now(), "%d.%m.%Y"))
--- ```
---@param time integer|string
---@param format? string
---@return string text
function reg.time.format(time, format) end

--- The day of the time, "2023-08-24".
--- ```lua
--- print(reg.time.date(reg.time.now()))
--- ```
---@param time integer|string
---@return string date
function reg.time.date(time) end

--- A duration in seconds: 90, "250ms", "30s", "1h30m", "14d", "2w". Raises usage where it is none.
--- ```lua
--- local limit_s = reg.time.seconds "1h30m"
--- ```
---@param duration number|string
---@return number seconds
function reg.time.seconds(duration) end

--- A duration for people: "850 ms", "4 min 05 s".
--- ```lua
--- print(reg.time.words(245))
--- ```
---@param duration number|string
---@return string text
function reg.time.words(duration) end

---@class time.Range
---@field from integer|string first time
---@field to integer|string last time; it is in the list where the steps meet it
---@field every? number|string step, a duration of at least a second; "1d" when absent

--- Times from one to the other. Raises usage where `from` is after `to`, or for more than a million steps.
--- ```lua
--- for _, day in ipairs(reg.time.range { from = "2023-08-01", to = "2023-08-31" }) do print(reg.time.date(day)) end
--- ```
---@param options time.Range
---@return integer[] times
function reg.time.range(options) end
