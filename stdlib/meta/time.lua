---@meta

--- Times are seconds since 1970, always UTC. Functions that take a time take such a number or a string: "2023-08-24",
--- "2023-08-24T13", "2023-08-24 13:00", with an optional "Z" or "+02:00". Other strings raise usage.
--- ```lua
--- local day_before = reg.time.parse "2023-08-24T12:00" - reg.time.seconds "1d"
--- print(reg.time.date(day_before), reg.time.format(reg.time.now(), "%d.%m.%Y"), reg.time.words(245))
--- for _, day in ipairs(reg.time.range { from = "2023-08-01", to = "2023-08-31" }) do print(reg.time.date(day)) end
--- ```
---@class reg.time
reg.time = {}

--- Seconds since 1970.
---@return integer time
function reg.time.now() end

--- The time as seconds since 1970. Raises usage for an invalid time.
---@param time integer|string
---@return integer time
function reg.time.parse(time) end

--- The time as "2023-08-24T13:00:00Z", or in a strftime format.
---@param time integer|string
---@param format? string
---@return string text
function reg.time.format(time, format) end

--- The day of the time, "2023-08-24".
---@param time integer|string
---@return string date
function reg.time.date(time) end

--- A duration in seconds: 90, "250ms", "30s", "1h30m", "14d", "2w". Raises usage for an invalid duration.
---@param duration number|string
---@return number seconds
function reg.time.seconds(duration) end

--- A duration as readable text: "850 ms", "4 min 05 s".
---@param duration number|string
---@return string text
function reg.time.words(duration) end

---@class time.Range
---@field from integer|string first time
---@field to integer|string last time, included if the steps reach it
---@field every? number|string step, at least one second; default "1d"

--- The times from `from` to `to`. Raises usage if `from` is after `to`, and for more than a million steps.
---@param options time.Range
---@return integer[] times
function reg.time.range(options) end
