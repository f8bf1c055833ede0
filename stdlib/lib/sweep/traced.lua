-- A trace's numbers as metrics of a trial, so that they can be asked for by name in the store: seconds by kernel, by kind of copy
-- and by range, and the GPU's as a whole.

return function(of)
  local samples = {}
  if not of.ok then return samples end
  for _, kernel in ipairs(of.kernels) do samples["kernel_s:" .. kernel.name] = kernel.total_s end
  for _, copy in ipairs(of.copies) do samples["copy_s:" .. copy.kind] = copy.total_s end
  for _, range in ipairs(of.ranges) do samples["range_s:" .. range.name] = range.total_s end
  samples.gpu_busy_s, samples.gpu_span_s, samples.gpu_peak_bytes = of.busy_s, of.span_s, of.memory_peak_bytes
  return samples
end
