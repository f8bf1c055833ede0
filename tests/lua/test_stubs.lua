-- The stubs are the reference, help() and the completion: they must say what the binary does, all of it and nothing
-- else. This holds them against what is registered, both ways.

local test = require "harness"
local core = reg.private "lib/core"
local stubs = reg.private "lib/help/stubs"
local all = stubs.all()

-- A test that has no complaints; they are one error, so that a run shows everything that is amiss.
local function none(what, f)
  test(what, function()
    local complaints = {}
    f(function(complaint) complaints[#complaints + 1] = complaint end)
    table.sort(complaints)
    if #complaints > 0 then error("\n  " .. table.concat(complaints, "\n  "), 0) end
  end)
end

-- { class name -> { member -> true } } of the objects the C++ side has. A class is a registered name whose owner is not
-- a member of reg: "git.Repo.find", but not "git.open".
local function registered_classes()
  local classes, nouns = {}, {}
  for name in pairs(reg) do nouns[name] = true end
  for _, entry in ipairs(core.registered()) do
    local owner, name = entry.name:match "^(.*)%.([^%.]+)$"
    local outside = not owner or nouns[owner] or owner == "core" or owner == "stdlib" or owner == "reg"
    if not outside then
      classes[owner] = classes[owner] or {}
      classes[owner][name] = true
    end
  end
  for class, methods in pairs(core.classes) do
    for name in pairs(methods) do classes[class][name] = true end
  end
  return classes
end

local function has_field(class, name)
  for _, field in ipairs(class and stubs.fields(class) or {}) do
    if field.name == name then return true end
  end
  return false
end

-- The keys of the options table that parameter number `at` takes, by its stub; nil where it takes none.
local function stub_options(stub, at)
  local param = stub.params[stub.method and at - 1 or at]
  if not param then return nil end
  local keys = {}
  for _, class in ipairs(stubs.classes_of(param.type)) do
    for _, field in ipairs(stubs.fields(class)) do keys[field.name] = true end
  end
  for key in (param.type:match "^{(.*)}%??$" or ""):gmatch "([%w_]+)%??%s*:" do keys[key] = true end
  return keys
end

none("every function of reg has a stub, and every stub a function", function(complain)
  local classes = registered_classes()
  local visible = stubs.visible()
  for name in pairs(visible) do
    if not all.functions[name] then complain("no stub: reg." .. name) end
  end
  for name, stub in pairs(all.functions) do
    local owner = name:match "^(.*)%.[^%.]+$"
    local of_object = owner and all.classes[owner] and (classes[owner] or stub.method)
    if not visible[name] and not of_object then complain(stub.file .. ": no such function: reg." .. name) end
  end
end)

none("every method and property of an object has a stub, and every stub a method or property", function(complain)
  for class, members in pairs(registered_classes()) do
    if not all.classes[class] then complain("no stub for the class " .. class) end
    for name in pairs(members) do
      if not all.functions[class .. "." .. name] and not has_field(all.classes[class], name) then
        complain("no stub: " .. class .. ":" .. name)
      end
    end
    for name, stub in pairs(all.functions) do
      local owner, member = name:match "^(.*)%.([^%.]+)$"
      if owner == class and not members[member] then complain(stub.file .. ": no such method: " .. name) end
    end
    for _, field in ipairs(all.classes[class] and all.classes[class].fields or {}) do
      if not members[field.name] then complain("no such property: " .. class .. "." .. field.name) end
    end
  end
end)

none("every stub has a description, an example that compiles, and a line for each argument", function(complain)
  local function complain_of(stub, what) complain(stub.file .. ": " .. stub.name .. ": " .. what) end
  for _, stub in pairs(all.functions) do
    if stub.doc == "" then complain_of(stub, "no description") end
    local example = stubs.example(stub)
    if not example then
      complain_of(stub, "no example in a ```lua block, and none of its class that calls it")
    else
      local ok, why = load(example, "=example")
      if not ok then complain_of(stub, "its example does not compile: " .. why) end
    end
    local declared = {}
    for _, param in ipairs(stub.params) do declared[param.name or "..."] = true end
    for argument in stub.arguments:gmatch "[%w_%.]+" do
      if not declared[argument] then complain_of(stub, "no ---@param for " .. argument) end
      declared[argument] = nil
    end
    for name in pairs(declared) do complain_of(stub, "no argument for ---@param " .. name) end
  end
end)

none("nothing has two stubs, one in its module and one under stdlib/meta", function(complain)
  local written, derived = stubs.read(stubs.written()), stubs.read(stubs.derived())
  for _, kind in ipairs { "functions", "classes" } do
    for name in pairs(written[kind]) do
      if derived[kind][name] then complain(name) end
    end
  end
end)

none("the option keys a function takes are the fields its stub names", function(complain)
  local written_in_lua = {}
  for name in pairs(reg) do
    -- What the stdlib wraps has the wrapper's options, which it checks itself.
    written_in_lua[name] = core.embedded("stdlib/" .. name .. ".lua") ~= nil or nil
  end
  for _, entry in ipairs(core.registered()) do
    local stub = all.functions[entry.name]
    if entry.options and stub and not written_in_lua[entry.name:match "^[^%.]+"] then
      local keys = stub_options(stub, entry.options_at) or {}
      for _, key in ipairs(entry.options) do
        if not keys[key] then complain(stub.file .. ": " .. entry.name .. ": no field for the option " .. key) end
        keys[key] = nil
      end
      for key in pairs(keys) do complain(stub.file .. ": " .. entry.name .. ": it has no option " .. key) end
    end
  end
end)

return test.finish()
