#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace reg {

/// Reads lines from the terminal on stdin, with libedit's keys, a history and completion. Pasted text is inserted as it
/// is, line breaks included, and waits for Return. It owns the terminal's mode while it reads and knows nothing about
/// the meaning of a line. Only one may exist in a process.
class LineEditor {
 public:
  enum class Outcome { line, cancelled, end };  ///< Return, Ctrl-C, Ctrl-D or end of file

  struct Completion {
    std::string added;   ///< what Tab inserts
    std::string listed;  ///< shown below the line if that is ""
  };

  struct Hooks {
    std::function<Completion(const std::string& before_cursor)> complete;
    /// Called about once a second while it waits: `line` goes on, `cancelled` is as Ctrl-C, `end` ends the input.
    std::function<Outcome()> look;
  };

  /// The history is kept in this file, which several prompts may share and only its owner can read; "" keeps none.
  LineEditor(Hooks hooks, std::string history_file);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Shows `prompt` in color where the console has colors, and a space.
  Outcome read(std::string_view prompt, std::string& line);

  /// Adds the newest entry of the history that the arrow keys recall; it may have several lines.
  void remember(const std::string& entry);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reg
