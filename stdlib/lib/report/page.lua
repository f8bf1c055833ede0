-- reg.report.html(store, options): an investigation as one self-contained HTML document. Its contents are put together
-- here and in page/; engine/page/html.h makes text safe HTML and keeps everything else out.

local changes = require "lib/report/page/changes"
local drawing = require("lib/report/page/chart").drawing
local environment = require "lib/provenance/environment"
local h = require "lib/report/page/markup"
local check_keys = core.check_keys
local published = require "lib/provenance/published"
local trials = require "lib/report/page/trials"
local names = require "lib/report/names"
local redactor = require "lib/redaction/redactor"
local restart = require "lib/provenance/restart"
local stored = require "lib/report/stored"
local terminal = require "lib/report/terminal"
local words = require "lib/report/words"

-- What the answer rests on and does not cover.
local function lead_of(stage)
  local found = stage.found
  if stage.answered then
    local missing = words.missing(found.missing, found.thing)
    return words.headline(found) .. ". " .. table.concat(words.notes(found), " ")
      .. (missing and " " .. missing:gsub("^n", "N") .. "." or "")
  end
  local note = not stage.beside and stored.note(stage)
  local order = stage.in_order and "in the subjects' order" or "in the order of their runs"
  return note and #stage.trials > 0 and note .. " Below are its trials, " .. order .. "." or note or ""
end

local function name_of(stage)
  return (stage.title ~= "" and stage.title or "investigation") .. ", number " .. stage.id
end

-- One stage from its drawing to its trials.
local function body_of(stage, store, drawings)
  local found = stage.found
  for _, point in ipairs(found.points) do point.label = names.date(point.label) end
  local main = drawing(stage, drawings, stored.title(stage))
  local said = not stage.answered and stored.said(stage) or terminal.measured(found, 0) or ""
  local notes = stage.answered and words.skipped_ranges(found) or {}
  notes[#notes + 1] = words.statistics(found)
  for i, note in ipairs(notes) do notes[i] = h.p { class = "quiet", note } end
  return h.all { said ~= "" and h.pre { class = "columns", said } or nil, main, changes.cards(stage), notes,
    trials.failures(stage, store), trials.all(stage) }
end

-- Consecutive rows of one name share it.
local function facts(rows)
  local list, last = {}, nil
  for _, row in ipairs(rows) do
    if row[1] ~= last then list[#list + 1] = h.dt { row[1] } end
    last = row[1]
    list[#list + 1] = h.dd { type(row[2]) == "string" and names.date(row[2]) or row[2] }
  end
  return h.dl { class = "facts", list }
end

-- The machine and the script of an investigation, and how to start it again.
local function environment_of(stage, script)
  local start = restart.of(stage, script, stage.mask)
  local rows = environment.rows(stage, stage.mask, start.seed)
  if start.title ~= "" and start.title ~= "prompt" then
    rows[#rows + 1] = { "started by", h.code { "regengine ", start.title, " ", core.shell_words(start.words) } }
  end
  local hash = tostring(stage.row.script_sha256):sub(1, 16)
  return h.all { h.h2 { "Environment" }, facts(rows),
    script ~= "" and h.details { class = "screen", h.summary { "The script, sha256 ", h.code { hash } },
      h.pre { h.redacted(stage.mask:code(script)) } } or nil }
end

local function other_stages(stages, store, drawings)
  local parts = {}
  for i = 2, #stages do
    local stage = stages[i]
    parts[#parts + 1] = h.section { id = "stage-" .. stage.id, h.h2 { name_of(stage) },
      h.p { class = "lead", h.b { stored.title(stage) }, ". ", lead_of(stage) }, body_of(stage, store, drawings) }
  end
  return parts
end

local function contents(stages)
  if #stages == 1 then return nil end
  local items = {}
  for i = 2, #stages do
    local stage = stages[i]
    items[#items + 1] = h.li { h.a { href = "#stage-" .. stage.id, name_of(stage) },
      h.span { class = "quiet", " \u{b7} ", stored.title(stage) } }
  end
  return h.nav { h.ul { class = "stages", items } }
end

-- One for all stages, so that it counts what was redacted in all of them.
local function mask_of(stages, keep_host, with_output)
  local person = core.person()
  person.keep_host, person.hosts, person.marked = keep_host, {}, true
  for i, stage in ipairs(stages) do person.hosts[i] = stage.row.host end
  person.own = published(stages, with_output)
  local mask = redactor.new(person)
  for _, stage in ipairs(stages) do stage.mask = mask end
  return mask
end

-- Redacts each string once; what a page repeats is many.
local function once(mask, suspects)
  local known = {}
  return function(text)
    local shown = known[text]
    if not shown then
      shown = mask:text(text)
      known[text] = shown
      for _, suspect in ipairs(redactor.suspects(shown)) do suspects[#suspects + 1] = suspect end
    end
    return shown
  end
end

-- All strings in the data of the drawings.
local function redact_data(value, redact)
  if type(value) == "string" then return redact(value) end
  if type(value) == "table" then
    for key, inner in pairs(value) do value[key] = redact_data(inner, redact) end
  end
  return value
end

-- JSON for an element of HTML: the same value, with nothing that could end the element.
local function json_in_html(value)
  return (reg.json.encode(value):gsub("[<>&]", { ["<"] = "\\u003c", [">"] = "\\u003e", ["&"] = "\\u0026" }))
end

return function(store, o)
  o = o or {}
  check_keys("report.html", o, { "investigation", "keep_host", "refresh_s", "with_output" })
  local stages, script = stored.stages(store, o.investigation)
  local first, drawings = stages[1], reg.json.array {}
  local mask = mask_of(stages, o.keep_host, o.with_output)
  local suspects = {}
  local redact = once(mask, suspects)
  local title = redact(stored.title(first))
  local about = { name_of(first), " \u{b7} ", names.moment(first.row.started) or "",
    o.keep_host and { " \u{b7} ", first.row.host } or nil }
  local body = h.all {
    h.header { h.p { class = "kicker", about }, h.h1 { title },
      h.p { class = "lead", lead_of(first) }, contents(stages) },
    h.main { body_of(first, store, drawings), environment_of(first, script), other_stages(stages, store, drawings) } }
  local text = h.text(body, redact)
  drawings = redact_data(drawings, redact)
  local masked = mask:said()
  local footer = h.footer { "Made by regengine ", core.version(), " on ", names.moment(reg.time.now()), " from ",
    store.path:match "[^/]+$",
      ". This file is self-contained and loads nothing.", masked and { " Redacted: ", masked, "." } or nil }
  text = text .. h.text(footer, redact)
  local page = core.nouns.report.page { title = redactor.read(title) .. " \u{b7} regengine", body = text,
    data = json_in_html { stages = drawings }, refresh_s = o.refresh_s }
  local shown, redacted = redactor.read(page)
  for _, kind in ipairs(redacted) do kind.lines = nil end  -- of the HTML, which nobody reads
  for _, suspect in ipairs(suspects) do suspect.line = nil end
  return shown, (redactor.read(title)), { redacted = redacted, suspects = suspects, with_output = o.with_output }
end
