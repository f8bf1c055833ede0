local test = require "harness"
local stubs = reg["help/stubs"]
local complete = reg["help/complete"]

local function holds(text, part) test.truthy(text:find(part, 1, true), "'" .. part .. "' is not in:\n" .. text) end

local sample = [[
---@meta

--- A noun.
---@class reg.zoo
reg.zoo = {}

---@class zoo.Base
---@field shared fun(a: string, b?: integer): string, boolean called for each

--- Options.
---@class zoo.Options: zoo.Base, zoo.Other
---@field cage "small" | "large" its size
---@field at? table<string, integer> where

--- Opens it. Slowly.
--- ```lua
--- local z = reg.zoo.open("x", { cage = "small" })
--- ```
---@param name string
---@param options? zoo.Options
---@return zoo.Zoo zoo the zoo
---@return string? why
function reg.zoo.open(name, options) end

---@class zoo.Zoo
---@field path string where it is
local Zoo = {}

--- Feeds.
---@param ... any
function Zoo:feed(...) end
]]

test("stubs are read: types with blanks, parents, methods of local variables, examples", function()
  local read = stubs.read { ["zoo.lua"] = sample }
  local open = read.functions["zoo.open"]
  test.equal(open.doc, "Opens it. Slowly.")
  test.equal(open.example, 'local z = reg.zoo.open("x", { cage = "small" })')
  test.equal({ open.params[2].name, open.params[2].type, open.params[2].optional }, { "options", "zoo.Options", true })
  test.equal({ open.returns[1].type, open.returns[1].doc }, { "zoo.Zoo", "zoo the zoo" })
  local options = read.classes["zoo.Options"]
  test.equal({ options.parents, options.doc }, { { "zoo.Base", "zoo.Other" }, "Options." })
  test.equal({ options.fields[1].type, options.fields[1].doc }, { '"small" | "large"', "its size" })
  test.equal({ options.fields[2].type, options.fields[2].doc }, { "table<string, integer>", "where" })
  test.equal(read.classes["zoo.Base"].fields[1].type, "fun(a: string, b?: integer): string, boolean")
  test.equal(read.functions["zoo.Zoo.feed"].method, true)
  test.equal(read.functions["zoo.Zoo.feed"].params[1].name, "...")
  test.equal(read.classes.zoo.doc, "A noun.")
end)

test("help shows a function's options and example, by name or by value", function()
  local text = reg.help.text "report.table"
  holds(text, "reg.report.table(rows, options)")
  holds(text, "columns  string[]?")
  holds(text, "print(reg.report.table(")
  test.equal(reg.help.text(reg.report.table), text)
  test.equal(reg.help.text "reg.report.table(", text)
end)

test("help shows nouns, classes and objects with what can be called", function()
  holds(reg.help.text "report", "reg.report.csv(rows, path)")
  test.equal(reg.help.text(reg.report), reg.help.text "report")
  local p <close> = reg.progress {}
  holds(reg.help.text(p), "progress:update(what)")
  holds(reg.help.text(), "reg.report")
  holds(reg.help.text(), "reg.log")
end)

test("help for what is not there says what was meant", function()
  test.raises("did you mean 'report.table'?", function() reg.help "report.tabel" end, "not_found")
end)

test("completion knows reg, nouns, globals, objects' methods and the options of an open call", function()
  local function names(text)
    local part, list = complete(text)
    return part .. ": " .. table.concat(list, " ")
  end
  test.equal(names "x = reg.report.", ": csv plot table")
  test.equal(names "reg.report.pl", "pl: plot")
  test.equal(names "reg.prog", "prog: progress")
  test.equal(names "print(string.for", "for: format")
  test.equal(names "whi", "whi: while")
  test.equal(names "nowhere.at.", ": ")
  test.equal(names "reg.report.plot(s, { wi", "wi: width")
  test.equal(names "reg.progress { title = 'a', ", ": done metric title total")
  _G.an_object = reg.progress {}
  test.equal(names "an_object:", ": close update")
  test.equal(names "an_object:update { su", "su: subject")
  an_object:close()  -- luacheck: ignore
  _G.an_object = nil
end)

return test.finish()
