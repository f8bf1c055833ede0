-- reg.report.html(store, options): an investigation as one self-contained HTML document. Its contents are put together
-- here and in page/, where markup.lua makes text safe HTML and keeps everything else out.

local changes = require "lib/report/page/changes"
local drawing = require("lib/report/page/chart").drawing
local environment = require "lib/provenance/environment"
local h = require "lib/report/page/markup"
local grouped, map = require("lib/values").grouped, require("lib/values").map
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

local function body_of(stage, store)
  local found = stage.found
  for _, point in ipairs(found.points) do point.label = names.date(point.label) end
  local main = drawing(stage, stored.title(stage))
  local said = stage.text or terminal.measured(found, 0) or ""
  local notes = stage.answered and words.skipped_ranges(found) or {}
  notes[#notes + 1] = words.statistics(found)
  for i, note in ipairs(notes) do notes[i] = h.p { class = "quiet", note } end
  return { said ~= "" and h.pre { class = "columns", said } or nil, main, changes.cards(stage), notes,
    trials.failures(stage, store), trials.all(stage) }
end

-- Rows of one name share it.
local function facts(rows)
  return h.dl { class = "facts", map(grouped(rows, function(row) return row[1] end), function(same)
    return { h.dt { same[1][1] }, map(same, function(row)
      return h.dd { type(row[2]) == "string" and names.date(row[2]) or row[2] }
    end) }
  end) }
end

-- The machine and the script of an investigation, and how to start it again.
local function environment_of(stage, script)
  local start = restart.of(stage, script, stage.mask)
  local rows = environment.rows(stage, stage.mask, start.seed)
  if start.title ~= "" and start.title ~= "prompt" then
    rows[#rows + 1] = { "started by", h.code { "regengine ", start.title, " ", core.shell_words(start.words) } }
  end
  local hash = tostring(stage.row.script_sha256):sub(1, 16)
  return { h.h2 { "Environment" }, facts(rows),
    script ~= "" and h.details { class = "screen", h.summary { "The script, sha256 ", h.code { hash } },
      h.pre { h.redacted(stage.mask:code(script)) } } or nil }
end

local function contents(others)
  return #others > 0 and h.nav { h.ul { class = "stages", map(others, function(stage)
    return h.li { h.a { href = "#stage-" .. stage.id, name_of(stage) },
      h.span { class = "quiet", " \u{b7} ", stored.title(stage) } }
  end) } }
end

-- Redacts each string once; what a page repeats is many.
local function once(mask, suspects)
  local known = {}
  return function(text)
    if not known[text] then
      known[text] = mask:text(text)
      for _, suspect in ipairs(redactor.suspects(known[text])) do table.insert(suspects, { text = suspect.text }) end
    end
    return known[text]
  end
end

local DOCUMENT = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="regengine {version}">
<meta name="referrer" content="no-referrer">
{refresh}<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
]]

-- Allows the style by its hash: no script runs, and nothing is loaded or sent.
local POLICY = "default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'"

local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- The SHA-256 of a text in base64: two characters for each three digits.
local function hash_of(text)
  local encoded = (core.sha256(text) .. "00"):gsub("%x%x%x", function(digits)
    local high, low = tonumber(digits, 16) >> 6, tonumber(digits, 16) & 63
    return BASE64:sub(high + 1, high + 1) .. BASE64:sub(low + 1, low + 1)
  end)
  return encoded:sub(1, 43) .. "="
end

-- `parts`: title, a text; and body, in HTML.
local function document(parts, refresh_s)
  parts.style = core.embedded "page.css"
  parts.policy = POLICY:format(hash_of(parts.style))
  parts.title, parts.version = h.escape(parts.title), h.escape(core.version())
  parts.refresh = (refresh_s or 0) > 0 and ('<meta http-equiv="refresh" content="%d">\n'):format(refresh_s) or ""
  return (DOCUMENT:gsub("{([%l_]+)}", parts))
end

return function(store, o)
  o = core.check_keys("report.html", o or {}, { "investigation", "keep_host", "refresh_s", "with_output" })
  local stages, script = stored.stages(store, o.investigation)
  local first, others, suspects = stages[1], { table.unpack(stages, 2) }, {}
  local mask = redactor.new(published(stages, o))  -- one for all stages, so that it counts what was redacted in all
  for _, stage in ipairs(stages) do stage.mask = mask end
  local redact = once(mask, suspects)
  local title = redact(stored.title(first))
  local about = { name_of(first), " \u{b7} ", names.moment(first.row.started) or "",
    o.keep_host and { " \u{b7} ", first.row.host } or nil }
  local body = {
    h.header { h.p { class = "kicker", about }, h.h1 { title },
      h.p { class = "lead", lead_of(first) }, contents(others) },
    h.main { body_of(first, store), environment_of(first, script), map(others, function(stage)
      return h.section { id = "stage-" .. stage.id, h.h2 { name_of(stage) },
        h.p { class = "lead", h.b { stored.title(stage) }, ". ", lead_of(stage) }, body_of(stage, store) }
    end) } }
  local text = h.write(body, redact)
  local masked = mask:said()
  text = text .. h.write(h.footer { "Made by regengine ", core.version(), " on ", names.moment(reg.time.now()),
    " from ", store.path:match "[^/]+$", ". This file is self-contained and loads nothing.",
    masked and { " Redacted: ", masked, "." } or nil }, redact)
  local page = document({ title = redactor.read(title) .. " \u{b7} regengine", body = text }, o.refresh_s)
  local shown, redacted = redactor.read(page)
  for _, kind in ipairs(redacted) do kind.lines = nil end  -- of the HTML, which nobody reads
  return shown, (redactor.read(title)), { redacted = redacted, suspects = suspects, with_output = o.with_output }
end
