-- Verifies that an experiment computes the same numbers as its reference: both run once more, each with its own folder
-- in $DUMP_DIR, and the files that they write there are compared.

local Verification = {}
Verification.__index = Verification

--- `spec`: the suite's `verify`. `dump(configuration, name)` runs the command with a dump folder of that name and
--- returns the folder, or nil and why it failed.
function Verification.new(spec, dump)
  return setmetatable({ spec = spec, dump = dump, references = {} }, Verification)
end

--- The configuration of another one's reference.
function Verification.reference_of(spec, c)
  local with = {}
  for name, value in pairs(c) do with[name] = value end
  for name, value in pairs(spec.reference) do with[name] = value end
  return with
end

-- The runs of the reference, once for all experiments that share it.
function Verification:reference(c)
  local with = Verification.reference_of(self.spec, c)
  local key = reg.store.key(with)
  local reference = self.references[key]
  if not reference then
    reference = {}
    reference.folder, reference.why = self.dump(with, "reference")
    if reference.folder and self.spec.repeat_reference then
      reference.again, reference.why = self.dump(with, "reference-again")
    end
    self.references[key] = reference
  end
  return reference
end

--- Verifies an experiment: { code =, message =, value = } as reg.verify returns them.
function Verification:verify(c)
  local spec, reference = self.spec, self:reference(c)
  if reference.why then return { code = "EAGER_FAILED", message = "the reference failed: " .. reference.why } end
  local folder, why = self.dump(c, "result")
  if not folder then return { code = "VERIFIER_DIDNT_RUN", message = "failed: " .. why } end
  local function file(of) return of and of .. "/" .. spec.result end
  return reg.verify { reference = file(reference.folder), result = file(folder),
    repeat_reference = file(reference.again), tolerance = spec.tolerance }
end

return Verification
