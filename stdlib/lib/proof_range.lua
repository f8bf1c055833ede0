-- The versions that show what a commit does: those before and after a range in which it lies, the one after with the
-- commit reverted, and the one before with it applied.

local proof_range = {}

local function usage(message, hint) core.fail("usage", "prove: " .. message, hint) end

-- What the user typed, or a short id.
local function name_of(revision, commit)
  if type(revision) == "string" and not (revision:match "^%x+$" and #revision > 10) then return revision end
  return commit.short
end

-- The range: its ends by time and by name. The good end comes first for a regression, and last for a fix.
local function range_of(repo, o)
  local commit = repo:resolve(o.commit)
  local first, last = o.good, o.bad
  if o.fix then first, last = o.bad, o.good end
  if not first and #commit.parents == 0 then
    usage("the commit " .. commit.short .. " is a root commit: nothing comes before it")
  end
  local before, after = repo:resolve(first or commit.parents[1]), repo:resolve(last or commit)
  return { commit = commit, before = before, after = after, before_name = name_of(first, before),
    after_name = name_of(last, after) }
end

local function check(repo, range, o)
  local before, after, commit = range.before, range.after, range.commit
  local first, last = o.fix and "bad" or "good", o.fix and "good" or "bad"
  if before.id == after.id then usage("the good and the bad revision are the same commit: " .. before.short) end
  if not repo:is_ancestor(before, after) then
    usage(string.format("the %s revision %s is not an ancestor of the %s revision %s", first, range.before_name, last,
      range.after_name), repo:is_ancestor(after, before)
        and (o.fix and "Swap the two, or pass --commit for a regression."
          or "Swap the two, or pass --fix for a commit that makes it good again.") or "Use their merge base: "
            .. ((repo:merge_base(before, after) or {}).short or "there is none") .. ".")
  end
  if repo:is_ancestor(commit, before) or not repo:is_ancestor(commit, after) then
    usage(string.format("the commit %s is not between %s and %s", commit.short, range.before_name, range.after_name),
      "Pass a commit of git log " .. range.before_name .. ".." .. range.after_name .. ".")
  end
end

-- One of the two that are made: { commit = }, or { why = } where it is of no use.
local function made(repo, how, range, onto, name)
  local reverted = how == "revert"
  local commit, conflicts = repo[how](repo, range.commit, onto)
  local doing = string.format("%s %s %s %s", reverted and "reverting" or "applying", range.commit.short,
    reverted and "on" or "to", name)
  if conflicts then
    return { conflicts = conflicts, why = doing .. " conflicts in " .. table.concat(conflicts, ", ") }
  end
  if not core.settings().dry_run and #repo:files(commit) == 0 then
    return { why = doing .. " changes nothing: the version has " .. (reverted and "nothing of it" or "all of it") }
  end
  return { commit = commit }
end

--- Raises usage for a commit that is not in the range, and conflict if it can neither be reverted nor applied. Returns
--- { commit =, before =, after =, before_name =, after_name =, merge =, alone =, revert =, apply = }: the commits;
--- whether it is a merge, taken against its first parent; whether it is all of the range; and the two that are made,
--- each { commit = } or { why =, conflicts = }. `o`: commit, good, bad (revisions; the last two may be nil), fix.
function proof_range.of(repo, o)
  local range = range_of(repo, o)
  check(repo, range, o)
  range.merge = #range.commit.parents > 1
  range.alone = range.after.id == range.commit.id and range.before.id == range.commit.parents[1]
  if range.alone then
    range.revert, range.apply = {}, {}
    return range
  end
  range.revert = made(repo, "revert", range, range.after, range.after_name)
  range.apply = made(repo, "apply", range, range.before, range.before_name)
  if range.revert.why and range.apply.why then
    core.fail("conflict", range.revert.why .. "; " .. range.apply.why,
      "Pass ends nearer to the commit: --good and --bad.")
  end
  return range
end

return proof_range
