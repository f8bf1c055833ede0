-- The digests of an image: one image may be known by several, of its index and of its manifest. The first is the one
-- to store; a stored trial with any of them is of this image.

-- Kinds of errors of an image that cannot be had: a subject that is skipped.
local GONE = { not_found = true, unavailable = true, failed_trial = true, permission = true }
local digests = {}  -- by image, for the whole run

-- As --pull says: "missing" unless given.
local function pull(effect)
  local when = core.options and core.options.pull or "missing"
  return pcall(reg.container.pull, effect.image, { runtime = effect.runtime, pull = when })
end

local function inspected(effect)
  local ok, facts = pcall(reg.container.inspect, effect.image, { runtime = effect.runtime })
  if ok then return facts end
  if type(facts) ~= "table" or facts.kind ~= "not_found" then error(facts, 0) end
end

local function all_of(facts)
  local list, seen = {}, {}
  for _, digest in ipairs { facts.digest, facts.id, table.unpack(facts.digests or {}) } do
    if digest ~= "" and not seen[digest] then list[#list + 1] = digest end
    seen[digest] = true
  end
  return list
end

--- The digests of the image that an effect of a rehearsal for `subject` runs. The registry's, if it told the subject's;
--- else the image is pulled as --pull says. An image that this machine does not have even then has only its name.
return function(effect, subject)
  local name = effect.runtime .. " " .. effect.image
  if digests[name] then return digests[name] end
  local facts = inspected(effect)
  if not facts and type(subject) == "table" and subject.image == effect.image and subject.digest then
    return { subject.digest }
  end
  if not facts or core.options and core.options.pull == "always" then
    local pulled, why = pull(effect)
    if not pulled and not (type(why) == "table" and GONE[why.kind]) then error(why, 0) end
    facts = inspected(effect)
  end
  if not facts then return { effect.image } end  -- not kept: it may be there the next time
  digests[name] = all_of(facts)
  return digests[name]
end
