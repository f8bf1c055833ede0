-- Wider element types where narrower ones were.

local WIDTHS = { { "f32", "f64" }, { "bf16", "f32" }, { "f16", "f32" }, { "bf16", "f64" }, { "f16", "f64" },
                 { "c64", "c128" }, { "s32", "s64" }, { "u32", "u64" }, { "f8e4m3fn", "bf16" }, { "f8e5m2", "bf16" } }

--- { narrow, wide, before, after, count } for two tables of instructions by element type: `before` and `after` are how
--- many have the wide type.
return function(a, b)
  local found = {}
  for _, pair in ipairs(WIDTHS) do
    local narrow, wide = pair[1], pair[2]
    local before, after = a[wide] or 0, b[wide] or 0
    local count = math.min(after - before, (a[narrow] or 0) - (b[narrow] or 0))
    if count > 0 then
      found[#found + 1] = { narrow = narrow, wide = wide, before = before, after = after, count = count }
    end
  end
  return found
end
