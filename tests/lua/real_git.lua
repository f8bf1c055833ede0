-- Repositories made by git, for the tests.

local real_git = {}

--- Runs git in a folder. Returns what it prints.
function real_git.git(folder, ...)
  local run = reg.process.run { cmd = { "git", "-C", folder, ... } }
  assert(run.ok, run.stderr)
  return (run.stdout:gsub("\n$", ""))
end

function real_git.new_repo(folder)
  assert(reg.process.run({ cmd = { "git", "init", "-q", "-b", "main", folder } }).ok)
  real_git.git(folder, "config", "user.name", "Ada")
  real_git.git(folder, "config", "user.email", "ada@example.org")
end

--- Writes a file and commits all, at a time in Unix seconds. Returns the id.
function real_git.commit(folder, file, text, time, message)
  reg.fs.write(folder .. "/" .. file, text)
  real_git.git(folder, "add", "-A")
  local stamp = "@" .. time .. " +0000"
  local run = reg.process.run { cmd = { "git", "-C", folder, "commit", "-q", "--allow-empty", "-m", message or text },
    env = { GIT_AUTHOR_DATE = stamp, GIT_COMMITTER_DATE = stamp } }
  assert(run.ok, run.stderr)
  return real_git.git(folder, "rev-parse", "HEAD")
end

return real_git
