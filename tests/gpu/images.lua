-- An image that asks for a newer driver than there is (line 16). The image is empty and made here: no network.

local t = require "rows"

local IMAGE = "regengine-needs-a-newer-driver"

local function engine_here()
  for _, name in ipairs { "docker", "podman" } do
    if reg.process.run({ shell = "command -v " .. name .. " && " .. name .. " info" }).ok then return name end
  end
end

local runtime = engine_here()
if not runtime then
  t.row("an image that needs a newer driver", "neither docker nor podman")
  return t.finish()
end

t.part("newer driver", function()
  local made = reg.process.run { shell = "tar -c -T /dev/null | " .. runtime
    .. " import --change 'ENV NVIDIA_REQUIRE_CUDA=cuda>=99 NVIDIA_VISIBLE_DEVICES=all' - " .. IMAGE }
  assert(made.ok, made.stderr)
  local ok, why = pcall(reg.container.run, { image = IMAGE, runtime = runtime, gpus = "all", pull = "never", cmd = { "/none" } })
  reg.process.run { cmd = { runtime, "rmi", "-f", IMAGE } }
  local hint = not ok and type(why) == "table" and why.hint or ok and "it ran" or tostring(why)
  t.row("an image that needs a newer driver", hint, "Update the NVIDIA driver",
    hint:find("Update the NVIDIA driver", 1, true) ~= nil)
end)

return t.finish()
