---@meta

---@class masked.Options
---@field keep_host? boolean leave host names and network addresses
---@field hosts? string[] host names to mask besides this machine's

--- The text without what is nobody's business, for what leaves the machine: home folders become ~, and tokens, the values of variables
--- whose name says TOKEN, SECRET, KEY or PASSWORD, mail addresses, this machine's name and user, and network addresses become
--- <masked>. It knows tokens by their makers' forms, so it is no proof: read what you share. Raises usage for what is no text.
--- ```lua
--- local text, what = reg.masked "HF_TOKEN=abc make -C /home/ann/src"
--- print(text)  -- HF_TOKEN=<masked> make -C ~/src
--- print(what)  -- one home path, one secret
--- ```
---@param text string
---@param options? masked.Options
---@return string text
---@return string? what was masked, in words; nil where nothing was
function reg.masked(text, options) end
