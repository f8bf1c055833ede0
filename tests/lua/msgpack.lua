-- Values as MessagePack, as the boxed engine and its broker exchange them.

local msgpack = {}

msgpack.null = setmetatable({}, { __name = "null" })

--- A list: a plain table is a map.
function msgpack.list(items) return { list = items } end

--- What the wire has of a command.
function msgpack.command(argv)
  return { argv = msgpack.list(argv), env = {}, unset = msgpack.list {}, cwd = "", input = "", mounts = {},
    kill_after_s = 2, loaded_below = msgpack.list {}, keep_bytes = 1000, file_bytes = 1000,
    timeout_s = msgpack.null, stall_s = msgpack.null, leased = msgpack.null, count = msgpack.null,
    on_cpus = msgpack.list {} }
end

function msgpack.encode(value)
  local kind = type(value)
  if kind == "nil" or value == msgpack.null then return "\xc0" end
  if kind == "boolean" then return value and "\xc3" or "\xc2" end
  if kind == "number" then return string.pack(">Bi8", 0xd3, value) end
  if kind == "string" then return string.pack(">Bs4", 0xdb, value) end
  local parts = {}
  if value.list then
    for i, item in ipairs(value.list) do parts[i] = msgpack.encode(item) end
    return string.pack(">BI4", 0xdd, #parts) .. table.concat(parts)
  end
  for key, item in pairs(value) do parts[#parts + 1] = msgpack.encode(key) .. msgpack.encode(item) end
  return string.pack(">BI4", 0xdf, #parts) .. table.concat(parts)
end

return msgpack
