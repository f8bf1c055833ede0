-- The numbers of a trace as samples of a trial, so that the store has them by name: seconds by kernel, by kind of copy
-- and by range, and of the GPU as a whole.

return function(trace)
  local samples = {}
  if not trace.ok then return samples end
  for _, kernel in ipairs(trace.kernels) do samples["kernel_s:" .. kernel.name] = kernel.total_s end
  for _, copy in ipairs(trace.copies) do samples["copy_s:" .. copy.kind] = copy.total_s end
  for _, range in ipairs(trace.ranges) do samples["range_s:" .. range.name] = range.total_s end
  samples.gpu_busy_s, samples.gpu_span_s, samples.gpu_peak_bytes =
    trace.busy_s, trace.span_s, trace.memory_peak_bytes
  return samples
end
