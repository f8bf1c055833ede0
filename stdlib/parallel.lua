-- reg.parallel: a function for every item of a list, several at the same time.

---@class reg.ParallelOptions
---@field at_most? integer how many at a time; default 8

--- Calls f(item, index) for every item of the list, several at a time, and returns the results in the order of the
--- list. The first error stops the others and is raised.
--- ```lua
--- local doubled = reg.parallel({ 1, 2, 3 }, function(n) reg.sleep(1) return 2 * n end, { at_most = 2 })
--- ```
---@param list any[]
---@param f fun(item: any, index: integer): any
---@param options? reg.ParallelOptions
---@return any[] results
return function(list, f, options)
  local at_most = options and options.at_most or 8
  if #list == 1 then return { (f(list[1], 1)) } end
  local results, tasks, next_index, failure = {}, {}, 0, nil

  local function worker(number)
    while next_index < #list and not failure do
      next_index = next_index + 1
      local index = next_index
      local ok, result = pcall(f, list[index], index)
      if ok then
        results[index] = result
      elseif not failure then
        failure = { why = result }
        -- Now, and not when this task is waited for: the others may run for hours.
        for i, other in ipairs(tasks) do
          if i ~= number then other:cancel() end
        end
      end
    end
  end

  for i = 1, math.min(at_most, #list) do tasks[i] = reg.spawn(worker, i) end
  for _, task in ipairs(tasks) do
    local ok, why = pcall(task.wait, task)
    if not ok and not failure then error(why, 0) end
  end
  if failure then error(failure.why, 0) end
  return results
end
