-- The man page.

local SPECIAL = { ["\\"] = "\\e", ["-"] = "\\-", ["'"] = "\\(aq", ["`"] = "\\(ga", ["^"] = "\\(ha", ["~"] = "\\(ti" }

local function escaped(text) return (text:gsub("[\\'`^~-]", SPECIAL):gsub("^%.", "\\&."):gsub("\n%.", "\n\\&.")) end

-- Options in bold, the words for their values in italics.
local function flags(option)
  if option.words then return "\\fI" .. escaped(option.words) .. "\\fR" end
  local parts = {}
  if option.short then parts[1] = "\\fB" .. escaped(option.short) .. "\\fR" end
  parts[#parts + 1] = "\\fB" .. escaped(option.flag) .. "\\fR"
  return table.concat(parts, ", ") .. (option.value and " \\fI" .. escaped(option.value) .. "\\fR" or "")
end

return function(program)
  local lines = {
    [[.\" Written by docs/generate when regengine is built.]],
    '.TH REGENGINE 1 "" "regengine" "User Commands"',
  }
  local function add(...)
    for _, line in ipairs { ... } do lines[#lines + 1] = line end
  end
  local function add_text(text) add(escaped(text)) end
  local function add_options(options)
    for _, option in ipairs(options) do
      add(".TP", flags(option))
      add_text(option.what .. option.notes)
    end
  end
  -- The head of a strategy: an indented paragraph is an example.
  local function add_about(text)
    local between = ""
    for paragraph in (text .. "\n\n"):gmatch "(.-)\n\n+" do
      if between ~= "" then add(between) end
      if paragraph:find "^  " then
        add(".nf")
        add_text((paragraph:gsub("^  ", ""):gsub("\n  ", "\n")))
        add ".fi"
      else
        add_text(paragraph)
      end
      between = ".PP"
    end
  end

  -- The options that several strategies have, each once, by the titles of their groups.
  local shared, titles, seen = {}, {}, {}
  for _, strategy in ipairs(program.strategies) do
    for _, group in ipairs(strategy.groups) do
      if group.title and not shared[group.title] then
        shared[group.title] = {}
        titles[#titles + 1] = group.title
      end
      for _, option in ipairs(group.title and group or {}) do
        local key = group.title .. "\0" .. option.flag .. "\0" .. option.what .. option.notes
        if not seen[key] then table.insert(shared[group.title], option) end
        seen[key] = true
      end
    end
  end

  add(".SH NAME")
  add_text("regengine - " .. program.what:gsub("^%u", string.lower))
  add(".SH SYNOPSIS", ".B regengine", "[\\fIoptions\\fR] \\fIstrategy\\fR|\\fIfile\\fR [\\fIits options\\fR]", ".br",
    ".B regengine", "[\\fIoptions\\fR]")
  add(".SH DESCRIPTION")
  add_text("Without a strategy or a file, regengine starts its prompt. A strategy is a script that comes with "
    .. "regengine; a file is a Lua script of your own, or a Markdown file with a script in a lua block.")
  add(".SH EXAMPLES", ".nf")
  add_text((program.examples:gsub("^  ", ""):gsub("\n  ", "\n")))
  add(".fi", ".SH OPTIONS")
  add_options(program.options)
  add ".SH COMMANDS"
  for _, command in ipairs(program.commands) do
    for _, row in ipairs(command.rows) do
      add(".TP", "\\fB" .. escaped(row[1]) .. "\\fR")
      add_text(row[2])
    end
  end
  add ".SH STRATEGIES"
  for _, strategy in ipairs(program.strategies) do
    add(".SS " .. strategy.name)
    add_about(strategy.about)
    local others = {}
    for _, group in ipairs(strategy.groups) do
      if not group.title then add_options(group) end
      for _, option in ipairs(group.title and group or {}) do
        others[#others + 1] = "\\fB" .. escaped(option.flag) .. "\\fR"
      end
    end
    add(".PP", "Shared options: " .. table.concat(others, ", "))
  end
  add ".SH SHARED OPTIONS"
  for _, title in ipairs(titles) do
    add(".SS " .. escaped(title))
    add_options(shared[title])
  end
  add ".SH EXIT STATUS"
  add_text((program.exit_codes:gsub("^Exit codes: ", ""):gsub("%s*\n%s*", " "):gsub(", (%d)", ";\n%1")))
  add(".SH FILES", ".TP", ".I .regengine/results.db")
  add_text "the store: the results of each folder that you work in, unless --store names another file"
  add(".TP", ".I $XDG_STATE_HOME/regengine/trusted")
  add_text "the scripts that you trust, and what you allowed others"
  add(".TP", ".I $XDG_STATE_HOME/regengine/prompt_history")
  add_text "what was typed at the prompt"
  return table.concat(lines, "\n") .. "\n"
end
