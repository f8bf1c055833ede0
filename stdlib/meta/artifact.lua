---@meta

--- The compiled files of a program, by hashes of what they do: programs, shared objects, wheels, code for GPUs, and
--- optimized modules in XLA dumps. If they are the same at both ends, the program is not the cause.
---@class reg.artifact
reg.artifact = {}

---@class artifact.CollectOptions
---@field [integer] string files and folders: a file is hashed whatever it is, and of a folder every compiled file below
---@field loaded_by? process.RunOptions run this command, and collect only what it loads
---@field image? string the paths are in this image: files are found by name and permission, and have only a sha256
---@field runtime? "docker"|"podman"|"local"

---@class artifact.File
---@field sha256 string of the file
---@field build_id? string the GNU build-id of an ELF file
---@field content? string of what it does: ELF without debug data and build-id, wheels without times, XLA without ids

---@class artifact.Files
---@field files table<string, artifact.File> by the path below its folder, or the name of a file
---@field missing table<string, string> "files": why there are none

--- Hashes files. Links below a folder are not followed. Two files of one name get numbers: "x.so (2)". A command is
--- seen to load a file if it runs at least as long as everything before it. Raises usage, not_found, permission or io
--- for a path, and with `image` or `loaded_by` what reg.container.run and reg.process.run raise.
--- ```lua
--- local built = reg.artifact.collect { "build/bin", "build/lib" }
--- local loaded = reg.artifact.collect { "build", loaded_by = { cmd = { "build/bin/bench" } } }
--- for name, file in pairs(loaded.files) do print(name, file.build_id or file.sha256) end
--- ```
---@param options artifact.CollectOptions
---@return artifact.Files files
function reg.artifact.collect(options) end

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
