-- check_keys("sweep", options, { "metric", ... }): raises usage for an option that the function does not have and names
-- the closest one.

return function(name, options, keys)
  local valid = {}
  for _, key in ipairs(keys) do valid[key] = true end
  for key in pairs(options) do
    if not valid[key] then
      core.fail("usage",
        string.format("%s: unknown option '%s'%s", name, tostring(key), core.did_you_mean(tostring(key), keys)),
        "valid options: " .. table.concat(keys, ", "))
    end
  end
end
