-- Student's t: how likely a value within -t and t is by chance. Abramowitz and Stegun, Handbook of Mathematical
-- Functions (1964), 26.7.3 and 26.7.4, which are exact.

--- The probability for an integer number of degrees of freedom.
return function(t, freedom)
  local angle = math.atan(math.abs(t), math.sqrt(freedom))
  local odd, cosine = freedom % 2 == 1, math.cos(angle)
  local term, sum = odd and cosine or 1, 0
  for k = odd and 3 or 2, freedom, 2 do
    sum = sum + term
    term = term * cosine ^ 2 * (k - 1) / k
  end
  if odd then return 2 / math.pi * (angle + math.sin(angle) * sum) end
  return math.sin(angle) * sum
end
