-- A local ends with its chunk, and at the prompt each line is a chunk. To keep `local x = 1` for the next line, the
-- prompt runs the text without the `local`s outside all blocks; program/prompt.lua keeps those names in its
-- environment.

local tokens_of = require "lib/prompt/tokens"

local OPENS = { ["do"] = true, ["function"] = true, ["if"] = true, ["repeat"] = true }
local CLOSES = { ["end"] = true, ["until"] = true }

-- Reads the names after the `local` at token number `at`, and the edits that make them globals.
local function read_declaration(tokens, at, found, edit)
  edit(tokens[at].from, tokens[at + 1].from - 1, "")
  local next = at + 1
  if tokens[next].text == "function" then
    table.insert(found.names, tokens[next + 1].text)
    return
  end
  local last
  repeat
    last = tokens[next]
    table.insert(found.names, last.text)
    next = next + 1
    if tokens[next] and tokens[next].text == "<" then
      local closes = tokens[next + 1].text == "close"
      if closes then table.insert(found.closing, last.text) end
      local name_ends = last.to
      last = tokens[next + 2]
      edit(name_ends + 1, last.to, "", not closes)
      next = next + 3
    end
    local more = tokens[next] and tokens[next].text == ","
    next = next + 1
  until not more
  local has_value = tokens[next - 1] and tokens[next - 1].text == "="
  if not has_value then edit(last.to + 1, last.to, " = nil") end
end

--- The declarations of a chunk, which must compile, outside all blocks: { names, closing (those declared <close>), text
--- (the chunk without those `local`s), as_locals (with them but without <const>, since later lines may assign), returns
--- (it ends with `return`), labels (it has labels), comment (its last line ends in a comment) }.
return function(text)
  local tokens = tokens_of(text)
  local found = { names = {}, closing = {}, returns = false, labels = false, comment = false }
  local blocks, functions = {}, 0
  local edited, as_locals = { done = 0 }, { done = 0 }
  local function put(into, from, to, with)
    into[#into + 1] = text:sub(into.done + 1, from - 1) .. with
    into.done = to
  end
  local function edit(from, to, with, in_both)
    put(edited, from, to, with)
    if in_both then put(as_locals, from, to, with) end
  end
  for i, token in ipairs(tokens) do
    local word = token.kind == "keyword" and token.text
    if OPENS[word] then
      blocks[#blocks + 1] = word
      if word == "function" then functions = functions + 1 end
    elseif CLOSES[word] then
      if table.remove(blocks) == "function" then functions = functions - 1 end
    elseif word == "return" and functions == 0 then
      found.returns = true
    elseif word == "local" and #blocks == 0 then
      read_declaration(tokens, i, found, edit)
    elseif token.kind == "symbol" and token.text == "::" then
      found.labels = true
    elseif token.kind == "comment" then
      found.comment = true
    end
  end
  found.text = table.concat(edited) .. text:sub(edited.done + 1)
  found.as_locals = table.concat(as_locals) .. text:sub(as_locals.done + 1)
  return found
end
