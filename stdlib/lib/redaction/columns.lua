-- Finds the values of a column of a CSV text whose head says that they are secret: user,password.

local names = require "lib/redaction/names"
local values = require "lib/redaction/values"

local MOST = 200  -- rows

-- The fields of a line: { from =, to = }; nil if it has but one.
local function fields_of(scan, at)
  local stop, fields = scan:line_end(at), {}
  while at <= stop + 1 do
    local over = scan.text:match("^[^,;\n]*()", at)
    fields[#fields + 1] = { from = at, to = math.min(over - 1, stop) }
    at = over + 1
  end
  return #fields > 1 and fields or nil
end

local function secret_column(scan, fields)
  for i, field in ipairs(fields) do
    local name = scan.text:sub(field.from, field.to):match "^[\" ]*([%w_-]+)[\"\r ]*$"
    if not name then return nil end
    if names(name) == "strong" then return i, name end
  end
end

--- Columns of secrets.
return function(scan)
  for _, stem in ipairs { "pass", "secret", "token", "key" } do
    local past = 0  -- the end of the last line that was looked at
    for at in scan:each(stem) do
      local start = scan:line_start(at)
      local head = at > past and scan.text:sub(at, at + 80):find "^[%w_\" -]*[,;\n]" and fields_of(scan, start)
      past = head and scan:line_end(at) or past
      local column, name = secret_column(scan, head or {})
      local next_line = scan:line_end(at) + 2
      for _ = 1, column and MOST or 0 do
        local row = next_line <= #scan.text and fields_of(scan, next_line)
        if not row or #row ~= #head then break end
        local from, to = row[column].from, row[column].to
        if values.is_secret("strong", name, scan.text:sub(from, to), true) then scan:add(from, to, "named secret") end
        past = scan:line_end(next_line)
        next_line = past + 2
      end
    end
  end
end
