local test = require "harness"
local nsys = reg.nsys

local NEW = [[

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
20.0,2000,2,1000.0,1000.0,500,1500,707.1,"void add<float, int>(T1 *, ""x"")"
80.0,8000,1,8000.0,8000.0,8000,8000,0.0,gemm
]]

local OLD = [[
Time(%),Total Time (ns),Instances,Average (ns),Minimum (ns),Maximum (ns),StdDev (ns),Name
100.0,3000,3,1000.0,900,1100,100.0,old_kernel
]]

test("CSV of nsys stats is read, quotes and all, most time first", function()
  reg.fs.write("sums.csv", NEW)
  test.equal(nsys.kernels "sums.csv", {
    { name = "gemm", count = 1, total_s = 8000 * 1e-9, min_s = 8000 * 1e-9, max_s = 8000 * 1e-9 },
    { name = 'void add<float, int>(T1 *, "x")', count = 2, total_s = 2000 * 1e-9, min_s = 500 * 1e-9,
      max_s = 1500 * 1e-9 },
  })
  reg.fs.write("old.csv", OLD)
  local old = nsys.kernels "old.csv"
  test.equal({ #old, old[1].name, old[1].count, old[1].min_s, old[1].max_s },
    { 1, "old_kernel", 3, 900 * 1e-9, 1100 * 1e-9 })
  reg.fs.write("other.csv", "a,b\n1,2\n")
  test.raises("not a CSV of kernel sums", function() nsys.kernels "other.csv" end, "corrupt")
  test.raises("no such file: gone.nsys-rep", function() nsys.kernels "gone.nsys-rep" end, "not_found")
end)

test("where nsys is not installed it is one line, and what would help", function()
  local status = nsys.status()
  if status.ok then test.skip "nsys is installed here" end
  test.truthy(status.message:find("nsys", 1, true) and #status.hint > 0, status.message)
  test.raises("nsys is not installed", function() nsys.profile { cmd = { "true" }, output = "r" } end, "unavailable")
  reg.fs.write("r.nsys-rep", "")
  test.raises("nsys is not installed", function() nsys.kernels "r.nsys-rep" end, "unavailable")
end)

return test.finish()
