-- Fills templates of texts with secrets. {!w:40}: a secret of 40 word characters; {w:40}: characters that may stay.
-- "⏎" ends a line.

local samples = require "secret_samples"

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local UPPER = LOWER:upper()
local WORD = DIGITS .. LOWER .. UPPER
local ALPHABETS = { w = WORD, h = DIGITS .. "abcdef", H = DIGITS .. "ABCDEF", U = UPPER .. DIGITS, l = LOWER .. DIGITS,
  b = WORD .. "+/", d = DIGITS, ["-"] = WORD .. "_-", B = UPPER .. "234567", c = LOWER }

local WORDS = { "abandon", "ability", "harbor", "violin", "tractor", "meadow", "quartz", "button", "zebra", "copper",
  "lunar", "velvet", "anchor", "pepper", "saddle", "walnut", "frozen", "guitar", "island", "jungle", "kitten" }
local USERS = { "annika", "bjoern", "carlos", "dmitri", "jsmith", "mkowalski", "li.wei", "sgupta", "rfernandez" }

local function capital(word) return word:sub(1, 1):upper() .. word:sub(2) end

-- How people and machines make passwords.
local PASSWORDS = {
  function(d) return capital(d.pick(WORDS)) .. d.number(1, 9999) .. d.pick { "", "!", "#", "$" } end,
  function(d)
    return d.pick(WORDS) .. d.pick { "-", ".", "_" } .. d.pick(WORDS) .. d.pick { "-", ".", "_" } .. d.pick(WORDS)
  end,
  function(d) return d.chars(WORD .. "!#%*+-.?@^_~", d.number(12, 20)) end,
  function(d) return d.chars(WORD, d.number(8, 24)) end,
  function(d) return d.chars(ALPHABETS.l, d.number(8, 14)) end,
  function(d) return d.pick { "P@ss", "S3cr3t", "Adm1n", "Welc0me" } .. d.number(1, 9999) .. d.pick { "", "!", "*" } end,
  function(d) return d.pick(WORDS) .. d.number(10, 999) end,
  function(d) return capital(d.pick(WORDS)) .. d.pick { "_", ".", "-" } .. capital(d.pick(WORDS)) .. d.number(2, 99) end,
  function(d) return d.chars(UPPER, 10) end,
  function(d) return d.chars(LOWER, d.number(9, 14)) end,
}

local MAKE = {
  pw = function(d) return d.pick(PASSWORDS)(d) end,
  pwx = function(d) return d.chars(WORD, d.number(8, 16)) end,
  up = function(d) return d.pick { d.pick(WORDS) .. d.number(1, 999), d.chars(WORD, 12) } end,
  sy = function(d, count) return d.chars(WORD .. "!#%*+-.?@^_~", count) end,
  uuid = function(d) return d.uuid() end,
  wd = function(d) return d.pick(WORDS) end,
  user = function(d) return d.pick(USERS) end,
  host = function(d)
    return d.pick { "gpu", "node", "dgx", "login" } .. d.number(1, 99) .. "."
      .. d.pick { "hpc.uni-x.edu", "corp.acme.com", "cluster.lab.org", "acme.local" }
  end,
  email = function(d) return d.pick(USERS) .. "@" .. d.pick { "acme.com", "mail.lab.org", "tech.edu" } end,
}

local function fill(template, d)
  local secrets = {}
  local text = template:gsub("⏎", "\n"):gsub("{(!?)([%w%-]+):?(%d*)}", function(secret, kind, count)
    local value = MAKE[kind] and MAKE[kind](d, tonumber(count))
      or ALPHABETS[kind] and d.chars(ALPHABETS[kind], tonumber(count) or 1)
    if value and secret ~= "" then secrets[#secrets + 1] = value end
    return value
  end)
  return text, secrets
end

local templates = {}

--- `each` samples of each line of `list`, as those of tests/lua/secret_samples.lua, and how many kinds these are.
function templates.make(list, seed, each)
  local d, made, kinds = samples.drawer(seed), {}, 0
  for line in list:gmatch "[^\n]+" do
    kinds = kinds + 1
    for _ = 1, each do
      local text, secrets = fill(line, d)
      made[#made + 1] = { kind = line, context = "template", text = text, secrets = secrets }
    end
  end
  return made, kinds
end

return templates
