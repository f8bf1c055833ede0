-- An image that asks for a newer driver than there is (line 16). The image is empty and made here: no network.

local t = require "rows"

local IMAGE = "regengine-needs-a-newer-driver"

local function engine_here()
  for _, name in ipairs { "docker", "podman" } do
    if t.can("command -v " .. name .. " && " .. name .. " info") then return name end
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
  local seen = ok and "it ran" or type(why) == "table" and why.message .. " " .. (why.hint or "") or tostring(why)
  if seen:find("Install the NVIDIA Container Toolkit", 1, true) or seen:find("nvidia-ctk cdi generate", 1, true) then
    t.row("an image that needs a newer driver", "no GPUs in containers here")
  elseif seen:find("/none", 1, true) then  -- the command, which is not in the image
    t.row("an image that needs a newer driver", runtime .. " does not ask (CDI)")
  else
    local advice = seen:match "Update the NVIDIA driver"
    t.row("an image that needs a newer driver", advice or seen:match "[^\n]*", "Update the NVIDIA driver", advice ~= nil)
  end
end)

return t.finish()
