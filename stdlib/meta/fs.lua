---@meta

--- Files, with paths relative to the workspace, the folder that regengine was started in. A path that leaves it - by
--- "..", as an absolute path or through a symbolic link - needs a permission, or raises permission.
--- ```lua
--- reg.fs.mkdir "out"
--- reg.fs.write("out/notes.txt", "first\n")
--- reg.fs.append("out/notes.txt", "second\n")
--- if reg.fs.exists "out/notes.txt" then print(reg.fs.read "out/notes.txt", reg.fs.absolute "out") end
--- for _, name in ipairs(reg.fs.list "out") do reg.fs.remove("out/" .. name) end
--- ```
---@class reg.fs
reg.fs = {}

--- Reads a whole file. Raises not_found, permission or io with the path.
---@param path string
---@return string text
function reg.fs.read(path) end

--- Writes a file atomically, replacing an existing one: readers see the old or the new text, also after a crash. Raises
--- permission or io.
---@param path string
---@param text string
function reg.fs.write(path, text) end

--- Appends to a file, which is created if it does not exist. Raises permission or io.
---@param path string
---@param text string
function reg.fs.append(path, text) end

--- Whether a file or folder of that name exists.
---@param path string
---@return boolean there
function reg.fs.exists(path) end

--- The names in a folder, sorted, without "." and "..". Raises io if it is not a folder.
---@param path string
---@return string[] names
function reg.fs.list(path) end

--- Creates a folder and its missing parents. Raises io.
---@param path string
function reg.fs.mkdir(path) end

--- Removes a file, or a folder with its content; a missing one is not an error. Raises usage for the workspace and for
--- its parents.
---@param path string
function reg.fs.remove(path) end

--- The absolute path, for a command that needs it.
---@param path string
---@return string path
function reg.fs.absolute(path) end
