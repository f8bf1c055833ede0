-- Trials that an older regengine stored: their keys do not say what they measured, so they are not used again.

local SQL = [[SELECT count(*) AS n FROM trials t JOIN subjects s ON s.id = t.subject
  WHERE t.status = 'ok' AND instr(t.key, '@') = 0 AND s.name IN (SELECT value FROM json_each(?))]]

--- Says once how many trials of these subjects there are.
return function(store, ids)
  local ok, rows = pcall(store.query, store, SQL, reg.json.encode(reg.json.array(ids)))
  if not ok and rows.kind ~= "corrupt" then error(rows, 0) end
  local count = ok and rows[1].n or 0  -- of a damaged store the trials that are read say what is damaged
  if count == 0 then return end
  reg.log.info("%s has %d trials of these subjects from an older regengine, which did not record what they depend on. "
    .. "Reports show them; they are measured again.", store.path, count)
end
