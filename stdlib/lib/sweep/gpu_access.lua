-- Whether a container that is kept still has its GPUs. A running container loses them when systemd reloads its units
-- (systemctl daemon-reload, or the update of a package); most programs then go on with the processor.

local CHECK = "command -v nvidia-smi >/dev/null 2>&1 || exit 0; nvidia-smi -L"
local LIMIT_S = 60
local FIRST_OF_SHELL = 125  -- and above: the container has no shell, or no nvidia-smi

local unknown = setmetatable({}, { __mode = "k" })  -- containers in which nvidia-smi never worked
local worked = setmetatable({}, { __mode = "k" })

-- Why the GPUs are gone; nil if they are there, or nobody knows.
local function lost(container)
  local run = container:exec { shell = CHECK, timeout_s = LIMIT_S }
  local says_nothing = run.code >= FIRST_OF_SHELL and run.code <= 127
  if run.ok or run.dry or run.timed_out or says_nothing then return nil end
  return (run.stdout .. "\n" .. run.stderr):match "%S[^\n]*" or "nvidia-smi failed with exit code " .. run.code
end

--- Checks it before a measurement, and restarts the container if they are gone. Raises unavailable if they stay away.
return function(container)
  if core.in_rehearsal or core.settings().dry_run or unknown[container] then return end
  local why = lost(container)
  if why and worked[container] then
    container:restart()
    local still = lost(container)
    if still then
      core.fail("unavailable", "the container " .. container.name .. " no longer has its GPUs: " .. still,
        "Check with nvidia-smi on this machine; --device /dev/nvidia0 keeps a GPU over systemctl daemon-reload.")
    end
    reg.log.warn("the container lost its GPUs, as by systemctl daemon-reload (%s): it was restarted", why)
  end
  if not why then worked[container] = true elseif not worked[container] then unknown[container] = true end
end
