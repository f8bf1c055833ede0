---@meta

--- What reg.options returns: the script's own options by name, and those every script has.
---@class options.Values
---@field store string file the results are kept in: "regengine.db" unless --store says otherwise
---@field dry_run boolean --dry-run: nothing is changed
---@field json boolean --json: reg.answer ends with one JSON object
---@field quiet boolean --quiet: no progress
---@field explain boolean --explain: say why each run was made
---@field redo string[] statuses whose trials are measured again: timeout, test_failed, build_failed, crashed, oom

--- Reads the script's command line by a table { name = { default, "what it is", file = true } }. The default gives the type:
--- a number, a text, true or false for a flag, or one of reg.required (must be given), reg.optional (nil unless given) and
--- reg.several (a list, given any number of times). `file = true` wants a file that exists, `choices = { ... }` one of these texts,
--- and `words = true` makes a list of the words without an option, at least one. On the command line dry_run is
--- --dry-run, and --help prints the "---" lines at the script's head and all options. Raises usage for a missing, unknown or
--- ill-formed option, and ends the program with exit code 2 so. Units are the script's to say; durations are texts, "1h".
--- ```lua
--- local opt = reg.options {
---   test    = { reg.required, "script to run", file = true },
---   repo    = { reg.several, "NAME=PATH of a repository" },
---   image   = { reg.optional, "image to run it in" },
---   timeout = { "1h", "limit of one run" },
---   every   = { false, "measure everything" },
--- }
--- ```
---@param specs table<string, table> { default, "what it is", file =, choices =, words = } by name
---@return options.Values values
function reg.options(specs) end
