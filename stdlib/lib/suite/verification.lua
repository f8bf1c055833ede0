-- Whether an experiment computes what its reference computes: both run once more with a folder of their own in $DUMP_DIR, and
-- the files that they leave there are compared.

local Verification = {}
Verification.__index = Verification

--- `spec`: the suite's `verify`. `dump(configuration, name)` runs its command with a dump folder of that name and returns the folder,
--- or nil and why it failed.
function Verification.new(spec, dump)
  return setmetatable({ spec = spec, dump = dump, references = {} }, Verification)
end

--- The configuration that gives the reference of another.
function Verification.reference_of(spec, c)
  local with = {}
  for name, value in pairs(c) do with[name] = value end
  for name, value in pairs(spec.reference) do with[name] = value end
  return with
end

-- The reference's runs, made once for all experiments that share it.
function Verification:reference(c)
  local with = Verification.reference_of(self.spec, c)
  local key = reg.store.key(with)
  local known = self.references[key]
  if not known then
    known = {}
    known.folder, known.why = self.dump(with, "reference")
    if known.folder and self.spec.repeat_reference then known.again, known.why = self.dump(with, "reference-again") end
    self.references[key] = known
  end
  return known
end

local function file(folder, spec)
  local path = folder .. "/" .. spec.result
  return (spec.dtype or spec.shape) and { file = path, dtype = spec.dtype, shape = spec.shape } or path
end

--- { code =, message =, value =, metric = } of an experiment, as reg.verify has it; the number always where there is one.
function Verification:of(c)
  local spec, reference = self.spec, self:reference(c)
  if reference.why then return { code = "EAGER_FAILED", message = "the reference failed: " .. reference.why } end
  local folder, why = self.dump(c, "result")
  if not folder then return { code = "VERIFIER_DIDNT_RUN", message = "failed: " .. why } end
  local answer = reg.verify { reference = file(reference.folder, spec), result = file(folder, spec), metric = spec.metric,
    repeat_reference = reference.again and file(reference.again, spec), tolerance = spec.tolerance, atol = spec.atol }
  return answer
end

return Verification
