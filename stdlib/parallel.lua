-- reg.parallel(list, f, { at_most = 8 }): f(item, index) for every item, several at a time, results in the list's order.
-- The first error stops the others and is raised.

return function(list, f, options)
  local at_most = options and options.at_most or 8
  local results, tasks, next_index = {}, {}, 0

  local function worker()
    while next_index < #list do
      next_index = next_index + 1
      local index = next_index
      results[index] = f(list[index], index)
    end
  end

  for i = 1, math.min(at_most, #list) do tasks[i] = reg.spawn(worker) end
  for _, task in ipairs(tasks) do
    local ok, why = pcall(task.wait, task)
    if not ok then
      for _, other in ipairs(tasks) do other:cancel() end
      error(why, 0)
    end
  end
  return results
end
