-- Finds secrets that a command is given by another one, or that are written to a file: echo X | docker login,
-- kinit ann <<< X, --password-file=<(echo X), echo X > ~/.pgpass.

local command_line = require "lib/redaction/command_line"
local values = require "lib/redaction/values"

local LONGEST = 1500  -- characters of a line that are looked at

-- Commands that read a secret.
local READERS = { "password%-stdin", "token%-stdin", "with%-token", "sudo .*%-S", "chpasswd", "passwd",
  "passphrase%-fd", "cryptsetup", "stdin=true", "wandb login", "huggingface%-cli login", "kinit", "auth login",
  "base64" }
-- Commands that may.
local MAYBE = { "login", "%f[%w]auth", "passw?", "secret", "token", "unlock", "read %-%a*s", "stdin", "credential",
  "luks",
  "install", "setup", "%f[%w]env add", "init%f[%W]" }
-- Those that read anything.
local FILTERS = { "grep", "^%s*sed ", "^%s*awk ", "^%s*tee ", "^%s*cat%f[%W]", "^%s*jq ", "^%s*wc ", "^%s*sort",
  "^%s*head",
  "^%s*tail", "^%s*cut ", "^%s*tr ", "^%s*xargs", "^%s*less", "^%s*python" }
-- Files that hold a secret.
local FILES = { "pw[%w.]*$", "pass[%w._-]*$", "secret[%w._-]*$", "token[%w._-]*$", "netrc$", "cred[%w._-]*$", "%.key$",
  "id_%w+$", "%.env$", "%.pem$" }

local function matches(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

-- Whether a command reads a secret, and whether it only may, so that a sentence is none.
local function reads(command)
  if matches(command, READERS) then return true, false end
  if matches(command, FILTERS) then return false end
  return matches(command:lower(), MAYBE) or nil, true
end

-- What becomes of what is written at `from`: where it ends, and whether it is a secret for sure.
local function written(scan, from, line)
  local before, after = line:match "^([^|]*)|(.*)$"
  if before then
    local is_read, perhaps = reads(after)
    local word = is_read == nil and before:match "^%a+%s+%-?n?e?%s*[\"']?([^%s\"']+)[\"']?%s*$"
    if word and values.fits(word) then is_read = true end
    return is_read and #before, perhaps
  end
  if scan.text:find("^<%(", from - 2) then
    local command = scan.lower:sub(scan:line_start(from), from - 1)
    local inner = matches(command, { "pass", "key", "secret", "token" }) and line:match "^[^)]*"
    return inner and #inner, false
  end
  local shown, file = line:match "^([^>]*[^>2&])>+%s*[\"']?([%w_./~$-]+)"
  return file and matches(file, FILES) and #shown, true
end

local function find_written(scan, writer)
  for from, to in scan:each(writer) do
    local line = scan.text:sub(from, math.min(scan:line_end(from), from + LONGEST))
    local past, perhaps = nil, nil
    if scan:starts_word(from) and scan.text:find("^%s", to + 1) and line:find "[|>)]" then past,
      perhaps = written(scan, from, line) end
    for i, word in ipairs(past and command_line.words(scan, to + 1) or {}) do
      if word.to > from + past then break end
      local is_format = writer == "printf" and i == 1 and word.text:find "^%%"
      local is_prose = perhaps and word.text:find "%s"
      if not word.text:find "^%-[neE]+$" and not is_format and not is_prose then
        command_line.add(scan, word.from, word.to)
      end
    end
  end
end

--- Secrets that are piped, or written to a file.
return function(scan)
  for _, writer in ipairs { "echo", "printf", "yes" } do find_written(scan, writer) end
  for from, to in scan:each "<<<" do
    local is_read = reads(scan.text:sub(scan:line_start(from), from - 1))
    local word = is_read ~= false and command_line.words(scan, to + 1)[1]
    if word and not word.text:find "%s" and (is_read or values.fits(word.text)) then command_line.add(scan, word.from,
      word.to) end
  end
end
