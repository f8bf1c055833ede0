---@meta

--- The compiled files of a program, by hashes of what they do: programs, shared objects, wheels, code for GPUs, and
--- optimized modules in XLA dumps. If they are the same at both ends, the program is not the cause.
---@class reg.artifact
reg.artifact = {}

---@class artifact.File
---@field sha256 string of the file
---@field build_id? string the GNU build-id of an ELF file
---@field content? string of what it does: ELF without debug data and build-id, wheels without times, XLA without ids

---@class artifact.Files
---@field files table<string, artifact.File> by the path below its folder, or the name of a file
---@field missing table<string, string> "files": why there are none

--- Hashes files: one that is named, whatever it is, and of a folder every compiled file below. Links below a folder are
--- not followed. Two files of one name get numbers: "x.so (2)". Raises usage, not_found, permission or io for a path.
--- ```lua
--- local built = reg.artifact.collect { "build/bin", "build/lib" }
--- for name, file in pairs(built.files) do print(name, file.build_id or file.sha256) end
--- ```
---@param paths string[]
---@return artifact.Files files
function reg.artifact.collect(paths) end

--- Which files differ between two ends, each a collected table or a list of them, and in one sentence what that means.
--- Files compare by content where both ends have it, else by sha256. More than eight that differ are one finding.
--- Raises usage.
--- ```lua
--- local findings, meaning = reg.artifact.diff(reg.artifact.collect { "good" }, reg.artifact.collect { "bad" })
--- print(meaning)  -- the compiled program is identical: look at the host, the clocks or the data
--- for _, finding in ipairs(findings) do print(finding.what) end
--- ```
---@param before artifact.Files|artifact.Files[]
---@param after artifact.Files|artifact.Files[]
---@return environment.Finding[] findings
---@return string meaning
function reg.artifact.diff(before, after) end
