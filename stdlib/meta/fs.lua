---@meta

--- Files, by paths from the workspace, the folder regengine was started in. A path that leads out of it, by "..", by being
--- absolute or by a symbolic link, needs a permission for where it leads, and raises permission without it.
---@class reg.fs
reg.fs = {}

--- The whole file as a string. Raises not_found, permission or io, naming the path.
--- ```lua
--- local text = reg.fs.read "notes.txt"
--- ```
---@param path string
---@return string text
function reg.fs.read(path) end

--- Writes the file, in place of an older one; a reader or a crash sees the old text or the new, never half. Raises
--- permission or io.
--- ```lua
--- reg.fs.write("notes.txt", "first line\n")
--- ```
---@param path string
---@param text string
function reg.fs.write(path, text) end

--- Adds to the end of the file, which is made where it is missing. Raises permission or io.
--- ```lua
--- reg.fs.append("notes.txt", "another line\n")
--- ```
---@param path string
---@param text string
function reg.fs.append(path, text) end

--- Whether there is a file or a folder of that name.
--- ```lua
--- if not reg.fs.exists "results" then reg.fs.mkdir "results" end
--- ```
---@param path string
---@return boolean there
function reg.fs.exists(path) end

--- Names of what a folder holds, sorted, without "." and "..". Raises io where it is no folder.
--- ```lua
--- for _, name in ipairs(reg.fs.list ".") do print(name) end
--- ```
---@param path string
---@return string[] names
function reg.fs.list(path) end

--- Makes the folder and those above it that are missing. Raises io.
--- ```lua
--- reg.fs.mkdir "results/2023-08-24"
--- ```
---@param path string
function reg.fs.mkdir(path) end

--- Removes a file, or a folder with all it holds; what is not there is no error. Raises usage for the workspace,
--- and for a folder that holds it.
--- ```lua
--- reg.fs.remove "results"
--- ```
---@param path string
function reg.fs.remove(path) end

--- The path from the root of the file system, for a command that needs it.
--- ```lua
--- print(reg.fs.absolute "results")
--- ```
---@param path string
---@return string path
function reg.fs.absolute(path) end
