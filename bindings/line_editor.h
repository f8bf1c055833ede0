#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reg {

/// Reads lines from the terminal on stdin, with libedit's keys, a history that outlives the process, and completion.
/// It owns the terminal's mode while it reads, and the history file; it knows nothing of what a line means. One at a
/// time in a process.
class LineEditor {
 public:
  enum class Outcome { line, cancelled, end };  ///< Return, Ctrl-C, Ctrl-D or the terminal's end

  struct Completion {
    std::string part;                ///< of a name, as it stands before the cursor
    std::vector<std::string> names;  ///< whole names that begin with it
  };

  struct Hooks {
    std::function<Completion(const std::string& before_cursor)> complete;
    std::function<bool()> go_on;  ///< called each second or so while it waits, on the caller's thread; false ends it
    std::function<bool()> interrupted;  ///< called after it: whether a Ctrl-C came as a signal, since when it was asked
  };

  /// `history_file`: "" keeps none. The folder is made where it is missing; where that fails, none is kept either.
  LineEditor(const std::string& history_file, Hooks hooks);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  Outcome read(const std::string& prompt, std::string& line);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reg
