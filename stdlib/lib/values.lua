-- Lists of numbers and tables of fields, as several modules need them.

local LONGEST_LINE <const> = 400

local values = {}

--- A sorted copy of a list.
function values.sorted(list)
  local copy = table.move(list, 1, #list, 1, {})
  table.sort(copy)
  return copy
end

--- The median of a list of numbers.
function values.median(list)
  local sorted = values.sorted(list)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

--- The geometric mean of positive numbers. Of equal numbers it is the number itself, without an error of rounding.
function values.geometric_mean(list)
  local sum = 0.0
  for _, value in ipairs(list) do sum = sum + math.log(value / list[1]) end
  return list[1] * math.exp(sum / #list)
end

--- Makes the option `name` of `o`, unless it is absent, an integer. Raises usage for another one or less than `least`.
function values.check_count(who, o, name, least)
  local whole = type(o[name]) == "number" and math.tointeger(o[name])
  if o[name] ~= nil and not (whole and whole >= least) then
    core.fail("usage", string.format("%s: '%s' must be an integer of at least %d", who, name, least))
  end
  o[name] = whole or nil
end

--- `given`, or without it the first of `choices`. Raises usage for what is none of them; `name` is what it is.
function values.choice(who, name, given, choices)
  local chosen = given == nil and choices[1] or given
  if values.set(choices)[chosen] then return chosen end
  core.fail("usage", string.format("%s: not a valid '%s': '%s'", who, name, tostring(given)),
    "Choose one of: " .. table.concat(choices, ", ") .. ".")
end

--- The words of a text as a set: { [word] = true }.
function values.words(text) return values.set(values.matches(text, "%S+")) end

--- One spelling of the name of a package, as an index writes it: in small letters, with "-" for "_" and ".".
function values.plain_name(name) return (name:lower():gsub("[-_.]+", "-")) end

--- A line to be shown; of a long one its beginning and end, since programs print megabytes without an end of line.
function values.clipped(line)
  if #line <= LONGEST_LINE then return line end
  local half = LONGEST_LINE // 2
  return values.utf8(line:sub(1, half)) .. " ... " .. values.utf8(line:sub(-half))
end

--- The last line of a text that is not blank, clipped, of a progress bar what it showed last; nil if all is blank. A
--- pattern that is not anchored would look from each character to the end of its line.
function values.last_line(text)
  local kept = text:match "^.*%S"
  return kept and values.clipped(kept:match "^.*[\r\n](.*)$" or kept)
end

--- What a pattern matches in a text, one after the other.
function values.matches(text, pattern)
  local found = {}
  for match in text:gmatch(pattern) do found[#found + 1] = match end
  return found
end

--- A text with U+FFFD in place of each byte that is not part of valid UTF-8.
function values.utf8(text)
  local parts, from = {}, 1
  repeat
    local _, bad = utf8.len(text, from)
    parts[#parts + 1] = text:sub(from, bad and bad - 1) .. (bad and "\u{FFFD}" or "")
    from = (bad or #text) + 1
  until from > #text
  return table.concat(parts)
end

--- The names in a table, sorted; what has a number has no name.
function values.sorted_names(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = type(name) == "string" and name or nil end
  table.sort(names)
  return names
end

--- A new table with the fields of several tables, each of which may be nil. Of fields with the same name the last
--- counts.
function values.merged(...)
  local all = {}
  for i = 1, select("#", ...) do
    for name, value in pairs((select(i, ...)) or {}) do all[name] = value end
  end
  return all
end

--- A new table with the fields of these names.
function values.picked(from, names)
  local fields = {}
  for _, name in ipairs(names) do fields[name] = from[name] end
  return fields
end

--- What f(...) returns; nil and the error if it raises one of these kinds, separated by blanks. Raises any other error.
function values.caught(kinds, f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local why = results[2]
  if type(why) ~= "table" or not values.words(kinds)[why.kind] then error(why, 0) end
  return nil, why
end

--- What f(element, place) returns for each element of a list, without nil.
function values.map(list, f)
  local found = {}
  for i, element in ipairs(list) do found[#found + 1] = f(element, i) end
  return found
end

--- The elements of all lists that f(element, place) returns for the elements of a list, as one list; without f, of the
--- lists in it.
function values.flat(list, f)
  local found = {}
  for i, element in ipairs(list) do
    local part = f and f(element, i) or element
    table.move(part, 1, #part, #found + 1, found)
  end
  return found
end

--- The sum of what f(element) returns for each element of a list; without f, of the elements.
function values.sum(list, f)
  local sum = 0
  for _, element in ipairs(list) do sum = sum + (f and f(element) or not f and element or 0) end
  return sum
end

--- The elements of a list for which f(element, place) is true.
function values.only(list, f)
  return values.map(list, function(element, i) return f(element, i) and element or nil end)
end

--- The first element of a list for which f(element) is true, and its place; nil without one.
function values.find(list, f)
  for i, element in ipairs(list) do
    if f(element) then return element, i end
  end
end

--- The elements of a list as the names of a table: { [element] = true }.
function values.set(list)
  local found = {}
  for _, element in ipairs(list) do found[element] = true end
  return found
end

--- The elements of a list in lists of those with the same key_of(element), in the order of their first ones, without
--- those for which that is nil. And these lists by their keys.
function values.grouped(list, key_of)
  local groups, by_key = {}, {}
  for _, element in ipairs(list) do
    local key = key_of(element)
    if key ~= nil and not by_key[key] then
      by_key[key] = {}
      groups[#groups + 1] = by_key[key]
    end
    if key ~= nil then table.insert(by_key[key], element) end
  end
  return groups, by_key
end

--- The first element of a list for each key_of(element), in their order, without those for which that is nil.
function values.unique(list, key_of)
  return values.map((values.grouped(list, key_of)), function(same) return same[1] end)
end

--- Sorts a list by the keys that keys_of(element) returns: by the first one, then by the next. Equal elements stay in
--- their order.
function values.sort_by(list, keys_of)
  local rows = values.map(list, function(element, i) return { i, element, keys_of(element) } end)
  table.sort(rows, function(a, b)
    for k = 3, #a do
      if a[k] ~= b[k] then return a[k] < b[k] end
    end
    return a[1] < b[1]
  end)
  for i, row in ipairs(rows) do list[i] = row[2] end
  return list
end

return values
