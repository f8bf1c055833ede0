-- How likely each commit is to have brought the change, by the files it touches and the words of its message:
-- prior = { files = { "src/fft/*" }, text = { "fft", "layout" } }.

local check_keys = require "lib/options/check_keys"

local TIMES = 5  -- as likely, for a commit that touches such a file; again for one whose message has such a word

-- "src/*/fft" as a Lua pattern: * matches any text, ? any character, and a folder all that is in it.
local function pattern_of(glob)
  local pattern = glob:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?", ".")
  return "^" .. pattern .. (glob:find("/$") and "" or "$")
end

local function touches(repo, commit, patterns)
  for _, file in ipairs(repo:files(commit.id)) do
    for _, pattern in ipairs(patterns) do
      if file.path:find(pattern) then return true end
    end
  end
  return false
end

local function mentions(commit, words)
  local message = (commit.message or ""):lower()
  for _, word in ipairs(words) do
    if message:find(word:lower(), 1, true) then return true end
  end
  return false
end

--- The prior as a function of a commit, as reg.sweep takes it.
return function(prior, repo)
  check_keys("bisect: prior", prior, { "files", "text" })
  local patterns = {}
  for i, glob in ipairs(prior.files or {}) do patterns[i] = pattern_of(glob) end
  if #patterns > 0 and not repo then
    core.fail("usage", "bisect: a prior by files needs 'repo', to look the files up")
  end
  return function(commit)
    local weight = 1
    if #patterns > 0 and touches(repo, commit, patterns) then weight = weight * TIMES end
    if mentions(commit, prior.text or {}) then weight = weight * TIMES end
    return weight
  end
end
