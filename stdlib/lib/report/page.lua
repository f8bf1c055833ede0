-- reg.report.html(store, options): what an investigation found, as one HTML document that stands for itself. What it shows is
-- said here and in page/; how text becomes safe HTML, and what lets nothing else in, in engine/report/html.h.

local changes = require "lib/report/page/changes"
local collect = require "lib/report/page/collect"
local drawing = require "lib/report/page/drawing"
local environment = require "lib/report/page/environment"
local h = require "lib/report/page/markup"
local check_keys = require "lib/options/check_keys"
local masking = require "lib/provenance/masking"
local Repositories = require "lib/report/page/repositories"
local trials = require "lib/report/page/trials"
local words = require "lib/report/page/words"

local function unanswered(stage)
  if stage.answered or stage.beside or stage.row.ended and words.kept(stage.row.answer) then return nil end
  local order = stage.series.in_order and "in their order" or "in the order in which they were run: the store does not tell their own"
  return h.p { class = "note", "This investigation has no answer in the store: it was stopped before its end, is still under way, or ",
    "its script did not ask for one. Below are the trials that there are, ", order, "." }
end

local function doubt_note(stage)
  if stage.series.verdict ~= "unresolved" and stage.series.verdict ~= "machine_changed" then return nil end
  local list = {}
  for i, doubt in ipairs(stage.series.doubts) do list[i] = doubt.label .. (doubt.p and string.format(" (p %.2f)", doubt.p) or "") end
  return #list > 0 and h.p { class = "note", "A change may lie in ", table.concat(list, ", "), "." } or nil
end

-- A date does not go from one line to the next.
local function unbroken(text)
  local parts, at = {}, 1
  for from, date, to in text:gmatch "()(%d%d%d%d%-%d%d%-%d%d)()" do
    parts[#parts + 1] = text:sub(at, from - 1)
    parts[#parts + 1] = h.span { class = "tight", date }
    at = to
  end
  return { parts, text:sub(at) }
end

local function name_of(stage) return (stage.title ~= "" and stage.title or "investigation") .. ", number " .. stage.id end

-- One stage from its drawing to its trials.
local function body_of(stage, store, drawings)
  local series = stage.series
  for _, point in ipairs(series.points) do point.label = words.date(point.label) end
  local main = drawing(stage, series.points, drawings, words.verdict(stage))
  local side = #series.side_points > 0 and h.all { h.h2 { "On the branches that were merged" },
    drawing(stage, series.side_points, drawings, "commits on the branches that merges brought in") } or nil
  return h.all { unanswered(stage), doubt_note(stage), main, changes.cards(stage), side, changes.levels(stage),
    trials.failures(stage, store), trials.all(stage) }
end

local function other_stages(stages, store, drawings)
  local parts = {}
  for i = 2, #stages do
    local stage = stages[i]
    parts[#parts + 1] = h.section { id = "stage-" .. stage.id, h.h2 { name_of(stage) }, h.p { class = "lead", words.verdict(stage), ". ",
      words.trust(stage) }, body_of(stage, store, drawings) }
  end
  return parts
end

local function contents(stages)
  if #stages == 1 then return nil end
  local items = {}
  for i = 2, #stages do
    local stage = stages[i]
    items[#items + 1] = h.li { h.a { href = "#stage-" .. stage.id, name_of(stage) },
      h.span { class = "quiet", " \u{b7} ", words.verdict(stage) } }
  end
  return h.nav { h.ul { class = "stages", items } }
end

-- One for all stages: it counts what it masks.
local function mask_of(stages, keep_host)
  local person = core.person()
  person.keep_host, person.hosts = keep_host, {}
  for i, stage in ipairs(stages) do person.hosts[i] = stage.row.host end
  local mask = masking.new(person)
  for _, stage in ipairs(stages) do stage.mask = mask end
  return mask
end

return function(store, o)
  o = o or {}
  check_keys("report.html", o, { "investigation", "repos", "keep_host" })
  local stages, script = collect.stages(store, o.investigation, function(options) return Repositories.new(options, o.repos) end)
  local first, drawings = stages[1], reg.json.array {}
  local mask = mask_of(stages, o.keep_host)
  local verdict = mask:text(words.verdict(first))
  local about = { name_of(first), " \u{b7} ", words.moment(first.row.started) or "",
    o.keep_host and { " \u{b7} ", first.row.host } or nil }
  local body = h.all {
    h.header { h.p { class = "kicker", about }, h.h1 { unbroken(verdict) }, h.p { class = "lead", words.trust(first) }, contents(stages) },
    h.main { body_of(first, store, drawings), environment(first, script), other_stages(stages, store, drawings) } }
  local masked = mask:said()
  local footer = h.footer { "Made by regengine ", core.version(), " on ", words.moment(reg.time.now()), " from ", store.path:match "[^/]+$",
      ". This file holds all it shows and loads nothing.", masked and { " Masked: ", masked, "." } or nil }
  local title = verdict .. " \u{b7} regengine"
  return core.nouns.report.page { title = title, body = h.text(h.all { body, footer }), data = { stages = drawings } }, verdict
end
