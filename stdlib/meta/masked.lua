---@meta

---@class masked.Options
---@field keep_host? boolean keep host names and network addresses
---@field hosts? string[] more host names to redact, besides this machine's

--- Redacts private data in text that leaves the machine: home folders become ~; tokens, values of variables whose name
--- says TOKEN, SECRET, KEY or PASSWORD, mail addresses, this machine's name and user, and network addresses become
--- <redacted>. It recognizes tokens by their issuers' formats and guarantees nothing: read what you share. Raises usage
--- for anything but a string.
--- ```lua
--- local text, what = reg.masked "HF_TOKEN=abc make -C /home/ann/src"
--- print(text)  -- HF_TOKEN=<redacted> make -C ~/src
--- print(what)  -- 1 home path, 1 secret
--- ```
---@param text string
---@param options? masked.Options
---@return string text
---@return string? redacted what was redacted, in words; nil if nothing was
function reg.masked(text, options) end
