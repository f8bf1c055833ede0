-- The runs of result files and stores one after the other, each with a function that notes what is to be said of its line. What is no
-- result is noted, and left out.

--- `runs`: reg.results.runs; `o`: its options. An iterator, and the notes, which grow as it goes.
return function(runs, o)
  local notes, next, reader = {}, runs { files = o.files, store = o.store }
  local function good()
    for run in next, reader do
      local function note(words) notes[#notes + 1] = { file = run.file, line = run.line, message = words } end
      if not run.bad then return run, note end
      note("is no result: " .. (run.truncated and "its writer was stopped in it" or run.message))
    end
  end
  return good, notes
end
