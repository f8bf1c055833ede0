-- Values as CBOR (RFC 8949), as the boxed engine and its broker exchange them.

local cbor = {}

cbor.null = setmetatable({}, { __name = "null" })

--- A list: a plain table is a map.
function cbor.list(items) return { list = items } end

--- What the wire has of a command.
function cbor.command(argv)
  return { argv = cbor.list(argv), env = {}, unset = cbor.list {}, cwd = "", input = "", mounts = {}, kill_after_s = 2,
    loaded_below = cbor.list {}, keep_bytes = 1000, file_bytes = 1000,
    conditions = { cpus = cbor.list {}, group = "", fixed_addresses = false } }
end

local function head(major, number) return string.pack(">BI4", major << 5 | 26, number) end

function cbor.encode(value)
  local kind = type(value)
  if kind == "nil" or value == cbor.null then return "\xf6" end
  if kind == "boolean" then return value and "\xf5" or "\xf4" end
  if kind == "number" then return value < 0 and head(1, -1 - value) or head(0, value) end
  if kind == "string" then return head(3, #value) .. value end
  local parts = {}
  if value.list then
    for i, item in ipairs(value.list) do parts[i] = cbor.encode(item) end
    return head(4, #parts) .. table.concat(parts)
  end
  for key, item in pairs(value) do parts[#parts + 1] = cbor.encode(key) .. cbor.encode(item) end
  return head(5, #parts) .. table.concat(parts)
end

return cbor
