#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reg {

/// Reads lines from the terminal on stdin, with libedit's keys, a history and completion. What is pasted is put in as
/// it is, line breaks and all, and waits for Return. It owns the terminal's mode while it reads; it knows nothing of
/// what a line means. One at a time in a process.
class LineEditor {
 public:
  enum class Outcome { line, cancelled, end };  ///< Return, Ctrl-C, Ctrl-D or the terminal's end

  struct Completion {
    std::string part;                ///< of a name, as it stands before the cursor
    std::vector<std::string> names;  ///< whole names that begin with it
    std::string suffix;              ///< what comes behind the name where there is only one
  };

  struct Hooks {
    std::function<Completion(const std::string& before_cursor)> complete;
    std::function<bool()> go_on;  ///< called each second or so while it waits, on the caller's thread; false ends it
    std::function<bool()> interrupted;  ///< called after it: whether a Ctrl-C came as a signal, since when it was asked
  };

  explicit LineEditor(Hooks hooks);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  Outcome read(const std::string& prompt, std::string& line);

  /// What the arrow keys bring back, the newest last.
  void remember(const std::string& entry);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reg
