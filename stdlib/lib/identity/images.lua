-- The digests of an image: one image may be known by several, of its index and of its manifest. The first is the one
-- to store; a stored trial with any of them is of this image.

local digests = {}  -- by image, for the whole run

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

--- The digests of the image that an effect of a rehearsal runs. It is pulled if this machine does not have it; if it
--- cannot be pulled, it has only its name.
return function(effect)
  local image, runtime = effect.image, effect.runtime
  local name = runtime .. " " .. image
  if digests[name] then return digests[name] end
  local facts = inspected(effect)
  if not facts and pcall(reg.container.pull, image, { runtime = runtime }) then facts = inspected(effect) end
  if not facts then return { image } end  -- not kept: it may be there the next time
  digests[name] = all_of(facts)
  return digests[name]
end
