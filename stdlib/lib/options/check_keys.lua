-- known("sweep", options, { "metric", ... }): refuses an option that the function does not have, with the one that may have
-- been meant.

return function(name, options, keys)
  local has = {}
  for _, key in ipairs(keys) do has[key] = true end
  for key in pairs(options) do
    if not has[key] then
      core.fail("usage", string.format("%s: unknown option '%s'%s", name, tostring(key), core.did_you_mean(tostring(key), keys)),
        "it knows: " .. table.concat(keys, ", "))
    end
  end
end
