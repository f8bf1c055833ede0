-- The geometric mean of positive numbers. Of equal numbers it is the number itself, without an error of rounding.

return function(values)
  local sum = 0.0
  for _, value in ipairs(values) do sum = sum + math.log(value / values[1]) end
  return values[1] * math.exp(sum / #values)
end
