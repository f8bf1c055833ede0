-- Iterates over the valid runs of result files and stores. Invalid lines are skipped and noted.

--- `runs`: reg.results.runs; `o`: its options. Returns an iterator of a run and a function that adds a note to its
--- line, and the list of notes, which grows with the iteration.
return function(runs, o)
  local notes, next, reader = {}, runs { files = o.files, store = o.store }
  local function good()
    for run in next, reader do
      local function note(text) notes[#notes + 1] = { file = run.file, line = run.line, message = text } end
      if not run.bad then return run, note end
      note("not a valid result: " .. (run.truncated and "incomplete line" or run.message))
    end
  end
  return good, notes
end
