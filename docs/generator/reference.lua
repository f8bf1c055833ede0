-- docs/reference: all functions of `reg`, from the stubs of the standard library.

local stubs = reg.private "lib/help/stubs"
local all = stubs.all()

local members = {}
for name, member in pairs(reg) do members[name] = member end

-- GitHub's anchor of a heading.
local function anchor(heading) return (heading:lower():gsub("[^%w_ -]", ""):gsub(" ", "-")) end

local function page_of(entry) return entry.file:gsub("%.lua$", ".md") end

local function heading_of(entry)
  if entry.fields then return "class " .. entry.name end
  if entry.method then return (entry.name:gsub("%.([^%.]+)$", ":%1")) end
  return "reg." .. entry.name
end

local function link(entry, from_page, words)
  local page = page_of(entry)
  words = words or heading_of(entry):gsub("^class ", "")
  return ("[%s](%s#%s)"):format(words, page == from_page and "" or page, anchor(heading_of(entry)))
end

local function first_sentence(doc)
  local text = doc:gsub("\n\n.*", ""):gsub("%s+", " ")
  return text:match "^(.-%.)%s" or text
end

-- A type, with its classes linked. In a cell of a table a bar would end the cell.
local function type_text(text, page, in_cell)
  local escaped = text:gsub("[<>*]", { ["<"] = "&lt;", [">"] = "&gt;", ["*"] = "\\*" })
  if in_cell then escaped = escaped:gsub("|", "\\|") end
  return (escaped:gsub("[%a_][%w_]*%.[%w_%.]*[%w_]", function(name)
    local class = all.classes[stubs.short(name)]
    return class and link(class, page, name) or nil
  end))
end

-- The stubs' words: reg.x.y is linked, and outside code, nothing is HTML.
local function prose(text, page)
  local parts = {}
  local in_code = false
  for piece, tick in text:gmatch "([^`]*)(`?)" do
    local function linked(name)
      local entry = all.functions[stubs.short(name)]
      return entry and link(entry, page, in_code and "`" .. name .. "`" or name)
    end
    if in_code then
      parts[#parts + 1] = piece:find "^reg%." and linked(piece) or "`" .. piece .. "`"
    else
      parts[#parts + 1] = piece:gsub("<", "&lt;"):gsub("reg%.[%w_%.]*[%w_]", linked)
    end
    if tick == "`" then in_code = not in_code end
  end
  return table.concat(parts)
end

local function cell(text, page) return (prose(text or "", page):gsub("|", "\\|"):gsub("\n", " ")) end

local function value_table(lines, what, values, page)
  if #values == 0 then return end
  lines[#lines + 1] = ("| %s | type | |\n|---|---|---|"):format(what)
  for _, value in ipairs(values) do
    local optional = value.optional and "?" or ""
    lines[#lines + 1] = ("| `%s%s` | %s | %s |"):format(value.name, optional,
      type_text(value.type:gsub("%?$", ""), page, true), cell(value.doc, page))
  end
  lines[#lines + 1] = ""
end

local function example(lines, entry)
  if entry.example then lines[#lines + 1] = "```lua\n" .. entry.example .. "\n```\n" end
end

local function write_function(lines, entry, page)
  lines[#lines + 1] = "### " .. heading_of(entry) .. "\n"
  local call = heading_of(entry):match "([^%.]+:.*)$" or heading_of(entry)
  lines[#lines + 1] = "`" .. call .. entry.arguments .. "`\n"
  lines[#lines + 1] = prose(entry.doc, page) .. "\n"
  value_table(lines, "argument", entry.params, page)
  for _, result in ipairs(entry.returns) do
    local doc = result.doc ~= "" and ": " .. prose(result.doc, page) or ""
    lines[#lines + 1] = "Returns " .. type_text(result.type, page) .. doc .. "\n"
  end
  example(lines, entry)
end

local function write_class(lines, class, page)
  lines[#lines + 1] = "### " .. heading_of(class) .. "\n"
  if class.doc ~= "" then lines[#lines + 1] = prose(class.doc, page) .. "\n" end
  local parents = {}
  for _, name in ipairs(class.parents) do
    parents[#parents + 1] = all.classes[name] and link(all.classes[name], page) or nil
  end
  if #parents > 0 then lines[#lines + 1] = "With the fields of " .. table.concat(parents, " and ") .. ".\n" end
  value_table(lines, "field", class.fields, page)
  example(lines, class)
end

local function is_noun(class)
  return class.name == "reg" or not class.name:find "%." and type(members[class.name]) == "table"
end

-- What a file of stubs documents, each in the file's order: functions, objects (classes with methods) and tables.
local function contents(file)
  local found = { functions = {}, methods = {}, classes = {}, noun = nil }
  for _, class in pairs(all.classes) do
    if class.file == file and is_noun(class) then found.noun = class
    elseif class.file == file then table.insert(found.classes, class) end
  end
  for _, entry in pairs(all.functions) do
    if entry.file == file then table.insert(entry.method and found.methods or found.functions, entry) end
  end
  for _, list in ipairs { found.functions, found.methods, found.classes } do
    table.sort(list, function(a, b) return a.line < b.line end)
  end
  return found
end

local function title_of(file, found)
  if found.noun then return found.noun.name == "reg" and "reg" or "reg." .. found.noun.name end
  local names = {}
  for i, entry in ipairs(found.functions) do names[i] = heading_of(entry) end
  return file:gsub("^%l", string.upper):gsub("%.lua$", "") .. ": " .. table.concat(names, ", ")
end

local function page_text(file, found)
  local page = file:gsub("%.lua$", ".md")
  local lines = { "# " .. title_of(file, found) .. "\n" }
  if found.noun then
    lines[#lines + 1] = prose(found.noun.doc, page) .. "\n"
    example(lines, found.noun)
  end
  for _, list in ipairs { found.functions, found.methods } do
    for _, entry in ipairs(list) do
      lines[#lines + 1] = "- " .. link(entry, page) .. ": " .. cell(first_sentence(entry.doc), page)
    end
  end
  lines[#lines + 1] = ""
  for _, entry in ipairs(found.functions) do write_function(lines, entry, page) end
  for _, class in ipairs(found.classes) do
    write_class(lines, class, page)
    for _, entry in ipairs(found.methods) do
      if entry.name:match "^(.*)%.[^%.]+$" == class.name then write_function(lines, entry, page) end
    end
  end
  return (table.concat(lines, "\n"):gsub("\n\n\n+", "\n\n"):gsub("\n*$", "\n"))
end

local function index_text(files, pages)
  local lines = { "# Reference\n", "All functions of `reg`, from their stubs. At the prompt, " ..
    "`help \"container.run\"` prints the same.\nWritten by `docs/generate`; do not edit.\n",
    "| page | functions |", "|---|---|" }
  for _, file in ipairs(files) do
    local found, links = pages[file], {}
    for _, list in ipairs { found.functions, found.methods } do
      for _, entry in ipairs(list) do
        links[#links + 1] = link(entry, nil, (heading_of(entry):gsub("^[%w_%.]*%.(%u)", "%1")))
      end
    end
    local name = file:gsub("%.lua$", "")
    local row = ("| [%s](%s) | %s |"):format(name, page_of { file = file }, table.concat(links, ", "))
    if #links > 0 then lines[#lines + 1] = row end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Two headings of one anchor on a page would make the second one's links lead to the first.
local function check_anchors(name, text)
  local seen = {}
  for heading in ("\n" .. text):gmatch "\n#+ ([^\n]+)" do
    local here = anchor(heading)
    if seen[here] then error(name .. ": two headings have the anchor #" .. here, 0) end
    seen[here] = true
  end
end

--- { [name of the page] = text }
return function()
  local pages, files, texts = {}, {}, {}
  for _, kind in ipairs { all.functions, all.classes } do
    for _, entry in pairs(kind) do
      if not pages[entry.file] then
        pages[entry.file] = contents(entry.file)
        files[#files + 1] = entry.file
      end
    end
  end
  table.sort(files)
  for _, file in ipairs(files) do
    if #pages[file].functions > 0 then texts[file:gsub("%.lua$", ".md")] = page_text(file, pages[file]) end
  end
  texts["README.md"] = index_text(files, pages)
  for name, text in pairs(texts) do check_anchors(name, text) end
  return texts
end
